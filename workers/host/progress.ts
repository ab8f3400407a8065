/**
 * Keeps the progress of a backfill: in memory while the backfill works, and in the journal with every page and during
 * long waits. `backfill.ts` and the phases decide what is read and when to stop.
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

/** Minimum length of a wait that is journaled, in milliseconds. Shorter waits are only counted. */
const minReportedMs = 1000;

/** Thrown when the backfill is over or another backfill has begun. Work on this backfill must then stop. */
export class Superseded extends Error {}

type Counts = Readonly<Record<string, number>>;

/** Changes to the backfill's progress. The changes are journaled together with the items of a page. */
interface PageMore {
  position?: Partial<BackfillPosition>;
  done?: number;
  total?: number | null;
  counts?: Counts;
}

/**
 * The repository as it was at the host time `seenAt`. `confirmed` is set once the host has described the repository to
 * this process.
 */
export interface SeenRepository {
  repository: EventRepository;
  seenAt: number;
  confirmed?: true;
}

export class Progress {
  /** Number of pages that this process has journaled. */
  pages = 0;
  /** The repository that is journaled with each page. */
  seen: SeenRepository;
  private readonly context: HostContext;
  private readonly row: BackfillRecord;
  private readonly signal: AbortSignal;
  private readonly beforePage: () => Promise<void>;
  private now: BackfillProgress;
  private reporting: Promise<void> | undefined;
  private shown: 'running' | 'waiting' | undefined;

  /** @param beforePage called before a page is journaled; it throws when nothing more may be read */
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

  /** Progress within the current phase. */
  get phase(): PhaseProgress {
    return this.now.phases[this.position.phase] ?? { done: 0, total: null };
  }

  get isOver(): boolean {
    return !isUnderWay(this.now);
  }

  /**
   * Returns the part of a list that earlier backfills have read. Returns undefined if that part does not contain
   * everything since the start time of this backfill.
   */
  known(list: string): ReadList | undefined {
    const known = this.now.lists[list];
    const { since } = this.row;
    return known && (known.since === null || (since !== null && known.since <= since)) ? known : undefined;
  }

  /** Journals a page and the position after the page. Waits until the page and the position are folded. */
  async page(bodies: readonly BackfilledBody[], more: PageMore = {}): Promise<void> {
    const { position, done = this.phase.done, total, counts = {} } = more;
    const phase = { done, total: total ?? this.phase.total };
    this.count(counts);
    const phases = { ...this.now.phases, [this.position.phase]: phase };
    this.now = { ...this.now, phases, position: { ...this.position, ...position } };
    await this.report('running', bodies);
    this.pages += 1;
  }

  /**
   * Journals the last page of a phase. The same record starts the next phase, or ends the backfill after the last
   * phase.
   */
  async endPhase(bodies: readonly BackfilledBody[], more: { counts?: Counts; list?: ReadList } = {}): Promise<void> {
    const { phase } = this.position;
    const next = backfillPhases[backfillPhases.indexOf(phase) + 1];
    this.count(more.counts ?? {});
    if (more.list) this.now = { ...this.now, lists: { ...this.now.lists, [phase]: more.list } };
    if (next === undefined) return this.end('completed', null, bodies);
    const begin = { next: null, again: false, etag: null, newest: null, branches: [], listed: false, number: 0 };
    this.now = { ...this.now, position: { ...begin, phase: next } };
    await this.report('running', bodies);
    this.pages += 1;
  }

  /** Journals the end of the backfill. */
  async end(
    state: 'completed' | 'failed',
    error: string | null,
    bodies: readonly BackfilledBody[] = [],
  ): Promise<void> {
    this.now = { ...this.now, error };
    await this.report(state, bodies);
    backfillsEnded.inc({ outcome: state });
  }

  /** Counts a wait. A long wait is journaled while it lasts. */
  waits({ ms }: Pick<HostWait, 'ms'>): void {
    const { waits } = this.now;
    this.now = { ...this.now, waits: { ...waits, count: waits.count + 1, ms: waits.ms + Math.round(ms) } };
    if (ms < minReportedMs || this.reporting) return;
    this.reporting = this.report('waiting', [], Date.now() + Math.round(ms))
      .catch(() => {})
      .finally(() => {
        this.reporting = undefined;
      });
  }

  /**
   * Updates the metric of backfills under way. `state` is undefined when this process no longer works on the backfill.
   */
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

  private async report(
    state: BackfillProgress['state'],
    bodies: readonly BackfilledBody[],
    until: number | null = null,
  ): Promise<void> {
    if (state !== 'waiting') await this.reporting;
    if (state === 'running') await this.beforePage();
    if (state !== 'failed') this.assertConnected();
    this.show(state === 'waiting' ? 'waiting' : 'running');
    this.now = { ...this.now, state, waits: { ...this.now.waits, until }, step: this.now.step + 1 };
    const progress = this.now;
    const page = { job: this.row.id, ...this.seen, bodies: [...bodies], progress };
    await journalPage(this.context, page, this.signal);
    this.assertFolded(progress);
  }

  /** Stops the backfill if the repository is disconnected. Either a person disconnected it, or the app was removed. */
  private assertConnected(): void {
    const connection = this.context.listed(this.row.repoId)?.state ?? 'connected';
    if (connection === 'connected') return;
    throw new ServiceError('conflict', `The repository is ${connection}: connect it and start the backfill again.`);
  }

  private assertFolded({ step, state }: BackfillProgress): void {
    const stored = readBackfill(this.context.partition(), this.row.repoId);
    if (stored?.id !== this.row.id || (isUnderWay({ state }) && !isUnderWay(stored))) throw new Superseded();
    if (stored.step < step)
      throw new Error('A page of the backfill could not be processed. See: tidings dead-letters list');
  }
}
