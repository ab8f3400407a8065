/**
 * Passes what a thread has counted to the main thread. Each thread has a registry of its own, but only the registry of
 * the main thread is read.
 */
import { Counter, type LabelValues } from 'prom-client';
import { registry } from './metrics.ts';

/** The increase of one series of a counter. */
export interface ThreadCount {
  name: string;
  labels: LabelValues<string>;
  by: number;
}

/** Returns what this thread has counted since the last call. Only counters are passed, no gauges and histograms. */
export async function takeCounts(): Promise<ThreadCount[]> {
  const counts: ThreadCount[] = [];
  for (const { name } of registry.getMetricsAsArray()) {
    const metric = registry.getSingleMetric(name);
    if (!(metric instanceof Counter)) continue;
    for (const { labels, value } of (await metric.get()).values)
      if (value > 0) counts.push({ name, labels, by: value });
    metric.reset();
  }
  return counts;
}

/** Adds what a thread has counted to the counters of this thread. */
export function addCounts(counts: readonly ThreadCount[]): void {
  for (const { name, labels, by } of counts) {
    const metric = registry.getSingleMetric(name);
    if (metric instanceof Counter) metric.inc(labels, by);
  }
}
