/**
 * Circuit breakers, one per receiver. After several consecutive failures, no attempt is made for a while. After that, a
 * single attempt tests the receiver. Breakers exist only in memory, so after a restart of the worker all of them are
 * closed.
 */
import { openBreakers } from '../../src/foundation/metrics.ts';
import type { ChannelName } from '../../src/protocol/channels.ts';

/**
 * Number of consecutive failures that open a breaker (`maxFailures`), and how long it then stays open, in milliseconds
 * (`openMs`).
 */
const maxFailures = 5;
const openMs = 30_000;

interface Breaker {
  channel: ChannelName;
  failures: number;
  /** Time until which no attempt is made. The time 0 means that the breaker is closed. */
  until: number;
  /** Whether the single test attempt is running. */
  trying: boolean;
}

export class Breakers {
  private readonly breakers = new Map<string, Breaker>();
  private readonly now: () => number;

  /** @param now monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /**
   * Requests an attempt at a receiver. Returns 0 if the attempt may begin. Otherwise returns how long to wait before
   * the next request, in milliseconds.
   */
  take(receiver: string): number {
    const breaker = this.breakers.get(receiver);
    if (!breaker || breaker.until === 0) return 0;
    const left = breaker.until - this.now();
    if (left > 0) return left;
    if (breaker.trying) return openMs;
    breaker.trying = true;
    return 0;
  }

  /**
   * Updates the breaker with the result of an attempt. `neither` ends a test attempt without changing the count of
   * failures.
   */
  record(channel: ChannelName, receiver: string, outcome: 'answered' | 'failed' | 'neither'): void {
    const breaker = this.breakers.get(receiver) ?? { channel, failures: 0, until: 0, trying: false };
    breaker.trying = false;
    if (outcome === 'answered') this.breakers.delete(receiver);
    if (outcome === 'failed') {
      breaker.failures += 1;
      if (breaker.failures >= maxFailures) breaker.until = this.now() + openMs;
      this.breakers.set(receiver, breaker);
    }
    const open = [...this.breakers.values()].filter((each) => each.channel === channel && each.until > 0);
    openBreakers.set({ channel }, open.length);
  }
}
