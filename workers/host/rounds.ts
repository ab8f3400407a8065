/**
 * Goes over the repositories of a partition from time to time and works on those whose turn has come, one after the other.
 */
import { listRepositoryIds } from '../../src/store/tables/repositories.ts';
import type { HostContext } from './context.ts';

/** What is done with a repository, and when. */
export interface Round {
  /** What the log calls the work when it fails. */
  name: string;
  /** Repositories besides those that the partition knows. */
  others?: () => readonly string[];
  isDue: (repoId: string, now: number) => boolean;
  work: (repoId: string, signal: AbortSignal) => Promise<void>;
}

/** How often repositories are looked over, and how long one is left alone after its work failed, in milliseconds. */
const lookMs = 5000;
const failedMs = 600_000;

export class Rounds {
  private readonly context: HostContext;
  private readonly round: Round;
  private readonly abort = new AbortController();
  private readonly failedUntil = new Map<string, number>();
  private readonly timer: NodeJS.Timeout;
  private looking: Promise<void> | undefined;

  constructor(context: HostContext, round: Round) {
    this.context = context;
    this.round = round;
    this.timer = setInterval(() => this.look(), lookMs);
    this.timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.abort.abort(new Error('the worker stops'));
    await this.looking;
  }

  private look(): void {
    this.looking ??= this.lookOver()
      .catch((error: Error) => {
        if (!this.abort.signal.aborted) this.warn(error);
      })
      .finally(() => {
        this.looking = undefined;
      });
  }

  private async lookOver(): Promise<void> {
    if (!this.context.caughtUp()) return;
    const known = listRepositoryIds(this.context.partition());
    for (const repoId of new Set([...known, ...(this.round.others?.() ?? [])])) {
      if (this.abort.signal.aborted) return;
      const now = Date.now();
      if (now >= (this.failedUntil.get(repoId) ?? 0) && this.round.isDue(repoId, now)) await this.workOn(repoId);
    }
  }

  /** One that fails is tried again after the others. */
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
