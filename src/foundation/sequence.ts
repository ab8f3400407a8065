/** Runs asynchronous steps one after another, in the order in which they were added. */
export class Sequence {
  private last: Promise<unknown> = Promise.resolve();

  /** Runs a step when all earlier steps have ended. Returns its result. The failure of a step does not stop the next. */
  run<T>(step: () => T | Promise<T>): Promise<T> {
    const done = this.last.then(step);
    this.last = done.catch(() => {});
    return done;
  }

  /** Resolves when the steps that were added so far have ended. */
  async ended(): Promise<void> {
    await this.last;
  }
}
