/**
 * Tests publication of a file by pull request, against a real HTTP server that follows the rules of GitHub or Gitea.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import type { Note } from '../../../../src/channels/channel.ts';
import { changelog, releasesMd } from '../../../../src/channels/host/files.ts';
import { newId } from '../../../../src/foundation/ids.ts';
import { RepositoryAccess } from '../../../../src/host/access.ts';
import { buildHistory } from '../../../helpers/host/build.ts';
import type { Fault } from '../../../helpers/host/faults.ts';
import { status } from '../../../helpers/host/faults.ts';
import type { HostKind } from '../../../helpers/host/lists.ts';
import { startHost } from '../../../helpers/host/server.ts';
import { hostContext, sampleNote } from '../../../helpers/host-note.ts';

const kinds: HostKind[] = ['github', 'gitea'];
const oldFile = '# Changelog\n\n## v1.0.0\n\n- First\n';
const [first, second] = [newId('pub', 1), newId('pub', 2)];

async function open(t: TestContext, kind: HostKind, { guarded = true } = {}) {
  const host = await startHost(t, buildHistory(), { kind, token: 'secret-token-1' });
  const { publishing } = host;
  publishing.put('CHANGELOG.md', oldFile);
  if (guarded) publishing.guarded.add('main');
  const access = () =>
    new RepositoryAccess(
      { host: host.host, logger: pino({ level: 'silent' }), writeGapMs: 0 },
      async () => host.history.fullName,
    );
  const publish = (note: Partial<Note> = {}, settings = {}, channel = changelog) => {
    const full = sampleNote({ publicationId: first, ...note });
    const context = { ...hostContext(access(), settings), publicationId: full.publicationId };
    return channel.deliver(channel.render(full, settings), context);
  };
  return { host, publishing, proposals: publishing.proposals, publish };
}

for (const kind of kinds) {
  test(`${kind}: a protected branch gets a pull request, which a later revision updates`, async (t) => {
    const { host, publishing, proposals, publish } = await open(t, kind);
    const made = await publish();
    const [pull] = proposals.own;
    assert.match(made.url ?? '', new RegExp(`/acme/rocket/pulls?/${pull?.number}$`));
    assert.equal(made.reference, 'v2.0.0');
    assert.deepEqual([pull?.head, pull?.base], ['tidings/notes-v2.0.0', 'main']);
    assert.equal(pull?.title, 'docs: notes of v2.0.0 in CHANGELOG.md');
    assert.match(pull?.body ?? '', /^<!-- tidings:notes tidings\/notes-v2\.0\.0 -->\n/);
    assert.ok(pull?.body?.endsWith(`\nTidings-Publication: ${first}\n`));
    assert.equal(publishing.text('CHANGELOG.md'), oldFile);
    const text = publishing.text('CHANGELOG.md', 'tidings/notes-v2.0.0') ?? '';
    assert.match(text, /^# Changelog\n\n## v2\.0\.0 .*## v1\.0\.0\n\n- First\n$/s);
    assert.deepEqual(publishing.commits, [`docs: notes of v2.0.0 in CHANGELOG.md\n\nTidings-Publication: ${first}`]);
    assert.equal(host.asked(/^(?:PUT|POST) .*contents.*/).length, 2, 'one refused commit and one commit');
    assert.deepEqual(await publish(), made);
    assert.equal(publishing.commits.length, 1);

    const later = await publish({ publicationId: second, bodyMd: 'Other.\n' });
    assert.deepEqual([later, proposals.own.length, publishing.commits.length], [made, 1, 2]);
    assert.ok(pull?.body?.endsWith(`\nTidings-Publication: ${second}\n`));
    assert.match(publishing.text('CHANGELOG.md', 'tidings/notes-v2.0.0') ?? '', /\nOther\.\n\n## v1\.0\.0/);
  });

  test(`${kind}: a setting asks for a pull request without a push`, async (t) => {
    const { host, publishing, proposals, publish } = await open(t, kind, { guarded: false });
    await publish({}, { via: 'pull_request' });
    await publish({}, { via: 'pull_request' }, releasesMd);
    const toRelease = { via: 'pull_request', branch: 'release/1.x' };
    await publish({ version: '2026-01-01 2026-02-01' }, toRelease);
    assert.deepEqual(
      proposals.own.map(({ head, base }) => [head, base]),
      [
        ['tidings/notes-v2.0.0', 'main'],
        ['tidings/notes-v2.0.0@RELEASES.md', 'main'],
        ['tidings/notes-2026-01-01=202026-02-01@@release=2F1.x', 'release/1.x'],
      ],
    );
    assert.deepEqual([publishing.text('CHANGELOG.md'), publishing.text('RELEASES.md')], [oldFile, undefined]);
    await publish({}, toRelease);
    const before = host.seen.length;
    await publish({}, toRelease);
    assert.ok(host.seen.slice(before).every(({ method }) => method === 'GET'));
  });

  test(`${kind}: an attempt that ends at any request opens no second pull request`, async (t) => {
    for (const via of ['push', 'pull_request']) {
      const counting = await open(t, kind);
      await counting.publish({}, { via });
      const total = counting.host.seen.length;
      assert.ok(total >= 6, `${total} requests`);
      for (let step = 0; step < total; step++)
        for (const end of [refuse, loseReply]) {
          const { host, publishing, proposals, publish } = await open(t, kind);
          host.fail(/./, end, { skip: step });
          await assert.rejects(publish({}, { via }), { outcome: 'retry' }, `${via} ${step}`);
          await publish({}, { via });
          const made = [proposals.own.length, publishing.commits.length, proposals.own[0]?.closedAt];
          assert.deepEqual(made, [1, 1, null], `${via}, request ${step}, ${end.name}`);
        }
    }
  });

  test(`${kind}: an update that ends at any request leaves one pull request with the new text`, async (t) => {
    const counting = await open(t, kind);
    await counting.publish();
    const before = counting.host.seen.length;
    await counting.publish({ publicationId: second, bodyMd: 'Other.\n' });
    const total = counting.host.seen.length - before;
    for (let step = 0; step < total; step++)
      for (const end of [refuse, loseReply]) {
        const { host, publishing, proposals, publish } = await open(t, kind);
        await publish();
        const later = { publicationId: second, bodyMd: 'Other.\n' };
        host.fail(/./, end, { skip: step });
        await assert.rejects(publish(later), { outcome: 'retry' });
        await publish(later);
        assert.deepEqual([proposals.own.length, publishing.commits.length], [1, 2], `request ${step}, ${end.name}`);
        assert.ok(proposals.own[0]?.body?.includes(second));
        assert.match(publishing.text('CHANGELOG.md', 'tidings/notes-v2.0.0') ?? '', /\nOther\.\n/);
      }
  });

  test(`${kind}: a merged pull request is done, and a later revision gets a new one`, async (t) => {
    const { proposals, publishing, publish } = await open(t, kind);
    const made = await publish({}, { via: 'pull_request' });
    const [pull] = proposals.own;
    proposals.merge(pull?.number ?? 0, 'squash');
    assert.deepEqual(await publish({}, { via: 'pull_request' }), made);
    assert.deepEqual(await publish({ publicationId: second }, { via: 'pull_request' }), made, 'the same text');
    assert.match((await publish()).url ?? '', /CHANGELOG\.md$/);
    publishing.put('CHANGELOG.md', oldFile);
    assert.deepEqual(await publish(), made, 'this publication was merged, whatever happened to the file since');
    assert.equal(proposals.own.length, 1);

    const later = await publish({ publicationId: second, bodyMd: 'Other.\n' });
    assert.notEqual(later.url, made.url);
    assert.deepEqual(
      proposals.own.map(({ head }) => head),
      ['tidings/notes-v2.0.0', 'tidings/notes-v2.0.0@2'],
    );
    assert.deepEqual(await publish({ publicationId: second, bodyMd: 'Other.\n' }), later);
    assert.equal(proposals.own.length, 2);
  });

  test(`${kind}: a closed pull request is not opened again for its publication`, async (t) => {
    const { proposals, publish } = await open(t, kind);
    await publish();
    const [pull] = proposals.own;
    proposals.close(pull?.number ?? 0);
    await assert.rejects(publish(), { outcome: 'refused', message: /#\d+ of this publication was closed\. Reopen it/ });
    assert.equal(proposals.own.length, 1);
    await publish({ publicationId: second });
    assert.deepEqual(
      proposals.own.map(({ closedAt }) => closedAt === null),
      [false, true],
    );
  });

  test(`${kind}: a text that a person wrote stays`, async (t) => {
    const { proposals, publishing, publish } = await open(t, kind);
    await publish();
    const [pull] = proposals.own;
    Object.assign(pull ?? {}, { title: 'Our notes', body: 'Please review.' });
    await publish({ publicationId: second, bodyMd: 'Other.\n' });
    assert.deepEqual([pull?.title, pull?.body, publishing.commits.length], ['Our notes', 'Please review.', 2]);
  });

  test(`${kind}: a version that is not a valid branch name is encoded`, async (t) => {
    const { proposals, publish } = await open(t, kind);
    const versions = [
      'pkg/core@1.0.0',
      'a..b',
      'x.lock',
      'end.',
      '~^:?*[\\ ü',
      `long-${'v'.repeat(300)}`,
      '-->',
      'v1@2',
    ];
    for (const version of versions) await publish({ version });
    assert.equal(new Set(proposals.own.map(({ head }) => head)).size, versions.length);
    assert.equal(proposals.own[0]?.head, 'tidings/notes-pkg=2Fcore=401.0.0');
    for (const { body } of proposals.own) assert.match(body ?? '', /^<!-- tidings:notes tidings\/[\w.=@-]+ -->\n/);
  });
}

test('other refusals open no pull request', async (t) => {
  const { host, publishing, proposals, publish } = await open(t, 'github', { guarded: false });
  host.fail(/^PUT/, status(403, { message: 'Resource not accessible by integration' }));
  await assert.rejects(publish(), { outcome: 'refused', message: /Resource not accessible by integration/ });
  host.fail(/^PUT/, status(409, { message: 'Repository rule violations found\n\nSecret detected in content' }));
  await assert.rejects(publish(), { outcome: 'refused', message: /Secret detected/ });
  assert.deepEqual([proposals.own, publishing.text('CHANGELOG.md')], [[], oldFile]);
  publishing.guarded.add('main');
  host.fail(/^POST .*pulls/, status(403, { message: 'Resource not accessible by integration' }));
  await assert.rejects(publish(), { outcome: 'refused', message: /POST pulls: .*Resource not accessible/ });
});

/** Ends the connection before the host carries out the request. */
function refuse(...[response]: Parameters<Fault>): void {
  response.destroy();
}

/** Lets the host carry out the request, but ends the connection before the reply. */
function loseReply(...[response, answer]: Parameters<Fault>): void {
  response.end = () => response.destroy();
  answer();
}
