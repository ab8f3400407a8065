/**
 * The shape of one made-up change and the short builders the content files are written with.
 * Knows nothing of numbers, dates or people: the schedule deals those out.
 */

/** The release a change is first part of; `next` is what has been merged since the last tag. */
export const milestones = ['v1.0.0', 'v1.1.0', 'v1.2.0', 'v1.3.0', 'v2.0.0', 'next'] as const;
export type Milestone = (typeof milestones)[number];

/** An issue a user reported, in the user's own words. */
export type Report = { title: string; body: string; labels: string[] };

/** What became of a pull request. */
export type Outcome = 'merged' | 'closed' | 'open';

/** One pull request as its author would have written it. */
export type Change = {
  title: string;
  body: string;
  labels: string[];
  closes: Report[];
  outcome: Outcome;
  /** Name for other changes to point at. */
  key?: string;
  /** Text of the "Upgrade" section. */
  upgrade?: string;
  /** Text for readers of the notes, put into a release-note block. */
  note?: string;
  /** The last word before it was closed without a merge. */
  closingComment?: string;
  /** Title at the merge, when the final one was only written afterwards. */
  titleAtMerge?: string;
  /** Where in its release it is merged; anywhere when absent. */
  position?: 'early' | 'late';
  reverts?: string;
  backportOf?: string;
  byBot?: true;
};

/** What a content line may add to title and body. */
export type Extras = Partial<Omit<Change, 'title' | 'body'>> & { high?: true };

/** The changes of one area, by release. */
export type AreaContent = { area: string | null; changes: Record<Milestone, Change[]> };

/** A change with no type label. */
export function change(title: string, body: string, extras: Extras = {}): Change {
  const { high, labels = [], closes = [], ...rest } = extras;
  const priority = high ? ['priority: high'] : [];
  return { title, body, outcome: 'merged', ...rest, closes, labels: [...labels, ...priority] };
}

/** A change labelled `type: feature`. */
export function feature(title: string, body: string, extras: Extras = {}): Change {
  return change(title, body, { ...extras, labels: ['type: feature', ...(extras.labels ?? [])] });
}

/** A change labelled `type: bug`. */
export function fix(title: string, body: string, extras: Extras = {}): Change {
  return change(title, body, { ...extras, labels: ['type: bug', ...(extras.labels ?? [])] });
}

/** A change labelled `type: breaking`, with the steps its users have to take. */
export function breaking(title: string, body: string, upgrade: string, extras: Extras = {}): Change {
  return change(title, body, { ...extras, upgrade, labels: ['type: breaking', ...(extras.labels ?? [])] });
}

/** A pull request the maintainers turned down, with their reason. */
export function declined(title: string, body: string, closingComment: string): Change {
  return change(title, body, { outcome: 'closed', closingComment });
}

/** A user's bug report. */
export function report(title: string, body: string): Report {
  return { title, body, labels: ['type: bug'] };
}

/** A user's wish. */
export function wish(title: string, body: string): Report {
  return { title, body, labels: ['type: feature'] };
}
