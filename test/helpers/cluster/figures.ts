/** Prints the progress and the figures of a load test, and computes percentiles. */
import type { TestContext } from 'node:test';
import { percentile } from '../../../bench/figures.ts';
import { isLong } from '../cluster-options.ts';

export { median } from '../../../bench/figures.ts';

/** The percentiles of a test, in milliseconds. */
export interface Spread {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

/** Returns percentiles of values in any order. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { count: values.length, p50: percentile(sorted, 50), p99: percentile(sorted, 99), max: sorted.at(-1) ?? 0 };
}

/** Formats percentiles as cells of a table, in milliseconds. */
export function cellsOf({ count, p50, p99, max }: Spread): string[] {
  return [String(count), p50.toFixed(0), p99.toFixed(0), max.toFixed(0)];
}

/** Prints a table. The first row contains the names of the columns. */
export function printTable(t: TestContext, rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)));
    t.diagnostic(cells.join('  ').trimEnd());
  }
}

/** Prints the progress of the long form at once. The test runner prints diagnostics only when a test has ended. */
export function showProgress(text: string): void {
  if (isLong) process.stderr.write(`  … ${text}\n`);
}
