/**
 * One backfill: reads phase after phase from where it stands, waits where the host wants that, and says why when it cannot be
 * done. Each page is journalled with how far it goes (`progress.ts`); how a phase reads is in the file named after it.
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
import { Progress, Superseded } from './progress.ts';
import { readReviews } from './reviews.ts';
import { readReleases, readTags } from './tags.ts';

/** Failures in a row that are waited out: some hours in all. */
const mostFailures = 20;
/** How long the host's word on the owner counts while pages are read, in milliseconds. */
const confirmedMs = 600_000;
const firstPauseMs = 2000;
const longestPauseMs = 900_000;

const phases: Record<BackfillPhase, (backfill: Backfill) => Promise<void>> = {
  pulls: (backfill) => readList(backfill, 'pulls'),
  issues: (backfill) => readList(backfill, 'issues'),
  tags: readTags,
  releases: readReleases,
  commits: readCommits,
  issueComments: (backfill) => readList(backfill, 'issueComments'),
  reviewComments: (backfill) => readList(backfill, 'reviewComments'),
  reviews: readReviews,
};

export class Backfill {
  readonly context: HostContext;
  readonly row: BackfillRecord;
  readonly progress: Progress;
  readonly kind: 'github' | 'gitea';
  /** The host's time of the last push that the repository's answer knew of, in milliseconds. */
  pushedAt = 0;
  /** When the host last confirmed the owner, by `performance.now()`. */
  private confirmedAt = Number.NEGATIVE_INFINITY;
  private readonly signal: AbortSignal;
  private host: HostClient | undefined;

  /** @throws Superseded when the repository is gone */
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

  /** Works until the end, good or bad, or until the signal: then it goes on later. */
  async run(): Promise<void> {
    this.progress.show('running');
    try {
      await this.untilTheEnd();
    } finally {
      this.progress.show(undefined);
    }
  }

  /** @throws ServiceError `invalid` when the settings do not have the host */
  get client(): HostClient {
    const { context, row, signal, progress } = this;
    this.host ??= clientFor(context, this.repository.origin, {
      installationId: row.installationId,
      signal,
      onWait: (wait) => progress.waits(wait),
    });
    return this.host;
  }

  /** As the host described it when this process began; what is stored until then. */
  get repository(): EventRepository {
    return this.progress.seen.repository;
  }

  get name(): { fullName: string } {
    return { fullName: this.repository.fullName };
  }

  /** What items are read with. */
  get reading(): RestContext {
    return { kind: this.kind, repositoryUrl: this.repository.url, now: Date.now() };
  }

  /** Whether steps that are stored reach as far back as this backfill goes. */
  get stepsReach(): boolean {
    const { depth, since } = this.row;
    return depth === null || (since !== null && depth <= since);
  }

  private async untilTheEnd(): Promise<void> {
    for (let failures = 0; ; ) {
      const { pages } = this.progress;
      try {
        await this.meet();
        while (!this.progress.isOver) await phases[this.progress.position.phase](this);
        return;
      } catch (error) {
        if (this.signal.aborted || error instanceof Superseded) return;
        failures = this.progress.pages > pages ? 1 : failures + 1;
        if (!isPassing(error) || failures > mostFailures) return this.fail(error as Error);
        await this.rest(error as Error, failures).catch(() => {});
      }
    }
  }

  /** Asks the host for the repository: who owns it, and what it is called now. */
  private async meet(): Promise<void> {
    const { context, row, signal } = this;
    const { owner } = readRepository(context.partition(), row.repoId) ?? this.repository;
    const { found, repository, askedAt } = await context.owners.confirm(row.repoId, this.client, signal, owner.id);
    this.confirmedAt = performance.now();
    // Hosts tell whole seconds, and what they tell later in this one counts as much.
    const seenAt = askedAt - (askedAt % 1000);
    this.progress.seen = { repository, seenAt, confirmed: true };
    this.pushedAt = time(found.pushed_at) ?? seenAt;
  }

  /** Asks again while the backfill goes on: a repository can change hands meanwhile. */
  private async stayConfirmed(): Promise<void> {
    if (performance.now() - this.confirmedAt > confirmedMs) await this.meet();
  }

  private async fail(error: Error): Promise<void> {
    this.context.logger.warn({ repo: this.row.repoId, err: error }, 'backfill failed');
    const expected = error instanceof ServiceError && error.kind !== 'internal';
    const reason = expected ? error.message : 'The backfill failed on the server; its log says why.';
    try {
      await this.progress.end('failed', reason);
    } catch (fault) {
      if (!this.signal.aborted && !(fault instanceof Superseded)) throw fault;
    }
  }

  /** Waits before it tries again, and says so. */
  private async rest(error: Error, failures: number): Promise<void> {
    const asked = error instanceof ServiceError ? (error.retryAfter ?? 0) * 1000 : 0;
    const ms = Math.min(Math.max(asked, firstPauseMs * 2 ** (failures - 1)), longestPauseMs);
    this.context.logger.info({ repo: this.row.repoId, ms, err: error }, 'backfill waits');
    this.progress.waits({ ms });
    await pause(ms, undefined, { signal: this.signal, ref: false });
  }
}

/** The host or the journal may come back. */
function isPassing(error: unknown): boolean {
  return error instanceof ServiceError && error.kind === 'unavailable';
}
