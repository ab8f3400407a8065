/**
 * Keeps the ledgers of previews in a render thread (`src/notes/draft/ledger.ts`), so that a preview of a repository that
 * has changed a little costs little. A ledger is used only if the partition's owner has recorded all rows of the
 * repository that were written since.
 */
import { Ledger, type RangeSummary } from '../../src/notes/draft/ledger.ts';
import type { RangeBounds } from '../../src/protocol/stored.ts';
import type { SharedWrites } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import type { RepositoryView } from '../../src/store/repository-view.ts';
import { readCursor } from '../../src/store/tables/meta.ts';
import { type LogPlace, LogReader } from '../../src/store/write-log.ts';

/** Ranges with fewer changes are computed in full each time. */
const minChanges = 300;
/**
 * A ledger that was not used for this time is dropped, in milliseconds, even if the thread has no other task. Its
 * repository may have been erased.
 */
const unusedMs = 15 * 60_000;
/** Maximum number of changes in all ledgers of a thread. 100,000 changes take about 30 MB. */
const maxChanges = 200_000;

interface Kept {
  ledger: Ledger;
  generation: number;
  watch: number;
  log: number;
  place: LogPlace;
  usedAt: number;
}

/** Summarizes ranges of repositories for one task. */
export interface Summaries {
  of(view: RepositoryView, repoId: string, bounds: RangeBounds): RangeSummary;
  /** Returns the summary of a range that was computed before; undefined if the range has to be computed in full. */
  known(view: RepositoryView, repoId: string, bounds: RangeBounds): RangeSummary | undefined;
}

/** Makes summaries without what earlier tasks computed. */
export const inFull: Summaries = {
  of: (view, _repoId, bounds) => summaryOf(new Ledger(view, bounds), view),
  known: () => undefined,
};

export class Ledgers {
  /** The one that was not asked for the longest is first. */
  private readonly kept = new Map<string, Kept>();
  private readonly limits: { min: number; max: number };
  private readonly now: () => number;
  /** Drops the ledger that is unused the longest, when its time comes. */
  private timer: NodeJS.Timeout | undefined;

  constructor({ min = minChanges, max = maxChanges, now = () => performance.now() } = {}) {
    this.limits = { min, max };
    this.now = now;
  }

  /** Number of ledgers. */
  get size(): number {
    return this.kept.size;
  }

  /**
   * Returns the function that makes the summaries of one task. Call this before the task's read transaction begins, and
   * the function after the partition was opened.
   * @param writes the rows that the partition's owner writes; undefined if they are not recorded
   */
  begin(writes: SharedWrites | undefined): (partition: Partition) => Summaries {
    const usedAt = this.now();
    this.dropUnused();
    const reader = writes && new LogReader(writes.memory);
    const place = reader?.committed();
    return (partition) => {
      if (!reader || !place || readCursor(partition).seq < writes.since) return inFull;
      const { log, watch } = writes;
      const { name: partitionName, generation } = partition;
      const nameOf = (repoId: string, bounds: RangeBounds) => JSON.stringify([partitionName, repoId, bounds]);
      const known: Summaries['known'] = (view, repoId, bounds) => {
        const name = nameOf(repoId, bounds);
        const one = this.kept.get(name);
        this.kept.delete(name);
        const isSame = one?.log === log && one.watch === watch && one.generation === generation;
        const rows = one && isSame ? reader.rowsAfter(one.place, repoId) : undefined;
        const summary = rows && one?.ledger.summary(view, rows);
        if (one && summary) this.kept.set(name, { ...one, place, usedAt });
        return summary;
      };
      return {
        known,
        of: (view, repoId, bounds) => {
          const summary = known(view, repoId, bounds);
          if (summary) return summary;
          const ledger = new Ledger(view, bounds);
          if (ledger.size >= this.limits.min)
            this.keep(nameOf(repoId, bounds), { ledger, generation, watch, log, place, usedAt });
          return summaryOf(ledger, view);
        },
      };
    };
  }

  private dropUnused(): void {
    clearTimeout(this.timer);
    const now = this.now();
    for (const [name, { usedAt }] of this.kept) {
      const left = usedAt + unusedMs - now;
      if (left > 0) return this.dropLater(left);
      this.kept.delete(name);
    }
    this.timer = undefined;
  }

  private dropLater(left: number): void {
    this.timer = setTimeout(() => this.dropUnused(), left).unref();
  }

  private keep(name: string, kept: Kept): void {
    this.kept.set(name, kept);
    if (!this.timer) this.dropLater(unusedMs);
    let total = 0;
    for (const { ledger } of this.kept.values()) total += ledger.size;
    for (const [other, { ledger }] of this.kept) {
      if (total <= this.limits.max) break;
      this.kept.delete(other);
      total -= ledger.size;
    }
  }
}

/** Returns the summary of the state from which a ledger was made. */
function summaryOf(ledger: Ledger, view: RepositoryView): RangeSummary {
  const summary = ledger.summary(view);
  if (!summary) throw new Error('a new ledger has no summary');
  return summary;
}
