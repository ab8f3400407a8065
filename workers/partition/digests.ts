/**
 * Compares the digests of a partition's state with the digests that the lead names in its ticks. A tick names the state
 * some messages before it, and other nodes fold other batches. So the digests of the last messages are kept.
 */

/** A digest of the state after the message with sequence number `seq`. */
export interface NamedDigest {
  seq: number;
  value: number;
}

/** Thrown when the state of a partition differs from the state of its lead at the same position. */
export class DivergedError extends Error {
  constructor(partition: string, { seq, value }: NamedDigest, own: number) {
    super(
      `The state of partition ${partition} at sequence ${seq} differs from the state of its lead: this node has digest ${own}, the lead has ${value}.`,
    );
    this.name = 'DivergedError';
  }
}

/** Number of digests that are kept. Between the message that a tick names and the tick itself are far fewer messages. */
const kept = 4096;

export class Digests {
  private readonly seqs = new Float64Array(kept);
  private readonly values = new Uint32Array(kept);
  private last: NamedDigest | undefined;

  /** The digest of the last message that was folded; undefined if it is not known. */
  get newest(): NamedDigest | undefined {
    return this.last;
  }

  /** Keeps the digest after a message. A batch that is folded again after an error replaces its digests. */
  readonly note = (seq: number, value: number): void => {
    const place = seq % kept;
    this.seqs[place] = seq;
    this.values[place] = value;
    this.last = { seq, value };
  };

  /** Returns the own digest at the position of `named` if it differs; undefined if it is equal or not known. */
  differing({ seq, value }: NamedDigest): number | undefined {
    const place = seq % kept;
    return this.seqs[place] === seq && this.values[place] !== value ? this.values[place] : undefined;
  }
}
