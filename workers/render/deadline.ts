/**
 * Enforces the time limit of a task within the task: the first read after the deadline throws. Ending a thread from
 * outside is the last resort. If the thread opens LMDB at that moment, the whole process aborts (seen as an abort in
 * `napi_throw`). So a thread is ended from outside only if it computes for too long without reading.
 */
import { ServiceError } from '../../src/foundation/errors.ts';

/**
 * After the deadline of a task, the next read throws. If the task does not read within this time (in milliseconds), the
 * task's thread is ended.
 */
export const graceMs = 5000;

/**
 * Returns the error of a task that ran out of time. The task is not retried, because it would run out of time again.
 */
export function outOfTime(timeoutMs: number): ServiceError {
  return new ServiceError('internal', `The task took longer than ${timeoutMs / 1000} seconds. Choose a smaller range.`);
}

/**
 * Sets the deadline of a task.
 * @returns a check that throws `outOfTime` after the deadline
 */
export function startDeadline(timeoutMs: number): () => void {
  const deadline = performance.now() + timeoutMs;
  return () => {
    if (performance.now() > deadline) throw outOfTime(timeoutMs);
  };
}
