/**
 * Measures the processor time of work in this process. Other programs on a busy machine do not lengthen the processor
 * time. However, the processor time depends on the speed of the machine. Tests should therefore check how the time
 * grows with the length of a text, and not the time itself.
 */
import assert from 'node:assert/strict';

/** Runs the work and returns its processor time in milliseconds, over all threads of the process. */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const times = 16;
/** Maximum growth. Linear work gives 1 plus noise, quadratic work gives 16. */
const maxGrowth = 4;
/** Minimum time in milliseconds that can be measured reliably. */
const floorMs = 8;

/**
 * Asserts that the time of some work grows in proportion to the length of the text. Compares the time for one long text
 * with the total time for 16 short texts. Each short text has one sixteenth of the length of the long text. The time
 * for the long text must be less than `maxGrowth` times the total time for the short texts. Measures up to three times,
 * because garbage collection slows some measurements. With quadratic work, all measurements are slow.
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
  for (let i = 0; i < 3 && growth >= maxGrowth; i += 1) {
    growth = fastestMs(() => work(much)) / Math.max(fastestMs(often), floorMs);
  }
  assert.ok(growth < maxGrowth, `${name} takes ${growth.toFixed(1)} times as long in one piece`);
}

function fastestMs(work: () => unknown): number {
  return Math.min(processorMs(work), processorMs(work));
}
