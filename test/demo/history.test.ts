/**
 * Tests that the sample history could come from a real host: events are in order, each push begins where the previous
 * one ended, and every merge was pushed. People have to judge whether the texts of the history read well.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Delivery, sampleHistory, sampleRepository } from '../../demo/history/index.ts';

type Label = { name: string };
type PullRequest = {
  number: number;
  title: string;
  body: string | null;
  state: string;
  merged: boolean;
  merged_at: string | null;
  closed_at: string | null;
  created_at: string;
  updated_at: string;
  merge_commit_sha: string;
  labels: Label[];
  user: { login: string };
  base: { ref: string };
};
type Commit = { id: string; message: string; timestamp: string };
type Push = {
  ref: string;
  before: string;
  after: string;
  created: boolean;
  deleted: boolean;
  commits: Commit[];
  head_commit: Commit | null;
  repository: { pushed_at: number };
};

const nothing = '0'.repeat(40);
const history = sampleHistory();

function bodiesOf<Body>(event: string): Body[] {
  return history.filter((delivery) => delivery.event === event).map((delivery) => delivery.body as Body);
}

const pushes = bodiesOf<Push>('push');
const pullRequestEvents = bodiesOf<{ action: string; pull_request: PullRequest }>('pull_request');
const finalPulls = new Map(pullRequestEvents.map(({ pull_request: pull }) => [pull.number, pull]));
const mergedPulls = [...finalPulls.values()].filter((pull) => pull.merged);
const pushedCommits = new Map(pushes.flatMap((push) => push.commits).map((commit) => [commit.id, commit]));
const commitOrder = [...pushedCommits.keys()];

test('gives the same bytes for the same seed', () => {
  assert.equal(JSON.stringify(sampleHistory(7)), JSON.stringify(sampleHistory(7)));
});

test('gives another history for another seed', () => {
  assert.notEqual(JSON.stringify(sampleHistory(7)), JSON.stringify(sampleHistory(8)));
});

test('contains about two hundred pull requests with different titles', () => {
  assert.ok(finalPulls.size >= 190 && finalPulls.size <= 220, `${finalPulls.size} pull requests`);
  assert.equal(new Set([...finalPulls.values()].map((pull) => pull.title)).size, finalPulls.size);
  assert.ok([...finalPulls.values()].some((pull) => pull.state === 'closed' && !pull.merged));
  assert.ok([...finalPulls.values()].some((pull) => pull.state === 'open'));
});

test('every delivery has its own id', () => {
  assert.equal(new Set(history.map(({ delivery }) => delivery)).size, history.length);
  for (const { delivery } of history)
    assert.match(delivery, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
});

test('deliveries are in order of time, all in 2026', () => {
  const times = history.map(timeOf).filter((time) => time !== null);
  for (const [index, time] of times.entries()) {
    assert.ok(time >= (times[index - 1] ?? 0), `delivery ${index} is older than the one before`);
    assert.equal(new Date(time).getUTCFullYear(), 2026);
  }
});

test('pushes six tags at commits that were pushed before', () => {
  const tags = pushes.filter((push) => push.ref.startsWith('refs/tags/'));
  assert.deepEqual(tags.map((push) => push.ref.slice('refs/tags/'.length)).sort(), [...sampleRepository.tags].sort());
  for (const tag of tags) assert.ok(pushedCommits.has(tag.head_commit!.id), `${tag.ref} names an unknown commit`);
  const annotated = tags.filter((tag) => tag.after !== tag.head_commit!.id);
  assert.ok(annotated.length > 0 && annotated.length < tags.length, 'both kinds of tags occur');
});

test('chains the pushes of every branch', () => {
  const heads = new Map<string, string>();
  for (const push of pushes.filter(({ ref }) => ref.startsWith('refs/heads/'))) {
    assert.equal(push.before, heads.get(push.ref) ?? nothing, `${push.ref} has a gap`);
    assert.equal(push.created, push.before === nothing);
    assert.equal(push.deleted, push.after === nothing);
    if (push.commits.length > 0) assert.equal(push.commits.at(-1)!.id, push.after);
    if (push.deleted) heads.delete(push.ref);
    else heads.set(push.ref, push.after);
  }
  assert.deepEqual(
    [...heads.keys()].filter((ref) => /main|release/.test(ref)),
    ['refs/heads/main', 'refs/heads/release-1.2'],
  );
});

test('pushes the merge commit of every merged pull request a second before the merge', () => {
  assert.ok(mergedPulls.length > 150);
  for (const pull of mergedPulls) {
    const commit = pushedCommits.get(pull.merge_commit_sha);
    assert.ok(commit, `the merge of #${pull.number} was never pushed`);
    assert.equal(Date.parse(commit.timestamp), Date.parse(pull.merged_at!) - 1000);
    assert.ok(commit.message.split('\n')[0]!.includes(`#${pull.number}`));
  }
});

test('dates every merge after its opening', () => {
  for (const pull of mergedPulls) {
    assert.equal(pull.merged_at, pull.closed_at);
    assert.ok(Date.parse(pull.merged_at!) > Date.parse(pull.created_at), `#${pull.number}`);
    assert.ok(Date.parse(pull.updated_at) >= Date.parse(pull.merged_at!), `#${pull.number}`);
  }
});

test('numbers issues and pull requests from one sequence', () => {
  const issues = bodiesOf<{ action: string; issue: { number: number } }>('issues').filter(
    (body) => body.action === 'opened',
  );
  const numbers = [...finalPulls.keys(), ...issues.map(({ issue }) => issue.number)].sort(
    (left, right) => left - right,
  );
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
  );
});

test('closes every linked issue', () => {
  const closed = new Set(
    bodiesOf<{ action: string; issue: { number: number } }>('issues')
      .filter((body) => body.action === 'closed')
      .map((body) => body.issue.number),
  );
  const links = mergedPulls.flatMap((pull) => [
    ...(pull.body ?? '').matchAll(/^(?:Closes|Resolves|Fix\w+):? #(\d+)\r?$/gim),
  ]);
  assert.ok(links.length > 40);
  for (const [text, number] of links) assert.ok(closed.has(Number(number)), text);
});

test('reverts one change of the same range and one shipped earlier', () => {
  const positionOf = (pull: PullRequest) => commitOrder.indexOf(pull.merge_commit_sha);
  const from = commitOrder.indexOf(tagCommit(sampleRepository.demoRange.fromTag));
  const to = commitOrder.indexOf(tagCommit(sampleRepository.demoRange.toTag));
  const reverts = mergedPulls.filter((pull) => pull.title.startsWith('Revert "'));
  const originals = reverts.map((revert) => finalPulls.get(Number(/Reverts \S+#(\d+)/.exec(revert.body!)![1]))!);
  for (const [index, revert] of reverts.entries()) {
    assert.equal(revert.title, `Revert "${originals[index]!.title}"`);
    assert.ok(positionOf(revert) > from && positionOf(revert) <= to);
  }
  assert.deepEqual(originals.map((pull) => positionOf(pull) > from).sort(), [false, true]);
});

test('fixes are backported to the release branch after they were merged', () => {
  const ports = mergedPulls.filter((pull) => pull.base.ref === 'release-1.2' && pull.title.startsWith('[release-1.2]'));
  assert.equal(ports.length, 3);
  for (const port of ports) {
    const original = finalPulls.get(Number(/Backport of #(\d+)/.exec(port.body!)![1]))!;
    assert.equal(port.title, `[release-1.2] ${original.title}`);
    assert.ok(Date.parse(original.merged_at!) < Date.parse(port.created_at));
  }
});

test('shows each kind of change in the range of the demo', () => {
  const from = commitOrder.indexOf(tagCommit(sampleRepository.demoRange.fromTag));
  const to = commitOrder.indexOf(tagCommit(sampleRepository.demoRange.toTag));
  const shas = new Set(commitOrder.slice(from + 1, to + 1));
  const range = mergedPulls.filter((pull) => shas.has(pull.merge_commit_sha));
  const labels = new Set(range.flatMap((pull) => pull.labels.map(({ name }) => name)));
  for (const name of [
    'type: feature',
    'type: bug',
    'type: breaking',
    'priority: high',
    'documentation',
    'dependencies',
  ]) {
    assert.ok(labels.has(name), name);
  }
  assert.ok(range.filter((pull) => pull.body?.includes('## Upgrade')).length >= 5);
  assert.ok(range.some((pull) => pull.labels.length === 0));
  const earlier = new Set(mergedPulls.filter((pull) => positionBefore(pull, from)).map((pull) => pull.user.login));
  assert.ok(range.filter((pull) => !earlier.has(pull.user.login)).length >= 3, 'newcomers');
});

test('uses addresses and numbers reserved for examples only', () => {
  const text = JSON.stringify(history);
  const addresses = [...text.matchAll(/[\w.+[\]-]+@([\w-]+(?:\.[\w-]+)+)/g)].map((match) => match[1]);
  assert.ok(addresses.length > 100);
  for (const domain of new Set(addresses)) assert.match(domain!, /^(example\.(com|org)|users\.noreply\.git\.example)$/);
});

test('other seeds give a full history too', () => {
  for (let seed = 1; seed <= 25; seed += 1) assert.ok(sampleHistory(seed).length > 1000);
});

function positionBefore(pull: PullRequest, position: number): boolean {
  return commitOrder.indexOf(pull.merge_commit_sha) <= position;
}

function tagCommit(name: string): string {
  return pushes.find((push) => push.ref === `refs/tags/${name}`)!.head_commit!.id;
}

/** Returns the time of an event, or null for an event without a time. */
function timeOf({ event, body }: Delivery): number | null {
  const part = (name: string) => (body as Record<string, Record<string, string | number>>)[name]!;
  if (event === 'push') return Number(part('repository').pushed_at) * 1000;
  if (event === 'pull_request') return Date.parse(String(part('pull_request').updated_at));
  if (event === 'issues') return Date.parse(String(part('issue').updated_at));
  if (event === 'issue_comment') return Date.parse(String(part('comment').updated_at));
  if (event === 'pull_request_review') return Date.parse(String(part('review').submitted_at));
  return null;
}
