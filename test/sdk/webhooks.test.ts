/**
 * Tests the verification of webhooks: the client verifies the received bytes and reports the kind of fault.
 */
import assert from 'node:assert/strict';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookError, type WebhookFault } from '../../sdk/index.ts';

const key = randomBytes(32);
const secret = `whsec_${key.toString('base64')}`;
const body = Buffer.from('{"event":"draft.generated","data":{"draftId":"draft_1"}}');
const now = (): string => String(Math.floor(Date.now() / 1000));

function sign(raw: Uint8Array, timestamp: string, by = key): Record<string, string> {
  const signature = createHmac('sha256', by).update(`msg_1.${timestamp}.`).update(raw).digest('base64');
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

async function faultOf(run: () => Promise<unknown>): Promise<WebhookFault | undefined> {
  try {
    await run();
  } catch (error) {
    assert.ok(error instanceof WebhookError, String(error));
    return error.fault;
  }
  return undefined;
}

test('verifyWebhook - accepts bytes, text and any form of headers', async () => {
  const headers = sign(body, now());
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]));
  for (const [raw, given] of [
    [body, headers],
    [body.toString(), new Headers(headers)],
    [new Uint8Array(body), upper],
  ] as const) {
    assert.deepEqual(await verifyWebhook(raw, given, secret), JSON.parse(body.toString()));
  }
});

test('verifyWebhook - agrees with the example of Standard Webhooks', async () => {
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const read = await verifyWebhook('{"test": 2432232314}', headers, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 1e10);
  assert.deepEqual(read, { test: 2432232314 });
});

test('verifyWebhook - distinguishes a missing header, an old time and a wrong signature', async () => {
  const headers = sign(body, now());
  for (const name of Object.keys(headers)) {
    const { [name]: _, ...rest } = headers;
    assert.equal(await faultOf(() => verifyWebhook(body, rest, secret)), 'missingHeader', name);
  }
  const old = String(Number(now()) - 301);
  assert.equal(await faultOf(() => verifyWebhook(body, sign(body, old), secret)), 'oldTimestamp');
  assert.equal(await faultOf(() => verifyWebhook(body, sign(body, 'soon'), secret)), 'oldTimestamp');
  const other = `whsec_${randomBytes(32).toString('base64')}`;
  assert.equal(await faultOf(() => verifyWebhook(body, headers, other)), 'wrongSignature');
});

test('verifyWebhook - distinguishes a changed body from a wrong secret by the digest', async () => {
  const digest = { 'content-digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:` };
  const headers = { ...sign(body, now()), ...digest };
  const other = `whsec_${randomBytes(32).toString('base64')}`;
  assert.equal(await faultOf(() => verifyWebhook(body, headers, other)), 'wrongSignature');
  assert.equal(
    await faultOf(() => verifyWebhook(Buffer.concat([body, Buffer.from(' ')]), headers, secret)),
    'changedBody',
  );
  assert.equal(await faultOf(() => verifyWebhook(body, headers, secret)), undefined);
});

test('verifyWebhook - refuses a body with one changed byte', async () => {
  const headers = sign(body, now());
  await fc.assert(
    fc.asyncProperty(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const bent = Buffer.from(body);
      bent[at] = (bent[at] as number) ^ by;
      assert.equal(await faultOf(() => verifyWebhook(bent, headers, secret)), 'wrongSignature');
    }),
  );
});

test('verifyWebhook - accepts either secret and either signature during a rotation', async () => {
  const other = randomBytes(24);
  const [first, second] = [sign(body, now()), sign(body, now(), other)];
  const both = { ...first, 'webhook-signature': `${second['webhook-signature']} v2,x ${first['webhook-signature']}` };
  assert.ok(await verifyWebhook(body, both, secret));
  assert.ok(await verifyWebhook(body, first, [`whsec_${other.toString('base64')}`, secret]));
});

test('verifyWebhook - rejects a parsed body and a secret of the wrong form', async () => {
  const parsed = JSON.parse(body.toString());
  await assert.rejects(
    () => verifyWebhook(parsed, sign(body, now()), secret),
    /rawBody: expected the bytes .* got a parsed object/,
  );
  await assert.rejects(() => verifyWebhook(body, sign(body, now()), 'plain'), /secret: expected whsec_/);
});

test('verifyWebhook - agrees with the standard’s own library for any text', async () => {
  const texts = fc.oneof(
    fc.json(),
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
  );
  const ids = fc.stringMatching(/^[\w-]{1,40}$/);
  const property = fc.asyncProperty(
    texts,
    ids,
    fc.uint8Array({ minLength: 24, maxLength: 64 }),
    async (text, id, bytes) => {
      const own = `whsec_${Buffer.from(bytes).toString('base64')}`;
      const at = new Date();
      const signature = new Webhook(own).sign(id, at, text);
      const timestamp = String(Math.floor(at.getTime() / 1000));
      const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      assert.deepEqual(await verifyWebhook(text, headers, own), new Webhook(own).verify(text, headers));
      for (const changed of [
        { ...headers, 'webhook-id': `${id}x` },
        { ...headers, 'webhook-signature': 'v1,AAAA' },
      ]) {
        assert.equal(await faultOf(() => verifyWebhook(text, changed, own)), 'wrongSignature');
        assert.throws(() => new Webhook(own).verify(text, changed));
      }
    },
  );
  await fc.assert(property, { numRuns: 200 });
});
