/**
 * The time limit of a task, kept by the task itself: it ends at its next reading past the deadline. A thread that is ended
 * from outside while LMDB is being opened takes the process with it (seen as an abort in `napi_throw`), so that is left for
 * what computes on and on without reading.
 */
import { ServiceError } from '../../src/foundation/errors.ts';

/** How much longer than its limit a task may compute without reading, in milliseconds, before its thread is ended. */
export const graceMs = 5000;

/** The failure of a task that is out of time; it would be so again. */
export function outOfTime(timeoutMs: number): ServiceError {
  return new ServiceError('internal', `It took longer than ${timeoutMs / 1000} seconds. Take a smaller range.`);
}

/**
 * Starts the clock of a task.
 * @returns a check that throws `outOfTime` once the time is up
 */
export function startDeadline(timeoutMs: number): () => void {
  const deadline = performance.now() + timeoutMs;
  return () => {
    if (performance.now() > deadline) throw outOfTime(timeoutMs);
  };
}
