/**
 * The order of snapshots to which the host gave no time: they count in the order of receipt, which is that of the journal and
 * not of a clock (`docs/architecture.md`, "A webhook, step by step"). Pure.
 */
import { mostAheadMs } from '../../src/intake/text.ts';
import type { IssueRecord, PullRecord } from '../../src/protocol/stored.ts';

type Captured = PullRecord | IssueRecord;

/** How the record at hand came: when it was enqueued, and whether a person had it replayed since. */
export interface Receipt {
  at?: number;
  isReplayed?: boolean;
}

/** Rank of a snapshot without a time of the host: above all actions, so that it is the last one of its instant. */
export const undatedRank = 8;

/** Time of a snapshot that is older than whatever is stored; 0 is the time of what no snapshot has told. */
const earliest = 1;

/**
 * Time and rank of a snapshot without a time of the host: never before what is stored, since it was received later. Two come
 * late and are recognized: a number is opened once, so a late `opened` is the oldest of all; and a dead letter that is replayed
 * counts as of its first receipt.
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
 * The stored record as it has to count. A time of receipt far ahead of the record at hand is that of a clock that ran ahead: it
 * counts as the oldest, or no time of the host would be later for as long.
 */
export function standing<T extends Captured>(stored: T | undefined, { at }: Receipt): T | undefined {
  if (!stored || at === undefined || stored.rank !== undatedRank || stored.updatedAt <= at + 2 * mostAheadMs)
    return stored;
  return { ...stored, updatedAt: earliest };
}
