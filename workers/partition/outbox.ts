/**
 * Carries out the effects of one partition: renders and recounts in the pool, relays to other lanes; backfills are left to
 * `workers/host/`. An outcome goes back through the journal and removes its row; until then the row is tried again, by this process or the next one.
 */

import { ServiceError } from '../../src/foundation/errors.ts';
import { ulid } from '../../src/foundation/ids.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { renderFailures } from '../../src/foundation/metrics.ts';
import type { Lane } from '../../src/journal/lane.ts';
import type { PartitionName } from '../../src/journal/subjects.ts';
import { maxBodyMdBytes } from '../../src/protocol/api.ts';
import type { ResultBody } from '../../src/protocol/results.ts';
import type { PoolTask } from '../../src/protocol/tasks.ts';
import type { Partition } from '../../src/store/partition.ts';
import { beginAttempt, endAttempt } from '../../src/store/tables/effect-attempts.ts';
import { type Effect, hasEffect, listEffects, type OutboxRow } from '../../src/store/tables/outbox.ts';
import { organisationOf } from '../render/organization.ts';
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

/** Effects of one organisation under way: one in a thread and the next one waiting for it. */
const mostOfOne = 2;
/** Rows looked at in one go, and how long the event loop has to itself before the next ones, in milliseconds. */
const atOnce = 1000;
const pauseMs = 25;
/** Attempts that ended the process before an effect is given up; a kill can come at a bad moment. */
const mostEnds = 3;
/** Recounts of one repository wait this long, so that a burst of events causes one. */
const recountDelayMs = 250;

/** Effects that are carried out here. */
type Carried = Extract<Effect, { effect: 'render' | 'recount' }>;

/** A row's number, and whose it is. */
interface Row {
  number: number;
  organisation: string;
}

export class Outbox {
  private readonly options: OutboxOptions;
  /** Rows being carried out, by number; recounts by repository, so that one at a time is under way. */
  private readonly busy = new Map<number | string, Promise<void>>();
  /** How many of each organisation's are. */
  private readonly under = new Map<string, number>();
  /** Whether rows are being looked at, and whether to begin again after that. */
  private looking = false;
  private again = false;
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
    this.again = true;
    if (!this.looking) this.look(0);
  }

  /** Looks at all rows in their order: behind a thousand of one organisation can be one of another. */
  private look(after: number): void {
    this.looking = false;
    if (this.stopped) return;
    if (after === 0) {
      this.again = false;
      this.forgetFolded();
    }
    const rows = listEffects(this.options.owner.partition, after, atOnce);
    if (rows.some((row) => row.effect.effect === 'relay')) this.startRelay();
    const organisations = new Map<string, string>();
    for (const row of rows) this.startIfTurn(row, organisations);
    const next = rows.length < atOnce ? 0 : (rows.at(-1)?.number ?? 0);
    if (next === 0 && !this.again) return;
    this.looking = true;
    setTimeout(() => this.look(next), pauseMs).unref();
  }

  /** Stops starting; waits for what is under way. */
  async close(): Promise<void> {
    this.stopped = true;
    await Promise.all([...this.busy.values(), this.relaying]);
  }

  private forgetFolded(): void {
    const { partition } = this.options.owner;
    for (const number of this.sent) if (!hasEffect(partition, number)) this.sent.delete(number);
  }

  /** Relays go in order, and backfills are long: both have ways of their own. */
  private startIfTurn({ number, effect }: OutboxRow, organisations: Map<string, string>): void {
    if (effect.effect !== 'render' && effect.effect !== 'recount') return;
    const key = effect.effect === 'recount' ? effect.repoId : number;
    if (this.sent.has(number) || this.busy.has(key)) return;
    const { repoId } = effect;
    const organisation = organisations.get(repoId) ?? organisationOf(this.options.owner.partition, repoId);
    organisations.set(repoId, organisation);
    const under = this.under.get(organisation) ?? 0;
    if (under >= mostOfOne) return;
    this.under.set(organisation, under + 1);
    const done = this.carryOut({ number, organisation }, effect)
      .catch((error: Error) => this.later(error))
      .finally(() => {
        this.busy.delete(key);
        this.end(organisation);
      });
    this.busy.set(key, done);
  }

  private end(organisation: string): void {
    const left = (this.under.get(organisation) ?? 1) - 1;
    if (left > 0) this.under.set(organisation, left);
    else this.under.delete(organisation);
  }

  private async carryOut(row: Row, effect: Carried): Promise<void> {
    const body = effect.effect === 'recount' ? await this.recount(row, effect.repoId) : await this.render(row, effect);
    await this.enqueue(body);
    this.sent.add(row.number);
  }

  /** What cannot be counted keeps the counts it has: trying again at once would only take the thread again. */
  private async recount(row: Row, repoId: string): Promise<ResultBody> {
    await new Promise((resolve) => setTimeout(resolve, recountDelayMs));
    try {
      const counts = await this.inPool(row, { task: 'recount', repoId });
      return { result: 'recounted', repoId, row: row.number, counts };
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

  /** Runs a task, unless that has ended this process again and again. One that waits for its turn has ended nothing. */
  private async inPool<Work extends PoolTask['work']>({ number, organisation }: Row, work: Work) {
    const { dataDir, owner, pool } = this.options;
    let begun = false;
    const begin = async (): Promise<void> => {
      if (this.stopped) throw new ServiceError('unavailable', 'The worker stops.');
      begun = true;
      const ends = await beginAttempt(owner.partition, number);
      if (ends >= mostEnds) throw new ServiceError('internal', `It has ended the worker ${ends} times.`);
    };
    try {
      return await pool.run<Work>({ dataDir, partition: owner.name, work }, { organisation, begin });
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

  /** The rows stay; they are tried again shortly. */
  private later(error: Error): void {
    this.options.logger.warn({ partition: this.options.owner.name, err: error }, 'effect is tried again');
    setTimeout(() => this.kick(), 500 + Math.random() * 500).unref();
  }
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
