/**
 * Looks for work that takes more than in proportion: texts of one shape in growing lengths, each measured until it is known that the
 * time grows with the length.
 */
import { processorMs } from '../processor-time.ts';
import type { Shape } from './shapes.ts';

/** How the time of some work grew at its worst. */
export interface Growth {
  /** Length at which it was seen. */
  length: number;
  /** How many times as long four times the length took, and the milliseconds of it. */
  factor: number;
  ms: number;
}

const step = 4;
/** Four times the length is four times the time, sixteen where it grows with the square. */
export const mostFactor = 8;
/** Below this a measurement is noise. */
const floorMs = 4;
/** What takes as long is slow enough, and need not be measured at four times the length. */
const longestMs = 1000;
/** Collections of garbage and other programs make single measurements slow. */
const mostTries = 5;

/** The shortest of some measurements, the first that is below `enough`. */
export function fastestMs(work: () => unknown, enough: number): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < mostTries && fastest >= enough; tries += 1)
    fastest = Math.min(fastest, processorMs(work));
  return fastest;
}

/** The growth of work on a shape beyond proportion, if any; lengths end where it is found. */
export function superlinear(
  shape: Shape,
  work: (text: string) => unknown,
  from: number,
  to: number,
): Growth | undefined {
  const isSteep = (text: string, shorterMs: number): boolean =>
    shorterMs > longestMs || fastestMs(() => work(text), mostFactor * shorterMs) >= mostFactor * shorterMs;
  let before = 0;
  for (let length = from; length <= to; length *= step) {
    const text = shape.textOf(length);
    let ms = processorMs(() => work(text));
    const limit = (): number => mostFactor * Math.max(before, floorMs / step);
    for (let again = 0; again < 4 && ms >= limit(); again += 1) {
      ms = Math.min(
        ms,
        processorMs(() => work(text)),
      );
    }
    if (ms >= limit()) {
      // The shorter text may have been measured at a lucky moment, and the longer one at a bad one.
      const short = shape.textOf(length / step);
      const shorter = Math.max(
        before,
        processorMs(() => work(short)),
      );
      const factor = ms / shorter;
      // A text that is cut from some length on makes one step steep; where the time grows with the square, the next one is too.
      if (ms >= mostFactor * Math.max(shorter, floorMs / step) && isSteep(shape.textOf(length * step), ms))
        return { length, factor, ms };
    }
    before = ms;
  }
  return undefined;
}
