/**
 * Defines the shape of a scenario, the tools that it gets, and the results that it returns.
 */
import type { Percentiles, Spread } from './figures.ts';

/** The tools and settings that a scenario works with. */
export interface BenchContext {
  seconds: number;
  rounds: number;
  warmUpSeconds: number;
  /** Folder for data directories. It must be on a disk, because an fsync costs nothing on a memory file system. */
  folder: string;
  /** Folder of another built checkout whose service is measured. Undefined: this checkout. */
  serviceFolder?: string;
  /**
   * Size for a scenario that has one, for example the number of records. Undefined: the size that the lines are for.
   * A smaller size is for trying the scenario, and its figures are not judged.
   */
  size?: number;
  /**
   * Registers a clean-up function, which runs when the scenario ends for any reason. The function that was registered
   * last runs first.
   */
  defer(stop: () => unknown): void;
}

/** A program that is measured: the service, a peer or a floor. */
export interface Subject {
  /** `tidings`, `peer` (Fastify and BullMQ), `floor` (bare uWebSockets.js), `nats`, `git-cliff`. */
  name: string;
  /** What a reply of this program promises, for example `fsync before each reply`. */
  durability: string;
  /** Requests per second. Null if a rate makes no sense, for example at a fixed rate. */
  perSecond: Spread | null;
  /** Latency in milliseconds over the replies of all rounds. */
  latency: Percentiles | null;
  /** About 60 points of the latency curve: the percentage of replies that took at most so many milliseconds. */
  curve: readonly (readonly [percent: number, milliseconds: number])[] | null;
  /**
   * Processor time per request in microseconds, by process, without the load generator. Each value is the median of the
   * rounds. The time includes the work after the reply, until everything is folded or the queue is empty.
   */
  cpu: Record<string, number>;
  /** Sum of the processor time per request in microseconds over the processes, one value per round. */
  cpuRounds: readonly number[];
  /** Processor time of the load generator per request in microseconds. */
  generatorCpu: number;
}

/** A line that a figure must hold. */
export type Line = { atMost: number } | { atLeast: number };

/** A figure that the report shows. If it has a line, the report judges it. */
export interface Figure {
  /** For example `processor time per delivery, of the peer`. */
  name: string;
  value: number;
  unit: 'ratio' | 'µs' | 'ms' | 's' | '/s' | 'MB' | '%' | '';
  line: Line | null;
  /** A better value than the line asks for. It is shown and not judged. */
  stretch?: number;
}

/** The results of one load of a scenario, for example of 256 connections. */
export interface Measured {
  load: string;
  /** Size for growth plots, for example the number of pull requests in the repository. */
  size?: number;
  /** Number of connections. Null if the load has none. */
  connections: number | null;
  subjects: Subject[];
  figures: Figure[];
  /** Largest share of the machine that other programs used during a round, from 0 to 1. */
  othersShare: number;
  /** Faults, for example wrong replies or lost deliveries. A figure that misses its line is not in this list. */
  faults: string[];
  /** Other observations as text. */
  notes: string[];
}

/** A scenario of the bench. It answers one question, such as how fast the service accepts deliveries. */
export interface Scenario {
  name: string;
  question: string;
  run(context: BenchContext): Promise<Measured[]>;
}

/** Returns whether a figure holds its line. A figure without a line always does. */
export function holds({ value, line }: Figure): boolean {
  if (line === null) return true;
  return 'atMost' in line ? value <= line.atMost : value >= line.atLeast;
}

/** Returns whether a load has no faults and all its figures hold their lines. */
export function passes({ figures, faults }: Measured): boolean {
  return faults.length === 0 && figures.every(holds);
}
