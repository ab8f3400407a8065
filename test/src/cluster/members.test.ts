/** Tests the list of live gateways with a clock of the test: joining, silence, goodbye, restart and standstill. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Members } from '../../../src/cluster/members.ts';
import { GatewayBus, turns } from '../../helpers/gateway-bus.ts';

/** Makes two gateways with a clock of the test, and counts the changes that the first one notices. */
async function two() {
  const clock = { ms: 0 };
  const bus = new GatewayBus();
  const outdated = new Set<string>();
  const group = await bus.group(
    ['a', 'b'],
    () => clock.ms,
    (id) => !outdated.has(id),
  );
  const [a, b] = group.map(({ members }) => members) as [Members, Members];
  const changes = { count: 0 };
  a.onChange(() => (changes.count += 1));
  /** Lets two seconds pass, in which each gateway announces itself and checks the others. */
  const pass = async () => {
    clock.ms += 2000;
    for (const each of [a, b]) each.tick();
    await turns();
  };
  return { bus, outdated, clock, a, b, changes, pass };
}

test('gateways that announce themselves know each other', async () => {
  const { a, b, changes, pass } = await two();
  for (let i = 0; i < 10; i++) await pass();
  assert.deepEqual([...a.list()].sort(), ['a', 'b']);
  assert.deepEqual([...b.list()].sort(), ['a', 'b']);
  assert.equal(changes.count, 0);
});

test('a gateway that has started knows the others, and they know it', async () => {
  const { bus, a } = await two();
  const c = new Members(bus.link('c'), 'c', 'boot of c');
  await c.start();
  assert.deepEqual([...a.list()].sort(), ['a', 'b', 'c']);
  assert.deepEqual([...c.list()].sort(), ['a', 'b', 'c']);
  c.stop();
  await turns();
  assert.deepEqual([...a.list()].sort(), ['a', 'b'], 'it said goodbye');
});

test('the first gateway does not wait, and gateways that start at once know each other', async () => {
  const bus = new GatewayBus();
  const [first, ...others] = ['a', 'b', 'c', 'd'].map((id) => new Members(bus.link(id), id, `boot of ${id}`)) as [
    Members,
    ...Members[],
  ];
  await first.start();
  assert.deepEqual(first.list(), ['a']);
  await Promise.all(others.map((each) => each.start()));
  for (const each of [first, ...others]) assert.deepEqual([...each.list()].sort(), ['a', 'b', 'c', 'd']);
  for (const each of [first, ...others]) each.stop();
});

test('a gateway that starts with old data is known only when it is current', async () => {
  const { bus, a, changes } = await two();
  let isCurrent = false;
  const c = new Members(bus.link('c'), 'c', 'boot of c', { isCurrent: () => isCurrent });
  await c.start();
  assert.deepEqual([a.list().length, c.list().length, changes.count], [2, 3, 0]);
  isCurrent = true;
  await c.join();
  assert.equal(a.list().length, 3);
  c.stop();
});

test('announcements of any form are dropped', async () => {
  const { bus, a } = await two();
  const link = bus.link('stranger');
  const made = [
    null,
    5,
    'x',
    [],
    {},
    { id: 'c' },
    { id: 'C c', boot: 'x', isLive: true },
    { id: 'c', boot: 1, isLive: true },
  ];
  for (const announcement of made) link.announce('stranger', announcement);
  for (let i = 0; i < 600; i++) link.announce('stranger', { id: `made-up-${i}`, boot: 'x', isLive: true });
  await turns();
  assert.equal(a.list().length, 501, 'this gateway, and the maximum number of others');
});

test('a gateway that is not heard for more than six seconds does not count', async () => {
  const { bus, a, changes, pass } = await two();
  bus.silent.add('b');
  for (let i = 0; i < 3; i++) await pass();
  assert.equal(a.list().length, 2);
  await pass();
  assert.deepEqual(a.list(), ['a']);
  assert.equal(changes.count, 1);
  bus.silent.delete('b');
  await pass();
  assert.equal(a.list().length, 2);
});

test('a gateway whose state is out of date does not count for others, but knows them', async () => {
  const { outdated, a, b, pass } = await two();
  outdated.add('b');
  for (let i = 0; i < 4; i++) await pass();
  assert.deepEqual(a.list(), ['a']);
  assert.deepEqual(b.list(), ['b', 'a']);
  outdated.delete('b');
  await pass();
  assert.deepEqual(a.list(), ['a', 'b']);
});

test('a restarted gateway counts as changed, and the goodbye of its former process is ignored', async () => {
  const { bus, a, changes } = await two();
  const again = new Members(bus.link('b'), 'b', 'another boot');
  again.hearOthers();
  again.announce();
  await turns();
  assert.deepEqual([a.list().length, changes.count], [2, 1]);
  bus.link('b').announce('b', { id: 'b', boot: 'boot of b', isLive: false });
  await turns();
  assert.equal(a.list().length, 2);
});

test('a gateway that stood still does not forget the others', async () => {
  const { clock, a, changes, pass } = await two();
  clock.ms += 60_000;
  a.tick();
  assert.equal(a.list().length, 2, 'their announcements are still waiting to be read');
  await pass();
  assert.deepEqual([a.list().length, changes.count], [2, 0]);
});
