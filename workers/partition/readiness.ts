/**
 * Whether a worker can serve: all its partitions are folded, a render thread answers questions, the journal is connected. Says
 * so to the supervisor whenever it changes.
 */
import type { Journal } from '../../src/journal/connect.ts';
import type { RenderPool } from '../render/pool.ts';

/** Who is told: ready or not, and what only a restart mends. */
interface Told {
  setReady: (ready: boolean) => void;
  fail: (error: Error) => void;
}

export class Readiness {
  private readonly told: Told;
  private readonly journal: Journal;
  private readonly lost = new Set<string>();
  private answers = false;
  private stopping = false;

  constructor(told: Told, journal: Journal) {
    this.told = told;
    this.journal = journal;
  }

  /** A partition is not served, or not any more. */
  lose(partition: string): void {
    this.lost.add(partition);
    this.tell();
  }

  /** Everything is open that can be, so the gateway may start and accept while threads load; then the truth. */
  open(pool: RenderPool): void {
    this.told.setReady(true);
    this.tell();
    this.journal.onDisconnect(() => this.tell());
    this.journal.onReconnect(() => this.tell());
    void pool.loaded().then(
      () => {
        this.answers = true;
        this.tell();
      },
      // A pool that is closed before a thread is loaded has nobody to answer to.
      (error: Error) => this.stopping || this.told.fail(error),
    );
  }

  /** From now on nothing is amiss that ends. */
  stop(): void {
    this.stopping = true;
  }

  private tell(): void {
    this.told.setReady(this.journal.connected() && this.lost.size === 0 && this.answers);
  }
}
