/**
 * Tests how the client reads a host's comparison of two commits. Covers several pages from GitHub, one page from Gitea,
 * and incomplete replies.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openClient } from '../../helpers/host/client.ts';
import { status } from '../../helpers/host/faults.ts';
import { type History, reachable } from '../../helpers/host/history.ts';

const max = 10_000;

function tagged(history: History, name: string): string {
  return history.tags.find((tag) => tag.name === name)?.sha as string;
}

function between(history: History, from: string, to: string): string[] {
  const before = new Set(reachable(history, from).map(({ sha }) => sha));
  return reachable(history, to).flatMap(({ sha }) => (before.has(sha) ? [] : sha));
}

test('returns the commits of all pages', async (t) => {
  const { client, host } = await openClient(t, { numbers: 290 });
  const [from, to] = [tagged(host.history, 'v1.0.0'), tagged(host.history, 'v2.0.0')];
  const found = await client.compare(host.history, from, to, max);
  const expected = between(host.history, from, to);
  assert.ok(expected.length > 100);
  assert.deepEqual(new Set(found?.map(({ sha }) => sha)), new Set(expected));
  assert.equal(found?.length, expected.length);
  assert.ok(host.asked(/compare\/.*page=2/).length > 0);
});

test('returns those of Gitea, and an empty list when there are none', async (t) => {
  const { client, host } = await openClient(t, { kind: 'gitea', numbers: 60 });
  const [from, to] = [tagged(host.history, 'v1.0.0'), tagged(host.history, 'v2.0.0')];
  const found = await client.compare(host.history, from, to, max);
  assert.deepEqual(new Set(found?.map(({ sha }) => sha)), new Set(between(host.history, from, to)));
  assert.deepEqual(await client.compare(host.history, to, from, max), []);
});

test('returns nothing for incomplete or too long comparisons', async (t) => {
  const { client, host } = await openClient(t);
  const [from, to] = [tagged(host.history, 'v1.0.0'), tagged(host.history, 'v2.0.0')];
  assert.equal(await client.compare(host.history, from, to, 3), undefined);
  const item = { sha: 'a'.repeat(40) };
  for (const body of [
    { total_commits: 2, commits: [item] },
    { total_commits: 2, commits: [] },
    { total_commits: 1, commits: [item, item] },
  ]) {
    host.fail(/compare/, status(200, body));
    assert.equal(await client.compare(host.history, from, to, max), undefined, JSON.stringify(body));
  }
  const circle = { link: `<${host.apiUrl}/repositories/4711/compare/${from}...${to}?page=2>; rel="next"` };
  host.fail(/compare/, status(200, { total_commits: 2, commits: [] }, circle), { times: 20 });
  const before = host.seen.length;
  assert.equal(await client.compare(host.history, from, to, max), undefined);
  assert.equal(host.seen.length, before + 1, 'an empty page is the last');
  host.heal();
  for (const body of [{ commits: [] }, { total_commits: 1 }, { total_commits: 1, commits: ['x'] }, []]) {
    host.fail(/compare/, status(200, body), { times: 4 });
    await assert.rejects(client.compare(host.history, from, to, max), { kind: 'unavailable' }, JSON.stringify(body));
    host.heal();
  }
});

test('reports that the host does not know a commit', async (t) => {
  const { client, host } = await openClient(t);
  const to = tagged(host.history, 'v2.0.0');
  await assert.rejects(client.compare(host.history, 'f'.repeat(40), to, max), { kind: 'notFound' });
});

test('does not request a tag whose name leads to another address', async (t) => {
  const { client, host } = await openClient(t);
  for (const name of ['../../../user', 'a/../b', '..', '.', 'a//b', '', 'a\\b', 'a\u0000b', './a']) {
    await assert.rejects(client.tagDetails(host.history, name), { kind: 'notFound' }, name);
  }
  assert.equal(host.seen.length, 0);
});
