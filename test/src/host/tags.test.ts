/**
 * Tests which commits GitHub's tags point to. Covers lightweight tags, annotated tags, tags of tags, and tags without a
 * commit.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openClient } from '../../helpers/host/client.ts';
import { status } from '../../helpers/host/faults.ts';

const sha = (digit: string): string => digit.repeat(40);

test('dates an annotated tag by its tagger, a lightweight one by its commit', async (t) => {
  const { client, host } = await openClient(t);
  const { tags, commits } = host.history;
  assert.ok(tags.some(({ object }) => object) && tags.some(({ object }) => !object));
  for (const tag of tags) {
    const date = tag.object?.at ?? commits.get(tag.sha)?.at;
    assert.deepEqual(await client.tagDetails(host.history, tag.name), {
      sha: tag.sha,
      object: tag.object?.sha ?? null,
      date,
    });
  }
});

test('follows a tag of a tag, dated by the outer one', async (t) => {
  const { client, host } = await openClient(t);
  const inner = { tagger: { date: '2026-01-01T00:00:00Z' }, object: { type: 'commit', sha: sha('c') } };
  const outer = { tagger: { date: '2026-02-01T00:00:00+02:00' }, object: { type: 'tag', sha: sha('b') } };
  host.fail(/git\/ref\/tags\/double$/, status(200, { object: { type: 'tag', sha: sha('a') } }));
  host.fail(/git\/tags\/a/, status(200, outer));
  host.fail(/git\/tags\/b/, status(200, inner));
  assert.deepEqual(await client.tagDetails(host.history, 'double'), {
    sha: sha('c'),
    object: sha('a'),
    date: Date.UTC(2026, 0, 31, 22),
  });
});

test('encodes hostile names in requests', async (t) => {
  const { client, host } = await openClient(t);
  await assert.rejects(client.tagDetails(host.history, 'release/1.0#rc?é%'), { kind: 'notFound' });
  assert.equal(host.seen[0]?.url, '/api/v3/repos/acme/rocket/git/ref/tags/release/1.0%23rc%3F%C3%A9%25');
});

test('refuses a tag that does not lead to a commit', async (t) => {
  const { client, host } = await openClient(t);
  const endless = { object: { type: 'tag', sha: sha('a') } };
  for (const object of [{ type: 'tree', sha: sha('d') }, { type: 'commit', sha: '../../x' }, null, endless.object]) {
    host.fail(/git\/ref\/tags/, status(200, { object }));
    host.fail(/git\/tags/, status(200, endless), { times: object === endless.object ? 5 : 0 });
    await assert.rejects(client.tagDetails(host.history, 'odd'), {
      kind: 'notFound',
      message: /does not point to a commit/,
    });
  }
});

test('returns no date when the host sends none', async (t) => {
  const { client, host } = await openClient(t);
  host.fail(/git\/ref\/tags/, status(200, { object: { type: 'commit', sha: sha('e') } }));
  host.fail(/git\/commits/, status(200, { committer: { date: '0001-01-01T00:00:00Z' } }));
  assert.deepEqual(await client.tagDetails(host.history, 'old'), { sha: sha('e'), object: null, date: null });
});
