/**
 * Orders snapshots without a host time by their receipt: the position in the journal decides, not a clock
 * (`docs/architecture.md`, "Snapshots without a time"). All functions are pure.
 */
import { maxAheadMs } from '../../src/foundation/host-clock.ts';
import type { IssueRecord, PullRecord } from '../../src/protocol/stored.ts';

type Captured = PullRecord | IssueRecord;

/** How the current record arrived: when it was enqueued, and whether it is a dead letter that a person has replayed. */
export interface Receipt {
  at?: number;
  isReplayed?: boolean;
}

/**
 * Rank of a snapshot without a host time. The rank is above those of all actions, so that the snapshot is the last one
 * of its millisecond.
 */
export const undatedRank = 8;

/**
 * A snapshot with this time counts as older than anything stored. The time is not 0, because 0 is the time of parts of
 * a record that no snapshot has contained.
 */
const earliest = 1;

/**
 * Returns the time and the rank of a snapshot without a host time. The snapshot is never ordered before the stored
 * record, because the snapshot was received later. There are two exceptions. An issue or pull request is opened only
 * once, so an `opened` event that arrives late is the oldest snapshot of all. A replayed dead letter keeps the time of
 * its first receipt.
 */
export function orderOf(
  { updatedAt }: { updatedAt: number },
  action: string,
  before: Captured | undefined,
  { isReplayed = false }: Receipt,
): Pick<Captured, 'updatedAt' | 'rank'> {
  if (before && action === 'opened') return { updatedAt: earliest, rank: 0 };
  if (!before || isReplayed) return { updatedAt, rank: undatedRank };
  return { updatedAt: Math.max(updatedAt, before.updatedAt), rank: undatedRank };
}

/**
 * Returns the stored record with the time to use in a comparison. If the stored time of receipt is more than ten
 * minutes later than the current receipt, the clock was ahead when the record was stored. The stored record then counts
 * as the oldest. Without this rule, every snapshot with a host time would count as older than the stored record until
 * the real time reaches the stored time.
 */
export function withoutFutureTime<T extends Captured>(stored: T | undefined, { at }: Receipt): T | undefined {
  if (!stored || at === undefined || stored.rank !== undatedRank || stored.updatedAt <= at + 2 * maxAheadMs)
    return stored;
  return { ...stored, updatedAt: earliest };
}
