/**
 * Keeps the release note checks of one partition going: starts those that are due, and journals their outcomes. Renders
 * run side by side, and writes to one host one after another, so unchanged verdicts never wait for writes.
 * Organizations take turns at both.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../src/foundation/errors.ts';
import { ulid } from '../../src/foundation/ids.ts';
import { noteChecks, noteChecksWaiting } from '../../src/foundation/metrics.ts';
import type { NoteChecked } from '../../src/protocol/note-checks.ts';
import { readDirectoryRepository } from '../../src/store/tables/directory.ts';
import {
  hasWaitingChecks,
  listWaitingChecks,
  readWaitingCheck,
  type WaitingPull,
} from '../../src/store/tables/note-checks.ts';
import { readRepository } from '../../src/store/tables/repositories.ts';
import type { PublishContext } from '../publish/context.ts';
import { organizationOf } from '../render/organization.ts';
import { Turns } from '../render/turns.ts';
import { Check } from './check.ts';

/** Maximum number of checks that are rendered or journaled at the same time, in all and per organization. */
const [maxRunning, maxPerOrganization] = [16, 8];
/**
 * Minimum pause between two passes over the waiting checks, in milliseconds (`passMs`). The pause is at least
 * `passFactor` times as long as the last pass, so that many waiting checks do not occupy the worker.
 */
const [passMs, passFactor] = [100, 20];
/** Pause after a check that could not begin, in milliseconds. */
const laterMs = 1000;
/**
 * How long after the start of the worker the checks wait that were due before the start, in milliseconds. A request of
 * the killed predecessor may still be on its way to the host. Without the wait, the first look at the host could miss
 * it.
 */
const settleMs = 5000;
/** Maximum duration of the timer, in milliseconds. */
const maxMs = 3_600_000;
const pollMs = 5;
const busyMs = 500;

export class NoteChecker {
  private readonly context: PublishContext;
  /** The checks under way, by repository and number. */
  private readonly busy = new Map<string, Promise<void>>();
  /** Number of checks that are rendered or journaled, in all and per organization. The others wait for their host. */
  private running = 0;
  private readonly runningOf = new Map<string, number>();
  /** The turns of organizations to write, per host. */
  private readonly turns = new Map<string, Turns>();
  /**
   * Until when no check is written with the same credentials, in milliseconds since 1970, because the host has limited
   * requests. A host limits each installation of an app by itself.
   */
  private readonly pausedUntil = new Map<string, number>();
  private readonly stopping = new AbortController();
  private readonly startedAt = Date.now();
  private timer: NodeJS.Timeout | undefined;
  /** When the timer fires, and when the next pass may begin, in milliseconds of `performance.now()`. */
  private wakesAt = Number.POSITIVE_INFINITY;
  private nextPass = 0;

  constructor(context: PublishContext) {
    this.context = context;
  }

  /**
   * Plans a pass over the waiting checks. This function must be called after each commit. It does nothing while
   * this process does not lead the partition.
   */
  readonly kick = (): void => {
    if (this.context.lead.acts && hasWaitingChecks(this.context.partition())) this.wakeIn(0);
  };

  /** Starts no further checks, and aborts those under way. The next run looks at the host for what they have written. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.stopping.abort(new Error('the worker stops'));
    await Promise.all(this.busy.values());
  }

  private pass(): void {
    // The next commit of a lead plans another pass.
    if (!this.context.lead.acts) return;
    const begun = performance.now();
    const partition = this.context.partition();
    const all = listWaitingChecks(partition);
    noteChecksWaiting.set({ partition: partition.name }, all.length);
    const now = Date.now();
    let next = Number.POSITIVE_INFINITY;
    const organizations = new Map<string, string>();
    for (const waiting of all) {
      if (this.running >= maxRunning) break;
      if (this.busy.has(keyOf(waiting))) continue;
      const at = waiting.due < this.startedAt ? this.startedAt + settleMs : waiting.due;
      if (at > now) next = Math.min(next, at);
      else {
        const { repoId } = waiting;
        const organization = organizations.get(repoId) ?? organizationOf(partition, repoId);
        organizations.set(repoId, organization);
        if ((this.runningOf.get(organization) ?? 0) < maxPerOrganization) this.start(waiting, organization);
      }
    }
    this.nextPass = performance.now() + Math.max(passMs, passFactor * (performance.now() - begun));
    if (next < Number.POSITIVE_INFINITY) this.wakeIn(next - now);
  }

  private start(waiting: WaitingPull, organization: string): void {
    const key = keyOf(waiting);
    const done = this.run(waiting, organization)
      .catch((error: Error) => this.later(waiting, error))
      .then(() => {
        this.busy.delete(key);
        this.wakeIn(0);
      });
    this.busy.set(key, done);
  }

  private async later({ repoId: repo, number }: WaitingPull, error: Error): Promise<void> {
    const { signal } = this.stopping;
    if (signal.aborted) return;
    // The render thread of a busy organization is often occupied.
    const isUsual = error instanceof ServiceError && error.kind === 'unavailable';
    const level = isUsual ? 'debug' : 'warn';
    this.context.logger[level]({ repo, number, err: error }, 'check of a pull request is made later');
    await pause(laterMs, undefined, { signal, ref: false }).catch(() => {});
  }

  private async run(waiting: WaitingPull, organization: string): Promise<void> {
    const prepared = await this.counted(organization, () => this.checkOf(waiting).prepare());
    const origin = readRepository(this.context.partition(), waiting.repoId)?.origin ?? '';
    const outcome = 'result' in prepared ? prepared : await this.written(waiting, origin, organization);
    if (outcome) await this.counted(organization, () => this.end(outcome));
  }

  /** Waits until the host accepts requests with the credentials of the repository, then for its turn, and writes. */
  private async written(waiting: WaitingPull, origin: string, organization: string): Promise<NoteChecked | undefined> {
    const credentials = this.credentialsOf(waiting.repoId, origin);
    const pausedMs = (): number => (this.pausedUntil.get(credentials) ?? 0) - Date.now();
    for (;;) {
      const { signal } = this.stopping;
      while (pausedMs() > 0) await pause(Math.min(pausedMs(), maxMs), undefined, { signal, ref: false });
      // The host can limit requests while the check waits for its turn.
      const write = () => (pausedMs() > 0 ? 'paused' : this.write(waiting, credentials));
      const outcome = await this.inTurn(origin, organization, async () => write());
      if (outcome !== 'paused') return outcome;
    }
  }

  private credentialsOf(repoId: string, origin: string): string {
    const directory = this.context.directory();
    const listed = directory && readDirectoryRepository(directory, repoId);
    return `${origin} ${listed?.installationId ?? ''}`;
  }

  /**
   * Writes the verdict of a pull request whose turn at the host has come. The verdict is rendered again, because the
   * pull request may have changed or ended meanwhile. Returns undefined if the repository was erased.
   */
  private async write(waiting: WaitingPull, credentials: string): Promise<NoteChecked | undefined> {
    const newest = readWaitingCheck(this.context.partition(), waiting.repoId, waiting.number);
    if (!newest) return undefined;
    const check = this.checkOf({ ...waiting, ...newest });
    const plan = await check.prepare();
    if ('result' in plan) return plan;
    // A process that was stopped meanwhile may have been replaced, and would write an old verdict over a newer one.
    if (!this.context.lead.acts) throw new ServiceError('unavailable', 'This process does not lead the partition now.');
    const outcome = await check.write(plan);
    if (check.askedMs > 0) this.pausedUntil.set(credentials, Date.now() + check.askedMs);
    return outcome;
  }

  /** Runs a write when it is its organization's turn at the host. */
  private async inTurn<T>(origin: string, organization: string, work: () => Promise<T>): Promise<T> {
    const turns = this.turns.get(origin) ?? new Turns(1, Number.POSITIVE_INFINITY);
    this.turns.set(origin, turns);
    await turns.take(organization, 'effects');
    try {
      this.stopping.signal.throwIfAborted();
      return await work();
    } finally {
      turns.free(organization);
    }
  }

  private checkOf(waiting: WaitingPull): Check {
    return new Check(this.context, waiting, this.stopping.signal);
  }

  private async counted<T>(organization: string, work: () => Promise<T>): Promise<T> {
    this.count(organization, 1);
    try {
      return await work();
    } finally {
      this.count(organization, -1);
      this.wakeIn(0);
    }
  }

  private count(organization: string, by: 1 | -1): void {
    this.running += by;
    const running = (this.runningOf.get(organization) ?? 0) + by;
    if (running > 0) this.runningOf.set(organization, running);
    else this.runningOf.delete(organization);
  }

  /** Journals an outcome and waits until it is folded. Retries until the journal accepts it. */
  private async end(outcome: NoteChecked): Promise<void> {
    const { lane, folded, logger } = this.context;
    const { signal } = this.stopping;
    for (;;) {
      try {
        const { seq } = await lane.enqueue({ id: ulid(), at: Date.now(), kind: 'result', body: outcome });
        noteChecks.inc({ outcome: outcome.outcome });
        while (folded() < seq && !signal.aborted) await pause(pollMs, undefined, { ref: false });
        return;
      } catch (error) {
        if (!(error instanceof ServiceError) || signal.aborted) throw error;
        logger.warn({ repo: outcome.repoId, number: outcome.number, err: error }, 'outcome is enqueued again');
        await pause(busyMs, undefined, { signal, ref: false });
      }
    }
  }

  private wakeIn(ms: number): void {
    const now = performance.now();
    const at = Math.max(now + Math.min(Math.max(ms, 0), maxMs), this.nextPass);
    if (this.stopping.signal.aborted || at >= this.wakesAt) return;
    clearTimeout(this.timer);
    this.wakesAt = at;
    this.timer = setTimeout(() => {
      this.wakesAt = Number.POSITIVE_INFINITY;
      this.pass();
    }, at - now);
    this.timer.unref();
  }
}

function keyOf({ repoId, number }: WaitingPull): string {
  return `${repoId} ${number}`;
}
