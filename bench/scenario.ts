/**
 * What a scenario is: one question, the loads it is asked under, and what it needs to run.
 */
import type { Side } from './figures.ts';

/** What a scenario gets to work with. */
export interface BenchContext {
  seconds: number;
  rounds: number;
  warmUpSeconds: number;
  /** Folder for data directories. On a memory file system an fsync would cost nothing. */
  folder: string;
  /** Registers what must be stopped or removed at the end, however that comes; last in, first out. */
  defer(stop: () => unknown): void;
}

/** Service and floor under one load. */
export interface Comparison {
  load: string;
  connections: number;
  service: Side;
  floor: Side;
  ratio: number;
  /** Smallest ratio that passes; null where the figures are shown and not judged. */
  line: number | null;
  /** Largest share of the machine that other programs took during a round, from 0 to 1. */
  othersShare: number;
  /** What was wrong besides the ratio: answers, lost deliveries. */
  faults: string[];
  /** What else was seen, in words. */
  notes: string[];
}

/** One question that the bench can answer. */
export interface Scenario {
  name: string;
  question: string;
  /** What the floor is. */
  floor: string;
  run(context: BenchContext): Promise<Comparison[]>;
}

export function passes({ ratio, line, faults }: Comparison): boolean {
  return (line === null || ratio >= line) && faults.length === 0;
}
