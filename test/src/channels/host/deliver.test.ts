/**
 * Tests the channels of the source-code host against a real HTTP server that follows the rules of GitHub or Gitea.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import type { Note } from '../../../../src/channels/channel.ts';
import { changelog, releasesMd } from '../../../../src/channels/host/files.ts';
import { scmReleases } from '../../../../src/channels/host/releases.ts';
import { RepositoryAccess } from '../../../../src/host/access.ts';
import { buildHistory } from '../../../helpers/host/build.ts';
import { cut, secondaryLimit, status } from '../../../helpers/host/faults.ts';
import type { HostKind } from '../../../helpers/host/lists.ts';
import { startHost, type TestHostOptions } from '../../../helpers/host/server.ts';
import { hostContext, sampleBody, sampleNote } from '../../../helpers/host-note.ts';

const kinds: HostKind[] = ['github', 'gitea'];
const oldFile = '# Changelog\n\n## v1.0.0\n\n- First\n';
const trailer = 'Tidings-Publication: pub_0000000000000000000000000000';

async function open(t: TestContext, options: TestHostOptions = {}) {
  const host = await startHost(t, buildHistory(), { token: 'secret-token-1', ...options });
  host.history.releases.length = 0;
  const requests = { host: host.host, logger: pino({ level: 'silent' }), writeGapMs: 0 };
  const access = new RepositoryAccess(requests, async () => host.history.fullName);
  const publish = (note: Partial<Note> = {}) =>
    scmReleases.deliver(scmReleases.render(sampleNote(note), {}), hostContext(access, {}));
  const commit = (note: Partial<Note> = {}, channel = changelog, settings = {}) =>
    channel.deliver(channel.render(sampleNote(note), settings), hostContext(access, settings));
  return { host, access, publish, commit };
}

for (const kind of kinds) {
  test(`${kind}: a release of a tag is created, and later updated`, async (t) => {
    const { host, publish } = await open(t, { kind });
    const first = await publish();
    assert.deepEqual(await publish(), first);
    assert.match(first.url ?? '', /\/acme\/rocket\/releases\/tag\/v2\.0\.0$/);
    const writes = () => host.seen.filter(({ method }) => method !== 'GET').length;
    assert.equal(writes(), 1);
    await publish({ bodyMd: 'Other.\n' });
    assert.equal(writes(), 2);
    const [release] = host.publishing.releases;
    assert.deepEqual([release?.body, release?.draft, host.publishing.releases.length], ['Other.\n', false, 1]);
  });

  test(`${kind}: an own draft is published, and a published release never becomes a draft`, async (t) => {
    const { host, publish } = await open(t, { kind });
    const draft = await publish({ asDraft: true });
    const [release] = host.publishing.releases;
    assert.equal(release?.draft, true);
    Object.assign(release ?? {}, { name: 'The rocket', prerelease: true });
    assert.equal((await publish()).reference, draft.reference);
    assert.deepEqual(
      [release?.draft, release?.name, release?.prerelease, release?.body],
      [false, 'The rocket', true, sampleBody],
    );
    await assert.rejects(publish({ asDraft: true }), {
      outcome: 'refused',
      message: /does not turn it back into a draft/,
    });
    assert.equal(release?.draft, false);
  });

  test(`${kind}: a tag that the host does not have is refused, and not created`, async (t) => {
    const { host, publish } = await open(t, { kind });
    const before = host.history.tags.length;
    await assert.rejects(publish({ tag: 'v9.9.9', version: 'v9.9.9' }), {
      outcome: 'refused',
      message: /no tag v9\.9\.9/,
    });
    assert.deepEqual([host.history.tags.length, host.publishing.releases.length], [before, 0]);
    assert.ok(host.seen.every(({ method }) => method === 'GET'));
  });

  test(`${kind}: a version is committed to the changelog once`, async (t) => {
    const { host, commit } = await open(t, { kind });
    host.publishing.put('CHANGELOG.md', oldFile);
    const first = await commit();
    assert.deepEqual(await commit(), first);
    assert.deepEqual(host.publishing.commits, [`docs: notes of v2.0.0 in CHANGELOG.md\n\n${trailer}`]);
    const text = host.publishing.text('CHANGELOG.md') ?? '';
    assert.ok(text.startsWith('# Changelog\n\n## v2.0.0 (2026-02-03)\n\n### Breaking Changes\n'), text);
    assert.ok(text.endsWith('\n## v1.0.0\n\n- First\n'));
    await commit({ bodyMd: 'Other.\n' });
    assert.equal(
      host.publishing.text('CHANGELOG.md'),
      '# Changelog\n\n## v2.0.0 (2026-02-03)\n\nOther.\n\n## v1.0.0\n\n- First\n',
    );
  });

  test(`${kind}: the file of releases is created on the configured branch`, async (t) => {
    const { host, commit } = await open(t, { kind });
    const settings = { path: 'docs/NEWS.md', branch: 'release/1.x', message: 'fixes #1 for {version}' };
    const { url } = await commit({}, releasesMd, settings);
    assert.match(url ?? '', /docs\/NEWS\.md$/);
    assert.match(host.publishing.text('docs/NEWS.md', 'release/1.x') ?? '', /^# Releases\n\n## v2\.0\.0/);
    assert.deepEqual(host.publishing.commits, [`refs #1 for v2.0.0\n\n${trailer}`]);
  });

  test(`${kind}: concurrent commits of others are kept`, async (t) => {
    const { host, commit } = await open(t, { kind });
    host.publishing.put('CHANGELOG.md', oldFile);
    let races = 2;
    const race = (_: unknown, answer: () => void): void => {
      host.publishing.put('CHANGELOG.md', `${oldFile}- Theirs ${races--}\n`);
      answer();
    };
    host.fail(/PUT/, race, { times: 2 });
    await commit();
    assert.match(host.publishing.text('CHANGELOG.md') ?? '', /- First\n- Theirs 1\n$/);
    assert.equal(host.publishing.commits.length, 1);
    host.fail(/PUT/, (response, answer) => race(response, answer), { times: 3 });
    await assert.rejects(commit({ bodyMd: 'x' }), { outcome: 'retry', message: /during each of 3 attempts/ });
  });
}

test('a release that is too long is cut between entries', async (t) => {
  const { host, publish } = await open(t);
  const entries = Array.from({ length: 3000 }, (_, i) => `- Change ${i} 🚀 ${'x'.repeat(50)} <!-- rn:pr:${i} -->`);
  await publish({ bodyMd: `## Features\n\n${entries.join('\n')}\n` });
  const body = host.publishing.releases[0]?.body ?? '';
  const kept = body.match(/^- Change/gm)?.length ?? 0;
  assert.ok([...body].length <= 125_000 && [...body].length > 124_000, String([...body].length));
  const rest = `\n\n${3000 - kept} more changes: <https://host.test/acme/rocket/compare/v1.0.0...v2.0.0>\n`;
  assert.ok(body.endsWith(rest), body.slice(-200));
});

test('prereleases are marked, and a range without tags is refused', () => {
  const marks = ['v1.0.0-rc.1', 'v1.0.0', 'release/2.0.0-beta', '2026-01-02', 'nightly-1'].map(
    (tag) => scmReleases.render(sampleNote({ tag, version: tag }), {}).prerelease,
  );
  assert.deepEqual(marks, [true, false, true, false, false]);
  assert.throws(() => scmReleases.render(sampleNote({ tag: null }), {}), {
    outcome: 'refused',
    message: /needs a tag/,
  });
});

test('passing failures are retried, and refusals are final', async (t) => {
  const { host, publish, commit } = await open(t);
  host.fail(/POST/, secondaryLimit(17));
  await assert.rejects(publish(), { outcome: 'retry', retryAfterMs: 17_000 });
  host.fail(/POST/, status(500));
  await assert.rejects(publish(), { outcome: 'retry', retryAfterMs: undefined });
  host.fail(/GET/, status(401));
  await assert.rejects(publish(), { outcome: 'refused', message: /401/ });
  await assert.rejects(commit({}, changelog, { branch: 'gone' }), { outcome: 'refused', message: /no branch gone/ });
});

test('a lost reply causes no duplicate', async (t) => {
  for (const kind of kinds) {
    const { host, publish, commit } = await open(t, { kind });
    for (const pattern of [/(?:POST|PUT) .*releases/, /(?:POST|PUT) .*contents/]) {
      host.fail(pattern, (response, answer) => {
        // The host carries out the request, but the connection breaks before the reply.
        response.end = () => response.destroy();
        answer();
      });
      await assert.rejects(pattern.source.includes('releases') ? publish() : commit(), { outcome: 'retry' });
    }
    await publish();
    await commit();
    assert.deepEqual([host.publishing.releases.length, host.publishing.commits.length], [1, 1], kind);
    host.fail(/GET/, cut('before'));
    await assert.rejects(publish(), { outcome: 'retry' });
  }
});

test('an aborted delivery may be tried again', async (t) => {
  const { host, publish } = await open(t);
  const stop = new AbortController();
  const requests = { host: host.host, logger: pino({ level: 'silent' }), signal: stop.signal };
  const access = new RepositoryAccess(requests, async () => 'acme/rocket');
  const context = { ...hostContext(access, {}), signal: stop.signal };
  host.fail(/releases/, () => stop.abort());
  const payload = scmReleases.render(sampleNote(), {});
  await assert.rejects(scmReleases.deliver(payload, context), { outcome: 'retry', message: /in time/ });
  await publish();
});

test('a connection test writes nothing and reports what it found', async (t) => {
  const { host, access } = await open(t);
  assert.match(await scmReleases.test(hostContext(access, {})), /can write/);
  const reader = await open(t, { readsOnly: true });
  await assert.rejects(changelog.test(hostContext(reader.access, {})), { outcome: 'refused', message: /not write/ });
  await assert.rejects(changelog.test(hostContext(null, {})), { outcome: 'refused', message: /no credentials/ });
  assert.ok(host.seen.every(({ method }) => method === 'GET'));
});
