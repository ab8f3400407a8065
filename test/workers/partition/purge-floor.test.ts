/** Tests how far a stream may be purged, from the positions that other nodes announce. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PurgeFloor } from '../../../workers/partition/purge-floor.ts';

const stream = 'of today';
const minute = 60_000;

/** A floor with a clock that a test moves. `pass` moves it in steps, as the timers of a running process do. */
function makeFloor() {
  const clock = { ms: 1000 };
  const floor = new PurgeFloor(() => clock.ms);
  const pass = (ms: number, hears: Record<string, number> = {}): void => {
    for (let left = ms; left > 0; left -= 5000) {
      clock.ms += Math.min(left, 5000);
      floor.stir();
      for (const [node, holds] of Object.entries(hears)) floor.hear(node, { created: stream, holds });
    }
  };
  return { floor, clock, pass };
}

test('a node that has just started purges nothing before it has listened for a minute', () => {
  const { floor, pass } = makeFloor();
  pass(minute - 5000);
  assert.equal(floor.of(stream, 50), undefined);
  pass(5000);
  assert.deepEqual(floor.of(stream, 50), { all: 50, live: 50, away: [] });
});

test('the floor is the lowest position of this node and of all nodes that are heard', () => {
  const { floor, pass } = makeFloor();
  pass(minute, { b: 30, c: 40 });
  assert.deepEqual(floor.of(stream, 50), { all: 30, live: 30, away: [] });
  assert.deepEqual(floor.of(stream, 20), { all: 20, live: 20, away: [] });
  pass(5000, { b: 45 });
  assert.deepEqual(floor.of(stream, 50), { all: 40, live: 40, away: [] });
});

test('a node without snapshots allows no purge', () => {
  const { floor, pass } = makeFloor();
  pass(minute, { b: 0 });
  assert.deepEqual(floor.of(stream, 50), { all: 0, live: 0, away: [] });
});

test('a node that falls silent holds its position for a day, and then nothing', () => {
  const { floor, pass } = makeFloor();
  pass(minute, { b: 30, c: 60 });
  pass(2 * minute, { c: 60 });
  assert.deepEqual(floor.of(stream, 50), { all: 30, live: 50, away: ['b'] });
  pass(23 * 60 * minute, { c: 60 });
  assert.equal(floor.of(stream, 50)?.all, 30);
  pass(60 * minute, { c: 60 });
  assert.deepEqual(floor.of(stream, 50), { all: 50, live: 50, away: [] });
});

test('a silent node that needs nothing more than the others is not named', () => {
  const { floor, pass } = makeFloor();
  pass(minute, { b: 30 });
  pass(2 * minute);
  assert.deepEqual(floor.of(stream, 20), { all: 20, live: 20, away: [] });
});

test('a position in another stream allows no purge', () => {
  const { floor, pass } = makeFloor();
  pass(minute, { b: 30 });
  floor.hear('b', { created: 'of yesterday', holds: 900 });
  assert.equal(floor.of(stream, 50)?.live, 0);
});

test('a process that was stopped for a while, or was disconnected, listens anew', () => {
  const { floor, clock, pass } = makeFloor();
  pass(minute, { b: 30 });
  clock.ms += 5 * minute;
  assert.equal(floor.of(stream, 50), undefined, 'b is not taken for a node that is away');
  pass(minute, { b: 31 });
  assert.deepEqual(floor.of(stream, 50), { all: 31, live: 31, away: [] });
  floor.restart();
  assert.equal(floor.of(stream, 50), undefined);
});
