/**
 * The memory that all bodies being collected share, so that many slow large ones cannot exhaust the process.
 */
import { bodyBytesHeld } from '../foundation/metrics.ts';

export class BodyBudget {
  private readonly limit: number;
  private held = 0;

  /** @param limit bytes that all bodies together may hold */
  constructor(limit: number) {
    this.limit = limit;
  }

  /** Charges `bytes`; false when they do not fit, and then nothing is charged. */
  take(bytes: number): boolean {
    if (this.held + bytes > this.limit) return false;
    this.held += bytes;
    bodyBytesHeld.set(this.held);
    return true;
  }

  /** Gives charged bytes back. */
  give(bytes: number): void {
    if (bytes === 0) return;
    this.held -= bytes;
    bodyBytesHeld.set(this.held);
  }
}
