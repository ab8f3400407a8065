/**
 * Keeps the state of a node current while a partition has no lead, for example in the seconds before another node takes
 * over. No one sends ticks then, so the node appends empty messages of its own. A node that is cut off from the others
 * cannot append anything, and its state becomes too old to be served (`docs/architecture.md` decision 40).
 */
import type { PartitionName } from '../foundation/partition-names.ts';
import type { Freshness } from './freshness.ts';

/** The newest message of this node, by partition. */
interface Sent {
  /** Sequence of the message; undefined while it is under way. */
  seq: number | undefined;
  /** Number of checks that have waited for its fold. */
  checks: number;
}

/**
 * Number of checks that wait for the fold of a message before another is sent. A fold that does not move is not helped by
 * more messages. But the stream may have been replaced by one with lower sequences.
 */
const patientChecks = 15;

export class SilenceProbe {
  private readonly freshness: Freshness;
  private readonly append: (name: PartitionName) => Promise<number>;
  private readonly sent = new Map<PartitionName, Sent>();

  /** @param append appends an empty message to the stream of a partition, and returns its sequence */
  constructor(freshness: Freshness, append: (name: PartitionName) => Promise<number>) {
    this.freshness = freshness;
    this.append = append;
  }

  /** Appends a message to each partition that was silent for half of the time after which its state is too old. */
  check(): void {
    for (const [name, position] of this.freshness.silent()) {
      const last = this.sent.get(name);
      if (last && (last.seq === undefined || last.seq > position) && last.checks++ < patientChecks) continue;
      const sent: Sent = { seq: undefined, checks: 0 };
      this.sent.set(name, sent);
      this.append(name).then(
        (seq) => {
          sent.seq = seq;
        },
        () => {
          sent.seq = 0;
        },
      );
    }
  }
}
