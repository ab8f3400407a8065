/**
 * The monotonic clock of this machine. Unlike `performance.now`, it has the same origin in all processes, so that a
 * process can compare a time with one that another process of the machine has sent.
 */

const origin = Number(process.hrtime.bigint()) / 1e6 - performance.now();

/** Returns the milliseconds of the monotonic clock of this machine. */
export function machineNow(): number {
  return origin + performance.now();
}
