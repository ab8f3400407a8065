/** Tests the memory of previews: which are remembered, which are shared, and what ends both. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { RangePreview, RangePreviewTask } from '../../../src/protocol/tasks.ts';
import { RememberedPreviews } from '../../../workers/partition/remembered-previews.ts';
import { TouchedRepositories } from '../../../workers/partition/touched.ts';

function taskOf(repoId: string, offset = 0): RangePreviewTask {
  return { task: 'rangePreview', repoId, bounds: { type: 'UNRELEASED' }, limit: 100, offset };
}

/** Makes a memory whose previews end when the test says so, after the given time in milliseconds. */
function fixture() {
  const open: { resolve: (preview: RangePreview) => void; reject: (error: Error) => void }[] = [];
  const state = { now: 0, isReady: true, made: 0 };
  const previews = new RememberedPreviews({
    preview: () => {
      state.made += 1;
      return new Promise((resolve, reject) => open.push({ resolve, reject }));
    },
    isReady: () => state.isReady,
    now: () => state.now,
  });
  const end = async (total: number, ms = 100): Promise<void> => {
    state.now += ms;
    open.shift()?.resolve({ total } as RangePreview);
    await turn();
  };
  const touch = (...ids: string[]): void => {
    const touched = new TouchedRepositories();
    for (const id of ids) touched.add(id);
    previews.forget(touched);
  };
  return { previews, open, state, end, touch };
}

test('equal questions share one computation, and a costly answer is remembered', async () => {
  const { previews, state, end } = fixture();
  const both = [previews.of(taskOf('a')), previews.of(taskOf('a'))];
  const other = previews.of(taskOf('a', 100));
  assert.equal(state.made, 2);
  await end(1);
  await end(2);
  assert.deepEqual(
    (await Promise.all([...both, other])).map(({ total }) => total),
    [1, 1, 2],
  );
  assert.equal((await previews.of(taskOf('a'))).total, 1);
  assert.equal(state.made, 2);
});

test('an answer that was made quickly is made again', async () => {
  const { previews, state, end } = fixture();
  void previews.of(taskOf('a'));
  await end(1, 5);
  assert.ok(previews.isEmpty);
  void previews.of(taskOf('a'));
  assert.equal(state.made, 2);
});

test('a record of the repository ends what is remembered about it, and about no other', async () => {
  const { previews, state, end, touch } = fixture();
  for (const id of ['a', 'b']) {
    void previews.of(taskOf(id));
    await end(1);
  }
  touch('a');
  void previews.of(taskOf('b'));
  assert.equal(state.made, 2);
  const next = previews.of(taskOf('a'));
  assert.equal(state.made, 3);
  await end(7);
  assert.equal((await next).total, 7);
  previews.forget(undefined);
  assert.ok(previews.isEmpty);
});

test('a preview that began before a record is neither shared with later questions nor remembered', async () => {
  const { previews, state, end, touch } = fixture();
  const before = previews.of(taskOf('a'));
  touch('a');
  const after = previews.of(taskOf('a'));
  assert.equal(state.made, 2);
  await end(1);
  const shared = previews.of(taskOf('a'));
  assert.equal(state.made, 2, 'the second preview is still under way');
  await end(2);
  assert.deepEqual(
    (await Promise.all([before, after, shared])).map(({ total }) => total),
    [1, 2, 2],
  );
  assert.equal((await previews.of(taskOf('a'))).total, 2);
});

test('a failure reaches all who asked, and the next question tries again', async () => {
  const { previews, open, state } = fixture();
  const both = [previews.of(taskOf('a')), previews.of(taskOf('a'))];
  open.shift()?.reject(new Error('no thread'));
  for (const each of both) await assert.rejects(each, /no thread/);
  assert.ok(previews.isEmpty);
  void previews.of(taskOf('a'));
  assert.equal(state.made, 2);
});

test('while the fold does not announce records, nothing is remembered', async () => {
  const { previews, state, end } = fixture();
  state.isReady = false;
  void previews.of(taskOf('a'));
  await end(1);
  assert.ok(previews.isEmpty);
});

test('the preview that was not asked for the longest is forgotten first', async () => {
  const { previews, state, end } = fixture();
  for (let i = 0; i < 50; i++) {
    void previews.of(taskOf('a', i));
    await end(i);
  }
  void previews.of(taskOf('a', 0));
  void previews.of(taskOf('a', 50));
  await end(50);
  assert.equal(state.made, 51);
  void previews.of(taskOf('a', 0));
  assert.equal(state.made, 51);
  void previews.of(taskOf('a', 1));
  assert.equal(state.made, 52);
});
