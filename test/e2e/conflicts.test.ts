/**
 * Tests conflicts over HTTP: a person rewords an entry, its change is left out later, and the draft is generated again.
 * The draft lists the conflict, publishing warns about it, and strict publishing is refused.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pullPayload, pushPayload, shaOf, tagPayload } from '../helpers/payloads.ts';
import { createTagRange, deliverRocket, generateDraft, publicationEnded, toEnd } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

test('words about a change that is gone are reported until they are resolved', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const range = (await createTagRange(service, repoId)).body;
  const settingsPath = `/api/repos/${repoId}/settings`;
  const made = await generateDraft(service, range.id);
  assert.deepEqual(made.conflicts, []);
  const path = `/api/drafts/${made.id}`;
  const words = made.bodyMd.replace('No more leaks', 'The tank is tight now');
  const edited = await service.api('PATCH', path, { bodyMd: words });
  assert.deepEqual([edited.status, edited.body.conflicts], [200, []]);
  const publish = (body: object = {}) =>
    service.api('POST', '/api/publish', { draftId: made.id, channel: 'hosted', ...body });
  const shown = {
    id: 'pr:3',
    number: 3,
    sha: null,
    text: 'The tank is tight now (#3) (fixes #5) — @ada',
    reason: 'label',
    detail: 'no - -> changelog',
  };

  await t.test('a label that leaves the change out makes a conflict', async () => {
    const labels = { 'no --> changelog': { skip: true } };
    assert.equal((await service.api('PUT', settingsPath, { labels })).status, 200);
    const updated_at = '2026-01-20T00:00:00Z';
    const label = { labels: [{ name: 'no --> changelog' }], title: 'No more leaks', body: 'Fixes #5', updated_at };
    await service.deliver('pull_request', pullPayload(3, label, {}, 'labeled'));
    await waitUntil('the label is captured', async () => {
      const { changes } = (await service.api('GET', `/api/ranges/${range.id}/changes`)).body;
      return changes.some(
        ({ number, reason }: { number: number; reason: string }) => number === 3 && reason === 'label',
      );
    });
    const { bodyMd, conflicts } = await generateDraft(service, range.id);
    assert.deepEqual(conflicts, [shown]);
    assert.match(
      bodyMd,
      /The tank is tight now .*<!-- rn:pr:3 -->\n {2}<!-- rn:gone pr:3 left out by the label no - -> changelog -->\n/,
    );
    assert.equal((await generateDraft(service, range.id)).bodyMd, bodyMd);
    const { drafts } = (await service.api('GET', `/api/drafts?releaseRangeId=${range.id}`)).body;
    assert.deepEqual(drafts[0].conflicts, [shown]);
  });

  await t.test('strict publishing returns a 409 that names the conflict, and stores nothing', async () => {
    const { status, body } = await publish({ strict: true });
    assert.equal(status, 409);
    assert.match(body.message, /has 1 conflict: #3 left out by the label no - -> changelog\. /);
    assert.deepEqual(body.details, { 'pr:3': '#3 left out by the label no - -> changelog' });
    await service.api('PUT', settingsPath, { strictPublishing: true, labels: { 'no --> changelog': { skip: true } } });
    assert.equal((await service.api('GET', settingsPath)).body.strictPublishing, true);
    assert.equal((await publish()).status, 409);
    assert.equal((await publish({ strict: 'yes' })).body.details.strict, 'expected true or false, got "yes"');
    assert.equal((await service.api('GET', `/api/publications?draftId=${made.id}`)).body.total, 0);
    const ran = await service.run('publish', made.id, '--channel', 'hosted', '--strict');
    assert.deepEqual([ran.code, /has 1 conflict/.test(ran.output)], [4, true]);
    await service.api('PUT', settingsPath, { labels: { 'no --> changelog': { skip: true } } });
  });

  await t.test('publishing and its preview warn', async () => {
    const warnings = [{ kind: 'conflict', ...shown }];
    const preview = (await service.api('POST', '/api/publish/preview', { draftId: made.id, channel: 'hosted' })).body;
    assert.deepEqual(preview.warnings, warnings);
    assert.doesNotMatch(JSON.stringify(preview.payload), /rn:gone/);
    const { status, body } = await toEnd(service, publish());
    assert.deepEqual([status, body.status, body.warnings], [201, 'completed', warnings]);
    assert.deepEqual((await service.api('GET', `/api/publications/${body.id}`)).body.warnings, warnings);
    const page = await (await fetch(body.url)).text();
    assert.match(page, /The tank is tight now/);
    assert.doesNotMatch(page, /rn:|changelog/);
    const ran = await service.run('publish', made.id, '--channel', 'hosted');
    assert.match(ran.output, /\nWarning: #3 left out by the label no - -> changelog: The tank is tight now/);
    await service.api('PUT', settingsPath, { strictPublishing: true, labels: { 'no --> changelog': { skip: true } } });
    const resent = await service.api('POST', `/api/publications/${body.id}/resend`, {});
    assert.equal(resent.status, 201, 'a publication that exists is not checked again');
    await publicationEnded(service, body.id);
  });

  await t.test('an edit resolves the conflict, and a restored revision brings it back', async () => {
    const { bodyMd, revision } = (await service.api('GET', path)).body;
    const without = bodyMd.replace(/.*rn:gone.*\n/, '');
    assert.deepEqual((await service.api('PATCH', path, { bodyMd: without })).body.conflicts, []);
    assert.deepEqual((await service.api('GET', path)).body.conflicts, []);
    const restored = await service.api('POST', `${path}/restore`, { revision });
    assert.deepEqual([restored.status, restored.body.conflicts], [200, [shown]]);
    const removed = bodyMd.replace(/.*The tank is tight now.*\n/, '');
    assert.deepEqual((await service.api('PATCH', path, { bodyMd: removed })).body.conflicts, []);
    const published = await toEnd(service, publish({ strict: true }));
    assert.deepEqual([published.status, published.body.warnings], [201, []]);
  });

  await t.test('a revert in a later range names its pull request, and the change can come back', async () => {
    await service.api('PUT', settingsPath, {});
    await service.deliver(
      'pull_request',
      pullPayload(6, { title: 'Wider wings', labels: [{ name: 'type: feature' }] }),
    );
    await service.deliver('push', pushPayload([6], shaOf(4)));
    await service.deliver('push', tagPayload('v1.2.0', 6));
    const create = { repoId, type: 'TAG_BASED', fromTag: 'v1.1.0', toTag: 'v1.2.0' };
    const later = await waitUntil('the range can be made', async () => {
      const { status, body } = await service.api('POST', '/api/ranges', create);
      return status === 201 && body;
    });
    const draft = await generateDraft(service, later.id, 'customer');
    await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd: draft.bodyMd.replace('Wider wings', 'Big wings') });
    await service.deliver('pull_request', pullPayload(7, { title: 'Revert "Wider wings"', body: 'Reverts #6' }));
    await service.deliver('push', pushPayload([7], shaOf(6)));
    await service.deliver('push', { ...tagPayload('v1.2.0', 7), before: shaOf(6), created: false, forced: true });
    const gone = await waitUntil('the draft has a conflict', async () => {
      const next = await generateDraft(service, later.id, 'customer');
      return next.conflicts.length === 1 && next;
    });
    assert.deepEqual(
      [gone.conflicts[0].id, gone.conflicts[0].text, gone.conflicts[0].reason, gone.conflicts[0].detail],
      ['pr:6', 'Big wings', 'reverted', '#7'],
    );
    await service.deliver(
      'pull_request',
      pullPayload(8, { title: 'Revert "Revert "Wider wings""', body: 'Reverts #7' }),
    );
    await service.deliver('push', pushPayload([8], shaOf(7)));
    await service.deliver('push', { ...tagPayload('v1.2.0', 8), before: shaOf(7), created: false, forced: true });
    const back = await waitUntil('the conflict is gone', async () => {
      const next = await generateDraft(service, later.id, 'customer');
      return next.conflicts.length === 0 && next;
    });
    assert.equal(back.bodyMd.split('rn:pr:6').length, 2, back.bodyMd);
    assert.match(back.bodyMd, /Big wings <!-- rn:pr:6 -->/);
  });
});
