/**
 * Processor time that a piece of work takes in this process: other programs on a busy machine do not lengthen it. What is
 * quick depends on the machine all the same, so that it is better to ask how the time grows.
 */
import assert from 'node:assert/strict';

/** Carries the work out; the milliseconds of processor time it took, all threads of the process together. */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const times = 16;
/** Time in proportion makes 1 of it, and room for noise; time that grows with the square makes 16. */
const mostGrowth = 4;
/** Below this a measurement is noise. */
const floorMs = 8;

/**
 * Asserts that work on one text takes not much more time than on sixteen of a sixteenth of its length. Measured up to three
 * times: a collection of garbage makes one measurement slow, a quadratic walk makes all.
 */
export function assertLinear(
  name: string,
  length: number,
  textOf: (length: number) => string,
  work: (text: string) => unknown,
): void {
  const [little, much] = [textOf(Math.floor(length / times)), textOf(length)];
  const often = (): void => {
    for (let i = 0; i < times; i += 1) work(little);
  };
  let growth = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3 && growth >= mostGrowth; i += 1) {
    growth = fastestMs(() => work(much)) / Math.max(fastestMs(often), floorMs);
  }
  assert.ok(growth < mostGrowth, `${name} takes ${growth.toFixed(1)} times as long in one piece`);
}

function fastestMs(work: () => unknown): number {
  return Math.min(processorMs(work), processorMs(work));
}
