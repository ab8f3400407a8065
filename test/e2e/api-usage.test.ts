/**
 * Tests the usage of organizations: tiers, the daily limit after a kill of the gateway, and statistics after restarts
 * (spec parts 4 and 8).
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pullPayload } from '../helpers/payloads.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const statKeys = [
  'currentMonth',
  'activeRepos',
  'draftsGenerated',
  'publishedReleases',
  'publications',
  'apiCalls',
  'billingTier',
  'usagePercentage',
];

function createKey(service: TestService, org: string): string {
  return service.tidings('keys', 'create', '--org', org, '--name', 'test', '--quiet').trim();
}

/** Sends requests over up to 64 concurrent connections and returns the number of replies per status. */
async function ask(service: TestService, key: string, count: number): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  let left = count;
  const one = async (): Promise<void> => {
    for (; left > 0; ) {
      left -= 1;
      const { status } = await service.api('GET', '/api/repos', undefined, key);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 64 }, one));
  return statuses;
}

/**
 * Waits until the usage of all earlier requests is folded. For this purpose, the function sends two more requests with
 * the key.
 */
async function untilWritten(service: TestService, key: string): Promise<void> {
  const folded = async () => {
    const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
    return Number(/^tidings_fold_records_total\{[^}]*kind="usage"[^}]*\} (\S+)$/m.exec(text)?.[1] ?? 0);
  };
  // The usage record of the first round may have been sent before this function was called. The usage record of the
  // second round contains everything that was counted before the call.
  for (let round = 0; round < 2; round++) {
    const before = await folded();
    await service.api('GET', '/api/stats', undefined, key);
    await waitUntil('calls are saved', async () => (await folded()) > before);
  }
}

test('tiers and the daily limit apply', async (t) => {
  const service = await startService(t, {
    env: {
      TIDINGS_USAGE_FLUSH_SECONDS: '1',
      TIDINGS_LIMIT_API_PER_DAY: '150',
      TIDINGS_TIERS: '[{"name": "small", "apiPerMinute": 5}]',
    },
  });
  await service.deliver('pull_request', pullPayload(1));
  const key = createKey(service, 'acme');
  const orgId = (await service.api('GET', '/api/keys', undefined, key)).body.keys[0].orgId;

  await t.test('only an instance key assigns tiers', async () => {
    const path = `/api/orgs/${orgId}`;
    assert.equal((await service.api('PATCH', path, { tier: 'unlimited' }, key)).status, 403);
    const unknown = await service.api('PATCH', path, { tier: 'golden' });
    assert.equal(unknown.status, 400);
    assert.match(unknown.body.details.tier, /standard, unlimited, small/);
    assert.equal((await service.api('PATCH', '/api/orgs/org_x', { tier: 'small' })).status, 404);
    const { status, body } = await service.api('PATCH', path, { tier: 'small' });
    assert.deepEqual([status, body.tier, body.login], [200, 'small', 'acme']);
    const listed = (await service.api('GET', '/api/orgs')).body.organizations;
    assert.deepEqual(
      listed.map(({ id, tier }: { id: string; tier: string }) => [id, tier]),
      [[orgId, 'small']],
    );
  });

  await t.test('a tier applies from the next request on', async () => {
    const other = createKey(service, 'acme');
    assert.deepEqual(await ask(service, other, 8), { 200: 5, 429: 3 });
    assert.match(service.tidings('orgs', 'tier', 'acme', 'unlimited'), /acme is in the tier unlimited/);
    const { status, headers } = await service.api('GET', '/api/repos', undefined, other);
    assert.deepEqual([status, headers.get('x-ratelimit-limit')], [200, null]);
    service.tidings('orgs', 'tier', 'acme', 'standard');
  });

  await t.test('the daily limit is exact and continues after a kill of the gateway (spec 8)', async () => {
    const umbrella = createKey(service, 'umbrella');
    assert.deepEqual(await ask(service, umbrella, 100), { 200: 100 });
    await untilWritten(service, umbrella);
    const { headers: before } = await service.api('GET', '/api/repos', undefined, umbrella);
    const { gateway } = await service.killParts('gateway');
    await waitUntil('another gateway answers', async () => {
      if (service.pids().gateway === gateway) return false;
      return (await fetch(`${service.url}/api/nowhere`).catch(() => undefined))?.status === 404;
    });
    await service.ready();
    const { headers: after } = await service.api('GET', '/api/repos', undefined, umbrella);
    const left = [before, after].map((each) => Number(each.get('x-ratelimit-remaining')));
    const [earlier = 0, now = 0] = left;
    assert.ok(now < earlier + 5 && now >= earlier - 5, `${earlier} before, ${now} after`);
    // The service rounds both reset times up to whole seconds. It reads its clock separately for each of the two
    // replies. Therefore the reset times may differ by one second.
    const [reset, next] = [before, after].map((each) => Number(each.get('x-ratelimit-reset'))) as [number, number];
    assert.ok(Math.abs(next - reset) <= 1, `it is the same day: ${reset} before, ${next} after`);
    const { 200: passed = 0 } = await ask(service, umbrella, 100);
    assert.equal(passed, now, 'no further request');
    const refused = await service.api('GET', '/api/repos', undefined, umbrella);
    assert.match(refused.body.message, /150 requests per day per organization/);
    assert.equal(refused.headers.get('retry-after'), String(refused.body.retryAfter));
    assert.match(refused.headers.get('ratelimit') ?? '', /^"org-day";r=0;t=\d+$/);
  });
});

test('the API reports statistics of an organization (spec 4)', async (t) => {
  await waitUntil('it is not the last minute of a month', () => monthIn(60_000) === monthIn(0), 120_000);
  const dataDir = join(temporaryFolder(t), 'data');
  const env = { TIDINGS_USAGE_FLUSH_SECONDS: '1', TIDINGS_LIMIT_API_PER_DAY: '10000' };
  const service = await startService(t, { dataDir, env });
  const repoId = await deliverRocket(service);
  const rangeId = (await createTagRange(service, repoId)).body.id;
  const [acme, other] = [createKey(service, 'acme'), createKey(service, 'umbrella')];
  const stats = async (of: TestService, key = acme) => (await of.api('GET', '/api/stats', undefined, key)).body;

  await t.test('statistics count completed work (spec 4)', async () => {
    const first = await stats(service);
    assert.deepEqual(Object.keys(first), statKeys);
    assert.deepEqual(first, {
      currentMonth: monthIn(0),
      activeRepos: 1,
      draftsGenerated: 0,
      publishedReleases: 0,
      publications: 0,
      apiCalls: 1,
      billingTier: 'standard',
      usagePercentage: 0,
    });
    await generateDraft(service, rangeId, 'engineer');
    await generateDraft(service, rangeId, 'customer');
    await waitUntil('both drafts are counted', async () => (await stats(service)).draftsGenerated === 2);
    await service.api('PATCH', `/api/repos/${repoId}`, { selected: false });
    assert.equal((await stats(service)).activeRepos, 0);
    await service.api('PATCH', `/api/repos/${repoId}`, { selected: true });
  });

  await t.test('each request counts once, and refused ones do not (spec 4)', async () => {
    const { apiCalls } = await stats(service);
    for (let i = 0; i < 40; i++) await service.api('GET', '/api/repos', undefined, acme);
    await service.api('GET', '/api/drafts/draft_x', undefined, acme);
    await service.api('GET', '/api/repos', undefined, 'wrong');
    const after = await stats(service);
    assert.equal(after.apiCalls, apiCalls + 42);
    await untilWritten(service, acme);
    const later = await stats(service);
    assert.equal(later.apiCalls, after.apiCalls + 3, 'saved meanwhile, and neither lost nor doubled');
    assert.equal(later.usagePercentage, percentageOf(later.apiCalls));
  });

  await t.test('an organization sees its own statistics only', async () => {
    const own = await stats(service, other);
    assert.deepEqual([own.draftsGenerated, own.activeRepos, own.apiCalls], [0, 0, 1]);
    const orgId = (await service.api('GET', '/api/keys', undefined, acme)).body.keys[0].orgId;
    const foreign = await service.api('GET', `/api/stats?orgId=${orgId}`, undefined, other);
    assert.equal(foreign.status, 404);
    const chosen = (await service.api('GET', `/api/stats?orgId=${orgId}`)).body;
    assert.deepEqual([chosen.draftsGenerated, chosen.billingTier], [2, 'standard']);
    const all = (await service.api('GET', '/api/stats')).body;
    assert.equal(all.billingTier, 'instance');
    assert.ok(all.apiCalls > chosen.apiCalls);
  });

  await t.test('the service describes itself and the limits of an organization', async () => {
    const about = async (query = '', key?: string) => service.api('GET', `/api/about${query}`, undefined, key);
    const { body } = await about('', acme);
    assert.equal(body.node, process.versions.node);
    assert.equal(body.durability, 'power-loss');
    assert.equal(body.hosts, 1);
    assert.deepEqual([body.limits.tier, body.limits.apiPerDay], ['standard', 10_000]);
    const orgId = (await service.api('GET', '/api/keys', undefined, acme)).body.keys[0].orgId;
    await service.api('PATCH', `/api/orgs/${orgId}`, { tier: 'unlimited' });
    assert.equal((await about(`?orgId=${orgId}`)).body.limits.apiPerDay, 0);
    assert.equal((await about()).body.limits.tier, 'standard', 'limits of instance keys');
    assert.equal((await about(`?orgId=${orgId}`, other)).status, 404);
    await service.api('PATCH', `/api/orgs/${orgId}`, { tier: 'standard' });
  });

  await t.test('a stop loses no count', async () => {
    const before = await stats(service);
    assert.equal(await service.stop(), 0);
    const next = await startService(t, { dataDir, env });
    const apiCalls = before.apiCalls + 1;
    // The number of calls depends on the waits above, so the last call can change the rounded percentage.
    assert.deepEqual(await stats(next), { ...before, apiCalls, usagePercentage: percentageOf(apiCalls) });
  });
});

/** Returns the month (`YYYY-MM`) at the time `ms` milliseconds from now. */
function monthIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString().slice(0, 7);
}

/** Returns the share of the monthly limit that some calls use, in percent with two decimals. */
function percentageOf(calls: number): number {
  return Math.round((calls / (10_000 * daysOfMonth())) * 10_000) / 100;
}

function daysOfMonth(): number {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 0)).getUTCDate();
}
