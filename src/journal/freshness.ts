/**
 * Knows how old the state of each partition on this node is. A node that is cut off from the others must not go on
 * serving its last state, because a key may have been revoked meanwhile (`docs/architecture.md` decision 40). The lead of
 * a partition sends a tick every few seconds, so a state that stays old means that something is wrong.
 */
import type { Settings } from '../../config/schema.ts';
import { ServiceError } from '../foundation/errors.ts';
import { machineNow } from '../foundation/machine-clock.ts';
import { type PartitionName, partitionNames } from '../foundation/partition-names.ts';
import type { Folded } from './signal.ts';

/** Creates the memory of the ages of all partitions. */
export function freshnessOf({ partitions, leadSeconds }: Pick<Settings, 'partitions' | 'leadSeconds'>): Freshness {
  return new Freshness(partitionNames(partitions), leadSeconds * 1000);
}

/** What is known about a partition: its position, and the time as of which its state is current. */
interface State {
  generation: number;
  seq: number;
  asOf: number;
  /** Whether the owner does not let the state be served, because it differs from that of other nodes. */
  withdrawn: boolean;
}

/** The position of a partition, and the age of its state in seconds; null = not known yet. */
export interface PartitionPosition {
  position: number;
  ageSeconds: number | null;
}

const unknown: Readonly<State> = { generation: -1, seq: 0, asOf: Number.NEGATIVE_INFINITY, withdrawn: false };

export class Freshness {
  private readonly maxAgeMs: number;
  private readonly now: () => number;
  private readonly states = new Map<PartitionName, State>();

  /** @param now monotonic clock of this machine in milliseconds */
  constructor(names: readonly PartitionName[], maxAgeMs: number, now = machineNow) {
    this.maxAgeMs = maxAgeMs;
    this.now = now;
    for (const name of names) this.states.set(name, unknown);
  }

  /** Notes a `folded` signal. */
  note({ partition, generation, seq, asOf = unknown.asOf, withdrawn }: Folded): void {
    const known = this.states.get(partition) ?? unknown;
    // A store that replaces another one can be older: it may come from a snapshot.
    const continues = known.generation === generation && known.seq <= seq;
    const current = continues ? Math.max(known.asOf, asOf) : asOf;
    this.states.set(partition, { generation, seq, asOf: current, withdrawn: withdrawn === true });
  }

  /** Whether the state of a partition may be served. */
  isFresh(name: PartitionName): boolean {
    const { asOf, withdrawn } = this.states.get(name) ?? unknown;
    return !withdrawn && this.now() - asOf <= this.maxAgeMs;
  }

  /** @throws ServiceError `unavailable` when the state of a partition is too old to be served, or withdrawn */
  assertFresh(name: PartitionName): void {
    if (this.isFresh(name)) return;
    const message = this.states.get(name)?.withdrawn
      ? `The data of partition ${name} on this node differ from those on other nodes. Another node may answer.`
      : `This node has received nothing new of partition ${name} for more than ${this.maxAgeMs / 1000} seconds, so its data may be out of date. Another node may answer.`;
    throw new ServiceError('unavailable', message, { retryAfter: 2 });
  }

  /** Returns the partitions whose state has half of the age that is too old to be served, and their positions. */
  silent(): [PartitionName, number][] {
    const since = this.now() - this.maxAgeMs / 2;
    return [...this.states].flatMap(([name, { seq, asOf, withdrawn }]) =>
      asOf < since && !withdrawn ? [[name, seq]] : [],
    );
  }

  /** Returns the names of the partitions whose state is too old, each with its position. */
  stale(): string[] {
    const names = [...this.states.keys()].filter((name) => !this.isFresh(name));
    return names.map((name) => {
      const { seq, withdrawn } = this.states.get(name) ?? unknown;
      return withdrawn
        ? `${name} (differs from other nodes at position ${seq})`
        : `${name} (nothing new since position ${seq})`;
    });
  }

  /** Returns the positions of all partitions. */
  positions(): Record<PartitionName, PartitionPosition> {
    const now = this.now();
    const age = (asOf: number) => (Number.isFinite(asOf) ? Math.max(0, Math.round((now - asOf) / 100) / 10) : null);
    return Object.fromEntries(
      [...this.states].map(([name, { seq, asOf }]) => [name, { position: seq, ageSeconds: age(asOf) }]),
    );
  }
}
