/**
 * Compares the state of one partition with that of the other nodes, and decides what this node may do with it
 * (`docs/architecture.md` decision 47). The nodes announce their digests by core NATS. Announcements can be lost, which
 * delays the detection of a difference, but the fence of the lead does not depend on it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { onInterval } from '../../src/foundation/intervals.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import type { PartitionName } from '../../src/foundation/partition-names.ts';
import type { NamedDigest } from '../../src/journal/snapshots.ts';
import { type Divergence, readDivergence, writeDivergence } from '../../src/store/divergence.ts';
import type { NamedByLead } from './batch.ts';
import { DivergedError, mayRepair, recentRepairs, showDivergence } from './repair.ts';
import { type HeardDigests, judge, type Verdict } from './verdict.ts';

/**
 * What this node may do with its state:
 * - `sound`: everything.
 * - `doubted`: another node has another state, and the others are asked. This node begins nothing.
 * - `undecided`: no majority has answered. This node does not lead, and lets no one read.
 * - `diverged`: most nodes have another state. This node stops, and replaces its store.
 */
export type StandingState = 'sound' | 'doubted' | 'undecided' | 'diverged';

export interface StandingOptions {
  dataDir: string;
  logger: Logger;
  owner: {
    readonly name: PartitionName;
    readonly named: readonly NamedDigest[];
    withdraw(isWithdrawn: boolean): void;
    giveUp(error: Error): void;
  };
  peers: {
    announce(asks?: boolean): Promise<void>;
    digestsOf(partition: PartitionName): HeardDigests;
    /** Notes the digest of another node. */
    note(partition: PartitionName, node: string, digest: NamedDigest): void;
  };
  lead: { doubt(): void; suspend(): void; trust(): void };
  /** Returns the node that leads under a term; undefined if it is this node, or not known. */
  nodeOf: (term: number) => string | undefined;
  /** Hands the lead over to another node, if this process leads and another node can. */
  handOver: () => Promise<unknown>;
  /** How long a difference may be open before this node stops serving the partition, in milliseconds. */
  openMs?: number;
}

/** The other nodes answer within milliseconds. A busy one needs longer. */
const defaultOpenMs = 3000;
/** How often the others are asked meanwhile. */
const asks = 3;
/** Maximum time for the hand-over of the lead before this node stops, in milliseconds. */
const handOverMs = 5000;

export class Standing {
  private readonly options: StandingOptions;
  private readonly openMs: number;
  private now: StandingState = 'sound';
  /** What is remembered on disk. */
  private remembered: Divergence | undefined;
  private against: ReadonlySet<string>;
  private end: (() => void) | undefined;
  private reported = '';

  constructor(options: StandingOptions) {
    this.options = options;
    this.openMs = options.openMs ?? defaultOpenMs;
    this.remembered = readDivergence(options.dataDir, options.owner.name);
    const { state, against = [] } = this.remembered ?? {};
    this.against = new Set(against);
    showDivergence(options.owner.name, state === 'undecided' || state === 'repaired');
    if (state === 'undecided') this.suspend();
  }

  get state(): StandingState {
    return this.now;
  }

  /** Compares the own state with the one that a tick of the lead names. */
  named({ term, seq, value }: NamedByLead): void {
    const { owner, peers, nodeOf } = this.options;
    const node = nodeOf(term);
    if (node !== undefined) peers.note(owner.name, node, { seq, value });
    this.compare();
  }

  /** Compares the own state with the newest announcements. */
  compare(): void {
    if (this.now === 'diverged') return;
    const verdict = this.verdict();
    if (verdict.kind === 'minority') void this.diverge(verdict);
    else if (verdict.kind === 'open') this.doubt();
    else if (verdict.kind !== 'unknown') this.trust(verdict);
  }

  /** Notes that another node discards its state. If no other state differs, the own one is right. */
  conceded(node: string): void {
    if (this.now === 'sound' || this.now === 'diverged' || !this.against.has(node)) return;
    this.against = new Set([...this.against].filter((each) => each !== node));
    if (this.against.size > 0) this.remember('undecided');
    else this.trust({ kind: 'equal', seq: 0, differing: [] });
  }

  close(): void {
    this.end?.();
  }

  private verdict(): Verdict {
    const { owner, peers } = this.options;
    return judge(owner.named, peers.digestsOf(owner.name));
  }

  /** Begins nothing while the other nodes are asked. */
  private doubt(): void {
    const { owner, peers, lead, logger } = this.options;
    const { seq, differing } = this.verdict();
    this.against = new Set([...this.against, ...differing]);
    if (this.now !== 'sound') return;
    this.now = 'doubted';
    lead.doubt();
    logger.warn({ partition: owner.name, seq, nodes: differing }, 'states of nodes differ: the others are asked');
    const since = performance.now();
    void peers.announce(true);
    this.end = onInterval(this.openMs / asks, () => {
      if (performance.now() - since < this.openMs * (1 - 0.5 / asks)) return void peers.announce(true);
      this.decide();
    });
  }

  /** Ends the wait for the others. */
  private decide(): void {
    this.end?.();
    const { kind } = this.verdict();
    if (this.now !== 'doubted') return;
    if (kind !== 'open') return this.trust({ kind: 'unknown', seq: 0, differing: [] });
    const { owner, logger } = this.options;
    this.remember('undecided');
    this.suspend();
    showDivergence(owner.name, true);
    logger.fatal(
      { partition: owner.name, nodes: [...this.against], cause: 'diverged' },
      'states of nodes differ and no majority is heard: this node does not serve the partition',
    );
  }

  private suspend(): void {
    this.now = 'undecided';
    this.options.lead.suspend();
    this.options.owner.withdraw(true);
  }

  /** Ends all doubts. */
  private trust({ kind, seq, differing }: Verdict): void {
    const { owner, peers, lead, logger } = this.options;
    const nodes = differing.join(', ');
    if (kind === 'majority' && nodes !== this.reported)
      logger.error({ partition: owner.name, seq, nodes: differing }, 'state of other nodes is wrong');
    this.reported = nodes;
    const remembered = this.remembered?.state;
    if (this.now === 'sound' && remembered !== 'repaired') return;
    this.end?.();
    this.against = new Set();
    if (kind !== 'unknown') {
      if (remembered === 'repaired' || remembered === 'undecided') this.remember('sound');
      showDivergence(owner.name, false);
    }
    if (this.now === 'sound') return;
    const wasUndecided = this.now === 'undecided';
    this.now = 'sound';
    owner.withdraw(false);
    lead.trust();
    logger.info({ partition: owner.name, seq }, 'state is right: this node serves the partition');
    // Snapshots are offered again.
    if (wasUndecided) void peers.announce();
  }

  /** Gives the partition up. The next start of the process replaces the store. */
  private async diverge({ seq, differing }: Verdict): Promise<void> {
    const { owner, lead, logger } = this.options;
    this.end?.();
    this.now = 'diverged';
    lead.doubt();
    owner.withdraw(true);
    const isRepairable = mayRepair(this.remembered);
    this.remember('diverged');
    showDivergence(owner.name, true);
    const error = new DivergedError(owner.name, { seq, nodes: differing, isRepairable });
    logger.error({ partition: owner.name, reason: error.message }, 'partition is given up');
    await Promise.race([this.options.handOver().catch(() => undefined), pause(handOverMs, undefined, { ref: false })]);
    owner.giveUp(error);
  }

  private remember(state: Divergence['state']): void {
    const { dataDir, owner } = this.options;
    const against = state === 'undecided' ? [...this.against].sort() : [];
    this.remembered = { state, against, repairs: recentRepairs(this.remembered) };
    writeDivergence(dataDir, owner.name, this.remembered);
  }
}
