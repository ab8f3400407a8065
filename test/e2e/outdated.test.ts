/**
 * Tests over HTTP that a draft is outdated within ten seconds of a change that alters its text, with the reason, and that
 * publishing it warns.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pullPayload, repositoryPayload, shaOf, tagPayload, timeOf } from '../helpers/payloads.ts';
import { createTagRange, deliverRocket, generateDraft, publicationEnded, toEnd } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const withinMs = 10_000;

test('a draft is outdated within ten seconds of a change that alters its text', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const tagged = await generateDraft(service, (await createTagRange(service, repoId)).body.id);
  const numbers = { repoId, type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 20 };
  const rangeId = (await service.api('POST', '/api/ranges', numbers)).body.id;
  const made = await generateDraft(service, rangeId);
  assert.deepEqual([made.outdated, made.outdatedBecause], [false, []]);
  const path = `/api/drafts/${made.id}`;
  const settingsPath = `/api/repos/${repoId}/settings`;
  const etagOf = async (): Promise<string> => (await service.api('GET', path)).headers.get('etag') ?? '';
  const first = await etagOf();
  const label = (name: string) => [{ name }];

  const request = (method: string, headers: object, body?: object): Promise<Response> =>
    fetch(service.url + path, {
      method,
      headers: { authorization: `Bearer ${service.adminKey}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });

  /** Waits until a draft lists a reason. */
  const because = async (id: string, reason: object): Promise<void> => {
    const begun = performance.now();
    const wanted = JSON.stringify(reason);
    await waitUntil(`${wanted} is a reason`, async () => {
      const { outdated, outdatedBecause } = (await service.api('GET', `/api/drafts/${id}`)).body;
      return outdated && outdatedBecause.some((each: object) => JSON.stringify(each) === wanted);
    });
    const ms = performance.now() - begun;
    assert.ok(ms < withinMs, `${wanted} took ${ms} ms`);
  };

  await t.test('a moved tag does, and an edit that alters no text does not', async () => {
    const fields = { title: 'No more leaks', body: 'Fixes #5\n\nTested by hand.', labels: label('type: bug') };
    const edited = pullPayload(3, { ...fields, updated_at: timeOf(30) }, {}, 'edited');
    await service.deliver('pull_request', edited);
    const repository = repositoryPayload({ pushed_at: Date.parse(timeOf(30)) / 1000 });
    await service.deliver('push', { ...tagPayload('v1.1.0', 3), before: shaOf(4), forced: true, repository });
    await because(tagged.id, { sha: shaOf(3), what: 'tag' });
    await because(tagged.id, { number: 4, what: 'removed' });
    const { outdated, outdatedBecause } = (await service.api('GET', path)).body;
    assert.deepEqual([outdated, outdatedBecause, await etagOf()], [false, [], first]);
  });

  await t.test('a late merge does', async () => {
    await service.deliver('pull_request', pullPayload(9, { title: 'A late one' }));
    await because(made.id, { number: 9, what: 'merged' });
  });

  await t.test('an edit with the ETag of the unchanged text is accepted', async () => {
    const outdated = await etagOf();
    assert.notEqual(outdated, first);
    for (const etag of [first, outdated]) {
      const { status } = await request('PATCH', { 'if-match': etag }, { bodyMd: made.bodyMd });
      assert.equal(status, 200, etag);
    }
    const known = await Promise.all([first, outdated].map((etag) => request('GET', { 'if-none-match': etag })));
    assert.deepEqual(
      known.map(({ status }) => status),
      [200, 304],
    );
  });

  await t.test('a label, a new title, a revert and new settings do', async () => {
    const later = { updated_at: timeOf(31) };
    await service.deliver(
      'pull_request',
      pullPayload(1, { title: 'First light', ...later, labels: label('type: bug') }),
    );
    await because(made.id, { number: 1, what: 'label' });
    const breaking = { labels: label('type: breaking') };
    await service.deliver('pull_request', pullPayload(4, { title: 'A better fuel format', ...later, ...breaking }));
    await because(made.id, { number: 4, what: 'edited' });
    await service.deliver('pull_request', pullPayload(10, { title: 'Revert "Faster start"', body: 'Reverts #2' }));
    await because(made.id, { number: 2, what: 'reverted' });
    assert.equal((await service.api('PUT', settingsPath, { titles: { fix: 'Mended' } })).status, 200);
    await because(made.id, { what: 'settings' });
  });

  await t.test('the list selects outdated drafts', async () => {
    const total = async (query: string) =>
      (await service.api('GET', `/api/drafts?releaseRangeId=${rangeId}${query}`)).body.total;
    assert.deepEqual([await total('&outdated=true'), await total('&outdated=false'), await total('')], [1, 0, 1]);
    assert.equal((await service.api('GET', `/api/drafts?releaseRangeId=${rangeId}&outdated=maybe`)).status, 400);
    const inRepository = async (query: string) => {
      const { body } = await service.api('GET', `/api/drafts?repoId=${repoId}${query}`);
      return [body.drafts.map(({ id }: { id: string }) => id), body.total, body.nextCursor];
    };
    assert.deepEqual(await inRepository('&outdated=true'), [[made.id, tagged.id], 2, null]);
    assert.deepEqual(await inRepository('&outdated=true&sort=createdAt'), [[tagged.id, made.id], 2, null]);
    assert.deepEqual(await inRepository('&outdated=false'), [[], 0, null]);
    assert.deepEqual(await inRepository(`&releaseRangeId=${rangeId}`), [[made.id], 1, null]);
    const everywhere = (await service.api('GET', '/api/drafts?outdated=true')).body;
    assert.deepEqual([everywhere.total, everywhere.nextCursor], [2, null]);
    const short = (await service.api('GET', '/api/drafts?status=ready&view=summary')).body;
    assert.deepEqual([short.total, short.drafts.some((each: object) => 'bodyMd' in each)], [2, false]);
    const listed = service.tidings('drafts', 'acme/rocket', '--outdated');
    assert.deepEqual(
      listed.split('\n').map((line) => line.split('  ')[0]),
      [made.id, tagged.id, ''],
    );
    assert.match(listed, /ready {2}revision \d+ {2}outdated$/m);
  });

  await t.test('publishing an outdated draft warns, and strict publishing is refused', async () => {
    const publish = (body: object = {}) =>
      service.api('POST', '/api/publish', { draftId: made.id, channel: 'hosted', ...body });
    const { outdatedBecause } = (await service.api('GET', path)).body;
    const warning = { kind: 'outdated', because: outdatedBecause };
    const preview = await service.api('POST', '/api/publish/preview', { draftId: made.id, channel: 'hosted' });
    assert.deepEqual(preview.body.warnings, [warning]);
    const refused = await publish({ strict: true });
    assert.equal(refused.status, 409);
    assert.match(refused.body.message, /is outdated: outdated \(.*\)\. Generate it again, or publish without `strict`/);
    assert.match(refused.body.details.outdated, /settings/);
    const { body } = await toEnd(service, publish());
    assert.deepEqual([body.status, body.warnings, body.outdated], ['completed', [warning], true]);
    assert.deepEqual(body.outdatedBecause, outdatedBecause);
    const again = await generateDraft(service, rangeId);
    assert.deepEqual([again.outdated, again.outdatedBecause], [false, []]);
    const published = await publicationEnded(service, body.id);
    assert.deepEqual([published.outdated, published.outdatedBecause], [true, [{ what: 'generated' }]]);
    const { publications } = (await service.api('GET', `/api/publications?draftId=${made.id}`)).body;
    assert.equal(publications[0].outdated, true);
    assert.deepEqual((await toEnd(service, publish())).body.outdated, false);
  });
});
