/**
 * Tests two organizations that share one render thread. If one organization has many hostile tasks, a task of the other
 * organization waits for at most one of them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsIn } from '../helpers/log.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { noLimits, startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const env = { ...noLimits, TIDINGS_PARTITIONS: '1', TIDINGS_WORKERS: '1', TIDINGS_RENDER_THREADS: '1' };
const asked = 12;
/**
 * Two hostile drafts: a run of blanks that once slowed a regular expression, and a text with as much emphasis as
 * possible.
 */
const hostile = [`a${' '.repeat(49_152)}b`, '*a _b_* '.repeat(5_000)];

test('a preview waits for one task of another organization, not for all its tasks', async (t) => {
  const service = await startService(t, { env });
  const rocket = await deliverRocket(service);
  const range = (await createTagRange(service, rocket)).body;
  const attacking: string[] = [];
  for (const [index, persona] of ['customer', 'engineer'].entries()) {
    const { id } = await generateDraft(service, range.id, persona);
    assert.equal((await service.api('PATCH', `/api/drafts/${id}`, { bodyMd: hostile[index] })).status, 200);
    attacking.push(id);
  }
  const lab = { id: 2002, full_name: 'umbrella/lab', owner: { login: 'umbrella', id: 88 } };
  await service.deliver('pull_request', pullPayload(1, {}, lab));
  const repoId: string = await waitUntil('the other repository is listed', async () => {
    const { repos } = (await service.api('GET', '/api/repos')).body;
    return repos.find((repo: { fullName: string }) => repo.fullName === 'umbrella/lab')?.id;
  });
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 };
  const other = await generateDraft(service, (await service.api('POST', '/api/ranges', { repoId, ...bounds })).body.id);
  const preview = (draftId: string, channel: string) =>
    service.api('POST', '/api/publish/preview', { draftId, channel });

  let answered = 0;
  const attack = Array.from({ length: asked }, async (_, index) => {
    const { status } = await preview(attacking[index % 2] as string, index % 2 === 0 ? 'scm_releases' : 'hosted');
    answered += 1;
    return status;
  });
  const { status } = await preview(other.id, 'hosted');
  assert.equal(status, 200);
  assert.ok(answered <= asked / 2, `${answered} of ${asked} previews of the other organization were answered before`);
  // On a busy machine, the last previews can wait longer than the timeout of a preview and get a 500.
  assert.ok((await Promise.all(attack)).includes(200));
  assert.deepEqual(faultsIn(service.log), []);
});
