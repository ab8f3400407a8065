/**
 * Decides whether a worker is ready: all its partitions are served, a render thread is loaded, and the journal is
 * connected. Every change is reported to the supervisor.
 */
import type { Journal } from '../../src/journal/connect.ts';
import type { RenderPool } from '../render/pool.ts';

/** Receives two kinds of reports: whether the worker is ready, and errors that only a restart repairs. */
interface ReadinessTarget {
  setReady: (ready: boolean) => void;
  fail: (error: Error) => void;
}

export class Readiness {
  private readonly target: ReadinessTarget;
  private readonly journal: Journal;
  private readonly lost = new Set<string>();
  private answers = false;
  private stopping = false;

  constructor(target: ReadinessTarget, journal: Journal) {
    this.target = target;
    this.journal = journal;
  }

  /** Marks a partition as not served, and reports the change. */
  lose(partition: string): void {
    this.lost.add(partition);
    this.report();
  }

  /**
   * Reports the worker as ready once, before its threads are loaded, so that the gateway can start. All later reports
   * contain the actual state.
   */
  open(pool: RenderPool): void {
    this.target.setReady(true);
    this.report();
    this.journal.onDisconnect(() => this.report());
    this.journal.onReconnect(() => this.report());
    void pool.loaded().then(
      () => {
        this.answers = true;
        this.report();
      },
      // If the pool is closed before a thread is loaded, no report is needed.
      (error: Error) => this.stopping || this.target.fail(error),
    );
  }

  /** Announces the stop of the worker. From then on, an error in the pool is expected and not reported. */
  stop(): void {
    this.stopping = true;
  }

  private report(): void {
    this.target.setReady(this.journal.connected() && this.lost.size === 0 && this.answers);
  }
}
