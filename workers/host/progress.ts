/**
 * How far a backfill has come: kept here while it works, journalled with every page, told of while the host makes it wait.
 * What is read, and when to give up, is left to `backfill.ts` and the phases.
 */

import { ServiceError } from '../../src/foundation/errors.ts';
import { backfillsEnded, backfillsUnderWay, hostItems } from '../../src/foundation/metrics.ts';
import type { HostWait } from '../../src/host/client.ts';
import {
  type BackfillPosition,
  type BackfillProgress,
  type BackfillRecord,
  backfillPhases,
  type PhaseProgress,
  type ReadList,
} from '../../src/protocol/backfill.ts';
import type { BackfilledBody } from '../../src/protocol/events.ts';
import type { EventRepository } from '../../src/protocol/repository.ts';
import { isUnderWay, readBackfill } from '../../src/store/tables/backfills.ts';
import { type HostContext, journalPage } from './context.ts';

/** Shorter waits are counted and not told of. */
const toldMs = 1000;

/** The backfill is over, or another one has begun: whoever works on this one stops. */
export class Superseded extends Error {}

type Counts = Readonly<Record<string, number>>;

/** What a page changes besides its bodies. */
interface PageMore {
  position?: Partial<BackfillPosition>;
  done?: number;
  total?: number | null;
  counts?: Counts;
}

/** The repository as it was at a time of the host; `confirmed` once the host has described it to this process. */
export interface SeenRepository {
  repository: EventRepository;
  seenAt: number;
  confirmed?: true;
}

export class Progress {
  /** Pages journalled by this process. */
  pages = 0;
  /** What pages say of their repository. */
  seen: SeenRepository;
  private readonly context: HostContext;
  private readonly row: BackfillRecord;
  private readonly signal: AbortSignal;
  private readonly beforePage: () => Promise<void>;
  private now: BackfillProgress;
  private telling: Promise<void> | undefined;
  private shown: 'running' | 'waiting' | undefined;

  /** @param beforePage called before a page that was read is journalled; it throws when nothing more may be read */
  constructor(
    context: HostContext,
    row: BackfillRecord,
    seen: SeenRepository,
    signal: AbortSignal,
    beforePage: () => Promise<void>,
  ) {
    this.beforePage = beforePage;
    this.context = context;
    this.row = row;
    this.seen = seen;
    this.signal = signal;
    const { step, position, phases, counts, waits, lists } = row;
    this.now = { step, state: 'running', position, phases, counts, waits, lists, error: null };
  }

  get position(): BackfillPosition {
    return this.now.position;
  }

  /** How far the phase is. */
  get phase(): PhaseProgress {
    return this.now.phases[this.position.phase] ?? { done: 0, total: null };
  }

  get isOver(): boolean {
    return !isUnderWay(this.now);
  }

  /** What an earlier backfill has read of a list, when that reaches as far back as this one goes. */
  known(list: string): ReadList | undefined {
    const known = this.now.lists[list];
    const { since } = this.row;
    return known && (known.since === null || (since !== null && known.since <= since)) ? known : undefined;
  }

  /** Journals what was read and where to go on; returns when it is folded. */
  async page(bodies: readonly BackfilledBody[], more: PageMore = {}): Promise<void> {
    const { position, done = this.phase.done, total, counts = {} } = more;
    const phase = { done, total: total ?? this.phase.total };
    this.count(counts);
    const phases = { ...this.now.phases, [this.position.phase]: phase };
    this.now = { ...this.now, phases, position: { ...this.position, ...position } };
    await this.tell('running', bodies);
    this.pages += 1;
  }

  /** Journals the last page of a phase; the next phase begins with its end. */
  async endPhase(bodies: readonly BackfilledBody[], more: { counts?: Counts; list?: ReadList } = {}): Promise<void> {
    const { phase } = this.position;
    const next = backfillPhases[backfillPhases.indexOf(phase) + 1];
    this.count(more.counts ?? {});
    if (more.list) this.now = { ...this.now, lists: { ...this.now.lists, [phase]: more.list } };
    if (next === undefined) return this.end('completed', null, bodies);
    const begin = { next: null, again: false, etag: null, newest: null, branches: [], listed: false, number: 0 };
    this.now = { ...this.now, position: { ...begin, phase: next } };
    await this.tell('running', bodies);
    this.pages += 1;
  }

  /** Journals the end. */
  async end(
    state: 'completed' | 'failed',
    error: string | null,
    bodies: readonly BackfilledBody[] = [],
  ): Promise<void> {
    this.now = { ...this.now, error };
    await this.tell(state, bodies);
    backfillsEnded.inc({ outcome: state });
  }

  /** Notes a wait; a long one is told of while it lasts. */
  waits({ ms }: Pick<HostWait, 'ms'>): void {
    const { waits } = this.now;
    this.now = { ...this.now, waits: { ...waits, count: waits.count + 1, ms: waits.ms + Math.round(ms) } };
    if (ms < toldMs || this.telling) return;
    this.telling = this.tell('waiting', [], Date.now() + Math.round(ms))
      .catch(() => {})
      .finally(() => {
        this.telling = undefined;
      });
  }

  /** Moves the metric; undefined when nobody works on the backfill any more. */
  show(state: 'running' | 'waiting' | undefined): void {
    if (this.shown) backfillsUnderWay.dec({ state: this.shown });
    if (state) backfillsUnderWay.inc({ state });
    this.shown = state;
  }

  private count(more: Counts): void {
    const counts = { ...this.now.counts };
    for (const [kind, count] of Object.entries(more)) {
      counts[kind] = (counts[kind] ?? 0) + count;
      hostItems.inc({ kind }, count);
    }
    this.now = { ...this.now, counts };
  }

  private async tell(
    state: BackfillProgress['state'],
    bodies: readonly BackfilledBody[],
    until: number | null = null,
  ): Promise<void> {
    if (state !== 'waiting') await this.telling;
    if (state === 'running') await this.beforePage();
    if (state !== 'failed') this.assertConnected();
    this.show(state === 'waiting' ? 'waiting' : 'running');
    this.now = { ...this.now, state, waits: { ...this.now.waits, until }, step: this.now.step + 1 };
    const progress = this.now;
    const page = { job: this.row.id, ...this.seen, bodies: [...bodies], progress };
    await journalPage(this.context, page, this.signal);
    this.assertFolded(progress);
  }

  /** A repository that a person or its app takes away meanwhile is read no further. */
  private assertConnected(): void {
    const connection = this.context.listed(this.row.repoId)?.state ?? 'connected';
    if (connection === 'connected') return;
    throw new ServiceError('conflict', `The repository is ${connection}: connect it and start the backfill again.`);
  }

  private assertFolded({ step, state }: BackfillProgress): void {
    const stored = readBackfill(this.context.partition(), this.row.repoId);
    if (stored?.id !== this.row.id || (isUnderWay({ state }) && !isUnderWay(stored))) throw new Superseded();
    if (stored.step < step) throw new Error('A page of the backfill could not be folded: see the dead letters.');
  }
}
