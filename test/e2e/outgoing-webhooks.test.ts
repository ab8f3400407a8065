/**
 * Tests outgoing webhooks from the event to the receiver (spec part 6). Covers bodies and signatures, receivers that
 * misbehave, kills of processes, repeated deliveries, and forbidden addresses.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../../sdk/webhooks.ts';
import { webhookEvents } from '../../src/protocol/webhooks.ts';
import { faultOf, openApi } from '../helpers/contract.ts';
import { filesWith } from '../helpers/files-with.ts';
import { hang, type Received, type Receiver, reset, startReceiver, status } from '../helpers/receiver.ts';
import { createTagRange, deliverRocket, generateDraft } from '../helpers/rocket.ts';
import { type Answer, startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const env = { TIDINGS_EGRESS_ALLOW: '127.0.0.0/8', TIDINGS_PARTITIONS: '1' };
const path = '/api/webhook-endpoints';

/** Creates an endpoint of the organization acme and asserts success. */
async function create(service: TestService, url: string, fields: object = {}): Promise<Answer['body']> {
  const { status: code, body } = await service.api('POST', path, { url, org: 'acme', ...fields });
  assert.equal(code, 201, JSON.stringify(body));
  return body;
}

async function deliveries(service: TestService, id: string, query = ''): Promise<Answer['body'][]> {
  return (await service.api('GET', `${path}/${id}/deliveries?limit=100${query}`)).body.deliveries;
}

/** Waits until an endpoint has `count` deliveries and each has been attempted. Returns the deliveries. */
function settled(service: TestService, id: string, count: number): Promise<Answer['body'][]> {
  return waitUntil(`${count} deliveries were attempted`, async () => {
    const all = await deliveries(service, id);
    return all.length === count && all.every(({ attemptCount }) => attemptCount > 0) && all;
  });
}

async function start(t: TestContext) {
  const service = await startService(t, { env });
  const repoId = await deliverRocket(service);
  const makeRange = async (): Promise<string> => (await createTagRange(service, repoId)).body.id;
  return { service, repoId, makeRange };
}

const eventOf = ({ body }: Received): string => JSON.parse(body).event;

function received(receiver: Receiver, count: number): Promise<Received[]> {
  return waitUntil(`${count} webhooks arrive`, () => receiver.received.length >= count && receiver.received);
}

/** A secret token in the query of an endpoint's URL. */
const token = 'query-token-5f1e9a';

test('events reach their receiver', async (t) => {
  const { service, repoId, makeRange } = await start(t);
  const receiver = await startReceiver(t);
  receiver.answer = status(202, {}, 'thanks');
  const endpoint = await create(service, `${receiver.url}/hook?token=${token}`, { description: 'all of it' });
  let rangeId = '';
  let draftId = '';

  await t.test('the reply to a new endpoint shows its secret once', async () => {
    assert.match(endpoint.id, /^ep_/);
    assert.match(endpoint.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret, ...rest } = endpoint;
    assert.deepEqual((await service.api('GET', `${path}/${endpoint.id}`)).body, rest);
    const { webhookEndpoints, total } = (await service.api('GET', path)).body;
    assert.deepEqual([webhookEndpoints, total], [[rest], 1]);
    assert.deepEqual(rest.events, webhookEvents, 'all of them');
    assert.deepEqual([rest.enabled, rest.disabledReason, rest.failingSince], [true, null, null]);
    assert.equal(rest.url, `${receiver.url}/hook?…`);
  });

  await t.test('a range and a draft are reported in order', async () => {
    rangeId = await makeRange();
    const draft = await generateDraft(service, rangeId, 'customer');
    draftId = draft.id;
    const [first, second] = (await received(receiver, 2)) as [Received, Received];
    const range = (await service.api('GET', `/api/ranges/${rangeId}`)).body;
    const { id, createdAt, updatedAt, resolution, ...fields } = range;
    const { timestamp, ...message } = JSON.parse(first.body);
    assert.deepEqual(message, { event: 'range.created', data: { releaseRangeId: id, ...fields } });
    assert.equal(timestamp, createdAt);
    const data = { draftId, persona: 'customer', releaseRangeId: rangeId };
    const generated = JSON.parse(second.body);
    assert.deepEqual(generated, { event: 'draft.generated', timestamp: draft.updatedAt, data });
    assert.equal(first.path, `/hook?token=${token}`);
  });

  await t.test('the standard’s library and the client verify the signature (Standard Webhooks 1.0.0)', async () => {
    const other = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    for (const { body, headers } of receiver.received) {
      assert.deepEqual(new Webhook(endpoint.secret).verify(body, headers), JSON.parse(body));
      assert.deepEqual(await verifyWebhook(body, headers, endpoint.secret), JSON.parse(body));
      await assert.rejects(() => verifyWebhook(body, headers, other), { fault: 'wrongSignature' });
    }
  });

  await t.test('deliveries report their outcome', async () => {
    const [draft, range] = (await settled(service, endpoint.id, 2)) as [Answer['body'], Answer['body']];
    assert.deepEqual([draft.event, range.event], ['draft.generated', 'range.created']);
    const [, sent] = receiver.received as [Received, Received];
    assert.deepEqual(draft.payload, JSON.parse(sent.body));
    assert.equal(draft.eventId, sent.headers['webhook-id']);
    assert.deepEqual([draft.status, draft.attemptCount, draft.nextAttemptAt], ['delivered', 1, null]);
    const [{ at, ms, ...attempt }] = draft.attempts;
    assert.deepEqual(attempt, { status: 202, error: null, response: 'thanks' });
    assert.ok(Date.parse(at) > 0 && ms >= 0);
    assert.deepEqual((await service.api('GET', `${path}/${endpoint.id}/deliveries/${draft.id}`)).body, draft);
    assert.deepEqual(await deliveries(service, endpoint.id, '&status=failed'), []);
    const page = (await service.api('GET', `${path}/${endpoint.id}/deliveries?limit=1`)).body;
    assert.deepEqual([page.total, page.hasMore, page.deliveries.length], [2, true, 1]);
  });

  await t.test('a publication is reported with its channel and location', async () => {
    const made = (await service.api('POST', '/api/publish', { draftId, channel: 'hosted' })).body;
    const [, , sent] = (await received(receiver, 3)) as [Received, Received, Received];
    const publication = (await service.api('GET', `/api/publications/${made.id}`)).body;
    const { timestamp, ...message } = JSON.parse(sent.body);
    const data = { draftId, persona: 'customer', releaseRangeId: rangeId, publicationId: made.id, channel: 'hosted' };
    assert.deepEqual(message, { event: 'draft.published', data: { ...data, url: publication.url } });
    assert.equal(timestamp, publication.publishedAt);
  });

  await t.test('a rotation signs with both secrets until the overlap ends', async () => {
    const rotated = (await service.api('POST', `${path}/${endpoint.id}/rotate`, { overlapHours: 1 })).body;
    assert.notEqual(rotated.secret, endpoint.secret);
    assert.ok(Date.parse(rotated.overlapEndsAt) > Date.now());
    await service.api('POST', `${path}/${endpoint.id}/test`, {});
    const sent = (await received(receiver, 4))[3] as Received;
    for (const secret of [endpoint.secret, rotated.secret]) await verifyWebhook(sent.body, sent.headers, secret);
    const last = (await service.api('POST', `${path}/${endpoint.id}/rotate`, { overlapHours: 0 })).body;
    assert.equal(last.overlapEndsAt, null);
    await service.api('POST', `${path}/${endpoint.id}/test`, {});
    const alone = (await received(receiver, 5))[4] as Received;
    await verifyWebhook(alone.body, alone.headers, last.secret);
    for (const secret of [endpoint.secret, rotated.secret])
      await assert.rejects(() => verifyWebhook(alone.body, alone.headers, secret), { fault: 'wrongSignature' });
    for (const secret of [endpoint.secret, rotated.secret, last.secret])
      assert.deepEqual(filesWith(service.dataDir, secret.slice('whsec_'.length)), [], 'no plain secret is on disk');
  });

  await t.test('every body matches the document of its event', () => {
    const events = new Set(receiver.received.map(eventOf));
    assert.deepEqual([...events].sort(), ['draft.generated', 'draft.published', 'endpoint.test', 'range.created']);
    for (const each of receiver.received) {
      const { schema } = openApi.webhooks[eventOf(each)].post.requestBody.content['application/json'];
      assert.equal(faultOf(schema, JSON.parse(each.body)), undefined, each.body);
    }
  });

  await t.test('a test event is delivered', async () => {
    const sent = receiver.received[4] as Received;
    const { event, data } = JSON.parse(sent.body);
    assert.deepEqual([event, data], ['endpoint.test', { endpointId: endpoint.id }]);
    const { status: code, headers, body } = await service.api('POST', `${path}/${endpoint.id}/test`, {});
    assert.deepEqual([code, body.event], [201, 'endpoint.test']);
    assert.equal(headers.get('location'), `${path}/${endpoint.id}/deliveries/${body.id}`);
    await received(receiver, 6);
  });

  await t.test('the query of an address is never shown, and stays until another one is given', async () => {
    const at = `${path}/${endpoint.id}`;
    const shown = `${receiver.url}/hook?…`;
    for (const fields of [{ description: 'all of it' }, { url: shown }])
      assert.equal((await service.api('PATCH', at, fields)).body.url, shown);
    for (const url of [`${receiver.url}/other?…`, `${receiver.url}/other?%E2%80%A6`, `${receiver.url}/hook#part`]) {
      const { status: code, body } = await service.api('PATCH', at, { url });
      assert.deepEqual([code, Object.keys(body.details)], [400, ['url']], url);
    }
    const etag = (await service.api('GET', at)).headers.get('etag');
    const { body, headers } = await service.api('PATCH', at, { url: `${receiver.url}/hook?token=${token}2` });
    assert.deepEqual([body.url, headers.get('etag') === etag], [shown, false], 'a new query changes the state');
    await service.api('PATCH', at, { url: `${receiver.url}/hook?token=${token}` });
    assert.ok(service.tidings('webhooks', 'list').includes(shown));
    assert.deepEqual(filesWith(service.dataDir, token), [], 'not on disk either');
    assert.ok(!service.log.includes(token), 'nor in the log');
    const replies = await Promise.all([path, at, `${at}/deliveries`].map((each) => service.api('GET', each)));
    assert.ok(!JSON.stringify(replies.map((each) => each.body)).includes(token), 'nor in a reply');
  });

  await t.test('an endpoint gets only the events that it subscribes to', async () => {
    await service.api('PATCH', `${path}/${endpoint.id}`, { events: ['draft.published'], description: 'published' });
    await makeRange();
    const before = await settled(service, endpoint.id, 6);
    assert.equal(before.length, 6);
    const changed = (await service.api('GET', `${path}/${endpoint.id}`)).body;
    assert.deepEqual([changed.events, changed.description], [['draft.published'], 'published']);
  });

  await t.test('a replay sends deliveries again with the same id', async () => {
    const [from, to] = [new Date(0).toISOString(), new Date(Date.now() + 60_000).toISOString()];
    const none = await service.api('POST', `${path}/${endpoint.id}/replay`, { from, to, status: 'failed' });
    assert.deepEqual(none.body, { endpointId: endpoint.id, replayed: 0 });
    const { body } = await service.api('POST', `${path}/${endpoint.id}/replay`, { from, to });
    assert.deepEqual(body, { endpointId: endpoint.id, replayed: 6 });
    const all = await received(receiver, 12);
    const ids = (list: Received[]) => list.map(({ headers }) => headers['webhook-id']);
    assert.deepEqual(ids(all.slice(6)), ids(all.slice(0, 6)));
    const refused = await service.api('POST', `${path}/${endpoint.id}/replay`, { from: to, to: from });
    assert.deepEqual([refused.status, Object.keys(refused.body.details)], [400, ['from', 'to']]);
  });

  await t.test('a disabled endpoint gets nothing until it is enabled', async () => {
    await waitUntil('the replayed deliveries are recorded', async () => {
      return (await deliveries(service, endpoint.id, '&status=pending')).length === 0;
    });
    await service.api('PATCH', `${path}/${endpoint.id}`, { enabled: false, events: ['range.created'] });
    const disabled = (await service.api('GET', `${path}/${endpoint.id}`)).body;
    assert.deepEqual([disabled.enabled, disabled.disabledReason], [false, 'user']);
    const missed = await makeRange();
    const [skipped] = await waitUntil('it is skipped', async () => {
      const found = await deliveries(service, endpoint.id, '&status=skipped');
      return found.length === 1 && found;
    });
    assert.deepEqual([skipped.payload.data.releaseRangeId, skipped.attemptCount], [missed, 0]);
    const resend = `${path}/${endpoint.id}/deliveries/${skipped.id}/resend`;
    assert.equal((await service.api('POST', resend, {})).status, 409);
    assert.equal((await service.api('POST', `${path}/${endpoint.id}/test`, {})).status, 409);
    await service.api('PATCH', `${path}/${endpoint.id}`, { enabled: true });
    assert.equal((await service.api('POST', resend, {})).body.status, 'pending');
    const sent = (await received(receiver, 13))[12] as Received;
    assert.equal(JSON.parse(sent.body).data.releaseRangeId, missed);
  });

  await t.test('test mode sends no webhook', async () => {
    const before = receiver.received.length;
    const key = (await service.api('POST', '/api/keys', { name: 't', org: 'acme', mode: 'test' })).body.key;
    const made = await service.api('POST', path, { url: 'https://hooks.acme.example/' }, key);
    assert.deepEqual([made.status, made.body.id], [201, 'ep_test_made']);
    assert.equal((await service.api('POST', `${path}/${endpoint.id}/test`, {}, key)).status, 201);
    assert.equal((await createTagRange(service, repoId, key)).status, 201);
    const marked = await makeRange();
    const sent = (await received(receiver, before + 1))[before] as Received;
    assert.equal(JSON.parse(sent.body).data.releaseRangeId, marked, 'the next webhook is about the real range');
    assert.equal((await service.api('GET', path)).body.total, 1);
  });

  await t.test('a deleted endpoint loses its deliveries too', async () => {
    const { body } = await service.api('DELETE', `${path}/${endpoint.id}`);
    assert.deepEqual([body.id, typeof body.deletedAt], [endpoint.id, 'string']);
    for (const each of ['', '/deliveries'])
      assert.equal((await service.api('GET', `${path}/${endpoint.id}${each}`)).status, 404);
    assert.equal((await service.api('GET', path)).body.total, 0);
  });
});

test('receivers that misbehave are handled', async (t) => {
  const { service, makeRange } = await start(t);
  const receivers = new Map<string, Receiver>();
  const ids = new Map<string, string>();
  const add = async (name: string, answer: Receiver['answer']): Promise<void> => {
    const receiver = await startReceiver(t);
    receiver.answer = answer;
    receivers.set(name, receiver);
    ids.set(name, (await create(service, receiver.url)).id);
  };
  const elsewhere = await startReceiver(t);
  await add('busy', status(429, { 'retry-after': '1800' }));
  await add('broken', status(500, {}, 'oops'));
  await add('resetting', reset);
  await add('redirecting', status(302, { location: elsewhere.url }));
  await add('hanging', hang);
  await add('gone', status(410));
  await add('good', status(204));
  const of = async (name: string): Promise<Answer['body']> => (await settled(service, ids.get(name) as string, 1))[0];
  await makeRange();

  await t.test('each failure is retried as documented', async () => {
    // The last element of each row lists the possible waits in seconds: after the first attempt, and after the second
    // attempt. On a slow machine, the second attempt may already have been made.
    const expected: [string, number | null, RegExp, readonly number[]][] = [
      ['busy', 429, /answered 429/, [1800]],
      ['broken', 500, /answered 500/, [5, 300]],
      ['resetting', null, /connection broke/, [5, 300]],
      ['redirecting', 302, /redirects are not followed/, [5, 300]],
    ];
    for (const [name, code, error, waits] of expected) {
      const delivery = await of(name);
      const attempt = delivery.attempts.at(-1);
      const seconds =
        waits[delivery.attempts.length - 1] ?? assert.fail(`${name}: ${delivery.attempts.length} attempts`);
      assert.deepEqual([delivery.status, attempt.status], ['pending', code], name);
      assert.match(attempt.error, error);
      const wait = (Date.parse(delivery.nextAttemptAt) - Date.parse(attempt.at) - attempt.ms) / 1000;
      assert.ok(wait >= seconds && wait <= seconds * 1.2 + 0.1, `${name}: ${wait} s`);
      const endpoint = (await service.api('GET', `${path}/${ids.get(name)}`)).body;
      assert.ok(Date.parse(endpoint.failingSince) > 0, name);
    }
    assert.equal(elsewhere.connections, 0);
  });

  await t.test('a 410 disables the endpoint', async () => {
    assert.equal((await of('gone')).status, 'failed');
    const { body } = await service.api('GET', `${path}/${ids.get('gone')}`);
    assert.deepEqual([body.enabled, body.disabledReason], [false, 'gone']);
    assert.equal(await service.metric('tidings_webhook_endpoints_disabled_total'), 1);
  });

  await t.test('a hanging receiver does not block others', async () => {
    const good = receivers.get('good') as Receiver;
    for (let nth = 0; nth < 5; nth++) await makeRange();
    await received(good, 6);
    const waiting = await deliveries(service, ids.get('hanging') as string, '&status=pending');
    assert.equal(waiting.length, 6);
    // Each attempt at this receiver times out. The service then repeats the first delivery, and later deliveries wait
    // until the first delivery has ended.
    const first = waiting.at(-1);
    for (const { headers } of (receivers.get('hanging') as Receiver).received)
      assert.equal(headers['webhook-id'], first.eventId, 'the later ones wait for the first');
    assert.ok(waiting.slice(0, -1).every(({ attemptCount }) => attemptCount === 0));
    assert.ok((await service.metric('tidings_webhook_endpoint_queue_deliveries')) > 5);
  });

  await t.test('a delivery that is resent by hand succeeds immediately and has no later attempt', async () => {
    const id = ids.get('busy') as string;
    const busy = receivers.get('busy') as Receiver;
    await settled(service, id, 6);
    busy.answer = status(200);
    const before = busy.received.length;
    const delivery = (await deliveries(service, id)).at(-1);
    await service.api('POST', `${path}/${id}/deliveries/${delivery.id}/resend`, {});
    const again = (await received(busy, before + 1))[before] as Received;
    assert.equal(again.headers['webhook-id'], delivery.eventId);
    const ended = await waitUntil('it is delivered', async () => {
      const { body } = await service.api('GET', `${path}/${id}/deliveries/${delivery.id}`);
      return body.status === 'delivered' && body;
    });
    assert.deepEqual([ended.attemptCount, ended.nextAttemptAt], [2, null]);
    assert.equal((await service.api('GET', `${path}/${id}`)).body.failingSince, null);
  });
});

test('a killed worker resends deliveries that were in progress', async (t) => {
  const { service, makeRange } = await start(t);
  const receiver = await startReceiver(t);
  receiver.answer = hang;
  const { id } = await create(service, receiver.url);
  const ranges = [await makeRange(), await makeRange()];
  const [first] = (await received(receiver, 1)) as [Received];
  receiver.answer = status(204);
  await service.killParts('worker');
  const all = await received(receiver, 3);
  const ids = all.map(({ headers }) => headers['webhook-id']);
  assert.equal(ids[1], first.headers['webhook-id'], 'the same id');
  assert.equal(new Set(ids).size, 2);
  assert.deepEqual(
    all.slice(1).map(({ body }) => JSON.parse(body).data.releaseRangeId),
    ranges,
    'in order',
  );
  const done = await settled(service, id, 2);
  assert.deepEqual(
    done.map((each) => [each.status, each.attemptCount]),
    [
      ['delivered', 1],
      ['delivered', 1],
    ],
  );
});

test('nothing is sent into the operator’s own network', async (t) => {
  const service = await startService(t, { env: { TIDINGS_PARTITIONS: '1' } });
  const repoId = await deliverRocket(service);
  const receiver = await startReceiver(t);
  const { port } = new URL(receiver.url);
  for (const url of [
    `http://127.0.0.1:${port}/`,
    'https://[::1]/',
    'https://0x7f.1/',
    'http://hooks.acme.example/',
    'nonsense',
  ]) {
    const { status: code, body } = await service.api('POST', path, { url, org: 'acme' });
    assert.deepEqual([code, Object.keys(body.details)], [400, ['url']], url);
  }
  // For a URL with a host name, the address is checked after the name has been resolved.
  const { id } = await create(service, `https://localhost:${port}/`, { events: ['range.created'] });
  await createTagRange(service, repoId);
  const [delivery] = await settled(service, id, 1);
  assert.match(delivery.attempts[0].error, /the address is not public/);
  assert.equal(receiver.connections, 0);
  const changed = await service.api('PATCH', `${path}/${id}`, { url: 'https://169.254.169.254/' });
  assert.equal(changed.status, 400);
});

test('endpoints belong to their organization only', async (t) => {
  const { service, makeRange } = await start(t);
  const receiver = await startReceiver(t);
  const keyOf = async (org: string): Promise<string> =>
    (await service.api('POST', '/api/keys', { name: org, org })).body.key;
  const acme = await keyOf('acme');
  const umbrella = await keyOf('umbrella');
  const own = (await service.api('POST', path, { url: receiver.url }, acme)).body;
  const theirs = (await service.api('POST', path, { url: receiver.url }, umbrella)).body;
  assert.equal((await service.api('POST', path, { url: receiver.url, org: 'acme' }, umbrella)).status, 404);
  assert.equal((await service.api('POST', path, { url: receiver.url })).status, 400);
  await makeRange();
  await settled(service, own.id, 1);
  assert.deepEqual(await deliveries(service, theirs.id), []);
  const [delivery] = await deliveries(service, own.id);
  const through = `${path}/${theirs.id}/deliveries/${delivery.id}`;
  assert.equal((await service.api('GET', through, undefined, umbrella)).status, 404, 'not through its own endpoint');
  const listed = (await service.api('GET', path, undefined, umbrella)).body;
  assert.deepEqual(
    listed.webhookEndpoints.map((each: { id: string }) => each.id),
    [theirs.id],
  );
  assert.equal((await service.api('GET', path)).body.total, 2);
  assert.deepEqual(receiver.received.map(eventOf), ['range.created']);
});
