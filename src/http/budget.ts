/**
 * Limits the memory for all request bodies that are being received. Without a limit, many large bodies that arrive
 * slowly could exhaust the memory of the process.
 */
import { bodyMemory } from '../foundation/metrics.ts';

export class BodyBudget {
  private readonly limit: number;
  private held = 0;

  /** @param limit maximum number of bytes of all bodies together */
  constructor(limit: number) {
    this.limit = limit;
  }

  /** Reserves `bytes`. Returns false and reserves nothing when the rest of the budget is smaller than `bytes`. */
  take(bytes: number): boolean {
    if (this.held + bytes > this.limit) return false;
    this.held += bytes;
    bodyMemory.held = this.held;
    return true;
  }

  /** Releases reserved bytes. */
  free(bytes: number): void {
    if (bytes === 0) return;
    this.held -= bytes;
    bodyMemory.held = this.held;
  }
}
