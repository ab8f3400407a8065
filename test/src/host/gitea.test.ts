/**
 * Tests the host client with a Gitea host: addresses of lists, page size, token scheme and tags.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allPages, fieldOf, openClient } from '../../helpers/host/client.ts';
import { status, withLink } from '../../helpers/host/faults.ts';

const gitea = { kind: 'gitea', token: '0123456789abcdef0123456789abcdef01234567' } as const;

test('lists in pages of fifty, with the token in Gitea’s scheme', async (t) => {
  const opened = await openClient(t, { ...gitea, numbers: 200 });
  const { host } = opened;
  const pages = await allPages(opened, { kind: 'pulls' });
  assert.deepEqual(
    pages.map(({ items, pages: count }) => [items.length, count]),
    [
      [50, 3],
      [50, 3],
      [50, 3],
    ],
  );
  assert.deepEqual(fieldOf(pages, 'number'), host.history.pulls.map(({ number }) => number).reverse());
  assert.deepEqual(new Set(host.seen.map(({ headers }) => headers.authorization)), new Set([`token ${gitea.token}`]));
  assert.match(
    host.seen[0]?.url as string,
    /^\/api\/v1\/repos\/acme\/rocket\/pulls\?state=all&sort=recentupdate&limit=50$/,
  );
});

test('lists plain issues, comments, commits and reviews', async (t) => {
  const opened = await openClient(t, gitea);
  const { history } = opened.host;
  const issues = await allPages(opened, { kind: 'issues', since: 0 });
  assert.deepEqual(fieldOf(issues, 'number').sort(), history.issues.map(({ number }) => number).sort());
  assert.deepEqual(fieldOf(issues, 'pull_request').filter(Boolean), []);
  assert.equal(fieldOf(await allPages(opened, { kind: 'issueComments' }), 'id').length, history.issueComments.length);
  assert.equal(
    fieldOf(await allPages(opened, { kind: 'commits', branch: 'main' }), 'sha')[0],
    history.branches.get('main'),
  );
  assert.equal(fieldOf(await allPages(opened, { kind: 'reviews', number: 5 }), 'id').length, 1);
});

test('does not request a list of review comments', async (t) => {
  const { client, host } = await openClient(t, gitea);
  assert.deepEqual((await client.first(host.history, { kind: 'reviewComments' })).items, []);
  assert.equal(host.seen.length, 0);
});

test('accepts an empty list that is written as null', async (t) => {
  const { client, host } = await openClient(t, gitea);
  host.fail(/tags/, status(200, 'null'));
  assert.deepEqual((await client.first(host.history, { kind: 'tags' })).items, []);
});

test('uses the address of the settings when the host links by its web address', async (t) => {
  const { client: _client, host } = await openClient(t, gitea);
  const origin = 'https://git.example.com';
  const { client } = await openClient(t, gitea, { host: { ...host.host, origin } });
  host.fail(/pulls\?state/, withLink(`<${origin}/api/v1/repos/acme/rocket/pulls?page=1&limit=50>; rel="next"`));
  const { next } = await client.first(host.history, { kind: 'pulls' });
  assert.equal(next, `${origin}/api/v1/repos/acme/rocket/pulls?page=1&limit=50`);
  assert.ok((await client.page(next as string, 'pulls')).items.length > 0);
  await assert.rejects(client.page(next?.replace('https', 'http') as string, 'pulls'), { kind: 'invalid' });
});

test('reads the commit of a tag from the tag only', async (t) => {
  const { client, host } = await openClient(t, gitea);
  for (const tag of host.history.tags) {
    const date = tag.object?.at ?? host.history.commits.get(tag.sha)?.at;
    const details = { sha: tag.sha, object: tag.object?.sha ?? null, date };
    assert.deepEqual(await client.tagDetails(host.history, tag.name), details);
  }
  assert.equal(host.seen.length, host.history.tags.length);
});
