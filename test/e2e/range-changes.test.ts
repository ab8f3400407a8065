/**
 * Tests ranges over HTTP. A range reports the reason why each change is included or left out. New settings of the
 * repository change the range and its drafts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsIn } from '../helpers/log.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

interface Change {
  kind: string;
  number: number;
  included: boolean;
  reason: string;
  detail?: string;
  section?: string;
  method: string;
  title: string;
}

test('a range reports the reasons for its changes', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const rangeId = (await createTagRange(service, repoId)).body.id;
  const path = `/api/ranges/${rangeId}/changes`;
  const changes = async (query = '') => (await service.api('GET', path + query)).body.changes as Change[];
  const summaries = (all: Change[]) => all.map(({ kind, number, reason }) => `${kind} ${number} ${reason}`);

  await t.test('all examined changes are listed with their reason', async () => {
    const { status, body } = await service.api('GET', path);
    assert.equal(status, 200);
    assert.deepEqual([body.total, body.hasMore, body.nextOffset], [4, false, null]);
    assert.deepEqual(summaries(body.changes), ['pull 2 listed', 'pull 3 listed', 'pull 4 listed', 'issue 5 linked']);
    const [feature, , , issue] = body.changes as Change[];
    assert.deepEqual(feature, {
      kind: 'pull',
      number: 2,
      title: 'Faster start',
      included: true,
      reason: 'listed',
      section: 'feature',
      kindBy: 'label',
      method: 'mergeCommit',
    });
    assert.deepEqual([issue?.method, issue?.detail], ['link', '#3']);
  });

  await t.test('the reply counts unlabeled changes', async () => {
    const { body } = await service.api('GET', `${path}?limit=1&included=false`);
    assert.deepEqual(body.diagnostics, {
      ...{ changes: 3, dependencyUpdates: 0, unlabelled: 0, unlabelledRate: 0, withoutArea: 3 },
      ...{ undecided: 0, mayBreak: 0 },
    });
  });

  await t.test('the list has pages', async () => {
    const { body } = await service.api('GET', `${path}?limit=3`);
    assert.deepEqual([summaries(body.changes).length, body.total, body.hasMore, body.nextOffset], [3, 4, true, 3]);
    assert.deepEqual(summaries(await changes('?limit=3&offset=3')), ['issue 5 linked']);
    assert.deepEqual(await changes('?offset=1000'), []);
  });

  await t.test('settings exclude changes, and the list gives the reason', async () => {
    const settings = { labels: { 'type: feature': { skip: true } }, titles: { fix: 'Mended' } };
    assert.equal((await service.api('PUT', `/api/repos/${repoId}/settings`, settings)).status, 200);
    const out = await changes('?included=false');
    assert.deepEqual(summaries(out), ['pull 2 label']);
    assert.deepEqual(summaries(await changes('?included=true')), ['pull 3 listed', 'pull 4 listed', 'issue 5 linked']);
    const draft = await generateDraft(service, rangeId);
    assert.match(draft.bodyMd, /^## Mended$/m);
    assert.doesNotMatch(draft.bodyMd, /Faster start/);
    await service.api('PUT', `/api/repos/${repoId}/settings`, {});
    const again = await generateDraft(service, rangeId);
    assert.match(again.bodyMd, /Faster start/);
    assert.doesNotMatch(again.bodyMd, /Mended/);
  });

  await t.test('the list follows later deliveries', async () => {
    const title = 'Revert "Faster start"';
    const body = `This reverts commit ${'a'.repeat(40)}.`;
    await service.deliver('pull_request', pullPayload(6, { title, body, merged: false, merged_at: null }));
    const range = { repoId, type: 'PR_BASED', fromPrNumber: 4, toPrNumber: 9 };
    const numbers = (await service.api('POST', '/api/ranges', range)).body.id;
    await waitUntil('the unmerged one is listed', async () => {
      const listed = (await service.api('GET', `/api/ranges/${numbers}/changes`)).body.changes as Change[];
      return (
        summaries(listed).includes('pull 6 unmerged') && listed.find(({ number }) => number === 6)?.included === false
      );
    });
  });

  await t.test('invalid requests are refused', async () => {
    const details = async (query: string) => Object.keys((await service.api('GET', path + query)).body.details);
    assert.deepEqual(await details('?limit=0&offset=-1&included=maybe'), ['limit', 'offset', 'included']);
    assert.deepEqual(await details('?sort=name'), ['sort']);
    for (const absent of ['range_x', rangeId.slice(0, -1) + (rangeId.endsWith('0') ? '1' : '0')]) {
      const { status, body } = await service.api('GET', `/api/ranges/${absent}/changes`);
      assert.deepEqual([status, body.error], [404, 'Not found']);
    }
    const other = service.tidings('keys', 'create', '--org', 'moon', '--name', 'k', '--quiet').trim();
    assert.equal((await service.api('GET', path, undefined, other)).status, 404);
  });

  await t.test('no failure was logged', () => {
    assert.deepEqual(faultsIn(service.log), []);
  });
});
