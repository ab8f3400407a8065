/**
 * Tests that later deliveries update existing ranges. Covers late changes, changes that are undone, moved tags, and a
 * renamed repository.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsIn } from '../helpers/log.ts';
import {
  issuePayload,
  pullPayload,
  pushPayload,
  repositoryPayload,
  shaOf,
  tagPayload,
  timeOf,
} from '../helpers/payloads.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

test('ranges follow later deliveries', async (t) => {
  const service = await startService(t);
  const repoId = await deliverRocket(service);
  const create = async (body: object) => (await service.api('POST', '/api/ranges', { repoId, ...body })).body.id;
  const tags = (await createTagRange(service, repoId)).body.id;
  const dates = await create({ type: 'DATE_BASED', fromDate: '2026-01-02', toDate: '2026-01-02' });
  const numbers = await create({ type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 20 });

  /**
   * Waits until the API reports `prCount` pull requests and `issueCount` issues for a range. The reply for this range
   * and the list of ranges must both contain these counts.
   */
  async function holds(rangeId: string, prCount: number, issueCount: number): Promise<void> {
    await waitUntil(`the range has ${prCount} and ${issueCount}`, async () => {
      const { body } = await service.api('GET', `/api/ranges/${rangeId}`);
      const { ranges } = (await service.api('GET', `/api/ranges?repoId=${repoId}`)).body;
      const listed = ranges.find((range: { id: string }) => range.id === rangeId);
      return [body, listed].every((range) => range.prCount === prCount && range.issueCount === issueCount);
    });
  }

  await t.test('ranges begin with the captured changes', async () => {
    await holds(tags, 3, 1);
    await holds(dates, 4, 1);
    await holds(numbers, 4, 1);
  });

  await t.test('ranges include a pull request whose commit was delivered first', async () => {
    await service.deliver('push', pushPayload([9], shaOf(4)));
    await service.deliver('push', tagPayload('v1.2.0', 9));
    await waitUntil(
      'the tag is listed',
      async () => (await service.api('GET', `/api/repos/${repoId}/tags`)).body.total === 3,
    );
    const next = await create({ type: 'TAG_BASED', fromTag: 'v1.1.0', toTag: 'v1.2.0' });
    await holds(next, 0, 0);
    await service.deliver('pull_request', pullPayload(9, { body: 'Fixes #10' }));
    await holds(next, 1, 0);
    await holds(dates, 5, 1);
    await holds(numbers, 5, 1);
    await service.deliver('issues', issuePayload(10));
    await holds(next, 1, 1);
    await holds(numbers, 5, 2);
  });

  await t.test('ranges drop an issue that is reopened or deleted', async () => {
    const later = { updated_at: timeOf(30) };
    await service.deliver('issues', issuePayload(10, { ...later, state: 'open', closed_at: null }, {}, 'reopened'));
    await holds(numbers, 5, 1);
    await service.deliver('issues', issuePayload(5, later, {}, 'deleted'));
    await holds(numbers, 5, 0);
    await holds(tags, 3, 0);
  });

  await t.test('ranges follow a tag that is moved', async () => {
    const moved = { ...tagPayload('v1.1.0', 9), before: shaOf(4), created: false, forced: true };
    await service.deliver('push', {
      ...moved,
      repository: repositoryPayload({ pushed_at: Date.parse(timeOf(31)) / 1000 }),
    });
    await holds(tags, 4, 0);
  });

  await t.test('counts stay and drafts change when a label is removed', async () => {
    const skip = { labels: [{ name: 'skip-changelog' }], updated_at: timeOf(40) };
    await service.deliver('pull_request', pullPayload(3, { body: 'Fixes #5', ...skip }, {}, 'labeled'));
    const draftWith = (text: RegExp, expected: boolean) =>
      waitUntil(`the draft ${expected ? 'has' : 'lacks'} ${text}`, async () => {
        return text.test((await generateDraft(service, tags)).bodyMd) === expected;
      });
    await draftWith(/Change 3/, false);
    await holds(tags, 4, 0);
    await service.deliver(
      'pull_request',
      pullPayload(3, { body: 'Fixes #5', labels: [], updated_at: timeOf(41) }, {}, 'unlabeled'),
    );
    await draftWith(/Change 3/, true);
    await holds(tags, 4, 0);
  });

  await t.test('the compare link has the current name of the repository', async () => {
    const before = await service.api('GET', `/api/ranges/${tags}`);
    assert.equal(before.body.compareUrl, 'https://github.com/acme/rocket/compare/v1.0.0...v1.1.0');
    const repository = repositoryPayload({ full_name: 'acme/moon', updated_at: timeOf(50) });
    await service.deliver('repository', {
      action: 'renamed',
      changes: { repository: { name: { from: 'rocket' } } },
      repository,
    });
    const url = 'https://github.com/acme/moon/compare/v1.0.0...v1.1.0';
    const after = await waitUntil('the link is the new one', async () => {
      const answer = await service.api('GET', `/api/ranges/${tags}`);
      return answer.body.compareUrl === url && answer;
    });
    assert.notEqual(after.headers.get('etag'), before.headers.get('etag'));
    const { ranges } = (await service.api('GET', `/api/ranges?repoId=${repoId}`)).body;
    assert.equal(ranges.find((range: { id: string }) => range.id === tags).compareUrl, url);
  });

  await t.test('no failure was logged', () => {
    assert.deepEqual(faultsIn(service.log), []);
  });
});
