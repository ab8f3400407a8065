/**
 * Tests the display of progress on a terminal and in a log.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProgress } from '../../../src/cli/progress.ts';

function createStream(columns?: number) {
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  return columns === undefined ? { written, write } : { written, write, isTTY: true, columns };
}

test('a plain line is written at every tenth without a terminal', () => {
  const stream = createStream();
  let clock = 0;
  const progress = createProgress({ label: 'Sending', total: 200, stream, now: () => clock });
  for (let count = 0; count < 200; count += 1) {
    clock += 10;
    progress.advance();
  }
  progress.done('200 sent');
  assert.equal(stream.written.length, 11);
  assert.equal(stream.written[0], 'Sending   10 %  20/200  100/s  ETA 1.8 s\n');
  assert.equal(stream.written[9], 'Sending  100 %  200/200  100/s  in 2.0 s\n');
  assert.equal(stream.written[10], '200 sent\n');
});

test('a step over several tenths writes one line', () => {
  const stream = createStream();
  createProgress({ label: 'Sending', total: 10, stream, now: () => 0 }).advance(7);
  assert.deepEqual(stream.written, ['Sending   70 %  7/10\n']);
});

test('the bar is redrawn in place, and not too often', () => {
  const stream = createStream(80);
  let clock = 0;
  const progress = createProgress({ label: 'Sending', total: 1000, stream, now: () => clock });
  for (let count = 0; count < 500; count += 1) {
    clock += 1;
    progress.advance();
  }
  assert.equal(stream.written.length, 7);
  assert.ok(stream.written.every((text) => text.startsWith('\r\x1b[K') && !text.includes('\n')));
  progress.done();
  assert.match(stream.written.at(-2)!, /Sending {2}█{15}░{15} {3}50 % {2}500\/1,000 {2}1,000\/s {2}ETA 0\.5 s$/);
  assert.equal(stream.written.at(-1), '\n');
});

test('the line fits into a narrow terminal', () => {
  for (const columns of [12, 30, 50, 60]) {
    const stream = createStream(columns);
    let clock = 0;
    const progress = createProgress({ label: 'Sending', total: 1300, stream, now: () => clock });
    clock = 90_000;
    progress.advance(400);
    progress.done();
    for (const text of stream.written) assert.ok([...text.replace('\r\x1b[K', '').trimEnd()].length < columns, text);
  }
});

test('a total of zero counts as finished', () => {
  const stream = createStream(80);
  createProgress({ label: 'Sending', total: 0, stream, now: () => 0 }).done('nothing to send');
  assert.match(stream.written[1]!, /100 % {2}0\/0$/);
  assert.equal(stream.written.at(-1), '\nnothing to send\n');
});
