/** Tests the report of a benchmark, both as text and as an HTML page. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Side } from '../../bench/figures.ts';
import { toHtml } from '../../bench/html.ts';
import { type Report, toText } from '../../bench/report.ts';
import type { Comparison } from '../../bench/scenario.ts';

function side(perSecond: number): Side {
  return {
    requestsPerSecond: { median: perSecond, min: perSecond, max: perSecond, rounds: [perSecond, perSecond] },
    latency: { p50: 1, p97_5: 2, p99: 3, p99_9: 4, max: 5 },
    answers: perSecond * 2,
    cpuPerRequest: { gateway: 150 },
  };
}

function report(more: Partial<Comparison> = {}): Report {
  const comparison = {
    load: 'GET <all>',
    connections: 64,
    service: side(8000),
    floor: side(10_000),
    ratio: 0.8,
    line: 0.75,
    othersShare: 0,
    faults: [],
    notes: ['A note.'],
    ...more,
  };
  return {
    at: '2026-01-01T00:00:00.000Z',
    machine: {
      cpu: 'A processor',
      cores: 2,
      memoryGb: 8,
      system: 'linux 6',
      node: 'v20',
      natsServer: '2.10.27',
      durability: 'power-loss',
      fileSystem: 'ext4',
      commit: 'abc1234',
    },
    settings: { seconds: 5, rounds: 2, warmUpSeconds: 3, service: { TIDINGS_LIMIT_API_PER_DAY: '0' } },
    scenarios: [{ name: 'example', question: 'How?', floor: 'a floor', comparisons: [comparison] }],
    passed: true,
  };
}

test('prints machine, ratio, line and percentiles', () => {
  const text = toText(report());
  assert.match(text, /A processor, 2 cores, 8 GB, linux 6, ext4/);
  assert.match(text, /nats-server 2\.10\.27, durability power-loss, commit abc1234/);
  assert.match(text, /example +64 +10,000 +8,000 +0\.800 +≥ 0\.75 ✓ +1\.0 ms +2\.0 ms +3\.0 ms +4\.0 ms/);
  assert.match(text, /✓ example, 64 connections\n +A note\./);
});

test('a good ratio with wrong replies fails', () => {
  const text = toText(report({ faults: ['service: 2 replies with status 500'] }));
  assert.match(text, /✗ example, 64 connections\n +✗ service: 2 replies with status 500/);
});

test('a ratio below its line fails', () => {
  assert.match(toText(report({ ratio: 0.7499 })), /≥ 0\.75 ✗/);
});

test('warns when other programs used the processors', () => {
  assert.match(toText(report({ othersShare: 0.4 })), /other programs used up to 40 %/);
  assert.doesNotMatch(toText(report({ othersShare: 0.05 })), /other programs/);
});

test('draws a self-contained page with escaped text', () => {
  const page = toHtml(report());
  assert.match(page, /<svg viewBox/);
  assert.match(page, /GET &lt;all&gt;/);
  assert.doesNotMatch(page, /NaN|undefined|src=|href=/);
});
