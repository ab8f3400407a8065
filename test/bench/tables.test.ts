/**
 * Tests the tables of measured numbers that the documents quote.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { percentilesOf, spreadOf } from '../../bench/figures.ts';
import type { Report } from '../../bench/report.ts';
import type { Subject } from '../../bench/scenario.ts';
import { fullTables, summaryTable, withTables } from '../../bench/tables.ts';

function subject(name: string, perSecond: number, microseconds: number): Subject {
  return {
    name,
    durability: 'none',
    perSecond: spreadOf([perSecond]),
    latency: percentilesOf([1, 2]),
    curve: null,
    cpu: { first: microseconds / 2, second: microseconds / 2 },
    cpuRounds: [microseconds],
    generatorCpu: 0,
  };
}

const report: Report = {
  at: '2026-01-02T00:00:00.000Z',
  machine: {
    cpu: 'A processor',
    cores: 2,
    memoryGb: 8,
    system: 'linux 6',
    versions: { node: 'v20', fastify: '5.0.0' },
    durability: 'power-loss',
    fileSystem: 'ext4',
    commit: 'abc1234',
  },
  command: 'npm run bench',
  settings: { seconds: 3, rounds: 5, warmUpSeconds: 3, service: {} },
  scenarios: [
    {
      name: 'webhook-accept',
      question: 'How?',
      at: '',
      commit: 'abc1234',
      tookSeconds: 1,
      measured: [
        {
          load: '256 connections, 8,192 repeating bodies, 25.3 KB each',
          connections: 256,
          subjects: [subject('tidings', 9200, 156), subject('peer', 4680, 427), subject('floor', 14_000, 76)],
          figures: [{ name: 'share', value: 0.37, unit: 'ratio', line: { atMost: 0.45 } }],
          othersShare: 0,
          faults: [],
          notes: [],
        },
      ],
    },
  ],
  passed: true,
};

test('the summary has a row per measured question and a column per program', () => {
  const text = summaryTable(report);
  assert.match(text, /\| signed webhooks per second, 256 connections \| 9,200 \| 4,680 \| 14,000 \|/);
  assert.match(text, /\| processor time per webhook, 256 connections \| 156 µs \| 427 µs \| 76 µs \|/);
  assert.match(text, /node v20, fastify 5\.0\.0, ext4; commit abc1234, 2026-01-02/);
  assert.doesNotMatch(text, /64 connections|reads/);
});

test('the full tables have the judged figures and all programs', () => {
  const text = fullTables(report);
  assert.match(text, /\| share \| 0\.37 \| ≤ 0\.45 \| {2}\| ✓ \|/);
  assert.match(text, /\| peer \| 4,680 \| 1\.0 ms, 2\.0 ms \| 427 \(first 214, second 214\) \|/);
});

test('only the text between the markers is replaced', () => {
  const document = 'a\n<!-- bench:start -->\nold\n<!-- bench:end -->\nb\n';
  assert.equal(withTables(document, 'new\n'), 'a\n<!-- bench:start -->\nnew\n<!-- bench:end -->\nb\n');
  assert.throws(() => withTables('a', 'new'), /no <!-- bench:start -->/);
});

test('the documents that quote the numbers have the markers', () => {
  for (const name of ['README.md', 'docs/benchmarks.md']) {
    const text = readFileSync(fileURLToPath(new URL(`../../../${name}`, import.meta.url)), 'utf8');
    assert.ok(withTables(text, 'new').includes('new'), name);
  }
});
