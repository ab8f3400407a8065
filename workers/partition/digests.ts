/**
 * Keeps the digests of a partition's last messages, and notes the own digest at each position that a tick of the lead
 * names. Nodes stand at different positions and fold other batches, but all of them fold the same ticks. So these
 * positions are where the states of all nodes can be compared (`verdict.ts`).
 */

import type { NamedDigest } from '../../src/journal/snapshots.ts';

/** Number of digests that are kept. Between the message that a tick names and the tick itself are far fewer messages. */
const kept = 4096;
/**
 * Number of positions at which the own digest is kept to be compared. The lead sends a tick every 3 seconds, or every
 * second while deliveries wait. Nodes that are up to 16 seconds apart can be compared.
 */
export const comparable = 16;

export class Digests {
  private readonly seqs = new Float64Array(kept);
  private readonly values = new Uint32Array(kept);
  private last: NamedDigest | undefined;
  private marks: readonly NamedDigest[] = [];

  /** The digest of the last message that was folded; undefined if it is not known. */
  get newest(): NamedDigest | undefined {
    return this.last;
  }

  /** The own digests at the last positions that ticks have named, oldest first. */
  get named(): readonly NamedDigest[] {
    return this.marks;
  }

  /** Keeps the digest after a message. A batch that is folded again after an error replaces its digests. */
  readonly note = (seq: number, value: number): void => {
    const place = seq % kept;
    this.seqs[place] = seq;
    this.values[place] = value;
    this.last = { seq, value };
  };

  /**
   * Notes the own digest at a position that a tick names.
   * @returns whether the own digest is known. It is not if the process started after this position
   */
  nameAt(seq: number): boolean {
    const place = seq % kept;
    if (this.seqs[place] !== seq) return false;
    const value = this.values[place] as number;
    this.marks = [...this.marks.filter((mark) => mark.seq !== seq), { seq, value }].slice(-comparable);
    return true;
  }
}
