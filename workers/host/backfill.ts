/**
 * Runs one backfill: reads phase after phase from the stored position, and waits when the host asks it to wait. If the
 * backfill fails, the reason is recorded. Each page is journaled together with the position after that page
 * (`progress.ts`). The code that reads the phases is in other files (see `phases`).
 */
import { setTimeout as pause } from 'node:timers/promises';
import { hostAt } from '../../config/hosts.ts';
import { ServiceError } from '../../src/foundation/errors.ts';
import type { HostClient } from '../../src/host/client.ts';
import type { RestContext } from '../../src/intake/rest.ts';
import { time } from '../../src/intake/text.ts';
import type { BackfillPhase, BackfillRecord } from '../../src/protocol/backfill.ts';
import type { EventRepository } from '../../src/protocol/repository.ts';
import { readRepository, toEventRepository } from '../../src/store/tables/repositories.ts';
import { readCommits } from './commits.ts';
import { clientFor, type HostContext } from './context.ts';
import { readList } from './lists.ts';
import type { PhaseContext } from './phase-context.ts';
import { Progress, Superseded } from './progress.ts';
import { readReviews } from './reviews.ts';
import { readReleases, readTags } from './tags.ts';

/**
 * Maximum number of consecutive failures that do not end the backfill. After each of these failures, the backfill waits
 * and tries again. One more failure ends the backfill. All waits together take several hours.
 */
const maxFailures = 20;
/** How long a confirmation of the owner stays valid while pages are read, in milliseconds. */
const confirmedMs = 600_000;
const firstPauseMs = 2000;
const maxPauseMs = 900_000;

const phases: Record<BackfillPhase, (backfill: PhaseContext) => Promise<void>> = {
  pulls: (backfill) => readList(backfill, 'pulls'),
  issues: (backfill) => readList(backfill, 'issues'),
  tags: readTags,
  releases: readReleases,
  commits: readCommits,
  issueComments: (backfill) => readList(backfill, 'issueComments'),
  reviewComments: (backfill) => readList(backfill, 'reviewComments'),
  reviews: readReviews,
};

export class Backfill implements PhaseContext {
  readonly context: HostContext;
  readonly row: BackfillRecord;
  readonly progress: Progress;
  readonly kind: 'github' | 'gitea';
  pushedAt = 0;
  /** When the host last confirmed the owner, in milliseconds of `performance.now()`. */
  private confirmedAt = Number.NEGATIVE_INFINITY;
  private readonly signal: AbortSignal;
  private host: HostClient | undefined;

  /** @throws Superseded when the repository no longer exists */
  constructor(context: HostContext, row: BackfillRecord, signal: AbortSignal) {
    const known = readRepository(context.partition(), row.repoId);
    if (!known) throw new Superseded();
    this.context = context;
    this.row = row;
    this.signal = signal;
    const seen = { repository: toEventRepository(known), seenAt: known.seenAt };
    this.progress = new Progress(context, row, seen, signal, () => this.stayConfirmed());
    this.kind = hostAt(context.hosts, known.origin)?.kind ?? 'github';
  }

  /**
   * Works until the backfill has completed or failed. If the signal aborts the work, a later call continues the
   * backfill.
   */
  async run(): Promise<void> {
    this.progress.show('running');
    try {
      await this.untilTheEnd();
    } finally {
      this.progress.show(undefined);
    }
  }

  get client(): HostClient {
    const { context, row, signal, progress } = this;
    this.host ??= clientFor(context, this.repository.origin, {
      installationId: row.installationId,
      signal,
      onWait: (wait) => progress.waits(wait),
    });
    return this.host;
  }

  get repository(): EventRepository {
    return this.progress.seen.repository;
  }

  get name(): { fullName: string } {
    return { fullName: this.repository.fullName };
  }

  get reading(): RestContext {
    return { kind: this.kind, repositoryUrl: this.repository.url, now: Date.now() };
  }

  get stepsReach(): boolean {
    const { depth, since } = this.row;
    return depth === null || (since !== null && depth <= since);
  }

  private async untilTheEnd(): Promise<void> {
    for (let failures = 0; ; ) {
      const { pages } = this.progress;
      try {
        await this.confirmRepository();
        while (!this.progress.isOver) await phases[this.progress.position.phase](this);
        return;
      } catch (error) {
        if (this.signal.aborted || error instanceof Superseded) return;
        failures = this.progress.pages > pages ? 1 : failures + 1;
        if (!isPassing(error) || failures > maxFailures) return this.fail(error as Error);
        await this.rest(error as Error, failures).catch(() => {});
      }
    }
  }

  /** Asks the host for the repository: its owner and its current name. */
  private async confirmRepository(): Promise<void> {
    const { context, row, signal } = this;
    const { owner } = readRepository(context.partition(), row.repoId) ?? this.repository;
    const { found, repository, askedAt } = await context.owners.confirm(row.repoId, this.client, signal, owner.id);
    this.confirmedAt = performance.now();
    // Hosts report whole seconds, so the time is rounded down. Without rounding, a change that the host reports later
    // in the same second would count as older than this reply.
    const seenAt = askedAt - (askedAt % 1000);
    this.progress.seen = { repository, seenAt, confirmed: true };
    this.pushedAt = time(found.pushed_at) ?? seenAt;
  }

  /** Confirms the owner again while the backfill runs, because a repository can be transferred meanwhile. */
  private async stayConfirmed(): Promise<void> {
    if (performance.now() - this.confirmedAt > confirmedMs) await this.confirmRepository();
  }

  private async fail(error: Error): Promise<void> {
    this.context.logger.warn({ repo: this.row.repoId, err: error }, 'backfill failed');
    const expected = error instanceof ServiceError && error.kind !== 'internal';
    const reason = expected ? error.message : 'The backfill failed on the server; see its log for the reason.';
    try {
      await this.progress.end('failed', reason);
    } catch (fault) {
      if (!this.signal.aborted && !(fault instanceof Superseded)) throw fault;
    }
  }

  /** Waits before the next attempt, and reports the wait. */
  private async rest(error: Error, failures: number): Promise<void> {
    const asked = error instanceof ServiceError ? (error.retryAfter ?? 0) * 1000 : 0;
    const ms = Math.min(Math.max(asked, firstPauseMs * 2 ** (failures - 1)), maxPauseMs);
    this.context.logger.info({ repo: this.row.repoId, ms, err: error }, 'backfill is waiting');
    this.progress.waits({ ms });
    await pause(ms, undefined, { signal: this.signal, ref: false });
  }
}

/** Whether an error can be temporary: the host or the journal may become available again. */
function isPassing(error: unknown): boolean {
  return error instanceof ServiceError && error.kind === 'unavailable';
}
