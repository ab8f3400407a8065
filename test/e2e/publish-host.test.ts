/**
 * Tests publication to the code host and to the service's own pages, requested over the service's API. The host follows
 * the rules of GitHub or Gitea. The pages are checked as a reader sees them.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { theRepository } from '../helpers/backfill.ts';
import { buildHistory } from '../helpers/host/build.ts';
import type { HostKind } from '../helpers/host/lists.ts';
import { startHost } from '../helpers/host/server.ts';
import { dataUri, png, pngChunk } from '../helpers/pictures.ts';
import { createTagRange, deliverRocket, generateDraft, toEnd } from '../helpers/rocket.ts';
import { startService, type TestService } from '../helpers/service.ts';

const small = { TIDINGS_PARTITIONS: '1', TIDINGS_RENDER_THREADS: '1' };
const key = 'a-key-that-nobody-guesses';

/** Starts a host with a history, and a service that has read this history. Makes a draft of v1.0.0 to v2.0.0. */
async function start(t: TestContext, kind: HostKind) {
  const host = await startHost(t, buildHistory(), { kind, token: 'secret-token' });
  host.history.releases.length = 0;
  const service = await startService(t, { env: { ...small, ...host.env } });
  assert.equal((await service.run('backfill', 'acme/rocket')).code, 0);
  const repoId = await theRepository(service);
  const bounds = { repoId, type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v2.0.0' };
  const range = (await service.api('POST', '/api/ranges', bounds)).body;
  const draft = await generateDraft(service, range.id);
  const publish = async (channel: string, more: object = {}) => {
    const asked = service.api('POST', '/api/publish', { draftId: draft.id, channel, ...more });
    const { status, body } = await toEnd(service, asked);
    assert.equal(status, 201, JSON.stringify(body));
    return body;
  };
  return { host, service, repoId, draft, publish };
}

for (const kind of ['github', 'gitea'] as const) {
  test(`${kind}: a draft release, the release and the files are each published once (spec 4)`, async (t) => {
    const { host, service, draft, publish } = await start(t, kind);
    const asDraft = await publish('scm_releases', { draft: true });
    assert.equal(asDraft.status, 'completed', JSON.stringify(asDraft));
    const [release] = host.publishing.releases;
    assert.deepEqual([release?.draft, release?.tag_name, release?.body], [true, 'v2.0.0', draft.bodyMd]);
    const released = await publish('scm_releases');
    assert.match(released.url, /\/releases\/tag\/v2\.0\.0$/);
    assert.deepEqual([release?.draft, host.publishing.releases.length], [false, 1]);
    const files = [await publish('changelog'), await publish('releases_md')];
    for (const { status, url } of files) assert.match(`${status} ${url}`, /^completed .*\/(?:CHANGELOG|RELEASES)\.md$/);
    assert.match(host.publishing.text('CHANGELOG.md') ?? '', /^# Changelog\n\n## v2\.0\.0 \(\d{4}-\d\d-\d\d\)\n\n### /);
    const testKey = service.tidings('keys', 'create', '--org', 'acme', '--name', 't', '--test', '--quiet').trim();
    for (const real of [released, ...files]) {
      const body = { draftId: draft.id, channel: real.channel };
      const mock = await service.api('POST', '/api/publish', body, testKey);
      assert.equal(mock.body.url, real.url, 'test mode gives the same address (spec 4)');
    }
    await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd: '- Edited, fixes #1, @ada\n' });
    for (const channel of ['scm_releases', 'changelog', 'releases_md'])
      assert.equal((await publish(channel)).status, 'completed');
    const edited = '- Edited, refs #1, @<!-- -->ada\n';
    assert.deepEqual([host.publishing.releases.length, release?.body], [1, edited]);
    assert.equal(host.publishing.text('CHANGELOG.md')?.split('## v2.0.0').length, 2);
    assert.ok(host.publishing.text('RELEASES.md')?.endsWith(edited));
    assert.equal(host.publishing.commits.length, 4);
  });
}

test('a release that cannot be published reports the reason', async (t) => {
  const { host, service, draft, publish } = await start(t, 'github');
  host.history.tags.splice(0);
  const gone = await publish('scm_releases');
  assert.deepEqual([gone.status, gone.outcomeUnknown], ['failed', false]);
  assert.match(gone.error, /no tag v2\.0\.0/);
  const preview = await service.api('POST', '/api/publish/preview', { draftId: draft.id, channel: 'changelog' });
  assert.deepEqual(
    [preview.body.payload.path, preview.body.payload.branch, preview.body.payload.version],
    ['CHANGELOG.md', 'main', 'v2.0.0'],
  );
});

test('published notes are shown on pages to the readers in the settings', async (t) => {
  const service = await startService(t, { env: small });
  const repoId = await deliverRocket(service);
  const range = (await createTagRange(service, repoId)).body;
  const draft = await generateDraft(service, range.id, 'customer');
  const publish = () => toEnd(service, service.api('POST', '/api/publish', { draftId: draft.id, channel: 'hosted' }));
  const published = (await publish()).body;
  assert.equal(published.url, `${service.url}/notes/acme/rocket/v1.1.0`);
  const page = await fetch(published.url);
  const html = await page.text();
  assert.equal(page.status, 200);
  assert.match(html, /<h1>v1\.1\.0<\/h1>/);
  assert.match(html, /<li>Faster start<\/li>/);
  assert.doesNotMatch(html, /rn:pr|&lt;!--/);

  await t.test('an entry that an editor removed is on no page, list or feed', async () => {
    const { bodyMd } = (await service.api('GET', `/api/drafts/${draft.id}`)).body;
    const others = bodyMd.split('\n').filter((line: string) => !/fuel/i.test(line));
    const edited = { bodyMd: `Only this is left.\n\n${others.join('\n')}` };
    assert.equal((await service.api('PATCH', `/api/drafts/${draft.id}`, edited)).status, 200);
    const { flags } = (await service.api('GET', `/api/drafts/${draft.id}`)).body;
    assert.match(JSON.stringify(flags), /New fuel format/, 'the flags still contain it');
    await publish();
    for (const path of ['', 'v1.1.0', 'atom.xml', 'feed.json']) {
      const shown = await text(service, path);
      assert.match(shown, /Only this is left\./, path);
      assert.doesNotMatch(shown, /fuel/i, path);
    }
  });

  await t.test('an edited draft replaces the page', async () => {
    await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd: '# Big\n\n<script>alert(1)</script>\n' });
    assert.equal((await publish()).body.url, published.url);
    const text = await (await fetch(published.url)).text();
    assert.match(text, /<h2 id="big">Big<\/h2>.*\s*<p>&lt;script&gt;alert\(1\)&lt;\/script&gt;<\/p>/);
    assert.equal((await text).match(/<h1/g)?.length, 1);
  });

  await t.test('the settings of the channel decide who may read', async () => {
    const put = (settings: object) => service.api('PUT', `/api/channels/hosted?repoId=${repoId}`, { settings });
    const statusOf = async (url: string) => (await fetch(url)).status;
    await put({ visibility: 'off' });
    assert.equal(await statusOf(published.url), 404);
    await put({ visibility: 'unlisted', key });
    assert.deepEqual([await statusOf(published.url), await statusOf(`${published.url}?key=${key}`)], [404, 200]);
    await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd: 'Unlisted.\n' });
    assert.equal((await publish()).body.url, `${published.url}?key=${key}`);
    assert.equal((await put({ visibility: 'unlisted', key: 'short' })).status, 400);
    await put({ visibility: 'public' });
    assert.equal(await statusOf(published.url), 200);
  });

  await t.test('the settings of the channel decide how pages look, and who may show them in a frame', async () => {
    const put = (settings: object) => service.api('PUT', `/api/channels/hosted?repoId=${repoId}`, { settings });
    const logo = dataUri('png', png({ before: [pngChunk('tEXt', 'Ada')] }));
    const { status, body } = await put({ accent: '#e4007f', logo, embedIn: ['https://docs.example.com'] });
    assert.deepEqual([status, body.settings.logo], [200, dataUri('png', png())]);
    assert.match(await text(service, 'v1.1.0'), /accent=e4007f[\s\S]*<img class="logo"/);
    const frame = await fetch(`${service.url}/notes/acme/rocket/embed`);
    assert.match(frame.headers.get('content-security-policy') ?? '', /frame-ancestors https:\/\/docs\.example\.com$/);
    await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd: '## New\n\n- Framed\n' });
    assert.equal((await publish()).body.status, 'completed');
    assert.match(await text(service, 'embed'), /<span class="mark new">New<\/span>[\s\S]*Framed/);
    const refused = await put({ accent: 'red', embedIn: ['https://docs.example.com/path'], logo: 'logo.png' });
    assert.equal(refused.status, 400);
    assert.deepEqual(Object.keys(refused.body.details).sort(), ['accent', 'embedIn.0', 'logo']);
    await put({ visibility: 'unlisted', key, embedIn: ['*'] });
    assert.equal((await fetch(`${service.url}/notes/acme/rocket/embed?key=${key}`)).status, 404);
  });

  await t.test('nothing is published while the pages are off', async () => {
    await service.api('PUT', `/api/channels/hosted?repoId=${repoId}`, { settings: { visibility: 'off' } });
    await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd: 'Off.\n' });
    const { status, body } = await publish();
    assert.equal(status, 409);
    assert.match(body.message, /^The pages of this repository are off, .* Set visibility to public or unlisted/);
    await service.api('DELETE', `/api/channels/hosted?repoId=${repoId}`);
    assert.match(await text(service, ''), /v1\.1\.0/);
  });

  await t.test('deleting the publication removes its page and its entries (spec 8)', async () => {
    const { publications } = (await service.api('GET', `/api/publications?draftId=${draft.id}`)).body;
    for (const { id } of publications)
      assert.equal((await service.api('DELETE', `/api/publications/${id}`)).status, 200);
    assert.equal((await fetch(published.url)).status, 404);
    for (const path of ['', 'atom.xml', 'feed.json']) assert.doesNotMatch(await text(service, path), /v1\.1\.0/);
  });
});

test('each persona has its own page, and the internal one is found by its address only', async (t) => {
  const service = await startService(t, { env: small });
  const repoId = await deliverRocket(service);
  const range = (await createTagRange(service, repoId)).body;
  const home = `${service.url}/notes/acme/rocket/`;
  const publish = async (persona: string, bodyMd: string) => {
    const { id: draftId } = await generateDraft(service, range.id, persona);
    assert.equal((await service.api('PATCH', `/api/drafts/${draftId}`, { bodyMd })).status, 200);
    const preview = await service.api('POST', '/api/publish/preview', { draftId, channel: 'hosted' });
    const { body } = await toEnd(service, service.api('POST', '/api/publish', { draftId, channel: 'hosted' }));
    assert.equal(body.status, 'completed', JSON.stringify(body));
    assert.equal(preview.body.payload.url, body.url);
    return body;
  };
  const everywhere = async () =>
    (await Promise.all(['', 'v1.1.0', 'atom.xml', 'feed.json'].map((path) => text(service, path)))).join();
  const customer = await publish('customer', 'For customers.\n');
  const engineer = await publish('engineer', 'For engineers.\n');
  const internal = await publish('internal', 'Among us.\n');
  assert.deepEqual([customer.url, engineer.url], [`${home}v1.1.0`, `${home}v1.1.0/engineer`]);
  assert.match(internal.url.slice(home.length), /^v1\.1\.0\/internal\/[\w-]{22}$/);
  for (const [{ url }, words] of [
    [customer, /For customers\./],
    [engineer, /For engineers\./],
    [internal, /Among us\./],
  ] as const)
    assert.match(await (await fetch(url)).text(), words);
  assert.doesNotMatch(await everywhere(), /Among us|internal/);
  assert.equal((await fetch(internal.url)).headers.get('x-robots-tag'), 'noindex');

  await t.test('mails link to the page of their persona', async () => {
    for (const { draftId, url } of [customer, engineer, internal]) {
      const { body } = await service.api('POST', '/api/publish/preview', { draftId, channel: 'email' });
      assert.equal(/On the web: (\S+)\n$/.exec(body.payload.text)?.[1], url);
    }
  });

  await t.test('a later revision of an internal draft keeps its address', async () => {
    const again = await publish('internal', 'Still among us.\n');
    assert.deepEqual([again.url, again.id !== internal.id], [internal.url, true]);
    assert.match(await (await fetch(internal.url)).text(), /Still among us\./);
  });

  await t.test('the reply to a deletion reports whether the page stays (spec 8)', async () => {
    const { publications } = (await service.api('GET', `/api/publications?draftId=${internal.draftId}`)).body;
    const newest = publications.find(({ id }: { id: string }) => id !== internal.id);
    const first = await service.api('DELETE', `/api/publications/${internal.id}`);
    assert.equal(
      first.body.message,
      `The page was not removed, because it now shows publication ${newest.id}. Delete that publication to remove the page.`,
    );
    assert.equal((await fetch(internal.url)).status, 200);
    assert.equal(
      (await service.api('DELETE', `/api/publications/${newest.id}`)).body.message,
      'The page of the publication was removed.',
    );
    assert.equal((await fetch(internal.url)).status, 404);
    assert.equal((await fetch(customer.url)).status, 200);
    await service.api('PUT', `/api/channels/hosted?repoId=${repoId}`, { settings: { visibility: 'off' } });
    const off = await service.api('POST', '/api/publish', { draftId: internal.draftId, channel: 'hosted' });
    assert.deepEqual([off.status, /are off/.test(off.body.message)], [409, true], off.body.message);
  });
});

async function text(service: TestService, path: string): Promise<string> {
  return (await fetch(`${service.url}/notes/acme/rocket/${path}`)).text();
}
