/**
 * Measures how long the lead of a partition was silent, by the monotonic clock of this machine (`docs/architecture.md`
 * decision 34). Silence during a freeze of this process is not the silence of the lead.
 */
import { Freezes } from '../../src/foundation/freezes.ts';

/** After a freeze of this process, it first reads the ticks that were sent meanwhile, for this time in milliseconds. */
const wakeMs = 5000;

export class Silence {
  private readonly leaseMs: number;
  private readonly now: () => number;
  private readonly freezes: Freezes;
  /** When the lead was last heard. */
  private heardAt: number;

  /**
   * @param leaseMs how long the lead may be silent, in milliseconds
   * @param now monotonic clock in milliseconds
   */
  constructor(leaseMs: number, now: () => number) {
    this.leaseMs = leaseMs;
    this.now = now;
    this.heardAt = now();
    this.freezes = new Freezes(() => {
      this.heardAt = Math.max(this.heardAt, this.now() - leaseMs + wakeMs);
    });
  }

  /** Whether the lead was silent for so long that another node may claim the partition. */
  get isOverdue(): boolean {
    // A freeze that has just ended must be noticed first.
    this.freezes.since(0);
    return this.now() >= this.heardAt + this.leaseMs;
  }

  /** Notes that the lead was heard, or could not be heard. */
  restart(): void {
    this.heardAt = this.now();
  }

  close(): void {
    this.freezes.close();
  }
}
