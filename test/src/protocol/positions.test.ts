/** Tests the text form of positions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPositions, maxPositionsLength, parsePositions } from '../../../src/protocol/positions.ts';

test('Positions that were written are read again', () => {
  const positions = new Map([
    ['directory', 812],
    ['p00', 999_999_999_999_999],
  ]);
  assert.equal(formatPositions(positions), 'directory:812, p00:999999999999999');
  assert.deepEqual(parsePositions(formatPositions(positions)), positions);
});

test('Of several positions of a partition, the highest counts', () => {
  assert.deepEqual(parsePositions('p00:4,p01:1 ,  p00:9, p00:7'), new Map([['p00', 9], ['p01', 1]])); // biome-ignore format: one line
});

test('The positions of all partitions fit into the header', () => {
  const all = Array.from({ length: 64 }, (_, i) => [`p${i}`, 999_999_999_999_999] as const);
  const text = formatPositions([['directory', 999_999_999_999_999], ...all]);
  assert.ok(text.length <= maxPositionsLength);
  assert.equal(parsePositions(text)?.size, 65);
});

test('any other text is refused', () => {
  const hostile = [
    '',
    ',',
    'p00',
    'p00:',
    ':1',
    'p00:-1',
    'p00:1.5',
    'p00:1e3',
    'p00: 1',
    'p00:1;p01:1',
    'p00:1,',
    'P00:1',
    'p00:1000000000000000',
    '__proto__:1',
    `p00:1${' '.repeat(maxPositionsLength)}`,
  ];
  for (const text of hostile) assert.equal(parsePositions(text), undefined, text);
});
