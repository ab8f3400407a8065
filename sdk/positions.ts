/**
 * Remembers the positions of replies. A service on several machines names the state that a reply shows. The client
 * sends the highest positions back, so that no later reply of another machine is older. A service on one machine names
 * no positions, and the client sends none.
 */

/**
 * How long a position is sent, in milliseconds. No machine serves data that are older than the longest time that the
 * service can be set to. So older positions are always reached, unless the service was restored from a backup.
 */
const keptMs = 600_000;

export class Positions {
  private readonly highest = new Map<string, { seq: number; until: number }>();

  /** Notes the positions of a reply or an event, such as `directory:812, p00:4711`. */
  note(text: unknown, now = Date.now()): void {
    if (typeof text !== 'string') return;
    for (const [, name, digits] of text.matchAll(/(\w{1,16}):(\d{1,15})/g)) {
      const seq = Number(digits);
      const known = this.highest.get(name as string);
      if (!known || known.until <= now || known.seq <= seq)
        this.highest.set(name as string, { seq, until: now + keptMs });
    }
  }

  /** Returns the header of the next request; an empty object if there is no position to send. */
  headers(now = Date.now()): Record<string, string> {
    const kept = [...this.highest].filter(([, { until }]) => until > now);
    return kept.length === 0 ? {} : { 'tidings-after': kept.map(([name, { seq }]) => `${name}:${seq}`).join(', ') };
  }
}
