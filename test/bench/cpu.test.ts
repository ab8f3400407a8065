/**
 * Tests the reading of processor time: the line of /proc, and the time of a real process and of its children.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { cpuBetween, cpuSeconds, endedChildrenSeconds, parseStat } from '../../bench/cpu.ts';

test('reads the times of a process and of its children, whatever the name of the program', () => {
  const line = '7 (a) b (c) S 1 7 7 0 -1 4194560 100 200 0 0 150 50 30 20 20 0 11 0 5 1 1';
  assert.deepEqual(parseStat(line), { own: 2, children: 0.5 });
});

test('subtracts an earlier reading by process', () => {
  assert.deepEqual(cpuBetween({ gateway: 1 }, { gateway: 3, worker: 2 }), { gateway: 2, worker: 2 });
});

test('a process that has ended is reported', { skip: process.platform !== 'linux' }, () => {
  assert.throws(() => cpuSeconds({ gateway: 2 ** 30 }), /The process gateway \(1073741824\) has ended/);
  assert.ok((cpuSeconds({ own: process.pid }).own ?? 0) > 0);
});

test('the time of a child counts once the child has ended', { skip: process.platform !== 'linux' }, () => {
  const before = endedChildrenSeconds();
  execFileSync(process.execPath, ['-e', 'for (const end = Date.now() + 200; Date.now() < end; );']);
  assert.ok(endedChildrenSeconds() > before);
});
