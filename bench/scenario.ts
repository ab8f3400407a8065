/**
 * Defines the shape of a scenario, the tools that it gets, and the comparisons that it returns.
 */
import type { Side } from './figures.ts';

/** The tools and settings that a scenario works with. */
export interface BenchContext {
  seconds: number;
  rounds: number;
  warmUpSeconds: number;
  /** Folder for data directories. It must be on a disk, because an fsync costs nothing on a memory file system. */
  folder: string;
  /**
   * Registers a clean-up function, which runs when the scenario ends for any reason. The function that was registered
   * last runs first.
   */
  defer(stop: () => unknown): void;
}

/**
 * The figures of the service and of the floor under one load. The floor is the program that the service is compared
 * with.
 */
export interface Comparison {
  load: string;
  connections: number;
  service: Side;
  floor: Side;
  ratio: number;
  /** Smallest ratio that passes. Null if the ratio is shown but not judged. */
  line: number | null;
  /** Largest share of the machine that other programs used during a round, from 0 to 1. */
  othersShare: number;
  /** Faults, for example wrong replies or lost deliveries. A `ratio` below `line` is not in this list. */
  faults: string[];
  /** Other observations as text. */
  notes: string[];
}

/** A scenario of the bench. It answers one question, such as how fast the service accepts deliveries. */
export interface Scenario {
  name: string;
  question: string;
  /** Description of the program that the service is compared with. */
  floor: string;
  run(context: BenchContext): Promise<Comparison[]>;
}

export function passes({ ratio, line, faults }: Comparison): boolean {
  return (line === null || ratio >= line) && faults.length === 0;
}
