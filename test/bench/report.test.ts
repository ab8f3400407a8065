/**
 * Tests the report of a benchmark as text and as a page.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { curveOf } from '../../bench/figures.ts';
import { toHtml } from '../../bench/html.ts';
import { allPass, type Report, toText } from '../../bench/report.ts';
import type { Figure, Measured, Subject } from '../../bench/scenario.ts';

function subject(name: string, perSecond: number, cpu: Record<string, number>): Subject {
  return {
    name,
    durability: 'none',
    perSecond: { median: perSecond, min: perSecond, max: perSecond, rounds: [perSecond] },
    latency: { p50: 1, p97_5: 2, p99: 3, p99_9: 4, max: 5 },
    curve: curveOf([1, 2, 3, 4, 5]),
    cpu,
    cpuRounds: [Object.values(cpu).reduce((sum, each) => sum + each, 0)],
    generatorCpu: 30,
  };
}

const share: Figure = {
  name: 'processor time, of the peer',
  value: 0.4,
  unit: 'ratio',
  line: { atMost: 0.45 },
  stretch: 0.35,
};

function measured(more: Partial<Measured> = {}): Measured {
  return {
    load: 'GET <all>, 64 connections',
    connections: 64,
    subjects: [subject('tidings', 8000, { gateway: 100, worker: 50 }), subject('peer', 4000, { server: 400 })],
    figures: [share],
    othersShare: 0,
    faults: [],
    notes: ['A note.'],
    ...more,
  };
}

function report(...loads: Measured[]): Report {
  return {
    at: '2026-01-01T00:00:00.000Z',
    machine: {
      cpu: 'A processor',
      cores: 2,
      memoryGb: 8,
      system: 'linux 6',
      versions: { node: 'v20', 'nats-server': '2.10.27' },
      durability: 'power-loss',
      fileSystem: 'ext4',
      commit: 'abc1234',
    },
    command: 'npm run bench -- example',
    settings: { seconds: 3, rounds: 5, warmUpSeconds: 3, service: { TIDINGS_LIMIT_API_PER_DAY: '0' } },
    scenarios: [
      {
        name: 'example',
        question: 'How?',
        at: '2026-01-01T00:00:00.000Z',
        commit: 'abc1234',
        tookSeconds: 60,
        measured: loads,
      },
    ],
    passed: true,
  };
}

test('the text has machine, programs, processes and judged figures', () => {
  const text = toText(report(measured()));
  assert.match(text, /A processor, 2 cores, 8 GB, linux 6, ext4, durability power-loss/);
  assert.match(text, /node v20, nats-server 2\.10\.27/);
  assert.match(text, /tidings +8,000 +1\.00 ms +3\.00 ms +4\.00 ms +150 +gateway 100, worker 50 +30 +none/);
  assert.match(text, /✓ processor time, of the peer: 0\.40 \(line ≤ 0\.45, stretch 0\.35\)/);
  assert.match(text, /✓ example +GET <all>, 64 connections +processor time, of the peer +0\.40 +≤ 0\.45 +0\.35/);
});

test('a figure beyond its line fails, and so does a load with faults', () => {
  assert.ok(allPass(report(measured()).scenarios));
  for (const line of [{ atMost: 0.39 }, { atLeast: 0.41 }]) {
    const failing = report(measured({ figures: [{ ...share, line }] }));
    assert.ok(!allPass(failing.scenarios));
    assert.match(toText(failing), /✗ processor time, of the peer/);
  }
  const faulty = report(measured({ faults: ['tidings: 2 replies with status 500'] }));
  assert.ok(!allPass(faulty.scenarios));
  assert.match(toText(faulty), /✗ GET <all>, 64 connections\n[\s\S]*✗ tidings: 2 replies with status 500/);
});

test('the report warns when other programs used the processors', () => {
  assert.match(toText(report(measured({ othersShare: 0.4 }))), /other programs used up to 40 %/);
  assert.doesNotMatch(toText(report(measured({ othersShare: 0.05 }))), /other programs/);
});

test('the report warns when the generator was always busy', () => {
  const busy = { ...subject('tidings', 30_000, { gateway: 10 }), generatorCpu: 30 };
  assert.match(toText(report(measured({ subjects: [busy] }))), /the generator was always busy/);
});

test('the page is self-contained, has plots and escapes texts', () => {
  const page = toHtml(report(measured({ size: 1000 }), measured({ size: 100_000 })));
  assert.match(page, /aria-label="latency in ms/);
  assert.match(page, /aria-label="processor time per request/);
  assert.match(page, /aria-label="ratio by size"/);
  assert.match(page, /prefers-color-scheme: dark/);
  assert.match(page, /GET &lt;all&gt;/);
  assert.doesNotMatch(page, /NaN|undefined|Infinity|src=|href=/);
});

test('a load without latencies, processor times and figures gives a page without plots', () => {
  const bare = { ...subject('tidings', 1, {}), latency: null, curve: null, perSecond: null, cpuRounds: [] };
  const page = toHtml(report(measured({ subjects: [bare], figures: [] })));
  assert.doesNotMatch(page, /<svg|NaN|undefined/);
});
