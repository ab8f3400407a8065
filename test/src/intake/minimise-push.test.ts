/**
 * Tests pushes of branches and of tags. Long pushes of branches are split. Tags are lightweight, annotated, moved or
 * deleted.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toEvents } from '../../../src/intake/events.ts';
import { commitsPerPart } from '../../../src/intake/minimise.ts';
import { packRecord } from '../../../src/journal/codec.ts';
import { maxRecordBytes } from '../../../src/journal/lane.ts';
import type { BranchPush, TagPush } from '../../../src/protocol/events.ts';
import type { EventRepository } from '../../../src/protocol/repository.ts';
import { pushPayload, shaOf, tagPayload, timeOf } from '../../helpers/payloads.ts';

const now = Date.UTC(2026, 5, 1);
const zeros = '0'.repeat(40);

function push(payload: object): BranchPush[] {
  const bodies = toEvents('push', payload, 'https://github.com', now)?.bodies ?? [];
  return bodies.map((body) => {
    assert.ok(body.event === 'push');
    return body.push;
  });
}

function tag(fields: Record<string, unknown> = {}): TagPush {
  const body = toEvents('push', { ...tagPayload('v1.0.0', 4), ...fields }, 'https://github.com', now)?.bodies[0];
  assert.ok(body?.event === 'tag');
  return body.tag;
}

function commits(count: number, message = 'text'): object {
  const list = Array.from({ length: count }, (_, i) => ({ id: shaOf(1000 + i), message, timestamp: timeOf(1) }));
  return { ...pushPayload([1], shaOf(9)), commits: list, after: 'e'.repeat(40) };
}

test('a push keeps sha, message, handle and time', () => {
  const [part] = push(pushPayload([1, 2], shaOf(9)));
  assert.deepEqual([part?.branch, part?.before, part?.after], ['main', shaOf(9), shaOf(2)]);
  assert.deepEqual(part?.commits[0], {
    sha: shaOf(1),
    message: 'Change 1 (#1)',
    at: Date.parse(timeOf(1)),
    author: 'ada',
    coAuthors: [],
  });
});

test('a long push is split into parts without a gap', () => {
  const parts = push(commits(commitsPerPart * 2 + 1));
  assert.deepEqual(
    parts.map((part) => part.commits.length),
    [commitsPerPart, commitsPerPart, 1],
  );
  assertChain(parts, 'e'.repeat(40));
});

test('parts with long messages fit into records', () => {
  const parts = push(commits(300, '漢字 '.repeat(8000)));
  assertChain(parts, 'e'.repeat(40));
  assert.equal(parts.flatMap((part) => part.commits).length, 300);
  for (const part of parts) {
    const record = {
      id: '',
      at: 0,
      kind: 'event',
      delivery: '',
      source: '',
      part: 0,
      repository: {} as EventRepository,
      body: { event: 'push', push: part },
    } as const;
    assert.ok(packRecord(record).length < maxRecordBytes);
  }
});

test('any push is split into a chain', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 0, max: 20_000 }), (count, length) => {
      const parts = push(commits(count, 'm'.repeat(length)));
      assertChain(parts, 'e'.repeat(40));
      const shas = parts.flatMap((part) => part.commits.map((commit) => commit.sha));
      assert.deepEqual(
        shas,
        Array.from({ length: count }, (_, i) => shaOf(1000 + i)),
      );
    }),
    { numRuns: 20 },
  );
});

test('only the first part is marked as forced or with a gap', () => {
  const parts = push({ ...commits(commitsPerPart + 1), forced: true, total_commits: 1000 });
  assert.deepEqual(
    parts.map(({ forced, gap }) => [forced, gap]),
    [
      [true, true],
      [false, false],
    ],
  );
});

test('a new branch has no previous head, and a deleted one is marked', () => {
  const [made] = push(pushPayload([1], zeros));
  assert.deepEqual([made?.before, made?.deleted], [null, false]);
  const [gone] = push({ ...pushPayload([], shaOf(1)), after: zeros, head_commit: null });
  assert.deepEqual([gone?.deleted, gone?.commits], [true, []]);
});

test('a lightweight tag points at its commit', () => {
  const { name, sha, object, deleted, date, baseRef } = tag();
  assert.deepEqual([name, sha, object, deleted], ['v1.0.0', shaOf(4), shaOf(4), false]);
  assert.equal(date, Date.parse(timeOf(4)));
  assert.equal(baseRef, 'main');
});

test('an annotated tag keeps commit and object apart', () => {
  const { sha, object } = tag({ after: 'f'.repeat(40) });
  assert.deepEqual([sha, object], [shaOf(4), 'f'.repeat(40)]);
});

test('a deleted tag keeps its former object', () => {
  const { sha, object, deleted } = tag({ before: shaOf(4), after: zeros, deleted: true, head_commit: null });
  assert.deepEqual([sha, object, deleted], [null, shaOf(4), true]);
  assert.equal(tag({ after: '0'.repeat(64), head_commit: null }).deleted, true, 'zeros of any length');
});

test('a tag keeps slashes and hostile characters', () => {
  for (const name of ['release/1.0#rc', 'refs/tags/x', 'v1.0.0+build', '100%', 'ein schöner']) {
    assert.equal(tag({ ref: `refs/tags/${name}` }).name, name);
  }
});

test('a push of neither branch nor tag is ignored', () => {
  for (const ref of ['refs/notes/commits', 'refs/pull/1/head', 'refs/tags/', 'refs/heads/', 'main']) {
    assert.equal(toEvents('push', { ...tagPayload('v1', 1), ref }, 'https://github.com', now), undefined, ref);
  }
});

test('a push without a time gets the time of receipt', () => {
  const payload = tagPayload('v1', 1);
  const repository = { ...(payload.repository as object), pushed_at: undefined };
  assert.equal(tag({ repository }).pushedAt, now);
  assert.equal(tag({ head_commit: null }).date, null);
});

/**
 * Checks that each part begins at the commit where the previous part ended, and that the last part ends where the push
 * ends.
 */
function assertChain(parts: readonly BranchPush[], after: string): void {
  assert.equal(parts[0]?.before, shaOf(9));
  for (const [i, part] of parts.slice(1).entries()) assert.equal(part.before, parts[i]?.after);
  assert.equal(parts.at(-1)?.after, after);
}
