/**
 * Limits how many bytes per second a process sends.
 */
import { setTimeout as pause } from 'node:timers/promises';

export class Pace {
  private readonly bytesPerMs: number;
  private freeAt = 0;

  constructor(bytesPerSecond: number) {
    this.bytesPerMs = bytesPerSecond / 1000;
  }

  /** Waits until `bytes` more bytes may be sent. Callers are served in order. */
  async take(bytes: number): Promise<void> {
    const now = performance.now();
    const startsAt = Math.max(now, this.freeAt);
    this.freeAt = startsAt + bytes / this.bytesPerMs;
    if (startsAt > now) await pause(startsAt - now);
  }
}
