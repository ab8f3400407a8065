/** Tests requests that wait for positions, and the positions that replies and events name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textWith } from '../../../src/api/hub-event.ts';
import { contextReading, PositionGate, positionsOfEvents, Reading } from '../../../src/api/positions.ts';
import { ServiceError } from '../../../src/foundation/errors.ts';
import { repositoryId } from '../../../src/foundation/ids.ts';
import { partitionOfRepository } from '../../../src/foundation/partition-names.ts';
import type { RequestReaders } from '../../../src/store/readers.ts';

/** Partitions whose positions a test sets. A state is renewed by `fresh` only. */
class Stage {
  readonly folded: Record<string, number> = { directory: 10, p00: 20, p01: 30 };
  readonly open: Record<string, number> = { ...this.folded };
  readonly waits: [string, number, number][] = [];
  /** Runs when a request waits; the wait then ends. */
  onWait: () => void = () => {};
  readonly readers = {
    current: () => undefined,
    fresh: (name: string) => {
      this.open[name] = this.folded[name] as number;
      return undefined;
    },
    seq: (name: string) => this.open[name] ?? -1,
    generation: () => 0,
  } as RequestReaders;
  readonly signals = {
    wait: async (name: string, seq: number, ms: number) => {
      this.waits.push([name, seq, Math.ceil(ms)]);
      await Promise.resolve();
      this.onWait();
    },
  };
  readonly gate = new PositionGate(
    this.readers,
    this.signals,
    2,
    ({ authorization }) => authorization === 'Bearer known',
  );

  ask(after: string, headers: Record<string, string> = {}): Promise<void> | undefined {
    return this.gate.wait({ headers: { 'tidings-after': after, ...headers } });
  }
}

test('A request without positions, or with positions that are reached, does not wait', () => {
  const stage = new Stage();
  assert.equal(stage.gate.wait({ headers: {} }), undefined);
  assert.equal(stage.ask('directory:10, p01:30'), undefined);
  // The open state is older than what is folded, so it is renewed.
  stage.folded.p00 = 25;
  assert.equal(stage.ask('p00:25'), undefined);
  assert.equal(stage.open.p00, 25);
  assert.deepEqual(stage.waits, []);
});

test('A request waits until all its positions are folded', async () => {
  const stage = new Stage();
  stage.onWait = () => {
    if (stage.waits.length === 2) stage.folded.p00 = 21;
    if (stage.waits.length === 3) stage.folded.p01 = 40;
  };
  await stage.ask('p00:21, p01:40');
  assert.deepEqual(
    stage.waits.map(([name, seq]) => `${name}:${seq}`),
    ['p00:21', 'p00:21', 'p01:40'],
  );
  assert.ok(stage.waits.every(([, , ms]) => ms <= 1000));
});

test('A request whose positions are not folded in time is refused with the position that it waited for', async (t) => {
  const stage = new Stage();
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  stage.onWait = () => {
    now += 999;
  };
  await assert.rejects(stage.ask('directory:10, p00:21') as Promise<void>, (error: ServiceError) => {
    assert.equal(error.status, 500);
    assert.equal(error.retryAfter, 1);
    assert.deepEqual(error.details, { waitingFor: 'p00:21' });
    return true;
  });
  assert.deepEqual(stage.waits.map(([, , ms]) => ms), [1000, 1000, 2]); // biome-ignore format: one line
});

test('A request in test mode waits for the directory only', async () => {
  const stage = new Stage();
  stage.onWait = () => Object.assign(stage.folded, { directory: 999, p00: 999 });
  assert.equal(stage.ask('p00:999', { 'x-test-mode': 'true' }), undefined);
  assert.equal(stage.ask('p00:999', { authorization: 'Bearer rn_test_x' }), undefined);
  const waiting = [
    stage.ask('p00:999', { authorization: 'Bearer rn_live_x' }),
    stage.ask('directory:999', { 'x-test-mode': 'true' }),
  ];
  assert.ok(waiting.every((each) => each !== undefined));
  await Promise.all(waiting);
});

test('A malformed header and an unknown partition are refused by name', () => {
  const { gate } = new Stage();
  for (const text of ['', 'x', 'p02:1', 'supervisor:1']) {
    assert.throws(
      () => gate.wait({ headers: { 'tidings-after': text } }),
      (error: ServiceError) => error.status === 400 && error.details?.['Tidings-After'] !== undefined,
      text,
    );
  }
});

test('No more than 256 requests wait, 128 of them with unknown keys, and a place becomes free again', async () => {
  const stage = new Stage();
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  stage.signals.wait = () => held;
  const waiting = Array.from({ length: 128 }, () => stage.ask('p00:21', { authorization: 'Bearer guessed' }));
  assert.throws(() => stage.ask('p00:21'), ServiceError);
  const known = { authorization: 'Bearer known' };
  waiting.push(...Array.from({ length: 128 }, () => stage.ask('p00:21', known)));
  assert.throws(() => stage.ask('p00:21', known), ServiceError);
  assert.equal(stage.ask('p00:20'), undefined);
  stage.folded.p00 = 21;
  release();
  await Promise.all(waiting);
  const next = stage.ask('p00:22');
  assert.ok(next);
  stage.folded.p00 = 22;
  await next;
});

test('A reply names every partition that was read, in the state of the reply', () => {
  const stage = new Stage();
  const reading = new Reading(stage.readers);
  assert.deepEqual(reading.headers(stage.gate), ['Tidings-Position', 'directory:10']);
  reading.current('p00');
  stage.folded.p00 = 26;
  reading.fresh('p00');
  reading.current('missing');
  assert.deepEqual(reading.headers(stage.gate), ['Tidings-Position', 'directory:10, p00:26']);
  stage.folded.p00 = 27;
  reading.renew();
  assert.deepEqual(reading.headers(stage.gate), ['Tidings-Position', 'directory:10, p00:27']);
});

test('A response that was ready to send names the partition of its object', () => {
  const stage = new Stage();
  const ready = { json: Buffer.from('{}') } as never;
  const responses = { remembered: (id: string) => (id === 'draft_1' ? ready : undefined), read: () => ready };
  const reading = new Reading(stage.readers);
  const context = contextReading({ readers: stage.readers, responses } as never, reading, () => 'p01');
  assert.equal(context.responses.remembered('draft_2'), undefined);
  assert.deepEqual(reading.headers(stage.gate), ['Tidings-Position', 'directory:10']);
  assert.equal(context.responses.remembered('draft_1'), ready);
  assert.deepEqual(reading.headers(stage.gate), ['Tidings-Position', 'directory:10, p01:30']);
});

test('The reply to a write that is not folded yet names the position of its record', () => {
  const stage = new Stage();
  const reading = new Reading(stage.readers);
  reading.wrote('p01', 33);
  assert.deepEqual(reading.headers(stage.gate), ['Tidings-Position', 'directory:10, p01:33']);
});

test('An event names the directory and the partition of its repository, and a reset names all', () => {
  const { readers, folded } = new Stage();
  const positionOf = positionsOfEvents({ ofAnyAge: readers.fresh, seq: readers.seq }, 2);
  const repoId = repositoryId('https://github.com', '1');
  const home = partitionOfRepository(repoId, 2);
  assert.equal(positionOf({ name: 'draft.status', repoId }), `directory:10, ${home}:${folded[home]}`);
  assert.equal(positionOf({ name: 'delivery.refused', repoId: undefined }), 'directory:10');
  assert.equal(positionOf({ name: 'reset', repoId }), 'directory:10, p00:20, p01:30');
});

test('The text of an event holds the positions in its data', () => {
  assert.equal(textWith('event: reset\ndata: {}\n\n', 'p00:1'), 'event: reset\ndata: {"position":"p00:1"}\n\n');
  const text = textWith('event: a\ndata: {"b":{}}\n\n', 'directory:1, p00:1');
  assert.equal(text, 'event: a\ndata: {"b":{},"position":"directory:1, p00:1"}\n\n');
});
