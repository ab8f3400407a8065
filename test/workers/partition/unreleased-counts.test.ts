/**
 * Tests the memory of unreleased counts: which repositories are counted, and that a changed repository is never answered
 * with an old count.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ServiceError } from '../../../src/foundation/errors.ts';
import type { JournalRecord } from '../../../src/protocol/journal.ts';
import type { UnreleasedCount } from '../../../src/protocol/tasks.ts';
import { TouchedRepositories } from '../../../workers/partition/touched.ts';
import { UnreleasedCounter } from '../../../workers/partition/unreleased-counts.ts';
import {
  commandRecord,
  pullRecord,
  repositoryFields,
  sweepRecord,
  tickRecord,
} from '../../helpers/partition-records.ts';

const countOf = (changes: number): UnreleasedCount => ({
  lastTag: null,
  unreleased: { pulls: changes, issues: 0, commits: 0, changes, unlabelled: 0 },
});

/** A longest wait that no test reaches, in milliseconds. */
const ample = 60_000;

/** Makes a counter whose counts end when the test says so. `asked` lists the repositories that were counted. */
function fixture({ isReady = true } = {}) {
  const asked: string[] = [];
  const open: { repoId: string; end: (changes: number) => void; fail: (error: Error) => void }[] = [];
  const clock = { now: 0 };
  const count = (repoId: string): Promise<UnreleasedCount> => {
    asked.push(repoId);
    return new Promise((resolve, reject) => {
      open.push({ repoId, end: (changes) => resolve(countOf(changes)), fail: reject });
    });
  };
  const counter = new UnreleasedCounter({ count, isReady: () => isReady, now: () => clock.now });
  /** Ends the oldest count that is under way. */
  const end = async (changes: number): Promise<void> => {
    open.shift()?.end(changes);
    await turn();
  };
  return { asked, open, clock, counter, end };
}

function touching(...ids: string[]): TouchedRepositories {
  const touched = new TouchedRepositories();
  for (const id of ids) touched.ids.add(id);
  return touched;
}

test('a count is made once, and again only after its repository has changed', async () => {
  const { asked, counter, end } = fixture();
  assert.ok(counter.isEmpty);
  const first = counter.of(['a'], ample);
  await end(3);
  assert.deepEqual(await first, { a: countOf(3) });
  assert.equal(counter.isEmpty, false);
  counter.forget(touching('b'));
  assert.deepEqual(await counter.of(['a'], 0), { a: countOf(3) });
  counter.forget(touching('a'));
  const second = counter.of(['a'], ample);
  await end(4);
  assert.deepEqual(await second, { a: countOf(4) });
  assert.deepEqual(asked, ['a', 'a']);
});

test('a count that began before a change is not remembered', async () => {
  const { asked, counter, end } = fixture();
  const before = counter.of(['a'], ample);
  counter.forget(touching('a'));
  const after = counter.of(['a'], ample);
  await end(3);
  await end(4);
  assert.deepEqual([await before, await after], [{ a: countOf(3) }, { a: countOf(4) }]);
  assert.deepEqual(await counter.of(['a'], 0), { a: countOf(4) });
  assert.deepEqual(asked, ['a', 'a']);
});

test('a repository that waits for its turn is counted once, however often it changes', async () => {
  const { asked, counter, end } = fixture();
  const all = counter.of(['a', 'b', 'c'], ample);
  for (let i = 0; i < 5; i++) {
    counter.forget(touching('c'));
    void counter.of(['c'], 0);
  }
  for (let i = 0; i < 3; i++) await end(i);
  assert.deepEqual(await all, { a: countOf(0), b: countOf(1), c: countOf(2) });
  assert.deepEqual(asked, ['a', 'b', 'c']);
});

test('an unknown change and a change of any repository remove all counts', async () => {
  for (const touched of [undefined, new TouchedRepositories(true)]) {
    const { counter, end } = fixture();
    const first = counter.of(['a'], ample);
    await end(1);
    await first;
    counter.forget(touched);
    assert.ok(counter.isEmpty);
  }
});

test('an answer has what is ready in time, and the rest is ready later', async () => {
  const { counter, end } = fixture();
  assert.deepEqual(await counter.of(['a', 'b'], 1), {});
  await end(1);
  await end(2);
  assert.deepEqual(await counter.of(['a', 'b'], 0), { a: countOf(1), b: countOf(2) });
});

test('nothing is counted while a backlog is folded', async () => {
  const { asked, counter } = fixture({ isReady: false });
  assert.deepEqual(await counter.of(['a'], ample), {});
  assert.deepEqual(asked, []);
});

test('a repository that cannot be counted is tried again after a minute or a change, a busy pool at once', async () => {
  const { asked, open, clock, counter } = fixture();
  const failing = async (error: Error): Promise<void> => {
    const answer = counter.of(['a'], ample);
    open.shift()?.fail(error);
    assert.deepEqual(await answer, {});
  };
  await failing(new ServiceError('unavailable', 'busy'));
  await failing(new ServiceError('notFound', 'no event yet'));
  assert.deepEqual(await counter.of(['a'], ample), {});
  assert.equal(asked.length, 2);
  counter.forget(touching('a'));
  await failing(new ServiceError('internal', 'takes too long'));
  clock.now += 60_000;
  await failing(new ServiceError('internal', 'takes too long'));
  assert.equal(asked.length, 4);
});

test('records name the repositories that they concern', () => {
  const [a, b] = [repositoryFields({}, 1), repositoryFields({}, 2)];
  const touched = new TouchedRepositories();
  const settings = { name: 'putSettings', repoId: b.id, settings: {} } as never;
  const range = { name: 'createRange', repoId: repositoryFields({}, 3).id } as never;
  touched.note([pullRecord(1, { repository: a }), commandRecord(settings), commandRecord(range), tickRecord(1)]);
  assert.deepEqual([[...touched.ids], touched.isAny], [[a.id, b.id], false]);
  touched.note([sweepRecord({} as never, 1)]);
  assert.ok(touched.isAny);
});

test('a record that cannot be folded names no repository', () => {
  const touched = new TouchedRepositories();
  const broken = [{ kind: 'event' }, { kind: 'command' }, { kind: 'command', command: {} }, { kind: 'later' }];
  touched.note(broken as unknown as JournalRecord[]);
  assert.deepEqual([[...touched.ids], touched.isAny], [[], false]);
});
