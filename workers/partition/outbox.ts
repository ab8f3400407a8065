/**
 * Carries out the effects of one partition: renders, recounts and checks of drafts in the render pool, evaluations of
 * the rules of repositories, and relays to other lanes. `workers/host/` carries out backfills. The outcome of an effect
 * is journaled, and folding the outcome removes the effect's row. Until then this process or its successor tries the
 * row again.
 */

import { ServiceError } from '../../src/foundation/errors.ts';
import { ulid } from '../../src/foundation/ids.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { renderFailures } from '../../src/foundation/metrics.ts';
import type { PartitionName } from '../../src/foundation/partition-names.ts';
import { nameIn, unreachable } from '../../src/foundation/unreachable.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { maxBodyMdBytes } from '../../src/protocol/limits.ts';
import type { ResultBody } from '../../src/protocol/results.ts';
import type { PoolTask, SharedWrites } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { beginAttempt, endAttempt } from '../../src/store/tables/effect-attempts.ts';
import { type Effect, hasEffect, listEffects, type OutboxRow } from '../../src/store/tables/outbox.ts';
import type { WriteLog } from '../../src/store/write-log.ts';
import { organizationOf } from '../render/organization.ts';
import type { RenderPool } from '../render/pool.ts';
import type { Automator } from './automation.ts';
import { relay } from './relay.ts';

/** Options of an outbox, which carries out the effects of one partition. */
export interface OutboxOptions {
  dataDir: string;
  /**
   * The owner of the partition. `owner.partition` must be read each time, because a renewal replaces the open store.
   */
  owner: { readonly name: PartitionName; readonly partition: Partition };
  pool: RenderPool;
  logger: Logger;
  /** Returns the lane of any partition, including this one. */
  laneOf: (partition: PartitionName) => Lane;
  /** Carries out the rules of repositories; undefined for the directory partition, which has no rules. */
  automator?: Automator | undefined;
  /** The rows that the owner writes, if it records them. */
  writes?: WriteLog | undefined;
}

/** Maximum number of concurrent effects per organization: one in a thread and the next one waiting for the thread. */
const maxPerOrganization = 2;
/**
 * Number of rows that are read in one step (`rowsPerRead`), and the pause between two steps, in milliseconds
 * (`pauseMs`). The event loop can do other work during the pause.
 */
const rowsPerRead = 1000;
const pauseMs = 25;
/**
 * If the process has ended during this number of attempts of an effect, the effect fails. A smaller number would not
 * prove a fault of the effect, because a kill can come at any moment.
 */
const maxEnds = 3;
/** Delay of a recount, in milliseconds, so that a burst of events causes only one recount. */
const recountDelayMs = 250;

/**
 * Delay of a check of drafts, in milliseconds. A check that takes long is delayed by a multiple of its time, so that a
 * busy repository does not occupy a thread all the time, up to a maximum. With the delay of the recount and the time of
 * both, a verdict is stored within ten seconds of the event.
 */
const checkDelayMs = { least: 2_000, factor: 4, most: 6_000 };

/** Minimum time from the start of an evaluation that fails to the next one, in milliseconds. */
const failedMs = 1000;

/** Effects that this file carries out. */
type PoolEffect = Extract<Effect, { effect: 'render' | 'recount' | 'outdated' | 'automate' }>;

/**
 * Returns the effect if this file carries it out, otherwise undefined. `workers/host/` carries out backfills, and
 * `relay.ts` sends relays.
 */
function carried(effect: Effect): PoolEffect | undefined {
  switch (effect.effect) {
    case 'render':
    case 'recount':
    case 'outdated':
    case 'automate':
      return effect;
    case 'backfill':
    case 'relay':
      return undefined;
    default:
      return unreachable(effect, `Unknown kind of effect: ${nameIn(effect, 'effect')}.`);
  }
}

/** The number of an outbox row, and the organization to which the row's effect belongs. */
interface Row {
  number: number;
  organization: string;
}

export class Outbox {
  private readonly options: OutboxOptions;
  /**
   * Effects under way, by row number. A recount is listed by the id of its repository, a check by `outdated` and this
   * id, and an evaluation by `automate` and this id, so that a repository has at most one of each at a time.
   */
  private readonly busy = new Map<number | string, Promise<void>>();
  /** Number of effects under way per organization. */
  private readonly running = new Map<string, number>();
  /** `scanning`: a pass over the rows is under way. `again`: another pass must follow the current one. */
  private scanning = false;
  private again = false;
  /**
   * Rows whose outcome is in the journal but not folded yet. A commit during that time must not start their effects
   * again.
   */
  private readonly sent = new Set<number>();
  /** When the check of a repository may start, in milliseconds of `performance.now()`. */
  private readonly checkDue = new Map<string, number>();
  /** How long the last check of a repository took, in milliseconds. Short checks are not listed. */
  private readonly checkMs = new Map<string, number>();
  /** When the next evaluation of a rule may start, by row, in milliseconds of `performance.now()`. */
  private readonly evaluationDue = new Map<number, number>();
  private relaying: Promise<void> | undefined;
  /** For each target, the number of the last relay row whose outcome is in the journal. */
  private readonly relayed = new Map<PartitionName, number>();
  private stopped = false;

  constructor(options: OutboxOptions) {
    this.options = options;
  }

  /**
   * Starts effects that are not under way yet. This function must be called after each commit, but not before the fold
   * has caught up.
   */
  kick(): void {
    this.again = true;
    if (!this.scanning) this.scan(0);
  }

  /**
   * Goes through all rows in order, in steps. A thousand rows of one organization must not hide the row of another
   * organization.
   */
  private scan(after: number): void {
    this.scanning = false;
    if (this.stopped) return;
    if (after === 0) {
      this.again = false;
      this.forgetFolded();
    }
    const rows = listEffects(this.options.owner.partition, after, rowsPerRead);
    if (rows.some((row) => row.effect.effect === 'relay')) this.startRelay();
    const organizations = new Map<string, string>();
    for (const row of rows) this.startIfTurn(row, organizations);
    const next = rows.length < rowsPerRead ? 0 : (rows.at(-1)?.number ?? 0);
    if (next === 0 && !this.again) return;
    this.scanning = true;
    setTimeout(() => this.scan(next), pauseMs).unref();
  }

  /** Prevents the start of further effects, and waits until the running effects have ended. */
  async close(): Promise<void> {
    this.stopped = true;
    this.options.automator?.stop();
    await Promise.all([...this.busy.values(), this.relaying]);
  }

  private forgetFolded(): void {
    const { partition } = this.options.owner;
    for (const number of this.sent) if (!hasEffect(partition, number)) this.sent.delete(number);
    for (const number of this.evaluationDue.keys())
      if (!hasEffect(partition, number)) this.evaluationDue.delete(number);
  }

  /**
   * Starts a render, recount or check if its organization has fewer effects under way than the maximum. Relays must
   * keep their order and backfills take long, so neither is started here.
   */
  private startIfTurn(row: OutboxRow, organizations: Map<string, string>): void {
    const { number } = row;
    const effect = carried(row.effect);
    if (!effect) return;
    const { repoId } = effect;
    const key = keyOf(number, effect);
    if (this.sent.has(number) || this.busy.has(key)) return;
    if (effect.effect === 'outdated' && !this.isCheckDue(repoId)) return;
    if ((this.evaluationDue.get(number) ?? 0) > performance.now()) return;
    const organization = organizations.get(repoId) ?? organizationOf(this.options.owner.partition, repoId);
    organizations.set(repoId, organization);
    const running = this.running.get(organization) ?? 0;
    if (running >= maxPerOrganization) return;
    if (effect.effect === 'outdated') this.checkDue.delete(repoId);
    this.running.set(organization, running + 1);
    const done = this.executeEffect({ number, organization }, effect)
      .catch((error: Error) => this.later(error))
      .finally(() => {
        this.busy.delete(key);
        this.end(organization);
      });
    this.busy.set(key, done);
  }

  private end(organization: string): void {
    const left = (this.running.get(organization) ?? 1) - 1;
    if (left > 0) this.running.set(organization, left);
    else this.running.delete(organization);
  }

  private async executeEffect(row: Row, effect: PoolEffect): Promise<void> {
    if (effect.effect === 'automate') return this.evaluate(row, effect.repoId);
    await this.enqueue(await this.outcomeOf(row, effect));
    this.sent.add(row.number);
  }

  /**
   * Evaluates the rule of a repository. The row stays until nothing is left to do: an evaluation can wait for a draft,
   * for the push of a tagged commit, or until a draft may be generated again.
   */
  private async evaluate(row: Row, repoId: string): Promise<void> {
    const { automator } = this.options;
    if (!automator) return;
    const { number } = row;
    // A failure delays the next evaluation, also if commits request one meanwhile.
    this.evaluationDue.set(number, performance.now() + failedMs);
    const { outcome, waitMs } = await this.attempt(row, (begin) => automator.evaluate(number, repoId, begin));
    if (outcome) await this.enqueue(outcome);
    if (waitMs === null) this.sent.add(number);
    else {
      this.evaluationDue.set(number, performance.now() + waitMs);
      setTimeout(() => this.kick(), waitMs + 1).unref();
    }
  }

  private outcomeOf(row: Row, effect: Exclude<PoolEffect, { effect: 'automate' }>): Promise<ResultBody> {
    switch (effect.effect) {
      case 'render':
        return this.render(row, effect);
      case 'recount':
        return this.recount(row, effect.repoId);
      case 'outdated':
        return this.check(row, effect.repoId);
      default:
        return unreachable(effect, `Unknown kind of effect: ${nameIn(effect, 'effect')}.`);
    }
  }

  /**
   * Whether the check of a repository may start. The delay begins with the first request, and later requests do not
   * extend it. A check that waits does not count as an effect of its organization.
   */
  private isCheckDue(repoId: string): boolean {
    const now = performance.now();
    const due = this.checkDue.get(repoId);
    if (due !== undefined) return now >= due;
    const { least, factor, most } = checkDelayMs;
    const delay = Math.min(most, Math.max(least, factor * (this.checkMs.get(repoId) ?? 0)));
    this.checkDue.set(repoId, now + delay);
    setTimeout(() => this.kick(), delay + 1).unref();
    return false;
  }

  /** Checks the drafts of a repository. If the check fails, the drafts keep their verdicts. It is not repeated. */
  private async check(row: Row, repoId: string): Promise<ResultBody> {
    const begun = performance.now();
    try {
      const drafts = await this.inPool(row, { task: 'outdated', repoId });
      return { result: 'checked', repoId, row: row.number, drafts };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind === 'unavailable') throw error;
      renderFailures.inc({ task: 'outdated' });
      this.options.logger.error({ repoId, err: error }, 'check of drafts failed');
      return { result: 'checked', repoId, row: row.number, drafts: [] };
    } finally {
      const ms = performance.now() - begun;
      if (ms * checkDelayMs.factor > checkDelayMs.least) this.checkMs.set(repoId, ms);
      else this.checkMs.delete(repoId);
    }
  }

  /**
   * Counts the ranges of a repository again. If the recount fails, the ranges keep their counts. The recount is not
   * repeated, because a second attempt would only occupy the thread again.
   */
  private async recount(row: Row, repoId: string): Promise<ResultBody> {
    await new Promise((resolve) => setTimeout(resolve, recountDelayMs));
    try {
      const counts = await this.inPool(row, { task: 'recount', repoId }, this.options.writes?.known(repoId));
      return { result: 'recounted', repoId, row: row.number, reports: true, checks: true, counts };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind === 'unavailable') throw error;
      renderFailures.inc({ task: 'recount' });
      this.options.logger.error({ repoId, err: error }, 'recount failed');
      return { result: 'recounted', repoId, row: row.number, counts: [] };
    }
  }

  private async render(row: Row, effect: Extract<Effect, { effect: 'render' }>): Promise<ResultBody> {
    const { draftId, ticket, rangeId, persona } = effect;
    try {
      const rendered = await this.inPool(row, { task: 'render', rangeId, persona });
      assertFits(rendered.bodyMd);
      return { result: 'rendered', draftId, ticket, row: row.number, ...rendered };
    } catch (error) {
      if (error instanceof ServiceError && error.kind === 'unavailable') throw error;
      renderFailures.inc({ task: 'render' });
      this.options.logger.error({ draftId, err: error }, 'render failed');
      const reason = `The draft could not be written.${error instanceof ServiceError ? ` ${error.message}` : ''}`;
      return { result: 'renderFailed', draftId, ticket, row: row.number, error: reason };
    }
  }

  /**
   * Runs a task in the render pool. Refuses the task if the worker process ended during each of three earlier attempts.
   * An attempt begins when the task gets a thread.
   */
  private inPool<Work extends PoolTask['work']>(row: Row, work: Work, writes?: SharedWrites) {
    const { dataDir, owner, pool } = this.options;
    const { organization } = row;
    const task = { dataDir, partition: owner.name, work, ...(writes && { writes }) };
    return this.attempt(row, (begin) => pool.run<Work>(task, { organization, begin }));
  }

  /** Makes an attempt to carry out an effect. `work` calls `begin` when it gets a thread. */
  private async attempt<T>({ number }: Row, work: (begin: () => Promise<void>) => Promise<T>): Promise<T> {
    const { owner } = this.options;
    let begun = false;
    const begin = async (): Promise<void> => {
      if (this.stopped) throw new ServiceError('unavailable', 'The worker stops.');
      begun = true;
      const ends = await beginAttempt(owner.partition, number);
      if (ends >= maxEnds) throw new ServiceError('internal', `The worker ended during each of ${ends} attempts.`);
    };
    try {
      return await work(begin);
    } finally {
      if (begun) await endAttempt(owner.partition, number);
    }
  }

  private startRelay(): void {
    this.relaying ??= relay(this.options, this.relayed, () => this.stopped)
      .then(async (body) => {
        if (!body) return;
        await this.enqueue(body);
        this.relayed.set(body.target, body.row);
      })
      .catch((error: Error) => this.later(error))
      .finally(() => {
        this.relaying = undefined;
      });
  }

  private async enqueue(body: ResultBody): Promise<void> {
    const { owner, laneOf } = this.options;
    await laneOf(owner.name).enqueue({ id: ulid(), at: Date.now(), kind: 'result', body });
  }

  /**
   * Schedules another pass over the outbox, in half a second to one second. Until then, the effects wait in the outbox.
   */
  private later(error: Error): void {
    this.options.logger.warn({ partition: this.options.owner.name, err: error }, 'effect is tried again');
    setTimeout(() => this.kick(), 500 + Math.random() * 500).unref();
  }
}

/** Returns the key of an effect under way. */
function keyOf(number: number, { effect, repoId }: PoolEffect): number | string {
  if (effect === 'render') return number;
  return effect === 'recount' ? repoId : `${effect} ${repoId}`;
}

/**
 * Checks that a generated draft is not longer than an edited draft may be. A longer draft would not fit into a journal
 * record either.
 */
function assertFits(bodyMd: string): void {
  const bytes = Buffer.byteLength(bodyMd);
  if (bytes <= maxBodyMdBytes) return;
  throw new ServiceError(
    'tooLarge',
    `The draft has ${bytes} bytes; the maximum is ${maxBodyMdBytes}. Choose a smaller range.`,
  );
}
