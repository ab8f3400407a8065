/**
 * Circuit breakers, one a receiver: after failures in a row nothing is tried there for a while, then one attempt finds out.
 * They live in memory and use up no attempts; a restarted worker finds out anew.
 */
import { openBreakers } from '../../src/foundation/metrics.ts';
import type { ChannelName } from '../../src/protocol/channels.ts';

/** Failures in a row that open a breaker, and how long it stays open, in milliseconds. */
const mostFailures = 5;
const openMs = 30_000;

interface Breaker {
  channel: ChannelName;
  failures: number;
  /** Until when nothing is tried; 0 = closed. */
  until: number;
  /** The one attempt that finds out is under way. */
  trying: boolean;
}

export class Breakers {
  private readonly breakers = new Map<string, Breaker>();
  private readonly now: () => number;

  /** @param now milliseconds of a clock that does not jump */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** Takes a place for an attempt at a receiver; 0, or how many milliseconds to wait before asking again. */
  take(receiver: string): number {
    const breaker = this.breakers.get(receiver);
    if (!breaker || breaker.until === 0) return 0;
    const left = breaker.until - this.now();
    if (left > 0) return left;
    if (breaker.trying) return openMs;
    breaker.trying = true;
    return 0;
  }

  /** Tells what came of an attempt; `neither` says nothing of the receiver. */
  tell(channel: ChannelName, receiver: string, outcome: 'answered' | 'failed' | 'neither'): void {
    const breaker = this.breakers.get(receiver) ?? { channel, failures: 0, until: 0, trying: false };
    breaker.trying = false;
    if (outcome === 'answered') this.breakers.delete(receiver);
    if (outcome === 'failed') {
      breaker.failures += 1;
      if (breaker.failures >= mostFailures) breaker.until = this.now() + openMs;
      this.breakers.set(receiver, breaker);
    }
    const open = [...this.breakers.values()].filter((each) => each.channel === channel && each.until > 0);
    openBreakers.set({ channel }, open.length);
  }
}
