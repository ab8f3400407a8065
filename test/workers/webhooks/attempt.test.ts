/**
 * Checks single delivery attempts at real receivers: the outcome of each reply, the stored parts of the reply, and the
 * time of the next attempt.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Egress } from '../../../src/egress/egress.ts';
import { createLogger } from '../../../src/foundation/logger.ts';
import { createSealer } from '../../../src/foundation/seal.ts';
import {
  testEvent,
  type WebhookAttempted,
  type WebhookDelivery,
  type WebhookEndpointRecord,
} from '../../../src/protocol/webhooks.ts';
import { sealAddress } from '../../../src/store/tables/webhook-addresses.ts';
import { sealedForEndpoint } from '../../../src/store/tables/webhook-endpoints.ts';
import { attemptDelivery } from '../../../workers/webhooks/attempt.ts';
import { afterwards } from '../../helpers/cleanup.ts';
import { flood, type Receiver, reset, startReceiver, status } from '../../helpers/receiver.ts';

const sealer = createSealer(Buffer.alloc(32, 7));
const secret = `whsec_${randomBytes(32).toString('base64')}`;
const older = `whsec_${randomBytes(32).toString('base64')}`;
const named = { id: 'ep_1', orgId: 'org_1' };
const seal = (text: string): string => sealer.seal(text, sealedForEndpoint(named));

const sent: WebhookDelivery = {
  id: 'dlv_1',
  endpointId: 'ep_1',
  number: 1,
  eventId: 'evt_1',
  event: 'draft.generated',
  body: '{"event":"draft.generated"}',
  status: 'pending',
  dueAt: 0,
  tries: 0,
  attemptCount: 0,
  attempts: [],
  createdAt: 0,
};

function endpointAt(url: string, fields: Partial<WebhookEndpointRecord> = {}): WebhookEndpointRecord {
  const rest = { description: '', disabled: null, previous: [], failingSince: null, createdAt: 0, updatedAt: 0 };
  return { ...named, url, events: ['draft.generated'], sealed: seal(secret), ...rest, ...fields };
}

async function open(t: TestContext) {
  const egress = new Egress({ allow: ['127.0.0.0/8'], allowHttp: false });
  afterwards(t, () => egress.close());
  const receiver = await startReceiver(t);
  const means = { egress, sealer, logger: createLogger('test', 'silent') };
  const attempt = (delivery: Partial<WebhookDelivery> = {}, endpoint: Partial<WebhookEndpointRecord> = {}) => {
    const { signal } = new AbortController();
    return attemptDelivery(means, endpointAt(receiver.url, endpoint), { ...sent, ...delivery }, signal);
  };
  return { receiver, attempt };
}

/** Makes one attempt at a receiver that sends the reply `answer`, and returns the outcome of the attempt. */
async function cameOf(t: TestContext, answer: Receiver['answer']): Promise<WebhookAttempted> {
  const { receiver, attempt } = await open(t);
  receiver.answer = answer;
  return attempt();
}

const waited = ({ retryAt, attempt: { at, ms } }: WebhookAttempted): number => (retryAt as number) - at - ms;

test('every 2xx is a success', async (t) => {
  for (const code of [200, 201, 202, 204, 299]) {
    const { outcome, retryAt, attempt } = await cameOf(t, status(code, {}, code === 204 ? '' : 'thanks'));
    assert.deepEqual([outcome, retryAt, attempt.status, attempt.error], ['delivered', null, code, null]);
    assert.equal(attempt.response, code === 204 ? null : 'thanks');
  }
});

test('signs the body with all valid secrets', async (t) => {
  const { receiver, attempt } = await open(t);
  const until = Date.now() + 60_000;
  await attempt(
    {},
    {
      previous: [
        { sealed: seal(older), until },
        { sealed: seal(older), until: Date.now() - 1 },
      ],
    },
  );
  const [{ headers, body, method }] = receiver.received as [(typeof receiver.received)[0]];
  assert.deepEqual([method, body, headers['content-type']], ['POST', sent.body, 'application/json']);
  assert.equal(headers['webhook-id'], 'evt_1');
  for (const each of [secret, older]) assert.deepEqual(new Webhook(each).verify(body, headers), JSON.parse(body));
  assert.equal(headers['webhook-signature']?.split(' ').length, 2);
});

test('other statuses are failures, including redirects', async (t) => {
  for (const code of [301, 302, 307, 400, 401, 404, 418, 500, 503]) {
    const came = await cameOf(t, status(code, { location: 'http://127.0.0.1:9/' }, 'no'));
    assert.deepEqual([came.outcome, came.attempt.status, came.attempt.response], ['failed', code, 'no']);
    assert.match(came.attempt.error ?? '', code < 400 ? /redirects are not followed/ : /The receiver answered \d+\.$/);
    assert.ok(waited(came) >= 5000 && waited(came) <= 6001, `${waited(came)} ms`);
  }
});

test('410 ends the delivery', async (t) => {
  const { outcome, retryAt } = await cameOf(t, status(410));
  assert.deepEqual([outcome, retryAt], ['gone', null]);
});

test('Retry-After counts if the receiver is busy', async (t) => {
  for (const code of [429, 502, 503, 504]) {
    const came = await cameOf(t, status(code, { 'retry-after': '600' }));
    assert.ok(waited(came) >= 600_000 && waited(came) <= 720_001, `${code}: ${waited(came)} ms`);
  }
  assert.ok(waited(await cameOf(t, status(500, { 'retry-after': '600' }))) < 10_000);
  assert.ok(waited(await cameOf(t, status(429, { 'retry-after': '99999999' }))) <= 3_600_000 * 1.2 + 1);
});

test('a broken connection is a failure without a status', async (t) => {
  const { outcome, attempt } = await cameOf(t, reset);
  assert.deepEqual([outcome, attempt.status, attempt.response], ['failed', null, null]);
  assert.match(attempt.error ?? '', /^The webhook was not delivered: the connection broke/);
});

test('a long reply is cut and causes no delay', async (t) => {
  const { outcome, attempt } = await cameOf(t, flood());
  assert.deepEqual([outcome, attempt.response?.length], ['delivered', 500]);
});

test('a stored reply contains no secrets and no control characters', async (t) => {
  const { attempt } = await cameOf(
    t,
    status(500, {}, 'mail ada@acme.example\u0000\r\ntoken ghp_abcdefghijklmnopqrstuvwxyz0123456789'),
  );
  assert.doesNotMatch(attempt.response ?? '', /ada@|ghp_|\p{Cc}/u);
  assert.match(attempt.response ?? '', /^mail \[/);
});

test('the last attempt names no next one, and a test is not tried again', async (t) => {
  const { receiver, attempt } = await open(t);
  receiver.answer = status(500);
  assert.equal((await attempt({ tries: 9, attemptCount: 11 })).retryAt, null);
  assert.equal((await attempt({ tries: 9, attemptCount: 11 })).number, 12);
  assert.equal((await attempt({ event: testEvent })).retryAt, null);
});

test('a secret that cannot be opened is a failure with that reason', async (t) => {
  const { receiver, attempt } = await open(t);
  const elsewhere = createSealer(Buffer.alloc(32, 8)).seal(secret, sealedForEndpoint(named));
  for (const sealed of [elsewhere, sealer.seal(secret, ['webhook endpoint', 'ep_2', 'org_1'])]) {
    const { outcome, attempt: made } = await attempt({}, { sealed });
    assert.equal(outcome, 'failed');
    assert.match(made.error ?? '', /^The secret of the endpoint cannot be decrypted/);
    assert.doesNotMatch(made.error ?? '', /whsec_/);
  }
  assert.equal(receiver.connections, 0);
});

test('a forbidden address gets no connection', async (t) => {
  const { receiver } = await open(t);
  const egress = new Egress({ allow: [], allowHttp: true });
  afterwards(t, () => egress.close());
  const { signal } = new AbortController();
  const url = receiver.url.replace('127.0.0.1', 'localhost');
  const means = { egress, sealer, logger: createLogger('test', 'silent') };
  const { outcome, attempt } = await attemptDelivery(means, endpointAt(`${url}/private`), sent, signal);
  assert.deepEqual([outcome, attempt.status, receiver.connections], ['failed', null, 0]);
  assert.match(attempt.error ?? '', /the address is not public/);
  assert.doesNotMatch(attempt.error ?? '', /private/);
});

test('sends to the whole address and stores nothing of its query', async (t) => {
  const { receiver, attempt } = await open(t);
  receiver.answer = ({ path }, reply) => {
    reply.writeHead(500).end(`no such page: ${path} very secret/1234 v=v2 very%20secret%2F1234`);
  };
  const query = '?token=very%20secret%2F1234&v=v2';
  const whole = await attempt({}, sealAddress(sealer, named, `${receiver.url}/hook${query}`));
  assert.equal(receiver.received[0]?.path, `/hook${query}`);
  assert.equal(whole.attempt.response, 'no such page: /hook?[secret] [secret] v=v2 [secret]');
  assert.doesNotMatch(JSON.stringify(whole), /secret%2F|secret\/1234/);
  const clear = await attempt({}, { url: `${receiver.url}/hook${query}` });
  assert.equal(receiver.received[1]?.path, `/hook${query}`, 'what an earlier version stored is sent to as before');
  assert.doesNotMatch(JSON.stringify(clear), /secret%2F|secret\/1234/);
});

test('a query that cannot be opened is a failure with that reason', async (t) => {
  const { receiver, attempt } = await open(t);
  const moved = { ...sealAddress(sealer, named, 'https://other.example/?token=x'), url: receiver.url };
  const { outcome, attempt: made } = await attempt({}, moved);
  assert.deepEqual([outcome, receiver.received.length], ['failed', 0]);
  assert.match(made.error ?? '', /cannot be decrypted/);
});
