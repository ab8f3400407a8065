/**
 * Remembers answers that were read from a partition until the partition changes. So the answers cost no lookup while
 * the partition stays the same, and are never out of date.
 */
import type { CurrentState } from './readers.ts';

/** Default for the maximum number of answers. At the maximum, all answers are removed. */
const defaultMax = 10_000;

export class Remembered<Answer> {
  private readonly readers: CurrentState;
  private readonly name: string;
  private readonly max: number;
  private readonly answers = new Map<string, Answer>();
  private seq = -1;
  private generation = -1;

  /** @param name the partition that the answers are read from */
  constructor(readers: CurrentState, name: string, max = defaultMax) {
    this.readers = readers;
    this.name = name;
    this.max = max;
  }

  /**
   * Returns the answer for a key; undefined if no answer is known in the partition's state. The state is the one that
   * `Readers.current` or `Readers.fresh` returned last.
   */
  get(key: string): Answer | undefined {
    const { readers, name } = this;
    const seq = readers.seq(name);
    const generation = readers.generation(name);
    if (seq !== this.seq || generation !== this.generation) {
      this.answers.clear();
      this.seq = seq;
      this.generation = generation;
    }
    return this.answers.get(key);
  }

  /** Remembers an answer. Call `get` before the answer is read, so that the answer belongs to the same state. */
  set(key: string, answer: Answer): Answer {
    if (this.answers.size >= this.max) this.answers.clear();
    this.answers.set(key, answer);
    return answer;
  }
}
