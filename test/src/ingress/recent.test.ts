/** Tests the memory of accepted deliveries: what it keeps, and which of its entries the list shows to which key. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliveryRoutes } from '../../../src/api/deliveries.ts';
import type { ApiRoute } from '../../../src/api/route.ts';
import { codeOf, RecentDeliveries } from '../../../src/ingress/recent.ts';

const signer = { origin: 'https://git.example', orgId: null, secretId: 'settings' };
const rocket = { id: 'repo_rocket', fullName: 'acme/rocket' };
const delivery = (id: string, event = 'push') => ({ event, id, source: '471' });

test('the newest deliveries are kept, and their ids stay', () => {
  const recent = new RecentDeliveries('boot', 3);
  assert.deepEqual(recent.list(), []);
  for (let i = 0; i < 3; i++) recent.note(1000 + i, codeOf.queued, 202, delivery(`one-${i}`), signer, rocket);
  const before = recent.list();
  recent.note(2000, codeOf.ignored, 200, delivery('two', 'star'), signer, undefined, 'not_captured');
  const after = recent.list();
  assert.deepEqual(
    after.map(({ deliveryId }) => deliveryId),
    ['one-1', 'one-2', 'two'],
  );
  assert.deepEqual(after.slice(0, 2), before.slice(1));
  const { id, ...newest } = after[2] ?? assert.fail();
  assert.deepEqual(newest, {
    ...{ receivedAt: 2000, outcome: 'ignored', reason: 'not_captured', status: 200, event: 'star' },
    ...{ deliveryId: 'two', host: signer.origin, hookId: '471', orgId: null, secretId: 'settings', repository: null },
  });
  assert.equal(new Set([...before, ...after].map((each) => each.id)).size, 4);
  assert.match(id, /^rcv_00[0-9a-z]{26}$/);
  const next = new RecentDeliveries('later boot', 3);
  next.note(2000, codeOf.queued, 202, delivery('three'), signer, rocket);
  assert.notEqual(next.list()[0]?.id, before[0]?.id, 'another process makes other ids');
});

test('the ids of many deliveries differ', () => {
  const recent = new RecentDeliveries('boot', 50_000);
  for (let i = 0; i < 50_000; i++) recent.note(i, codeOf.queued, 202, delivery('one'), signer, rocket);
  assert.equal(new Set(recent.list().map(({ id }) => id)).size, 50_000);
});

test('a list tells since when it is complete', async () => {
  const recent = new RecentDeliveries('boot', 2);
  const note = (at: number) => recent.note(at, codeOf.queued, 202, delivery('one'), signer, rocket);
  const [route] = deliveryRoutes as unknown as ApiRoute<never>[];
  const since = async (query = {}) => {
    const caller = { key: { orgId: null }, maySee: () => true };
    const context = { recent, refusals: { since: 1000, list: () => [] } };
    const { body } = (await route?.handle({ query, caller, context } as never)) ?? assert.fail();
    return Date.parse((body as { since: string }).since);
  };
  note(3000);
  note(2000);
  assert.equal(await since(), 1000, 'nothing was forgotten');
  note(4000);
  note(5000);
  assert.equal(await since(), 3000, 'both older ones were');
  assert.equal(await since({ outcome: 'refused' }), 1000, 'refused ones are kept apart');
});

test('texts of the sender that are not plain words are not shown', () => {
  const recent = new RecentDeliveries('boot', 3);
  const hostile = { event: '<script>alert(1)</script>', id: 'signature 00ff', source: 'x'.repeat(100) };
  recent.note(1, codeOf.ignored, 200, hostile, signer, undefined, 'not_captured');
  const [entry] = recent.list();
  assert.deepEqual([entry?.event, entry?.deliveryId, entry?.hookId], [null, null, null]);
});

test('a key sees the deliveries of its organization, and names only of repositories that it may see', async () => {
  const recent = new RecentDeliveries('boot', 9);
  const lab = { id: 'repo_lab', fullName: 'moon/lab' };
  const own = (orgId: string) => ({ ...signer, orgId, secretId: `secret_${orgId}` });
  recent.note(1, codeOf.queued, 202, delivery('host-acme'), signer, rocket);
  recent.note(2, codeOf.delayed, 202, delivery('host-moon'), signer, lab);
  recent.note(3, codeOf.ignored, 200, delivery('host-none', 'ping'), signer, undefined, 'ping');
  recent.note(4, codeOf.queued, 202, delivery('own-acme'), own('acme'), rocket);
  recent.note(5, codeOf.queued, 202, delivery('moon-about-acme'), own('moon'), rocket);
  recent.note(6, codeOf.failed, 500, delivery('own-moon'), own('moon'), undefined);
  const unlisted = { id: 'repo_new', fullName: 'mars/base' };
  recent.note(7, codeOf.ignored, 200, delivery('dropped'), signer, unlisted, 'not_connected');
  const owners: Record<string, string> = { repo_rocket: 'acme', repo_lab: 'moon' };
  const [route] = deliveryRoutes as unknown as ApiRoute<never>[];
  const shown = async (orgId: string | null, query = {}) => {
    const maySee = (id: string) => owners[id] !== undefined && (orgId === null || owners[id] === orgId);
    const request = { query, caller: { key: { orgId }, maySee }, context: { recent } };
    const { body } = (await route?.handle(request as never)) ?? assert.fail();
    const { deliveries } = body as { deliveries: Record<string, unknown>[] };
    return deliveries.map(({ deliveryId, repository }) => [deliveryId, repository]);
  };
  assert.deepEqual(await shown('acme'), [
    ['own-acme', 'acme/rocket'],
    ['host-acme', 'acme/rocket'],
  ]);
  assert.deepEqual(await shown('moon'), [
    ['own-moon', null],
    ['moon-about-acme', null],
    ['host-moon', 'moon/lab'],
  ]);
  const all = await shown(null);
  assert.deepEqual([all.length, all[0]], [7, ['dropped', 'mars/base']]);
  assert.deepEqual(await shown('moon', { repoId: 'repo_rocket' }), [], 'a filter does not tell what is hidden');
  assert.deepEqual(await shown('moon', { outcome: 'delayed' }), [['host-moon', 'moon/lab']]);
});
