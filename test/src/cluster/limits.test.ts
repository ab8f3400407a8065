/**
 * Tests limits over several gateways, with the limits of the API and of the ingestion: together they grant exactly the
 * limit, far from it they ask seldom, and without an answer each counts by itself.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { Tier } from '../../../config/tiers.ts';
import { HomedApiLimit } from '../../../src/api/homed-limit.ts';
import { ApiLimit, type Limited, LimitReachedError } from '../../../src/api/limit.ts';
import { SignInLimit, signInsPerMinute } from '../../../src/api/sign-in-limit.ts';
import { soleHome } from '../../../src/cluster/homes.ts';
import { lentAtOnce } from '../../../src/cluster/limits.ts';
import { HomedIngestionLimit } from '../../../src/ingress/homed-limit.ts';
import { IngestionLimit } from '../../../src/ingress/limit.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { GatewayBus, turns } from '../../helpers/gateway-bus.ts';

const ids = ['local-0', 'local-1', 'local-2', 'local-3'];

function tierOf(apiPerMinute: number): Tier {
  const perOrganization = { apiPerHour: 0, apiPerDay: 0, apiOrgFactor: 2, webhooksPerMinute: 0, webhooksPerHour: 0 };
  return { name: 'made up', apiPerMinute, ...perOrganization };
}

/** Makes gateways that count the requests of keys with so many requests per minute. */
async function apiGateways(t: TestContext | undefined, perMinute: number) {
  const bus = new GatewayBus();
  const group = await bus.group(ids);
  const tier = tierOf(perMinute);
  const begun: string[] = [];
  const limits = group.map(
    ({ homes }) =>
      new HomedApiLimit(homes, new ApiLimit(), { name: 'api', tierOf: () => tier, begin: (org) => begun.push(org) }),
  );
  const stop = () => {
    for (const limit of limits) limit.stop();
  };
  if (t) afterwards(t, stop);
  const limited = (key: string): Limited => ({ keyId: key, organization: 'org_1', tier });
  /** Sends a request to a gateway. Returns the number of requests that its headers show as left, or -1 for a refusal. */
  const send = async (gateway: number, key = 'key_1'): Promise<number> => {
    try {
      const { headers } = await (limits[gateway] as HomedApiLimit).take(limited(key), performance.now(), Date.now());
      return Number(headers[3]);
    } catch (error) {
      assert.ok(error instanceof LimitReachedError);
      assert.equal(error.headers[3], '0');
      return -1;
    }
  };
  const home = group.findIndex(({ homes }) => homes.elsewhere('org_1') === undefined);
  return { bus, group, limits, send, home, away: (home + 1) % ids.length, begun, stop };
}

const passed = (results: readonly number[]) => results.filter((left) => left >= 0).length;

test('exactly 100 of 400 requests pass, sent at once to four gateways', async (t) => {
  const { send } = await apiGateways(t, 100);
  const results = await Promise.all(Array.from({ length: 400 }, (_, i) => send(i % 4)));
  assert.equal(passed(results), 100);
});

test('exactly as many requests pass as the limit allows, in whatever order they arrive', async () => {
  const bursts = fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 30 })), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 150 }), bursts, async (limit, order) => {
      const { send, stop } = await apiGateways(undefined, limit);
      let count = 0;
      let sent = 0;
      for (const [gateway, size] of order) {
        sent += size;
        count += passed(await Promise.all(Array.from({ length: size }, () => send(gateway))));
        assert.equal(count, Math.min(sent, limit), 'nothing is refused too early, and nothing passes too much');
      }
      stop();
    }),
    { numRuns: 40 },
  );
});

test('the limit of an organization holds over its keys and over gateways', async (t) => {
  const { send } = await apiGateways(t, 100);
  const results = await Promise.all(Array.from({ length: 600 }, (_, i) => send(i % 4, `key_${i % 3}`)));
  assert.equal(passed(results), 200);
});

test('far from the limit, one question is enough for many requests', async (t) => {
  const { bus, send, away } = await apiGateways(t, 1000);
  const lefts: number[] = [];
  for (let i = 0; i < 170; i++) lefts.push(await send(away));
  assert.equal(bus.questions, 170 / (lentAtOnce + 1));
  assert.deepEqual(
    lefts,
    Array.from({ length: 170 }, (_, i) => 999 - i),
    'the headers count down as with one gateway',
  );
});

test('near the limit, each request asks', async (t) => {
  const { bus, send, away } = await apiGateways(t, 100);
  for (let i = 0; i < 50; i++) await send(away);
  const before = bus.questions;
  for (let i = 0; i < 50; i++) assert.equal(await send(away), 49 - i);
  assert.equal(bus.questions, before + 50);
  assert.equal(await send(away), -1);
});

test('requests that arrive during a question are counted together', async (t) => {
  const { bus, send, away } = await apiGateways(t, 100);
  await Promise.all(Array.from({ length: 90 }, () => send(away)));
  assert.ok(bus.questions <= 2, `${bus.questions} questions`);
});

test('the home counts without a question', async (t) => {
  const { bus, send, home, begun } = await apiGateways(t, 100);
  for (let i = 0; i < 100; i++) assert.equal(await send(home), 99 - i);
  assert.deepEqual([bus.questions, begun], [0, ['org_1']]);
});

test('counts that a gateway has borrowed and not used return after a second', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { send, home, away, limits } = await apiGateways(t, 1000);
  assert.equal(await send(away), 999);
  assert.equal(await send(home), 999 - lentAtOnce - 1);
  const real = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => real() + 1001);
  t.mock.timers.tick(250);
  await turns();
  assert.equal(await send(home), 997);
  for (const limit of limits) limit.stop();
});

test('a gateway counts by itself while the home does not answer, and asks again when it is heard', async (t) => {
  const { bus, group, send, home, away } = await apiGateways(t, 10);
  assert.equal(passed(await Promise.all(Array.from({ length: 8 }, () => send(home)))), 8);
  bus.silent.add(ids[home] as string);
  const before = bus.questions;
  assert.equal(passed(await Promise.all(Array.from({ length: 20 }, () => send(away)))), 10);
  assert.equal(await send(away), -1);
  assert.equal(bus.questions, before + 1, 'a silent home is not asked again');
  bus.silent.delete(ids[home] as string);
  group[home]?.members.announce();
  await turns();
  assert.equal(passed(await Promise.all(Array.from({ length: 20 }, () => send(away)))), 2);
});

test('counts that a dead gateway had borrowed stay used', async (t) => {
  const { bus, send, home, away } = await apiGateways(t, 100);
  await send(away);
  bus.silent.add(ids[away] as string);
  assert.equal(passed(await Promise.all(Array.from({ length: 100 }, () => send(home)))), 100 - lentAtOnce - 1);
});

test('a key that has moved counts anew at its new home', async (t) => {
  const { bus, group, send, home, away, begun } = await apiGateways(t, 10);
  assert.equal(passed(await Promise.all(Array.from({ length: 20 }, () => send(away)))), 10);
  group[home]?.members.stop();
  bus.silent.add(ids[home] as string);
  await turns();
  assert.equal(passed(await Promise.all(Array.from({ length: 20 }, () => send(away)))), 10);
  assert.ok(begun.length >= 2, 'the day of the organization is restored again');
});

/** Makes gateways that count deliveries, 100 per minute without delay. */
async function ingestionGateways(t: TestContext, maxDelayMs: number) {
  const bus = new GatewayBus();
  const group = await bus.group(ids);
  const rate = { count: 100, periodMs: 60_000 };
  const limits = group.map(({ homes }) => {
    const limit = new IngestionLimit(() => [rate, { count: 0, periodMs: 3_600_000 }], maxDelayMs);
    return new HomedIngestionLimit(homes, limit, () => {});
  });
  afterwards(t, () => {
    for (const limit of limits) limit.stop();
  });
  return { bus, group, admit: (nth: number) => (limits[nth % 4] as HomedIngestionLimit).admit('org_1', Date.now()) };
}

test('over four gateways, 100 deliveries are not delayed, and each further one waits longer', async (t) => {
  const { admit } = await ingestionGateways(t, 3_600_000);
  t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
  const admissions = await Promise.all(Array.from({ length: 400 }, (_, i) => admit(i)));
  const dues = admissions.map((each) => (each.admitted ? (each.due ?? 0) : assert.fail('refused')));
  assert.equal(dues.filter((due) => due === 0).length, 100);
  const delays = dues.filter((due) => due > 0).map((due) => due - Date.now());
  assert.deepEqual(
    delays.sort((a, b) => a - b),
    Array.from({ length: 300 }, (_, i) => (i + 1) * 600),
  );
});

test('one delivery after the other, over gateways, is delayed from the 101st on', async (t) => {
  const { admit } = await ingestionGateways(t, 3_600_000);
  t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
  for (let i = 0; i < 120; i++) {
    const admission = await admit(i);
    assert.equal(admission.admitted && admission.due, i < 100 ? undefined : Date.now() + (i - 99) * 600);
  }
});

test('deliveries beyond the longest delay are refused by all gateways', async (t) => {
  const { admit } = await ingestionGateways(t, 6000);
  t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
  const admissions = await Promise.all(Array.from({ length: 200 }, (_, i) => admit(i)));
  assert.equal(admissions.filter(({ admitted }) => admitted).length, 110);
  assert.ok(admissions.every((each) => each.admitted || each.retryAfterMs === 600));
});

test('sign-ins of a client count together', async () => {
  const group = await new GatewayBus().group(ids);
  const limits = group.map(({ homes }) => new SignInLimit([], homes));
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, async (_, i) => limits[i % 4]?.take('8.8.8.8', undefined, 0)),
  );
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, signInsPerMinute);
});

test('a gateway alone asks nobody', async () => {
  const tier = tierOf(2);
  const limit = new HomedApiLimit(soleHome, new ApiLimit(), { name: 'api', tierOf: () => tier });
  const limited = { keyId: 'key_1', organization: 'org_1', tier };
  for (let i = 0; i < 2; i++) assert.ok(!(limit.take(limited, 0, 0) instanceof Promise));
  assert.throws(() => limit.take(limited, 0, 0), LimitReachedError);
});
