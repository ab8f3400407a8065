/**
 * Defines the shape of one invented change, and short builders for the content files. A change has no numbers, dates or
 * people. The schedule adds them.
 */

/** The first release that contains a change. `next` is for changes merged since the last tag. */
export const milestones = ['v1.0.0', 'v1.1.0', 'v1.2.0', 'v1.3.0', 'v2.0.0', 'next'] as const;
export type Milestone = (typeof milestones)[number];

/** An issue that a user reported, in the user's own words. */
export type Report = { title: string; body: string; labels: string[] };

/** How a pull request ended. */
export type Outcome = 'merged' | 'closed' | 'open';

/** One pull request as its author would have written it. */
export type Change = {
  title: string;
  body: string;
  labels: string[];
  closes: Report[];
  outcome: Outcome;
  /** Name by which other changes refer to this change. */
  key?: string;
  /** Text of the "Upgrade" section. */
  upgrade?: string;
  /** Release note that the description of the pull request contains. */
  note?: string;
  /** The last comment before the pull request was closed without a merge. */
  closingComment?: string;
  /**
   * Title of the pull request at the time of the merge. Set only if the title is edited after the merge. `title` is the
   * final title.
   */
  titleAtMerge?: string;
  /** Whether the change is merged early or late in its release. If the field is missing, the position is random. */
  position?: 'early' | 'late';
  reverts?: string;
  backportOf?: string;
  byBot?: true;
};

/**
 * Optional fields that a content file may add to the title and body of a change. `high` adds a label for high priority.
 */
export type Extras = Partial<Omit<Change, 'title' | 'body'>> & { high?: true };

/** The changes of one area, by release. */
export type AreaContent = { area: string | null; changes: Record<Milestone, Change[]> };

/** Returns a change without a type label. */
export function change(title: string, body: string, extras: Extras = {}): Change {
  const { high, labels = [], closes = [], ...rest } = extras;
  const priority = high ? ['priority: high'] : [];
  return { title, body, outcome: 'merged', ...rest, closes, labels: [...labels, ...priority] };
}

/** Returns a change labeled `type: feature`. */
export function feature(title: string, body: string, extras: Extras = {}): Change {
  return change(title, body, { ...extras, labels: ['type: feature', ...(extras.labels ?? [])] });
}

/** Returns a change labeled `type: bug`. */
export function fix(title: string, body: string, extras: Extras = {}): Change {
  return change(title, body, { ...extras, labels: ['type: bug', ...(extras.labels ?? [])] });
}

/** Returns a change labeled `type: breaking`, with the upgrade steps for users. */
export function breaking(title: string, body: string, upgrade: string, extras: Extras = {}): Change {
  return change(title, body, { ...extras, upgrade, labels: ['type: breaking', ...(extras.labels ?? [])] });
}

/** Returns a pull request that the maintainers rejected, with their reason. */
export function declined(title: string, body: string, closingComment: string): Change {
  return change(title, body, { outcome: 'closed', closingComment });
}

/** Returns a user's bug report. */
export function report(title: string, body: string): Report {
  return { title, body, labels: ['type: bug'] };
}

/** Returns a user's feature request. */
export function wish(title: string, body: string): Report {
  return { title, body, labels: ['type: feature'] };
}
