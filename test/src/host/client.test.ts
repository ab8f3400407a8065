/**
 * Tests the host client with a real HTTP server that offers the host's REST API. Covers lists that are read page by
 * page, conditional requests, disabled parts of a repository, and addresses on other hosts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListKind } from '../../../src/host/client.ts';
import { allPages, fieldOf, openClient } from '../../helpers/host/client.ts';
import { redirect, status, withLink } from '../../helpers/host/faults.ts';
import { reachable } from '../../helpers/host/history.ts';

test('lists every pull request page by page, newest change first', async (t) => {
  const opened = await openClient(t, { numbers: 330 });
  const pages = await allPages(opened, { kind: 'pulls' });
  const { pulls } = opened.host.history;
  assert.deepEqual(
    pages.map(({ items, pages: count }) => [items.length, count]),
    [
      [100, 3],
      [100, 3],
      [48, 3],
    ],
  );
  assert.deepEqual(fieldOf(pages, 'number'), pulls.map(({ number }) => number).reverse());
  assert.equal(opened.host.busiest, 1);
});

test('requests the next page at exactly the address that the host sent', async (t) => {
  const { client, host } = await openClient(t);
  const next = `${host.apiUrl}/repositories/4711/pulls?cursor=a:b{c}:d%3D%2F&x=1,2;3&page=2`;
  host.fail(/pulls\?state/, withLink(`<${host.apiUrl}/x>; rel="first", <${next}>; title="n"; rel="next"`));
  host.fail(/cursor=/, status(200, []));
  const first = await client.first(host.history, { kind: 'pulls' });
  assert.equal(first.next, next);
  assert.equal(first.pages, null);
  await client.page(next, 'pulls');
  assert.equal(host.asked(/cursor=/)[0], '/api/v3/repositories/4711/pulls?cursor=a:b{c}:d%3D%2F&x=1,2;3&page=2');
});

test('continues from a stored address with another client', async (t) => {
  const opened = await openClient(t, { numbers: 330 });
  const { next } = await opened.client.first(opened.host.history, { kind: 'pulls' });
  const other = await openClient(t, {}, { host: opened.host.host });
  const page = await other.client.page(next as string, 'pulls');
  assert.equal(page.items.length, 100);
});

test('lists all items of each kind', async (t) => {
  const opened = await openClient(t, { numbers: 150 });
  const { history } = opened.host;
  const expected: [ListKind, string, unknown[]][] = [
    ['issues', 'number', [...history.issues, ...history.pulls].map(({ number }) => number)],
    ['issueComments', 'id', history.issueComments.map(({ id }) => id)],
    ['reviewComments', 'id', history.reviewComments.map(({ id }) => id)],
    ['tags', 'name', history.tags.map(({ name }) => name)],
    ['releases', 'tag_name', history.releases],
    ['branches', 'name', ['main', 'release/1.x']],
    ['commits', 'sha', reachable(history, history.branches.get('main') as string).map(({ sha }) => sha)],
  ];
  for (const [kind, field, values] of expected) {
    const found = fieldOf(await allPages(opened, { kind }), field);
    assert.deepEqual(found.map(String).sort(), values.map(String).sort(), kind);
    assert.ok(values.length > 1, kind);
  }
});

test('lists the commits of a branch and the reviews of a pull request', async (t) => {
  const opened = await openClient(t);
  const { history } = opened.host;
  const commits = await allPages(opened, { kind: 'commits', branch: 'release/1.x' });
  const head = history.branches.get('release/1.x') as string;
  assert.deepEqual(
    fieldOf(commits, 'sha'),
    reachable(history, head).map(({ sha }) => sha),
  );
  const [review] = fieldOf(await allPages(opened, { kind: 'reviews', number: 5 }), 'id');
  assert.equal(review, history.reviews.find(({ number }) => number === 5)?.id);
});

test('requests only items changed since a time, newest first', async (t) => {
  const opened = await openClient(t);
  const { issues } = opened.host.history;
  const since = issues[3]?.updatedAt as number;
  const pages = await allPages(opened, { kind: 'issues', since });
  const plain = pages.flatMap(({ items }) => items.filter((item) => !item.pull_request));
  assert.deepEqual(
    plain.map(({ number }) => number),
    issues
      .slice(3)
      .map(({ number }) => number)
      .reverse(),
  );
});

test('recognizes an unchanged first page by its etag', async (t) => {
  const { client, host } = await openClient(t);
  const { etag } = await client.first(host.history, { kind: 'tags' });
  const request = { kind: 'tags', etag: etag as string } as const;
  const again = await client.first(host.history, request);
  assert.deepEqual(again, { items: [], next: null, pages: null, etag, notModified: true });
  host.history.tags.push({ name: 'v9.0.0', sha: 'a'.repeat(40), pushedAt: 0 });
  const changed = await client.first(host.history, request);
  assert.deepEqual([changed.notModified, changed.items.length], [false, 5]);
  assert.notEqual(changed.etag, etag);
});

test('follows a former name to the current one', async (t) => {
  const opened = await openClient(t, { fullName: 'acme/rocket', formerNames: ['acme/booster'] });
  const { client, host } = opened;
  const repository = await client.repository('acme/booster');
  assert.deepEqual(
    [repository.full_name, repository.id, repository.default_branch],
    ['acme/rocket', host.history.id, 'main'],
  );
  const page = await client.first({ fullName: 'acme/booster' }, { kind: 'pulls' });
  assert.equal(page.items.length, host.history.pulls.length);
  assert.equal((await client.repositoryById(String(host.history.id))).full_name, 'acme/rocket');
});

test('returns an empty list for disabled parts, and an error for deleted repositories', async (t) => {
  const { client, host } = await openClient(t);
  const nothing = { items: [], next: null, pages: 1, etag: null, notModified: false };
  host.fail(/issues\?/, status(410));
  assert.deepEqual(await client.first(host.history, { kind: 'issues' }), nothing);
  host.fail(/commits\?/, status(409, { message: 'Git Repository is empty.' }));
  assert.deepEqual(await client.first(host.history, { kind: 'commits' }), nothing);
  assert.deepEqual(await client.first(host.history, { kind: 'commits', branch: 'gone' }), nothing);
  await assert.rejects(client.first({ fullName: 'acme/other' }, { kind: 'issues' }), {
    kind: 'notFound',
    message: /answered 404 to GET \/api\/v3\/repos\/acme\/other: the resource does not exist/,
  });
});

test('refuses invalid names', async (t) => {
  const { client, host } = await openClient(t);
  for (const name of ['acme', 'acme/..', '../acme', 'acme/rocket/pulls', 'acme/ro cket', 'acme/x?y', 'acme/', ''])
    await assert.rejects(client.repository(name), {
      kind: 'invalid',
      message: /repository: expected OWNER/,
    });
  assert.equal(host.seen.length, 0);
});

test('refuses the address of a page on another host', async (t) => {
  const token = 'secret-token-1';
  const { client, host } = await openClient(t, { token });
  const other = await openClient(t, { token });
  const path = '/api/v3/repositories/4711/pulls?page=2';
  const withUser = host.origin.replace('//', '//user:word@');
  for (const address of [other.host.origin + path, withUser + path, 'http://', 'file:///etc/passwd', path]) {
    host.fail(/pulls\?state/, withLink(`<${address}>; rel="next"`));
    const { next, items } = await client.first(host.history, { kind: 'pulls' });
    assert.ok(items.length > 0);
    if (address === path) assert.equal(next, host.origin + path);
    else
      await assert.rejects(client.page(next as string, 'pulls'), { kind: 'invalid', message: /leads outside its API/ });
  }
  assert.equal(other.host.seen.length, 0);
});

test('reports pages that lead in a circle', async (t) => {
  const { client, host } = await openClient(t, { numbers: 330 });
  const at = (page: number): string => `${host.apiUrl}/repositories/4711/pulls?page=${page}`;
  host.fail(/page=2/, withLink(`<${at(3)}>; rel="next"`), { times: 2 });
  host.fail(/page=3/, withLink(`<${at(2)}>; rel="next"`));
  await client.page(at(2), 'pulls');
  await client.page(at(2), 'pulls');
  await assert.rejects(client.page(at(3), 'pulls'), { kind: 'invalid', message: /page links of pulls .* form a loop/ });
  host.fail(/page=4/, withLink(`<${at(4)}>; rel="next"`));
  await assert.rejects(client.page(at(4), 'pulls'), { kind: 'invalid', message: /form a loop/ });
});

test('refuses a redirect to another host, and one in a circle', async (t) => {
  const { client, host } = await openClient(t, { token: 'secret-token-1' });
  const other = await openClient(t, { token: 'secret-token-1' });
  host.fail(/GET/, redirect(301, `${other.host.apiUrl}/repos/acme/rocket`));
  const message = new RegExp(`redirects to ${other.host.origin}\\. The service does not follow this redirect`);
  await assert.rejects(client.repository('acme/rocket'), { kind: 'invalid', message });
  host.fail(/GET/, redirect(302, host.origin.replace('//', '//user:word@')));
  await assert.rejects(client.repository('acme/rocket'), { kind: 'invalid' });
  assert.equal(other.host.seen.length, 0);
  host.fail(/GET/, redirect(307, '/api/v3/repos/acme/rocket'), { times: 50 });
  await assert.rejects(client.repository('acme/rocket'), { kind: 'invalid', message: /in a loop/ });
  assert.equal(host.seen.length, 8);
});

test('follows every kind of redirect on the host and keeps the credentials', async (t) => {
  const { client, host } = await openClient(t, { token: 'secret-token-1' });
  for (const code of [301, 302, 307, 308] as const) {
    host.fail(/moved/, redirect(code, `/api/v3/repositories/${host.history.id}`));
    assert.equal((await client.repository('acme/moved')).full_name, 'acme/rocket');
  }
  assert.deepEqual(new Set(host.seen.map(({ headers }) => headers.authorization)), new Set(['Bearer secret-token-1']));
});

test('reports the refusals of the host by name', async (t) => {
  const { client, host } = await openClient(t, { token: 'right' }, {});
  for (const code of [401, 403]) {
    host.fail(/GET/, status(code));
    await assert.rejects(client.repository('acme/rocket'), {
      kind: 'unauthorized',
      message: new RegExp(`answered ${code}`),
    });
  }
  for (const code of [404, 410, 451]) {
    host.fail(/GET/, status(code));
    await assert.rejects(client.repository('acme/rocket'), { kind: 'notFound' });
  }
  host.fail(/GET/, status(422));
  await assert.rejects(client.repository('acme/rocket'), { kind: 'unavailable', message: /answered 422/ });
  assert.equal(host.seen.length, 6);
});
