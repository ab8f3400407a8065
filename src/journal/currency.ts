/**
 * Knows as of which time a folded state is current: all records that the journal had accepted before this time are in
 * it. The time is known from the journal itself. Each message comes with the number of messages that followed it when
 * the server sent it, so the end of the stream at that time is known. No clocks of two machines are compared.
 */

/** The end of the stream, and a time at which the stream ended there. */
interface End {
  seq: number;
  at: number;
}

/** Shortest interval between two ends that are kept, in milliseconds. */
const keptEveryMs = 250;

export class Currency {
  /** Ends that are not folded yet, the lowest first. */
  private readonly ends: End[] = [];
  private newest = Number.NEGATIVE_INFINITY;

  /**
   * Notes the end of the stream.
   * @param at a time of the machine's clock, not later than the time at which the stream ended there
   */
  note(seq: number, at: number): void {
    const last = this.ends.at(-1);
    // The stream ends no earlier than before, so a later time proves the end that is already known.
    if (last && last.seq === seq) last.at = Math.max(last.at, at);
    else if (!last || at - last.at >= keptEveryMs) this.ends.push({ seq, at });
  }

  /** Returns the time as of which the state is current whose last folded sequence is `seq`; -Infinity = not known. */
  asOf(seq: number): number {
    while (this.ends[0] && this.ends[0].seq <= seq) this.newest = Math.max(this.newest, this.ends.shift()?.at ?? 0);
    return this.newest;
  }
}
