/**
 * Carries out the effects of one partition: renders and recounts in the pool, relays to other lanes; backfills are left to
 * `workers/host/`. An outcome goes back through the journal and removes its row; until then the row is tried again, by this process or the next one.
 */

import { ServiceError } from '../../src/errors.ts';
import { ulid } from '../../src/ids.ts';
import type { Lane } from '../../src/journal/lane.ts';
import type { PartitionName } from '../../src/journal/subjects.ts';
import type { Logger } from '../../src/logger.ts';
import { maxBodyMdBytes } from '../../src/protocol/api.ts';
import type { ResultBody } from '../../src/protocol/results.ts';
import type { PoolTask } from '../../src/protocol/tasks.ts';
import { beginAttempt, endAttempt } from '../../src/store/attempts.ts';
import { type Effect, listEffects, type OutboxRow } from '../../src/store/outbox.ts';
import type { Partition } from '../../src/store/partition.ts';
import type { RenderPool } from '../render/pool.ts';
import { relay } from './relay.ts';

/** What an outbox needs from its worker. */
export interface OutboxOptions {
  dataDir: string;
  /** Whose partition it is: a renewed one takes the place of another. */
  owner: { readonly name: PartitionName; readonly partition: Partition };
  pool: RenderPool;
  logger: Logger;
  /** The lane of any partition, its own included. */
  laneOf: (partition: PartitionName) => Lane;
}

const atOnce = 8;
/** Attempts that ended the process before an effect is given up; a kill can come at a bad moment. */
const mostEnds = 3;
/** Recounts of one repository wait this long, so that a burst of events causes one. */
const recountDelayMs = 250;

export class Outbox {
  private readonly options: OutboxOptions;
  /** Rows being carried out, by number; recounts by repository, so that one at a time is under way. */
  private readonly busy = new Map<number | string, Promise<void>>();
  /** Rows whose outcome is on the journal, until it is folded: a commit in between must not start them again. */
  private readonly sent = new Set<number>();
  private relaying: Promise<void> | undefined;
  /** Number of the last relay by target whose outcome is on the journal. */
  private readonly relayed = new Map<PartitionName, number>();
  private stopped = false;

  constructor(options: OutboxOptions) {
    this.options = options;
  }

  /** Starts what is written down and not under way. Call it after each commit, and not before the fold has caught up. */
  kick(): void {
    if (this.stopped) return;
    const rows = listEffects(this.options.owner.partition, 0, 1000);
    this.forgetFolded(rows);
    if (rows.some((row) => row.effect.effect === 'relay')) this.startRelay();
    for (const row of rows) {
      if (this.busy.size >= atOnce) return;
      // Relays go in order, and backfills are long: both have ways of their own.
      if (
        row.effect.effect === 'relay' ||
        row.effect.effect === 'backfill' ||
        this.sent.has(row.number) ||
        this.busy.has(busyKey(row))
      )
        continue;
      this.start(row);
    }
  }

  /** Stops starting; waits for what is under way. */
  async close(): Promise<void> {
    this.stopped = true;
    await Promise.all([...this.busy.values(), this.relaying]);
  }

  private forgetFolded(rows: readonly OutboxRow[]): void {
    const waiting = new Set(rows.map((row) => row.number));
    for (const number of this.sent) if (!waiting.has(number)) this.sent.delete(number);
  }

  private start(row: OutboxRow): void {
    const key = busyKey(row);
    const done = this.carryOut(row)
      .catch((error: Error) => this.later(error))
      .finally(() => this.busy.delete(key));
    this.busy.set(key, done);
  }

  private async carryOut(row: OutboxRow): Promise<void> {
    const body = await this.outcomeOf(row.number, row.effect);
    await this.enqueue(body);
    this.sent.add(row.number);
  }

  private async outcomeOf(row: number, effect: Effect): Promise<ResultBody> {
    if (effect.effect === 'recount') return this.recount(row, effect.repoId);
    if (effect.effect === 'render') return this.render(row, effect);
    throw new Error(`a ${effect.effect} is carried out elsewhere`);
  }

  /** What cannot be counted keeps the counts it has: trying again at once would only take the thread again. */
  private async recount(row: number, repoId: string): Promise<ResultBody> {
    await new Promise((resolve) => setTimeout(resolve, recountDelayMs));
    try {
      const counts = await this.inPool(row, { task: 'recount', repoId });
      return { result: 'recounted', repoId, row, counts };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind === 'unavailable') throw error;
      this.options.logger.error({ repoId, err: error }, 'recount failed');
      return { result: 'recounted', repoId, row, counts: [] };
    }
  }

  private async render(row: number, effect: Extract<Effect, { effect: 'render' }>): Promise<ResultBody> {
    const { draftId, ticket, rangeId, persona } = effect;
    try {
      const rendered = await this.inPool(row, { task: 'render', rangeId, persona });
      assertFits(rendered.bodyMd);
      return { result: 'rendered', draftId, ticket, row, ...rendered };
    } catch (error) {
      if (error instanceof ServiceError && error.kind === 'unavailable') throw error;
      this.options.logger.error({ draftId, err: error }, 'render failed');
      const reason = `The draft could not be written.${error instanceof ServiceError ? ` ${error.message}` : ''}`;
      return { result: 'renderFailed', draftId, ticket, row, error: reason };
    }
  }

  /** Runs a task, unless that has ended this process again and again. */
  private async inPool<Work extends PoolTask['work']>(row: number, work: Work) {
    const { dataDir, owner, pool } = this.options;
    const ends = await beginAttempt(owner.partition, row);
    try {
      if (ends >= mostEnds) throw new ServiceError('internal', `It has ended the worker ${ends} times.`);
      return await pool.run<Work>({ dataDir, partition: owner.name, work });
    } finally {
      await endAttempt(owner.partition, row);
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

  /** The rows stay; they are tried again shortly. */
  private later(error: Error): void {
    this.options.logger.warn({ partition: this.options.owner.name, err: error }, 'effect is tried again');
    setTimeout(() => this.kick(), 500 + Math.random() * 500).unref();
  }
}

function busyKey({ number, effect }: OutboxRow): number | string {
  return effect.effect === 'recount' ? effect.repoId : number;
}

/** A draft is as long as a person may make it; a longer one could not go through the journal either. */
function assertFits(bodyMd: string): void {
  const bytes = Buffer.byteLength(bodyMd);
  if (bytes <= maxBodyMdBytes) return;
  throw new ServiceError(
    'tooLarge',
    `The draft has ${bytes} bytes; at most ${maxBodyMdBytes} fit. Take a smaller range.`,
  );
}
