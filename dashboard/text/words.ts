/** Contains the words that the screens show for names of the API. */
import type { Change, Draft, DraftEntry, Operations, Publication, Range } from '../../sdk/index.ts';

export type Persona = 'engineer' | 'internal' | 'customer';
export type ChannelName = Publication['channel'];

export const personas: readonly Persona[] = ['engineer', 'internal', 'customer'];

export const personaWords: Readonly<Record<Persona, { name: string; about: string }>> = {
  engineer: { name: 'Engineers', about: 'every change, with links' },
  internal: { name: 'Internal', about: 'support, sales and product' },
  customer: { name: 'Customers', about: 'what they notice, in plain words' },
};

export const personaTexts: Readonly<Record<Persona, string>> = {
  engineer: personaWords.engineer.name,
  internal: personaWords.internal.name,
  customer: personaWords.customer.name,
};

export const channelWords: Readonly<Record<ChannelName, { name: string; does: string }>> = {
  hosted: { name: 'Hosted page', does: 'Puts the notes on a page of this service, with feeds.' },
  scm_releases: { name: 'Release on the host', does: 'Writes the text of the release that belongs to the tag.' },
  changelog: { name: 'CHANGELOG.md', does: 'Commits the notes to the changelog of the repository.' },
  releases_md: { name: 'RELEASES.md', does: 'Commits the notes to the list of releases in the repository.' },
  workspace_chat: { name: 'Workspace chat', does: 'Posts a message to the connected channel.' },
  office_chat: { name: 'Office chat', does: 'Posts a card to the connected channel.' },
  support_messenger: { name: 'Support messenger', does: 'Publishes a news item to the people who use the product.' },
  email: { name: 'Email', does: 'Sends one mail to each address on the list.' },
};

/** Channels that keep the notes of each version. They accept notes only when the version has its tag. */
export const versionChannels: ReadonlySet<ChannelName> = new Set([
  'hosted',
  'scm_releases',
  'changelog',
  'releases_md',
]);

export const channelNames = Object.keys(channelWords) as ChannelName[];

/** Titles of the groups of changes, in the order of the notes. */
export const sectionWords: Readonly<Record<NonNullable<Change['section']>, string>> = {
  breaking: 'Breaking changes',
  security: 'Security',
  feature: 'Features',
  fix: 'Fixes',
  performance: 'Performance',
  documentation: 'Documentation',
  other: 'Other changes',
  reverted: 'Reverted',
  issues: 'Closed issues',
  commits: 'Direct commits',
  dependencies: 'Dependencies',
};

export const sectionNames = Object.keys(sectionWords) as NonNullable<Change['section']>[];

const reasons: Readonly<Record<Change['reason'], string>> = {
  listed: 'Has an entry of its own',
  backport: 'A backport of *, listed under it',
  cherryPicked: 'Brought in by *',
  dependency: 'Listed with the other dependency updates',
  revert: 'Reverts *, which is in an earlier release',
  partialRevert: 'Reverts a part of *',
  restored: 'Restores *',
  linked: 'Shown in the entry of *',
  closed: 'Closed in this period, but not by one of these changes',
  direct: 'A commit without a pull request',
  foreign: 'A commit without a pull request; * belongs to another repository',
  reverted: 'Reverted by *',
  reverts: 'Reverts *, and both are left out',
  shipped: 'Already released in *',
  release: 'Only makes a release',
  routine: 'Routine work',
  own: 'Made by this service when it published',
  label: 'Left out by the label *',
  command: 'Left out by the command *',
  author: 'Its author is excluded in the settings',
  unmerged: 'Not merged',
  branch: 'Merged into *, another branch',
  afterCut: 'Merged into * after the release branch was made',
  open: 'Still open',
  unresolved: 'Closed without being resolved',
  unlisted: 'Its pull request * has no entry of its own',
  notCaptured: 'Named by a commit, but this service has not received it',
};

/** Explains why a change is in the notes, or why it is not. */
export function reasonOf({ reason, detail }: Pick<Change, 'reason' | 'detail'>): string {
  return reasons[reason].replace('*', detail ?? 'another change');
}

const otherConflicts: Readonly<Record<string, string>> = {
  joined: 'Now listed in the entry of *',
  note: 'The release note of its pull request has lost this line',
  unlisted: 'The notes do not list it any more',
  range: 'Not in the range any more',
  other: 'Not in the notes any more',
};

/** Explains why a line that a person edited is about a change that is not in the notes any more. */
export function conflictReason({ reason, detail }: Draft['conflicts'][number]): string {
  const words = otherConflicts[reason]?.replace('*', detail ?? 'another change');
  return words ?? reasonOf({ reason: reason as Change['reason'], detail: detail ?? undefined });
}

const wordSources: Readonly<Record<DraftEntry['source'], string>> = {
  note: 'the release note of the pull request',
  issue: 'the title of a linked issue',
  title: 'the title of the change',
  person: 'a person',
};

/** Names where the words of an entry come from. */
export function wordSourceOf(source: DraftEntry['source']): string {
  return `words of ${wordSources[source]}`;
}

const kindSources: Readonly<Record<NonNullable<Change['kindBy']>, string>> = {
  command: 'a command in a comment',
  label: 'a label',
  advisory: 'a security advisory',
  note: 'its release note',
  prefix: 'the prefix of its title',
  issue: 'a label of its issue',
  box: 'a ticked box',
  branch: 'the name of its branch',
  verb: 'the first words of its title',
};

/** Explains what decided the kind of a change. */
export function kindSourceOf(kindBy: Change['kindBy']): string {
  return kindBy === undefined
    ? 'nothing says what kind of change this is'
    : `its kind comes from ${kindSources[kindBy]}`;
}

/** Names a range, such as `v1.2.0`, `1 to 14 Feb` or `Unreleased`. */
export function rangeName(range: Pick<Range, 'type'> & Partial<Range>): string {
  if (range.type === 'UNRELEASED') return range.toTag ?? 'Unreleased';
  if (range.type === 'DATE_BASED') return `${range.fromDate?.slice(0, 10)} to ${range.toDate?.slice(0, 10)}`;
  if (range.type === 'PR_BASED') return `#${range.fromPrNumber} to #${range.toPrNumber}`;
  return range.toTag ?? '';
}

/** Names where a range begins, such as `since v1.1.0`; an empty text for the first release and for dates. */
export function rangeStart(range: Pick<Range, 'type'> & Partial<Range>): string {
  return range.fromTag ? `since ${range.fromTag}` : range.type === 'FIRST_RELEASE' ? 'the first release' : '';
}

/** Writes a number with its noun: `1 change`, `12 changes`, `2 entries`. */
export function count(number: number, noun: string): string {
  const nouns = /[^aeiou]y$/.test(noun)
    ? `${noun.slice(0, -1)}ies`
    : `${noun}${/(s|sh|ch|x)$/.test(noun) ? 'es' : 's'}`;
  return `${number.toLocaleString('en')} ${number === 1 ? noun : nouns}`;
}

/** Counts what the notes list: `5 changes and 1 dependency update`. */
export function countListed(
  { changes, dependencyUpdates }: { changes: number; dependencyUpdates: number },
  noun = 'change',
): string {
  const updates = count(dependencyUpdates, 'dependency update');
  if (dependencyUpdates === 0) return count(changes, noun);
  return changes === 0 ? updates : `${count(changes, noun)} and ${updates}`;
}

const outdatedWords: Readonly<Record<string, string>> = {
  merged: 'is new',
  label: 'has other labels',
  command: 'has a new command',
  edited: 'has another title or text',
  reverted: 'was reverted',
  removed: 'left the notes',
  issue: 'has another linked issue',
  tag: 'is now the commit of the tag',
  settings: 'the settings of the repository changed',
  other: 'changed',
  generated: 'the draft was written again',
};

/** Lists why a draft or a publication is outdated, in one line. */
export function outdatedReasons(reasonsOf: readonly { number?: number; sha?: string; what: string }[]): string {
  const named = reasonsOf.slice(0, 4).map(({ number, sha, what }) => {
    const subject = number !== undefined ? `#${number} ` : sha !== undefined ? `${sha.slice(0, 7)} ` : '';
    return `${subject}${outdatedWords[what] ?? 'changed'}`;
  });
  const more = reasonsOf.length - named.length;
  return named.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Kinds of ranges in a few words. */
export const rangeTypes: Readonly<Record<Range['type'], string>> = {
  TAG_BASED: 'two tags',
  FIRST_RELEASE: 'first release',
  UNRELEASED: 'unreleased',
  DATE_BASED: 'a period',
  PR_BASED: 'numbers',
};

/** Says how the content of a range was found, and how sure that is. */
export function certainty({ type, resolution, assumed }: Pick<Range, 'type' | 'resolution' | 'assumed'>): {
  word: string;
  about: string;
  tone: 'good' | 'warn' | 'plain';
} {
  if (type === 'DATE_BASED' || type === 'PR_BASED') {
    const what = type === 'DATE_BASED' ? 'days' : 'numbers';
    return { word: 'as chosen', about: `The chosen ${what} decide what falls in.`, tone: 'plain' };
  }
  if (resolution === 'compare')
    return { word: 'certain', about: 'The host compared both ends, commit by commit.', tone: 'good' };
  if (resolution === 'window')
    return {
      word: 'estimated',
      about: 'Not all commits between the ends are known, so dates decide what falls in.',
      tone: 'warn',
    };
  return assumed
    ? {
        word: 'likely',
        about: 'The pushed commits decide. One end is inside a push, so its place is assumed.',
        tone: 'warn',
      }
    : {
        word: 'certain',
        about: 'The pushed commits between both ends are known and decide what falls in.',
        tone: 'good',
      };
}

/** Describes what the changes of a range lack, in one line. */
export function diagnosticsWords({
  changes,
  unlabelled,
  withoutArea,
  undecided,
  mayBreak,
}: Operations['listRangeChanges']['reply']['diagnostics']): string {
  const facts: readonly (readonly [number, string])[] = [
    [unlabelled, 'without a label that says its kind'],
    [undecided, 'without any sign of its kind'],
    [withoutArea, 'without an area'],
    [mayBreak, 'that may break something'],
  ];
  const found = facts
    .filter(([number]) => number > 0)
    .map(([number, text]) => `${number.toLocaleString('en')} ${text}`);
  return `${count(changes, 'change')} in the notes${found.length > 0 ? `, ${found.join(', ')}` : ''}.`;
}

/** Names of the kinds of hosts. */
export const hostNames = { github: 'GitHub', gitea: 'Gitea', forgejo: 'Forgejo' } as const;

/** Writes a text of the service as a sentence. */
export function sentence(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
