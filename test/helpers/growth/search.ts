/**
 * Finds functions whose time grows faster than the length of their input. It measures texts of one shape in growing
 * lengths until the growth is certain. Only the growth is judged, never a single time.
 */
import { processorMs } from '../processor-time.ts';
import type { Shape } from './shapes.ts';

/** The excessive growth that was measured for some work, and the length at which it was measured. */
export interface Growth {
  length: number;
  /** The time for this length (`ms`), divided by the time for the previous length. */
  factor: number;
  ms: number;
}

/** Minimum time in milliseconds that can be measured reliably. */
const floorMs = 8;
/**
 * Time in milliseconds. If a measured time has grown too fast and exceeds this maximum, the growth is reported at once.
 * The next length is then not measured.
 */
const maxMs = 2000;
/** Maximum number of measurements. Single measurements can be slow because of garbage collection or other programs. */
const maxAttempts = 5;

/**
 * Measures work on texts of one shape. Returns the growth if it is more than proportional, and undefined if not.
 * @param from length of the first text
 * @param step factor between the lengths of two consecutive texts
 * @param to length of the last text; if the time grows too fast at the length `to`, one longer text is also measured
 */
export function superlinear(
  shape: Shape,
  work: (text: string) => unknown,
  { from, step, to }: { from: number; step: number; to: number },
): Growth | undefined {
  // Maximum factor by which the time may grow when the length grows by the factor `step`. If `step` is 4, linear work
  // takes 4 times as long, and quadratic work takes 16 times as long. The maximum in this case is 8.
  const maxFactor = step ** 1.5;
  const msOf = (length: number, enough: number): number => {
    const text = shape.textOf(length);
    return fastestMs(() => work(text), enough);
  };
  for (let length = from * step; length <= to; length *= step) {
    const text = shape.textOf(length);
    const once = processorMs(() => work(text));
    // The time is too short to measure. Quadratic work would take longer at this length, so the length is skipped.
    if (once < floorMs) continue;
    const shorter = Math.max(msOf(length / step, once / maxFactor), floorMs / step);
    const ms = Math.min(once, once < maxFactor * shorter ? once : msOf(length, maxFactor * shorter));
    if (ms < maxFactor * shorter) continue;
    // A single fast increase does not prove quadratic work. For example, a function may treat long texts differently,
    // so that its time increases fast at one length only. The time of quadratic work grows too fast at the next length
    // too.
    const limit = maxFactor * ms;
    if (ms > maxMs || msOf(length * step, limit) >= limit) return { length, factor: ms / shorter, ms };
  }
  return undefined;
}

/** Measures work several times and returns the shortest time. It stops at the first time below `enough`. */
function fastestMs(work: () => unknown, enough: number): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let attempts = 0; attempts < maxAttempts && fastest >= enough; attempts += 1)
    fastest = Math.min(fastest, processorMs(work));
  return fastest;
}
