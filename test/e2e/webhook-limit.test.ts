/**
 * Tests deliveries above the ingestion limit. Such deliveries are delayed, keep their order, and are not lost. They
 * are refused only when the delay would exceed its maximum (spec 8).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tagPayload } from '../helpers/payloads.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

async function tagNames(service: TestService): Promise<string[]> {
  const { repos } = (await service.api('GET', '/api/repos')).body;
  if (repos.length === 0) return [];
  const { tags } = (await service.api('GET', `/api/repos/${repos[0].id}/tags?limit=100&sort=name`)).body;
  return tags.map((tag: { name: string }) => tag.name);
}

/** Delivers a push of a tag. A tag with a higher number also has a later time on the host. */
function deliverTag(service: TestService, number: number) {
  return service.deliver('push', tagPayload(`t${String(number).padStart(3, '0')}`, number));
}

test('events over the limit are delayed in order (spec 8)', async (t) => {
  // One event in three seconds. Even if the test stands still for a few seconds, it sees several of them arrive.
  const rate = 20;
  const service = await startService(t, { env: { TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE: String(rate) } });
  for (let i = 1; i <= rate; i++) assert.equal((await deliverTag(service, i)).status, 202);
  await waitUntil('the burst is listed', async () => (await tagNames(service)).length === rate);

  // The limit lets further events through as time passes, and it lets more of them through on a slow machine. The test
  // therefore sends events until four of them are delayed.
  const delayed = () => service.metric('tidings_webhooks_delayed_total');
  let over = 0;
  for (; (await delayed()) < 4; over++)
    assert.equal((await deliverTag(service, rate + over + 1)).status, 202, 'delayed, not refused');
  assert.ok((await tagNames(service)).length < rate + over, 'some are still waiting');

  const seen: number[] = [];
  await waitUntil('all are listed', async () => {
    const names = await tagNames(service);
    if (names.length !== seen.at(-1)) seen.push(names.length);
    assert.deepEqual(
      names,
      names.map((_, i) => `t${String(i + 1).padStart(3, '0')}`),
      'none overtakes another',
    );
    return names.length === rate + over;
  });
  assert.ok(seen.length >= 3, `they arrived one after another: ${seen.join(' ')}`);
});

test('a delivery over the maximum delay gets 429 (spec 8)', async (t) => {
  const env = { TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE: '2', TIDINGS_WEBHOOK_MAX_DELAY_HOURS: '0' };
  const service = await startService(t, { env });
  for (let i = 1; i <= 2; i++) assert.equal((await deliverTag(service, i)).status, 202);
  const { status, headers, body } = await deliverTag(service, 3);
  assert.equal(status, 429);
  assert.equal(body.error, 'Rate limit exceeded');
  assert.ok(body.retryAfter >= 1 && body.retryAfter <= 30, String(body.retryAfter));
  assert.equal(headers.get('retry-after'), String(body.retryAfter));
  assert.equal((await service.deliver('ping', {})).status, 200, 'an event that is not queued is not limited');
  const other = {
    ...tagPayload('v1', 1),
    repository: { id: 5, full_name: 'umbrella/lab', owner: { login: 'umbrella', id: 8 } },
  };
  assert.equal((await service.deliver('push', other)).status, 202, 'another organization is not limited');
});

test('a restart keeps all delays (spec 8)', async (t) => {
  const env = { TIDINGS_LIMIT_WEBHOOKS_PER_MINUTE: '5' };
  const first = await startService(t, { env });
  for (let i = 1; i <= 8; i++) assert.equal((await deliverTag(first, i)).status, 202);
  await waitUntil('the burst is listed', async () => (await tagNames(first)).length >= 5);
  assert.equal(await first.stop(), 0);

  const second = await startService(t, { env, dataDir: first.dataDir });
  assert.equal((await deliverTag(second, 9)).status, 202);
  assert.equal(await second.metric('tidings_webhooks_delayed_total'), 1, 'the ninth waits for the eighth');
  assert.ok((await tagNames(second)).length < 9);
});
