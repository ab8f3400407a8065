/**
 * Tests that the test histories are consistent. The test host's lists contain the same objects as its deliveries, in
 * the same order.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toEvents } from '../../../src/intake/events.ts';
import type { EventBody } from '../../../src/protocol/events.ts';
import { buildHistory } from '../../helpers/host/build.ts';
import { deliveriesOf } from '../../helpers/host/deliveries.ts';
import { reachable } from '../../helpers/host/history.ts';

const place = { origin: 'https://git.example.com', apiUrl: 'https://git.example.com/api/v3' };
const history = buildHistory();
const deliveries = deliveriesOf(history, place);
const bodies: EventBody[] = deliveries.flatMap(
  ({ event, payload, at }) => toEvents(event, payload, place.origin, at)?.bodies ?? [],
);

test('the same call builds the same history', () => {
  assert.deepEqual(buildHistory(), history);
});

test('contains every kind of item', () => {
  const { pulls, issues, tags, branches, commits } = history;
  assert.deepEqual([...branches.keys()], ['main', 'release/1.x']);
  for (const found of [
    pulls.filter(({ mergedAt }) => mergedAt),
    pulls.filter(({ mergedAt, closedAt }) => closedAt && !mergedAt),
    pulls.filter(({ closedAt }) => !closedAt),
    pulls.filter(({ author }) => author.bot),
    pulls.filter(({ base, mergedAt }) => mergedAt && base === 'release/1.x'),
    issues.filter(({ closedAt }) => closedAt),
    issues.filter(({ closedAt }) => !closedAt),
    tags.filter(({ object }) => object),
    tags.filter(({ object }) => !object),
    [...commits.values()].filter(({ parents }) => parents.length === 2),
    [...history.issueComments],
    [...history.reviewComments],
    [...history.reviews],
  ])
    assert.ok(found.length > 0);
});

test('its deliveries contain all of it, in order of time', () => {
  assert.deepEqual(
    deliveries.map(({ at }) => at),
    deliveries.map(({ at }) => at).sort((a, b) => a - b),
  );
  const reported = (event: string, keyOf: (body: never) => unknown): unknown[] => [
    ...new Set(bodies.filter((body) => body.event === event).map((body) => keyOf(body as never))),
  ];
  const byNumber = (a: unknown, b: unknown): number => Number(a) - Number(b);
  const pulls = reported('pull_request', ({ pull }: { pull: { number: number } }) => pull.number);
  assert.deepEqual(
    pulls.sort(byNumber),
    history.pulls.map(({ number }) => number),
  );
  const issues = reported('issues', ({ issue }: { issue: { number: number } }) => issue.number);
  assert.deepEqual(
    issues.sort(byNumber),
    history.issues.map(({ number }) => number),
  );
  const remarks = [...history.issueComments, ...history.reviewComments, ...history.reviews].map(({ id }) => String(id));
  const comments = reported('comment', ({ comment }: { comment: { id: string } }) => comment.id);
  assert.deepEqual(comments.sort(), remarks.sort());
});

test('the last delivery of each item contains its current state', () => {
  for (const pull of history.pulls) {
    const last = bodies.findLast((body) => body.event === 'pull_request' && body.pull.number === pull.number);
    assert.ok(last?.event === 'pull_request');
    const { updatedAt, closedAt, mergedAt, mergeSha } = last.pull;
    assert.deepEqual(
      [updatedAt, closedAt, mergedAt, mergeSha],
      [pull.updatedAt, pull.closedAt, pull.mergedAt, pull.mergeSha],
    );
  }
});

test('its pushes chain from the first commit to each head and contain every commit once', () => {
  const brought = history.pushes.flatMap(({ shas }) => shas);
  assert.deepEqual([...new Set(brought)].sort(), [...history.commits.keys()].sort());
  assert.equal(brought.length, history.commits.size);
  for (const [branch, head] of history.branches) {
    const pushes = history.pushes.filter((push) => push.branch === branch);
    assert.equal(pushes.at(-1)?.after, head);
    for (const [index, push] of pushes.entries()) if (index > 0) assert.equal(push.before, pushes[index - 1]?.after);
  }
});

test('commits are listed newest first, each child before its parents', () => {
  const commits = reachable(history, history.branches.get('main') as string);
  const place = new Map(commits.map(({ sha }, index) => [sha, index]));
  for (const { sha, parents } of commits)
    for (const parent of parents) assert.ok((place.get(parent) as number) > (place.get(sha) as number));
});
