/**
 * Tests every kind of event of outgoing webhooks with real receivers. Each body must match the schema that the service
 * publishes, and each endpoint gets only the events that its filters let through.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { faultOf } from '../helpers/contract.ts';
import { buildHistory } from '../helpers/host/build.ts';
import { startHost } from '../helpers/host/server.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { type Receiver, startReceiver, status } from '../helpers/receiver.ts';
import { deliverRocket, generateDraft, toEnd } from '../helpers/rocket.ts';
import { type Answer, startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const path = '/api/webhook-endpoints';
const env = { TIDINGS_EGRESS_ALLOW: '127.0.0.0/8', TIDINGS_PARTITIONS: '1', TIDINGS_TAG_SYNC_HOURS: '0' };

/** Starts a service with a host, and delivers the repositories acme/rocket and acme/moon. */
async function start(t: TestContext) {
  const host = await startHost(t, buildHistory({ id: 1001, numbers: 24 }), { token: 'secret-token' });
  const service = await startService(t, { env: { ...env, ...host.env } });
  const rocket = await deliverRocket(service);
  await service.deliver('pull_request', pullPayload(1, {}, { id: 1002, full_name: 'acme/moon' }));
  const moon: string = await waitUntil('the second repository is listed', async () => {
    const { repos } = (await service.api('GET', '/api/repos')).body;
    return repos.find(({ fullName }: { fullName: string }) => fullName === 'acme/moon')?.id;
  });
  return { service, rocket, moon };
}

const bodies = ({ received }: Receiver): Answer['body'][] => received.map(({ body }) => JSON.parse(body));
const events = (receiver: Receiver): string[] => bodies(receiver).map(({ event }) => event);

test('every event reaches the endpoints whose filters let it through', async (t) => {
  const { service, rocket, moon } = await start(t);
  const [everything, customers, elsewhere, chat] = [
    await startReceiver(t),
    await startReceiver(t),
    await startReceiver(t),
    await startReceiver(t),
  ];
  chat.answer = status(404);
  const create = async ({ url }: Receiver, filters: object): Promise<string> => {
    const { status: code, body } = await service.api('POST', path, { url, org: 'acme', ...filters });
    assert.equal(code, 201, JSON.stringify(body));
    return body.id;
  };
  const all = await create(everything, {});
  const filters = { personas: ['customer'], channels: ['hosted'], repositories: [rocket] };
  const filtered = await create(customers, filters);
  await create(elsewhere, { repositories: [moon] });
  let rangeId = '';
  const arrives = (event: string, count = 1) =>
    waitUntil(`${event} arrives`, () => events(everything).filter((each) => each === event).length >= count);

  await t.test('replies show the filters', async () => {
    const { personas, channels, repositories } = (await service.api('GET', `${path}/${filtered}`)).body;
    assert.deepEqual({ personas, channels, repositories }, filters);
    const { webhookEndpoints } = (await service.api('GET', path)).body;
    const [plain, shown] = [all, filtered].map((id) => webhookEndpoints.find((each: Answer['body']) => each.id === id));
    assert.deepEqual(['personas' in plain, shown.channels], [false, filters.channels]);
  });

  await t.test('a person disconnects and connects repositories', async () => {
    for (const [id, selected] of [
      [rocket, false],
      [rocket, false],
      [rocket, true],
      [moon, false],
    ] as const)
      assert.equal((await service.api('PATCH', `/api/repos/${id}`, { selected })).status, 200);
    await arrives('repository.disconnected', 2);
    assert.deepEqual(
      bodies(everything).map(({ event, data }) => [event, data.fullName, data.cause]),
      [
        ['repository.disconnected', 'acme/rocket', 'request'],
        ['repository.connected', 'acme/rocket', 'request'],
        ['repository.disconnected', 'acme/moon', 'request'],
      ],
    );
  });

  await t.test('a late pull request changes a range', async () => {
    const bounds = { repoId: rocket, type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 20 };
    rangeId = (await service.api('POST', '/api/ranges', bounds)).body.id;
    await service.deliver('pull_request', pullPayload(9));
    await arrives('range.changed');
    const { data } = bodies(everything).find(({ event }) => event === 'range.changed');
    assert.deepEqual([data.releaseRangeId, data.before.prCount, data.after.prCount], [rangeId, 4, 5]);
    assert.deepEqual([data.fromPrNumber, data.toPrNumber], [1, 20]);
  });

  await t.test('drafts are published, and one publication fails', async () => {
    const [engineer, customer] = [
      await generateDraft(service, rangeId, 'engineer'),
      await generateDraft(service, rangeId, 'customer'),
    ];
    const { orgId } = (await service.api('GET', `/api/repos/${rocket}`)).body;
    const settings = { webhookUrl: `${chat.url}/hook` };
    const put = await service.api('PUT', `/api/channels/workspace_chat?orgId=${orgId}`, { settings });
    assert.equal(put.status, 200, JSON.stringify(put.body));
    const publish = (draftId: string, channel: string) =>
      toEnd(service, service.api('POST', '/api/publish', { draftId, channel }));
    const failed = (await publish(customer.id, 'workspace_chat')).body;
    for (const { id } of [engineer, customer]) assert.equal((await publish(id, 'hosted')).body.status, 'completed');
    await arrives('publication.failed');
    await arrives('draft.published', 2);
    const { data } = bodies(everything).find(({ event }) => event === 'publication.failed');
    const { error } = (await service.api('GET', `/api/publications/${failed.id}`)).body;
    assert.deepEqual([data.publicationId, data.error, data.outcomeUnknown], [failed.id, error, false]);
  });

  await t.test('a late pull request makes both drafts outdated', async () => {
    const late = { title: 'Land on water', labels: [{ name: 'type: feature' }] };
    await service.deliver('pull_request', pullPayload(10, late));
    await arrives('draft.outdated', 2);
    // Each endpoint has its own queue, so one can get an event later than another.
    const { data } = await waitUntil('the filtered endpoint gets it too', () =>
      bodies(customers).find(({ event }) => event === 'draft.outdated'),
    );
    assert.deepEqual([data.persona, data.releaseRangeId], ['customer', rangeId]);
    assert.deepEqual(data.because, [{ number: 10, what: 'merged' }]);
  });

  await t.test('a backfill ends', async () => {
    const { code, output } = await service.run('backfill', 'acme/rocket');
    assert.equal(code, 0, output + service.log);
    await arrives('backfill.completed');
    const { data } = bodies(everything).find(({ event }) => event === 'backfill.completed');
    const { id, counts } = (await service.api('GET', `/api/repos/${rocket}/backfill`)).body;
    assert.deepEqual(data, {
      ...{ repoId: rocket, backfillId: id, status: 'completed', since: null, error: null },
      counts,
    });
  });

  await t.test('a filter stops only the events that have its field', async () => {
    await service.api('POST', `${path}/${all}/test`, {});
    await arrives('endpoint.test');
    const passes = ({ event, data }: Answer['body']) =>
      event !== 'endpoint.test' &&
      data.fullName !== 'acme/moon' &&
      (data.persona === undefined || data.persona === 'customer') &&
      (data.channel === undefined || data.channel === 'hosted');
    // A recount after the backfill can still send an event. So the receivers are compared until they agree.
    await waitUntil('the filtered endpoint gets exactly these events', () =>
      isDeepStrictEqual(bodies(customers), bodies(everything).filter(passes)),
    );
    const counted = (event: string) => events(customers).filter((each) => each === event).length;
    assert.deepEqual(['draft.generated', 'draft.published', 'publication.failed'].map(counted), [1, 1, 0]);
    assert.ok(counted('range.changed') >= 1 && counted('repository.connected') === 1);
    assert.deepEqual(
      bodies(elsewhere).map(({ event, data }) => [event, data.repoId]),
      [['repository.disconnected', moon]],
    );
  });

  await t.test('every body matches the published schema of its event', async () => {
    const { webhookEvents, total } = (await service.api('GET', '/api/webhook-events?limit=100')).body;
    assert.deepEqual(
      [...new Set(events(everything))].sort(),
      webhookEvents.map(({ event }: { event: string }) => event).sort(),
    );
    assert.equal(total, webhookEvents.length);
    for (const body of bodies(everything)) {
      const { schema } = webhookEvents.find(({ event }: { event: string }) => event === body.event);
      assert.equal(faultOf(schema, body), undefined, JSON.stringify(body));
      assert.ok(JSON.stringify(body).length < 20_000);
    }
  });

  await t.test('filters are checked, changed and removed', async () => {
    const { body: umbrella } = await service.api('POST', '/api/keys', { name: 'k', org: 'umbrella' });
    const url = 'https://hooks.umbrella.example/';
    const foreign = await service.api('POST', path, { url, repositories: [rocket] }, umbrella.key);
    assert.deepEqual([foreign.status, Object.keys(foreign.body.details)], [400, ['repositories']]);
    for (const [field, value] of [
      ['repositories', ['repo_none']],
      ['repositories', 'x'],
      ['personas', ['nobody']],
      ['channels', ['pigeon']],
      ['channels', ['hosted', 'hosted']],
    ] as const) {
      const { status: code, body } = await service.api('PATCH', `${path}/${filtered}`, { [field]: value });
      assert.deepEqual([code, Object.keys(body.details)[0]?.split('.')[0]], [400, field], JSON.stringify(body));
    }
    const changed = await service.api('PATCH', `${path}/${filtered}`, { personas: [], channels: ['email'] });
    assert.deepEqual(
      [changed.body.personas, changed.body.channels, changed.body.repositories],
      [undefined, ['email'], [rocket]],
    );
    const update = ['webhooks', 'update', filtered, '--personas', 'engineer,internal', '--channels', 'all'];
    assert.match(service.tidings(...update, '--repos', 'acme/rocket,acme/moon'), / is changed/);
    const { personas, channels, repositories } = (await service.api('GET', `${path}/${filtered}`)).body;
    assert.deepEqual([personas, channels, repositories], [['engineer', 'internal'], undefined, [rocket, moon]]);
    const line = service
      .tidings('webhooks', 'list')
      .split('\n')
      .find((each) => each.startsWith(filtered));
    assert.ok(line?.includes(`personas=engineer,internal  repositories=${rocket},${moon}  enabled`), line);
    for (const wrong of [['--personas', 'nobody'], ['--repos', 'acme/none'], []])
      assert.notEqual((await service.run('webhooks', 'update', filtered, ...wrong)).code, 0);
  });
});
