/**
 * Recognizes snapshots that repeat the stored record, by comparing fields. Hosts repeat snapshots often, and this
 * comparison is much cheaper than a merge. A snapshot that is not recognized here is merged as usual, so the outcome is
 * the same.
 */
import type { IssueSnapshot, PullSnapshot } from '../../src/protocol/events.ts';
import type { IssueRecord, PullRecord } from '../../src/protocol/stored.ts';

/**
 * Fields that are compared with `===`. The types require every field of a snapshot to be listed, except those that the
 * functions below compare in another way.
 */
const plainPullFields = namesOf<Exclude<keyof PullSnapshot, 'labels' | 'author' | 'undated' | 'firstTime'>>({
  number: true,
  title: true,
  body: true,
  state: true,
  createdAt: true,
  updatedAt: true,
  closedAt: true,
  mergedAt: true,
  mergeSha: true,
  baseRef: true,
  headRef: true,
  headSha: true,
  url: true,
});
const plainIssueFields = namesOf<
  Exclude<keyof IssueSnapshot, 'labels' | 'author' | 'undated' | 'closedAt' | 'reactions'>
>({
  number: true,
  title: true,
  body: true,
  state: true,
  stateReason: true,
  createdAt: true,
  updatedAt: true,
  url: true,
});

/** Whether a snapshot with the rank `rank` contains exactly what is stored, so that merging it would change nothing. */
export function repeatsPull(stored: PullRecord, snapshot: PullSnapshot, rank: number): boolean {
  return (
    isSameVersion(stored, snapshot, rank) &&
    stored.mergeShaAt === undefined &&
    (snapshot.firstTime === undefined || snapshot.firstTime === stored.firstTime) &&
    plainPullFields.every((field) => stored[field] === snapshot[field]) &&
    hasSameLists(stored, snapshot)
  );
}

/** Same as `repeatsPull`, for an issue. */
export function repeatsIssue(stored: IssueRecord, snapshot: IssueSnapshot, rank: number): boolean {
  const closedAt = snapshot.state === 'open' ? null : (snapshot.closedAt ?? snapshot.updatedAt);
  return (
    isSameVersion(stored, snapshot, rank) &&
    stored.stateAt === undefined &&
    stored.closedAt === closedAt &&
    (snapshot.reactions === undefined ||
      (snapshot.reactions === stored.reactions && stored.reactionsAt === undefined)) &&
    plainIssueFields.every((field) => stored[field] === snapshot[field]) &&
    hasSameLists(stored, snapshot)
  );
}

function isSameVersion(
  stored: PullRecord | IssueRecord,
  { updatedAt, undated }: PullSnapshot | IssueSnapshot,
  rank: number,
): boolean {
  return !undated && stored.updatedAt === updatedAt && stored.rank === rank;
}

function hasSameLists(stored: PullRecord | IssueRecord, { author, labels }: PullSnapshot | IssueSnapshot): boolean {
  return (
    stored.labelsAt === undefined &&
    labels !== undefined &&
    stored.labels.length === labels.length &&
    stored.author.login === author.login &&
    stored.author.bot === author.bot &&
    stored.labels.every((label, index) => label === labels[index])
  );
}

function namesOf<Name extends string>(names: Readonly<Record<Name, true>>): readonly Name[] {
  return Object.keys(names) as Name[];
}
