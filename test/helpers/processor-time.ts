/**
 * Processor time that a piece of work takes in this process: other programs on a busy machine do not lengthen it.
 */

/** Carries the work out; the milliseconds of processor time it took, all threads of the process together. */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
