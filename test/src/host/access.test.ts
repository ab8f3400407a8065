/**
 * Tests access to a repository on its host for publishing, with a real HTTP server that follows the rules of GitHub or
 * Gitea.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { RepositoryAccess } from '../../../src/host/access.ts';
import type { RequestsOptions } from '../../../src/host/requests.ts';
import { buildHistory, type HistoryOptions } from '../../helpers/host/build.ts';
import { cut, rateLimit, secondaryLimit, status } from '../../helpers/host/faults.ts';
import type { HostKind } from '../../helpers/host/lists.ts';
import { startHost, type TestHost, type TestHostOptions } from '../../helpers/host/server.ts';

const kinds: HostKind[] = ['github', 'gitea'];
const release = { tag: 'v2.0.0', name: 'v2.0.0', bodyMd: 'Notes.\n', draft: false, prerelease: false };

async function openAccess(
  t: TestContext,
  options: TestHostOptions & HistoryOptions & { name?: string } = {},
  more: Partial<RequestsOptions> = {},
): Promise<{ host: TestHost; access: RepositoryAccess }> {
  const host = await startHost(t, buildHistory(options), { token: 'secret-token-1', ...options });
  host.history.releases.length = 0;
  const requests = { host: host.host, logger: pino({ level: 'silent' }), writeGapMs: 0, ...more };
  return { host, access: new RepositoryAccess(requests, async () => options.name ?? host.history.fullName) };
}

for (const kind of kinds) {
  test(`${kind}: creates, finds and updates a release`, async (t) => {
    const { host, access } = await openAccess(t, { kind });
    assert.equal(await access.findRelease('v2.0.0'), null);
    const made = await access.createRelease(release);
    assert.deepEqual(await access.findRelease('v2.0.0'), made);
    await access.updateRelease(made.id, { ...release, bodyMd: 'Better notes.\n' });
    assert.equal((await access.findRelease('v2.0.0'))?.bodyMd, 'Better notes.\n');
    assert.equal(host.publishing.releases.length, 1);
  });

  test(`${kind}: finds a draft after more than a page of others`, async (t) => {
    const { host, access } = await openAccess(t, { kind });
    const made = await access.createRelease({ ...release, draft: true });
    for (let i = 0; i < 120; i++) host.history.releases.push(`v0.0.${i}`);
    host.publishing.releases.push(
      ...Array.from({ length: 120 }, (_, i) => ({
        ...{ id: 95_000 + i, tag_name: `v0.1.${i}`, name: '', body: '', draft: true, prerelease: false },
      })),
    );
    assert.deepEqual(await access.findRelease('v2.0.0'), { ...made, draft: true });
  });

  test(`${kind}: updates a release that was created a moment before`, async (t) => {
    const { host, access } = await openAccess(t, { kind });
    const other = await openAccess(t, { kind });
    assert.equal(await access.findRelease('v2.0.0'), null);
    host.publishing.releases.push({
      ...{ id: 90_500, tag_name: 'v2.0.0', name: 'x', body: 'x' },
      draft: false,
      prerelease: false,
    });
    const made = await access.createRelease(release);
    assert.deepEqual([made.id, made.bodyMd], ['90500', 'Notes.\n']);
    assert.equal(host.publishing.releases.length, 1);
    assert.equal(other.host.publishing.releases.length, 0);
  });

  test(`${kind}: returns the commit of a tag, and null for a missing tag`, async (t) => {
    const { host, access } = await openAccess(t, { kind });
    for (const { name, sha } of host.history.tags) assert.equal(await access.tagSha(name), sha);
    assert.equal(await access.tagSha('v9.9.9'), null);
    assert.equal(await access.tagSha('../../other'), null);
  });

  test(`${kind}: reports with the host's message why a release is refused`, async (t) => {
    const { access } = await openAccess(t, { kind });
    const long = { ...release, bodyMd: 'x'.repeat(125_001) };
    await assert.rejects(access.createRelease(long), { kind: 'invalid', message: /422.*maximum is 125000/ });
    const { id } = await access.createRelease(release);
    await assert.rejects(access.updateRelease(id, long), { kind: 'invalid', message: /maximum is 125000/ });
  });

  test(`${kind}: creates, reads and replaces a file`, async (t) => {
    const { host, access } = await openAccess(t, { kind });
    assert.equal(await access.readFile('docs/a b#1.md', 'release/1.x'), null);
    const url = await access.writeFile('docs/a b#1.md', 'release/1.x', '\ufeff# Ä\r\n', null, 'docs: new');
    const file = await access.readFile('docs/a b#1.md', 'release/1.x');
    assert.deepEqual([file?.text, file?.url], ['\ufeff# Ä\r\n', url]);
    await access.writeFile('docs/a b#1.md', 'release/1.x', 'changed', file?.sha ?? null, 'docs: change');
    assert.equal(host.publishing.text('docs/a b#1.md', 'release/1.x'), 'changed');
    assert.equal(host.publishing.text('docs/a b#1.md'), undefined);
    assert.deepEqual(host.publishing.commits, ['docs: new', 'docs: change']);
  });

  test(`${kind}: a change to a blob that is not the newest is not written`, async (t) => {
    const { host, access } = await openAccess(t, { kind });
    host.publishing.put('A.md', 'one');
    const file = await access.readFile('A.md', 'main');
    host.publishing.put('A.md', 'two');
    assert.equal(await access.writeFile('A.md', 'main', 'mine', file?.sha ?? null, 'm'), null);
    assert.equal(await access.writeFile('A.md', 'main', 'mine', null, 'm'), null);
    assert.equal(host.publishing.text('A.md'), 'two');
  });
}

test('reads a file of more than a megabyte by its blob', async (t) => {
  const { host, access } = await openAccess(t);
  const text = '# Changes\n'.repeat(150_000);
  host.publishing.put('A.md', text);
  assert.equal((await access.readFile('A.md', 'main'))?.text, text);
});

test('refuses to change what is not a text file', async (t) => {
  const { host, access } = await openAccess(t);
  host.publishing.put('bytes.md', Buffer.from([0x23, 0xff, 0xfe]));
  host.publishing.put('docs/a.md', 'text');
  host.publishing.put('huge.md', Buffer.alloc(6 * 1024 * 1024, 'a'));
  await assert.rejects(access.readFile('bytes.md', 'main'), { kind: 'invalid', message: /is not UTF-8 text/ });
  await assert.rejects(access.readFile('docs', 'main'), { kind: 'invalid', message: /is not a file/ });
  await assert.rejects(access.readFile('huge.md', 'main'), { kind: 'invalid', message: /6291456 bytes/ });
});

test('distinguishes a missing file from a missing branch and a missing repository', async (t) => {
  const { access } = await openAccess(t);
  assert.equal(await access.readFile('A.md', 'main'), null);
  await assert.rejects(access.readFile('A.md', 'gone'), { kind: 'notFound', message: /no branch gone/ });
  const elsewhere = await openAccess(t, { name: 'acme/other' });
  await assert.rejects(elsewhere.access.tagSha('v2.0.0'), { kind: 'notFound', message: /repository does not exist/ });
});

test('reports that a branch is protected', async (t) => {
  const { host, access } = await openAccess(t);
  host.publishing.guarded.add('main');
  const refused = {
    kind: 'conflict',
    message: /409: Could not update file: Changes must be made through a pull request/,
  };
  await assert.rejects(access.writeFile('A.md', 'main', 'x', null, 'm'), refused);
});

test('sends each request once, and returns the wait time that the host requests', async (t) => {
  const { host, access } = await openAccess(t);
  host.fail(/releases/, secondaryLimit(17));
  await assert.rejects(access.findRelease('v2.0.0'), { kind: 'unavailable', retryAfter: 17 });
  host.fail(/releases/, rateLimit(90));
  await assert.rejects(access.findRelease('v2.0.0'), (error: { retryAfter: number }) => error.retryAfter > 80);
  host.fail(/releases/, status(503, '', { 'retry-after': '7' }));
  await assert.rejects(access.createRelease(release), { kind: 'unavailable', retryAfter: 7 });
  host.fail(/releases/, cut('before'));
  await assert.rejects(access.createRelease(release), { kind: 'unavailable', message: /no complete reply/ });
  assert.equal(host.asked(/releases/).length, 4);
  assert.equal((await access.createRelease(release)).tag, 'v2.0.0');
});

test('writes to a repository that was renamed', async (t) => {
  const { host, access } = await openAccess(t, { formerNames: ['acme/booster'], name: 'acme/booster' });
  await access.writeFile('A.md', 'main', 'x', null, 'm');
  assert.equal((await access.createRelease(release)).tag, 'v2.0.0');
  assert.deepEqual([host.publishing.text('A.md'), host.publishing.releases.length], ['x', 1]);
});

test('reports whether writing is allowed', async (t) => {
  assert.equal(await (await openAccess(t)).access.canWrite(), true);
  assert.equal(await (await openAccess(t, { readsOnly: true })).access.canWrite(), false);
});

test('keeps an interval between writes but not between reads', async (t) => {
  const { access } = await openAccess(t, {}, { writeGapMs: 300 });
  const started = performance.now();
  for (let i = 0; i < 3; i++) await access.writeFile(`${i}.md`, 'main', 'x', null, 'm');
  for (let i = 0; i < 3; i++) await access.readFile(`${i}.md`, 'main');
  const took = performance.now() - started;
  assert.ok(took >= 590, `${took} ms`);
});

test('refusals and faults do not contain the token', async (t) => {
  const { host, access } = await openAccess(t, { token: 'secret-token-9' });
  host.fail(/POST/, status(403, { message: 'Resource not accessible by integration' }));
  await assert.rejects(access.createRelease(release), (error: Error) => {
    assert.match(error.message, /has no permission for this: Resource not accessible by integration/);
    return !String(error.stack).includes('secret-token-9');
  });
});
