/**
 * Tests limits over several gateways, with the limits of the API, of the ingestion and of sign-ins: together they grant
 * exactly the limit, and without an answer of the home each counts by itself.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { Tier } from '../../../config/tiers.ts';
import { HomedApiLimit } from '../../../src/api/homed-limit.ts';
import { ApiLimit, type Limited, LimitReachedError } from '../../../src/api/limit.ts';
import { SignInLimit, signInsPerMinute } from '../../../src/api/sign-in-limit.ts';
import { soleHome } from '../../../src/cluster/homes.ts';
import { HomedIngestionLimit } from '../../../src/ingress/homed-limit.ts';
import { IngestionLimit } from '../../../src/ingress/limit.ts';
import { GatewayBus, turns } from '../../helpers/gateway-bus.ts';

const ids = ['local-0', 'local-1', 'local-2', 'local-3'];

function tierOf(apiPerMinute: number): Tier {
  const perOrganization = { apiPerHour: 0, apiPerDay: 0, apiOrgFactor: 2, webhooksPerMinute: 0, webhooksPerHour: 0 };
  return { name: 'made up', apiPerMinute, ...perOrganization };
}

/**
 * Makes gateways that count the requests of keys with so many requests per minute.
 * @param tiers the tier with which each gateway counts for the others; absent = the same tier
 */
async function apiGateways(perMinute: number, tiers: (gateway: number) => Tier = () => tierOf(perMinute)) {
  const bus = new GatewayBus();
  const group = await bus.group(ids);
  const tier = tierOf(perMinute);
  const begun: string[] = [];
  const limits = group.map(
    ({ homes }, i) =>
      new HomedApiLimit(homes, new ApiLimit(), {
        name: 'api',
        tierOf: () => tiers(i),
        begin: (org) => begun.push(org),
      }),
  );
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
  const home = group.findIndex(({ homes }) => homes.isHere('org_1'));
  return { bus, group, send, home, away: (home + 1) % ids.length, begun };
}

const passed = (results: readonly number[]) => results.filter((left) => left >= 0).length;

test('exactly 100 of 400 requests pass, sent at once to four gateways', async () => {
  const { send } = await apiGateways(100);
  const results = await Promise.all(Array.from({ length: 400 }, (_, i) => send(i % 4)));
  assert.equal(passed(results), 100);
});

test('exactly as many requests pass as the limit allows, in whatever order they arrive', async () => {
  const bursts = fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 30 })), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 150 }), bursts, async (limit, order) => {
      const { send } = await apiGateways(limit);
      let count = 0;
      let sent = 0;
      for (const [gateway, size] of order) {
        sent += size;
        count += passed(await Promise.all(Array.from({ length: size }, () => send(gateway))));
        assert.equal(count, Math.min(sent, limit), 'nothing is refused too early, and nothing passes too much');
      }
    }),
    { numRuns: 40 },
  );
});

test('the limit of an organization holds over its keys and over gateways', async () => {
  const { send } = await apiGateways(100);
  const results = await Promise.all(Array.from({ length: 600 }, (_, i) => send(i % 4, `key_${i % 3}`)));
  assert.equal(passed(results), 200);
});

test('the headers count down as with one gateway', async () => {
  const { send } = await apiGateways(100);
  for (let i = 0; i < 100; i++) assert.equal(await send(i % 4), 99 - i);
  for (let i = 0; i < 4; i++) assert.equal(await send(i), -1);
});

test('the questions of one turn are one message', async () => {
  const { bus, send, away } = await apiGateways(100);
  await Promise.all(Array.from({ length: 90 }, (_, i) => send(away, `key_${i}`)));
  assert.equal(bus.questions, 1);
  await Promise.all(Array.from({ length: 2500 }, () => send(away)));
  assert.equal(bus.questions, 4, 'a message has at most 1000 questions');
});

test('the home counts without a question', async () => {
  const { bus, send, home, begun } = await apiGateways(100);
  for (let i = 0; i < 100; i++) assert.equal(await send(home), 99 - i);
  assert.deepEqual([bus.questions, begun], [0, ['org_1']]);
});

test('a gateway counts by itself while the home is gone, and asks again when it is heard', async () => {
  const { bus, group, send, home, away } = await apiGateways(10);
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

test('a gateway waits 100 ms for a home that stands still, and asks again after its late answer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { bus, send, home, away } = await apiGateways(10);
  bus.stop(ids[home] as string);
  const results = Promise.all(Array.from({ length: 4 }, () => send(away)));
  let isDone = false;
  void results.then(() => (isDone = true));
  await turns();
  t.mock.timers.tick(99);
  await turns();
  assert.ok(!isDone, 'the home may still answer');
  t.mock.timers.tick(1);
  assert.deepEqual(await results, [9, 8, 7, 6], 'counted by the gateway itself');
  assert.equal(await send(away), 5, 'a silent home is not waited for');
  bus.goOn(ids[home] as string);
  await turns();
  assert.equal(await send(away), 5, 'the home has counted the four requests of its late answer, and this one');
});

test('an answer that arrives while the asking gateway stands still counts', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { send, away } = await apiGateways(10);
  const sent = send(away);
  await new Promise((resolve) => setImmediate(resolve));
  // The question is sent. The timer fires before the answer is read, as after a standstill.
  t.mock.timers.tick(100);
  assert.equal(await sent, 9);
  assert.equal(await send(away), 8, 'the home was not taken for silent');
});

test('a question that the home cannot answer is counted by the gateway that asks', async () => {
  const { home } = await apiGateways(10);
  const { bus, send, away } = await apiGateways(10, (i) => (i === home ? assert.fail('no tiers') : tierOf(10)));
  assert.deepEqual([await send(away), await send(away)], [9, 8]);
  assert.equal(bus.questions, 2, 'the home is asked again, because it answers');
});

test('a home with other settings grants its own limit', async () => {
  const hourly = { ...tierOf(0), apiPerHour: 3 };
  const { send, away } = await apiGateways(10, () => hourly);
  assert.deepEqual([await send(away), await send(away), await send(away), await send(away)], [2, 1, 0, -1]);
  const unlimited = await apiGateways(10, () => tierOf(0));
  assert.ok((await unlimited.send(unlimited.away)) >= 0);
});

test('a key that has moved counts anew at its new home', async () => {
  const { bus, group, send, home, away, begun } = await apiGateways(10);
  assert.equal(passed(await Promise.all(Array.from({ length: 20 }, () => send(away)))), 10);
  group[home]?.members.stop();
  bus.silent.add(ids[home] as string);
  await turns();
  assert.equal(passed(await Promise.all(Array.from({ length: 20 }, () => send(away)))), 10);
  assert.ok(begun.length >= 2, 'the day of the organization is restored again');
});

test('messages of any form harm no one', async () => {
  const { bus, group, send, away } = await apiGateways(10);
  const link = bus.link('stranger');
  const made = fc.oneof(
    fc.anything(),
    fc.array(fc.record({ about: fc.constantFrom('api', 'x'), with: fc.anything() })),
  );
  await fc.assert(
    fc.asyncProperty(made, async (message) => {
      link.announce('stranger', message);
      await link.ask(ids[0] as string, message, 100).catch(() => {});
      await turns();
    }),
    { numRuns: 200 },
  );
  for (const { members } of group) assert.equal(members.list().length, 4);
  assert.equal(await send(away), 9);
});

/** Makes gateways that count deliveries, 100 per minute without delay. */
async function ingestionGateways(t: TestContext, maxDelayMs: number) {
  const bus = new GatewayBus();
  const group = await bus.group(ids);
  t.mock.timers.enable({ apis: ['Date'], now: 1_800_000_000_000 });
  const rate = { count: 100, periodMs: 60_000 };
  const limits = group.map(({ homes }) => {
    const limit = new IngestionLimit(() => [rate, { count: 0, periodMs: 3_600_000 }], maxDelayMs);
    return new HomedIngestionLimit(homes, limit, () => {});
  });
  return (nth: number) => (limits[nth % 4] as HomedIngestionLimit).admit('org_1', Date.now());
}

test('over four gateways, 100 deliveries are not delayed, and each further one waits longer', async (t) => {
  const admit = await ingestionGateways(t, 3_600_000);
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
  const admit = await ingestionGateways(t, 3_600_000);
  for (let i = 0; i < 120; i++) {
    const admission = await admit(i);
    assert.equal(admission.admitted && admission.due, i < 100 ? undefined : Date.now() + (i - 99) * 600);
  }
});

test('deliveries beyond the longest delay are refused by all gateways', async (t) => {
  const admit = await ingestionGateways(t, 6000);
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
