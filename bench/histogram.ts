/**
 * Estimates percentiles from the buckets of a histogram in the format of Prometheus.
 */

/** Upper bounds of buckets with cumulative counts, smallest bound first. The last bound is infinite. */
export type Buckets = readonly (readonly [bound: number, count: number])[];

/** Returns the counts that were added between two readings. */
export function bucketsBetween(before: Buckets, after: Buckets): [bound: number, count: number][] {
  const counts = new Map(before);
  return after.map(([bound, count]) => [bound, count - (counts.get(bound) ?? 0)]);
}

/**
 * Returns a percentile. Inside a bucket, the values are taken as evenly spread. In the last bucket, whose upper bound is
 * infinite, the result is its lower bound. Returns undefined if there are no values.
 */
export function bucketPercentile(buckets: Buckets, percent: number): number | undefined {
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total === 0) return undefined;
  const rank = (percent / 100) * total;
  let [lowerBound, lowerCount] = [0, 0];
  for (const [bound, count] of buckets) {
    if (count >= rank && count > lowerCount) {
      if (bound === Number.POSITIVE_INFINITY) return lowerBound;
      return lowerBound + ((bound - lowerBound) * (rank - lowerCount)) / (count - lowerCount);
    }
    [lowerBound, lowerCount] = [bound, count];
  }
  return lowerBound;
}
