/**
 * Tests the memory of unreleased counts: which repositories are counted and in which order, and when an outdated count is
 * an answer.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { ServiceError } from '../../../src/foundation/errors.ts';
import type { JournalRecord } from '../../../src/protocol/journal.ts';
import type { UnreleasedCount } from '../../../src/protocol/tasks.ts';
import { foldBatch } from '../../../workers/partition/batch.ts';
import { TouchedRepositories } from '../../../workers/partition/touched.ts';
import { maxWaitingOfOne, UnreleasedCounter } from '../../../workers/partition/unreleased-counts.ts';
import { RenderPool } from '../../../workers/render/pool.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { foldRecords, openTestPartition, toMessages } from '../../helpers/partition.ts';
import {
  commandRecord,
  epoch,
  pullRecord,
  repositoryFields,
  sweepRecord,
  tickRecord,
} from '../../helpers/partition-records.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const countOf = (changes: number): UnreleasedCount => ({
  lastTag: null,
  unreleased: { pulls: changes, issues: 0, commits: 0, changes, dependencyUpdates: 0, unlabelled: 0 },
});

/** A longest wait that no test reaches, in milliseconds. */
const ample = 60_000;

/**
 * Makes a counter whose counts end when the test says so. `asked` lists the repositories that were counted. The first
 * letter of a repository is its organization.
 */
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
  const counter = new UnreleasedCounter({
    count,
    organizationOf: (repoId) => repoId.slice(0, 1),
    isReady: () => isReady,
    now: () => clock.now,
  });
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

/** A count of a repository that has changed since. */
const outdated = (changes: number): UnreleasedCount => ({
  lastTag: null,
  unreleased: { ...countOf(changes).unreleased, outdated: true },
});

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

test('a count that began before a change is not the answer after a later count', async () => {
  const { asked, counter, end } = fixture();
  const before = counter.of(['a'], ample);
  counter.forget(touching('a'));
  assert.equal(counter.isEmpty, false, 'a commit must still tell about erasures');
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
  const swept = new TouchedRepositories();
  swept.note([sweepRecord({} as never, 1)]);
  for (const touched of [undefined, swept]) {
    const { counter, end } = fixture();
    const first = counter.of(['a'], ample);
    await end(1);
    await first;
    const second = counter.of(['b'], ample);
    counter.forget(touched);
    await end(2);
    assert.deepEqual(await second, { b: countOf(2) });
    assert.ok(counter.isEmpty, 'a count that was under way is not remembered either');
  }
});

test('an answer has what is ready in time, and the rest is ready later', async () => {
  const { counter, end } = fixture();
  assert.deepEqual(await counter.of(['a', 'b'], 1), {});
  await end(1);
  await end(2);
  assert.deepEqual(await counter.of(['a', 'b'], 0), { a: countOf(1), b: countOf(2) });
});

test('organizations take turns, and each has one repository counted at a time', async () => {
  const { asked, counter, end } = fixture();
  const all = [counter.of(['a1', 'a2', 'a3', 'a4'], ample)];
  assert.deepEqual(asked, ['a1'], 'the other turn is free for another organization');
  all.push(counter.of(['b1', 'b2'], ample), counter.of(['c1'], ample));
  assert.deepEqual(asked, ['a1', 'b1']);
  for (let i = 0; i < 7; i++) await end(i);
  assert.deepEqual(asked, ['a1', 'b1', 'a2', 'b2', 'c1', 'a3', 'a4']);
  assert.equal((await Promise.all(all)).map((found) => Object.keys(found).length).join(), '4,2,1');
});

test('an organization has a maximum of waiting repositories, and takes no place of another', async () => {
  const { asked, counter, end } = fixture();
  const many = Array.from({ length: maxWaitingOfOne + 2 }, (_, i) => `a${i}`);
  const all = counter.of(many, ample);
  const other = counter.of(['b'], ample);
  assert.deepEqual(asked, ['a0', 'b']);
  for (let i = 0; i < maxWaitingOfOne + 2; i++) await end(i);
  assert.deepEqual(Object.keys(await other), ['b']);
  assert.deepEqual(Object.keys(await all).length, maxWaitingOfOne + 1);
});

test('a repository that nobody has asked for again is not counted', async () => {
  const { asked, clock, counter, end } = fixture();
  const first = counter.of(['a1', 'a2', 'a3'], ample);
  clock.now = 20_000;
  const second = counter.of(['a3'], ample);
  clock.now = 30_000;
  await end(1);
  assert.deepEqual(asked, ['a1', 'a3']);
  await end(3);
  assert.deepEqual([await first, await second], [{ a1: countOf(1), a3: countOf(3) }, { a3: countOf(3) }]);
  assert.deepEqual(await counter.of(['a2'], 0), {});
  assert.deepEqual(asked, ['a1', 'a3', 'a2'], 'it is counted when asked for again');
});

test('a repository that changes during each count has a count that is a minute old at most', async () => {
  const { clock, counter, end } = fixture();
  for (let i = 1; i <= 3; i++) {
    const answer = await counter.of(['a'], 0);
    assert.deepEqual(answer, i === 1 ? {} : { a: outdated(i - 1) });
    counter.forget(touching('a'));
    clock.now += 10_000;
    await end(i);
  }
  clock.now += 49_999;
  assert.deepEqual(await counter.of(['a'], 0), { a: outdated(3) });
  clock.now += 1;
  assert.deepEqual(await counter.of(['a'], 0), {});
  const waits = counter.of(['a'], ample);
  await end(4);
  assert.deepEqual(await waits, { a: countOf(4) });
});

test('a repository whose count takes longer than a thread may work is not counted again at once', async (t) => {
  const dataDir = temporaryFolder(t);
  const partition = openTestPartition(t, 'p00', dataDir);
  await foldRecords(partition, 1, pullRecord(1));
  const pool = new RenderPool(1, 120_000);
  afterwards(t, () => pool.close());
  const { id } = repositoryFields();
  let counts = 0;
  const count = (repoId: string, limitMs: number) => {
    counts += 1;
    const task = { dataDir, partition: 'p00', work: { task: 'unreleasedCount', repoId } as const };
    // The time of the caller is over too. Still it is the count that takes too long.
    return pool.run(task, { organization: 'acme', maxWaitMs: 0, limitMs });
  };
  const counterWith = (limitMs: number) => {
    const options = { organizationOf: () => 'acme', isReady: () => true };
    return new UnreleasedCounter({ count: (repoId) => count(repoId, limitMs), ...options });
  };
  const costly = counterWith(-1);
  for (let i = 0; i < 2; i++) assert.deepEqual(await costly.of([id], ample), {});
  assert.equal(counts, 1);
  assert.equal((await counterWith(ample).of([id], ample))[id]?.unreleased.pulls, 1);
});

test('nothing is counted while a backlog is folded', async () => {
  const { asked, counter } = fixture({ isReady: false });
  assert.deepEqual(await counter.of(['a'], ample), {});
  assert.deepEqual(asked, []);
});

test('a repository that is not known is counted again after a change, one that is too costly after a minute', async () => {
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
  counter.forget(touching('a'));
  assert.deepEqual(await counter.of(['a'], ample), {});
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

test('a delayed event concerns its repository when it is folded, and no other repository before', async (t) => {
  const partition = openTestPartition(t);
  const [a, b] = [repositoryFields({}, 1), repositoryFields({}, 2)];
  let seq = 1;
  const touchedBy = async (record: JournalRecord): Promise<string[]> => {
    const touched = new TouchedRepositories();
    await foldBatch(partition, toMessages([[record]], seq++), { touched });
    assert.equal(touched.isAny, false);
    return [...touched.ids];
  };
  await touchedBy(pullRecord(1, { repository: a, due: epoch + 10_000 }));
  assert.deepEqual(await touchedBy(pullRecord(2, { repository: b })), [b.id]);
  assert.deepEqual(await touchedBy(tickRecord(epoch + 9000)), []);
  assert.deepEqual(await touchedBy(tickRecord(epoch + 10_000)), [a.id]);
});
