/**
 * Tests how the bench reads the memory of processes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryOf, parseMemory, totalMemory } from '../../bench/memory.ts';

const rollup = `00400000-7ffd1b1d2000 ---p 00000000 00:00 0                              [rollup]
Rss:              100000 kB
Pss:               60000 kB
Pss_Anon:          50000 kB
Shared_Clean:      45000 kB
Anonymous:         50000 kB
AnonHugePages:         0 kB
`;

test('reads the resident, the proportional and the own memory in MB', () => {
  assert.deepEqual(parseMemory(rollup), { resident: 102.4, proportional: 61.44, own: 51.2 });
});

test('adds up the memory of several processes', () => {
  const one = parseMemory(rollup);
  assert.deepEqual(totalMemory({ gateway: one, worker: one }), { resident: 204.8, proportional: 122.88, own: 102.4 });
});

test('leaves out a process that does not exist', () => {
  assert.deepEqual(Object.keys(memoryOf({ self: process.pid, gone: 2 ** 22 + 1 })), ['self']);
  const { resident = 0, own = 0 } = memoryOf({ self: process.pid }).self ?? {};
  assert.ok(resident > own && own > 0);
});
