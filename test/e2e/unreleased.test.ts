/**
 * Tests notes before the tag: what is not released yet, the range that follows the branch, its drafts, and their
 * hand-over to the tag that arrives.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pullPayload, pushPayload, shaOf, tagPayload } from '../helpers/payloads.ts';
import { deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

interface Listed {
  number?: number;
  sha?: string;
}

/** Delivers a merged pull request and the push of its commit to main. */
async function merge(service: TestService, number: number, fields: Record<string, unknown> = {}): Promise<void> {
  await service.deliver('pull_request', pullPayload(number, fields));
  await service.deliver('push', pushPayload([number], shaOf(number - 1)));
}

test('notes are ready before the tag', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const path = `/api/repos/${repoId}/unreleased`;
  const unreleased = async () => (await service.api('GET', path)).body;
  const after = (pulls: number) =>
    waitUntil(`${pulls} pull requests are unreleased`, async () => {
      const body = await unreleased();
      return body.counts.pulls === pulls && body;
    });
  let rangeId = '';

  await t.test('nothing is unreleased at the newest tag', async () => {
    const body = await unreleased();
    assert.deepEqual([body.since.tag, body.branch, body.head], ['v1.1.0', 'main', shaOf(4)]);
    assert.deepEqual(body.counts, { pulls: 0, issues: 0, commits: 0 });
    assert.deepEqual(body.suggestedVersion, { version: null, bump: 'none', because: [] });
    rangeId = body.rangeId;
  });

  await t.test('merged pull requests are listed, with a version for the next release', async () => {
    await merge(service, 9, { title: 'Add a landing leg', labels: [{ name: 'type: feature' }] });
    const body = await after(1);
    assert.deepEqual(
      body.changes.map(({ number, included }: { number: number; included: boolean }) => [number, included]),
      [[9, true]],
    );
    assert.deepEqual(body.suggestedVersion, {
      version: 'v1.2.0',
      bump: 'minor',
      because: [{ number: 9, kind: 'feature' }],
    });
    assert.equal(body.compareUrl, 'https://github.com/acme/rocket/compare/v1.1.0...main');
    assert.equal(body.rangeId, rangeId);
  });

  await t.test('the range follows the branch, and a second request gets the same range', async () => {
    await waitUntil('the range is counted', async () => {
      const { body } = await service.api('GET', `/api/ranges/${rangeId}`);
      return body.prCount === 1 && body.head === shaOf(9) && body.fromTag === 'v1.1.0' && body.toTag === null;
    });
    const again = await service.api('POST', '/api/ranges', { type: 'UNRELEASED', repoId, branch: 'main' });
    assert.deepEqual([again.status, again.body.id], [200, rangeId]);
    const { ranges } = (await service.api('GET', `/api/ranges?repoId=${repoId}`)).body;
    assert.deepEqual(
      ranges.map(({ id }: { id: string }) => id),
      [rangeId],
    );
  });

  await t.test('a key that may only read gets no new range', async () => {
    const key = service.tidings(
      'keys',
      'create',
      '--org',
      'acme',
      '--name',
      'reader',
      '--scopes',
      'ranges:read',
      '--quiet',
    );
    const { body } = await service.api('GET', `${path}?tagPattern=v1.*`, undefined, key.trim());
    assert.deepEqual([body.rangeId, body.counts.pulls], [null, 1]);
    const known = await service.api('GET', path, undefined, key.trim());
    assert.equal(known.body.rangeId, rangeId);
  });

  await t.test('a preview writes nothing', async () => {
    const preview = await service.api('POST', '/api/ranges/preview', {
      type: 'FIRST_RELEASE',
      repoId,
      toTag: 'v1.0.0',
    });
    assert.equal(preview.status, 200);
    const { type, fromTag, toTag, prCount, changes, resolution } = preview.body;
    assert.deepEqual([type, fromTag, toTag, prCount, resolution], ['FIRST_RELEASE', null, 'v1.0.0', 1, 'window']);
    assert.deepEqual(
      changes.map(({ number }: Listed) => number),
      [1],
    );
    assert.equal((await service.api('GET', `/api/ranges?repoId=${repoId}`)).body.total, 1);
  });

  await t.test('unknown tags, branches and fields are refused by name', async () => {
    const refused = async (body: object) =>
      (await service.api('POST', '/api/ranges', { repoId, ...body })).body.details;
    assert.match((await refused({ type: 'UNRELEASED', branch: 'nowhere' })).branch, /a branch of acme\/rocket/);
    assert.match((await refused({ type: 'FIRST_RELEASE', toTag: 'v9' })).toTag, /a tag of acme\/rocket/);
    assert.match((await refused({ type: 'UNRELEASED', fromTag: 'v1.0.0' })).fromTag, /./);
    const { status, body } = await service.api('GET', `${path}?branch=nowhere`);
    assert.deepEqual([status, Object.keys(body.details)], [400, ['branch']]);
  });

  await t.test('a draft without a version is not published where versions have a place', async () => {
    const draft = await generateDraft(service, rangeId, 'customer');
    assert.match(draft.bodyMd, /landing leg/);
    for (const channel of ['hosted', 'changelog', 'scm_releases']) {
      const { status, body } = await service.api('POST', '/api/publish', { draftId: draft.id, channel });
      assert.equal(status, 409, channel);
      assert.match(body.message, /no version yet/);
    }
  });

  await t.test('the tag takes the range and its drafts over, with the words of a person', async () => {
    const draft = await generateDraft(service, rangeId);
    assert.match(draft.bodyMd, /v1\.1\.0\.\.\.main/);
    const bodyMd = draft.bodyMd.replace('landing leg', 'landing leg of titanium');
    assert.equal((await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd })).status, 200);
    const listed = (await unreleased()).changes.map(({ number }: Listed) => number);
    await service.deliver('push', tagPayload('v1.2.0', 9));
    const range = await waitUntil('the range has its tag', async () => {
      const { body } = await service.api('GET', `/api/ranges/${rangeId}`);
      return body.type === 'TAG_BASED' && body;
    });
    assert.deepEqual([range.fromTag, range.toTag, range.head, range.prCount], ['v1.1.0', 'v1.2.0', undefined, 1]);
    const { changes } = (await service.api('GET', `/api/ranges/${rangeId}/changes`)).body;
    assert.deepEqual(
      changes.map(({ number }: Listed) => number),
      listed,
    );
    const moved = await waitUntil('the draft belongs to the tag', async () => {
      const { body } = await service.api('GET', `/api/drafts/${draft.id}`);
      return body.status === 'ready' && body.bodyMd.includes('v1.1.0...v1.2.0') && body;
    });
    assert.match(moved.bodyMd, /landing leg of titanium/);
    const next = await unreleased();
    assert.deepEqual([next.since.tag, next.counts.pulls], ['v1.2.0', 0]);
    assert.notEqual(next.rangeId, rangeId);
  });
});
