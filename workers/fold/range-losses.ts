/**
 * Detects release ranges that have lost changes to retention. A draft generated from the remaining changes would be
 * incomplete, but would not show this (`docs/architecture.md` decision 19).
 */
import { dayOf, toDate } from '../../src/foundation/days.ts';
import { ServiceError } from '../../src/foundation/errors.ts';
import type { RangeLoss, RangeRecord } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { isUnderWay, readBackfill } from '../../src/store/tables/backfills.ts';
import { readErasedRecount } from '../../src/store/tables/ranges.ts';

type Counts = Pick<RangeRecord, 'prCount' | 'issueCount' | 'commitCount'>;

/**
 * Returns how many changes a range has lost, given the range's new counts. Example: a range has 20 changes. 5 of them
 * are erased, and later 2 others are merged, so 5 of 22 changes are lost.
 * - Lower counts mean a loss only while a recount after a sweep is pending. At other times, a label or a revert has
 *   lowered the counts, and nothing is lost.
 * - Higher counts mean that lost changes are back only if a backfill has started since the loss or is under way.
 *   Otherwise, the range has grown.
 */
export function lossAfter(
  partition: Partition,
  { repoId, lost, ...before }: RangeRecord,
  after: Counts,
  at: number,
): RangeLoss | undefined {
  const [fewer, more] = differences(before, after);
  const row = fewer > 0 ? readErasedRecount(partition, repoId) : 0;
  if (row > 0) return { changes: (lost?.changes ?? 0) + fewer, at, row };
  if (!lost || more === 0 || !isRefilled(partition, repoId, lost)) return lost;
  return more < lost.changes ? { ...lost, changes: lost.changes - more } : undefined;
}

/**
 * Returns an error if a draft of the range would be incomplete and therefore needs `force`, otherwise undefined. While
 * a recount after a sweep is pending, every range that has changes counts as incomplete.
 * @param since only erasures after this outbox row are considered
 */
export function lossRefusal(partition: Partition, range: RangeRecord, since = 0): ServiceError | undefined {
  const { id, repoId, lost } = range;
  const left = totalOf(range);
  const had = left + (lost?.changes ?? 0);
  if (lost && lost.row > since) {
    return new ServiceError(
      'conflict',
      `Release range ${JSON.stringify(id)} had ${had} changes (pull requests, issues and commits) and now has ${left}. ` +
        `The others were erased at the end of their retention period, the last of them on ${toDate(dayOf(lost.at))}, ` +
        'so a draft would lack them. ' +
        'Send "force": true to generate the draft from the remaining changes, or backfill the repository first.',
    );
  }
  if (left === 0 || readErasedRecount(partition, repoId) <= since) return undefined;
  return new ServiceError(
    'conflict',
    `Release range ${JSON.stringify(id)} had ${had} changes (pull requests, issues and commits). Some records of its repository ` +
      'were just erased at the end of their retention period, so the range is being counted again. ' +
      'Try again in a few seconds, or send "force": true to generate the draft from the remaining changes.',
  );
}

/**
 * Returns how many changes were lost and how many were gained, each summed over the kinds of changes. Commits are
 * compared only if both `before` and `after` contain a commit count.
 */
function differences(before: Counts, after: Counts): [fewer: number, more: number] {
  const growth = [
    after.prCount - before.prCount,
    after.issueCount - before.issueCount,
    before.commitCount === undefined || after.commitCount === undefined ? 0 : after.commitCount - before.commitCount,
  ];
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + Math.max(0, each), 0);
  return [sum(growth.map((each) => -each)), sum(growth)];
}

function isRefilled(partition: Partition, repoId: string, { at }: RangeLoss): boolean {
  const backfill = readBackfill(partition, repoId);
  return backfill !== undefined && (isUnderWay(backfill) || backfill.startedAt >= at);
}

function totalOf({ prCount, issueCount, commitCount = 0 }: Counts): number {
  return prCount + issueCount + commitCount;
}
