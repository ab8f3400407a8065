/**
 * Writes the numbers of `bench/results/latest.json` into README.md and docs/benchmarks.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Report } from './report.ts';
import { fullTables, summaryTable, withTables } from './tables.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const documents = [
  ['README.md', summaryTable],
  ['docs/benchmarks.md', fullTables],
] as const;

const report = JSON.parse(readFileSync(`${root}bench/results/latest.json`, 'utf8')) as Report;
for (const [name, tables] of documents) {
  const file = root + name;
  writeFileSync(file, withTables(readFileSync(file, 'utf8'), tables(report)));
  process.stdout.write(`${name}\n`);
}
