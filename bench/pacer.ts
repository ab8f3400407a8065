/**
 * Reports to its parent thread when requests are due. It runs in a thread of its own, because a timer of the event loop
 * is late by up to a millisecond, and a latency that counts from the due time would contain this delay.
 */
import { parentPort, workerData } from 'node:worker_threads';

/** The schedule: `count` requests, one every `intervalMs`, from `startAt` on. */
export interface Schedule {
  /** Milliseconds of `process.hrtime`, whose clock all threads share. */
  startAt: number;
  intervalMs: number;
  count: number;
}

/** Returns the time of the clock that all threads share, in milliseconds. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Reports the number of requests that are due so far, whenever it has grown. */
function follow({ startAt, intervalMs, count }: Schedule): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (let reported = 0; reported < count; ) {
    const wait = startAt + reported * intervalMs - sharedNow();
    if (wait > 0) Atomics.wait(cell, 0, 0, wait);
    const due = Math.min(count, Math.floor((sharedNow() - startAt) / intervalMs) + 1);
    if (due <= reported) continue;
    reported = due;
    parentPort?.postMessage(due);
  }
}

if (parentPort) follow(workerData as Schedule);
