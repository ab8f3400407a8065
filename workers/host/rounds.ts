/**
 * Visits the repositories of a partition at intervals and does the work that is due, for one repository after the
 * other.
 */
import { onInterval } from '../../src/foundation/intervals.ts';
import { listRepositoryIds } from '../../src/store/tables/repositories.ts';
import type { HostContext } from './context.ts';

/** A kind of work on repositories, and when the work is due. */
export interface Round {
  /** Name of the work. If the work fails, the log line contains this name. */
  name: string;
  /** Returns ids of further repositories to visit. The partition does not know these repositories. */
  others?: () => readonly string[];
  isDue: (repoId: string, now: number) => boolean;
  work: (repoId: string, signal: AbortSignal) => Promise<void>;
}

/**
 * Interval between two visits (`pollMs`), and how long a repository is skipped after its work failed (`failedMs`), in
 * milliseconds.
 */
const pollMs = 5000;
const failedMs = 600_000;

export class Rounds {
  private readonly context: HostContext;
  private readonly round: Round;
  private readonly abort = new AbortController();
  private readonly failedUntil = new Map<string, number>();
  private readonly end: () => void;
  private polling: Promise<void> | undefined;

  constructor(context: HostContext, round: Round) {
    this.context = context;
    this.round = round;
    this.end = onInterval(pollMs, () => this.poll());
  }

  async close(): Promise<void> {
    this.end();
    this.abort.abort(new Error('the worker stops'));
    await this.polling;
  }

  private poll(): void {
    this.polling ??= this.checkAll()
      .catch((error: Error) => {
        if (!this.abort.signal.aborted) this.warn(error);
      })
      .finally(() => {
        this.polling = undefined;
      });
  }

  private async checkAll(): Promise<void> {
    if (!this.context.lead.acts) return;
    const known = listRepositoryIds(this.context.partition());
    for (const repoId of new Set([...known, ...(this.round.others?.() ?? [])])) {
      if (this.abort.signal.aborted) return;
      const now = Date.now();
      if (now >= (this.failedUntil.get(repoId) ?? 0) && this.round.isDue(repoId, now)) await this.workOn(repoId);
    }
  }

  /**
   * Does the work for one repository. If the work fails, it is tried again later, and the round continues with the next
   * repository.
   */
  private async workOn(repoId: string): Promise<void> {
    try {
      await this.round.work(repoId, this.abort.signal);
      this.failedUntil.delete(repoId);
    } catch (error) {
      if (this.abort.signal.aborted) return;
      this.failedUntil.set(repoId, Date.now() + failedMs);
      this.warn(error as Error, repoId);
    }
  }

  private warn(error: Error, repo?: string): void {
    this.context.logger.warn({ repo, err: error }, `${this.round.name} failed`);
  }
}
