/**
 * Looks for work that takes more than in proportion: texts of one shape in growing lengths, each measured until it is known that the
 * time grows with the length. No time by itself is asserted, only how it grows.
 */
import { processorMs } from '../processor-time.ts';
import type { Shape } from './shapes.ts';

/** How the time of some work grew at its worst. */
export interface Growth {
  length: number;
  /** How many times as long this length took as the one before it, and the milliseconds of it. */
  factor: number;
  ms: number;
}

/** Below this a measurement is noise. */
const floorMs = 8;
/** What takes as long is slow enough, and need not be measured at a greater length to be sure. */
const longestMs = 2000;
/** Collections of garbage and other programs make single measurements slow. */
const mostTries = 5;

/**
 * The growth of work on a shape beyond proportion, if any.
 * @param from first length
 * @param step how many times as long each text is as the one before it
 * @param to last length; the next one is measured as well where this one was slow
 */
export function superlinear(
  shape: Shape,
  work: (text: string) => unknown,
  { from, step, to }: { from: number; step: number; to: number },
): Growth | undefined {
  // Halfway between proportion and the square: 8 times for 4 times the length, 64 times for 16 times.
  const most = step ** 1.5;
  const msOf = (length: number, enough: number): number => {
    const text = shape.textOf(length);
    return fastestMs(() => work(text), enough);
  };
  for (let length = from * step; length <= to; length *= step) {
    const text = shape.textOf(length);
    const once = processorMs(() => work(text));
    // What is quick enough for a text as long as this cannot have grown with the square.
    if (once < floorMs) continue;
    const shorter = Math.max(msOf(length / step, once / most), floorMs / step);
    const ms = Math.min(once, once < most * shorter ? once : msOf(length, most * shorter));
    if (ms < most * shorter) continue;
    // A text that is cut from some length on makes one step steep; where the time grows with the square, the next one is as well.
    const limit = most * ms;
    if (ms > longestMs || msOf(length * step, limit) >= limit) return { length, factor: ms / shorter, ms };
  }
  return undefined;
}

/** The shortest of some measurements, up to the first that is at most `enough`. */
function fastestMs(work: () => unknown, enough: number): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < mostTries && fastest >= enough; tries += 1)
    fastest = Math.min(fastest, processorMs(work));
  return fastest;
}
