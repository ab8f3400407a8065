/**
 * Tests the deliveries that the benchmark sends: each delivery is signed as hosts sign deliveries, and no two
 * deliveries are the same.
 */

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import {
  DeliveryTemplates,
  deliveryBytes,
  deliveryId,
  poolSize,
  repositoryCount,
  type SignedRequest,
} from '../../bench/deliveries.ts';

const secret = 'a-secret-of-the-test';

function parse(request: SignedRequest) {
  const text = request.bytes.toString();
  const end = text.indexOf('\r\n\r\n');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text.slice(0, end))?.[1]?.trim();
  return { header, body: text.slice(end + 4) };
}

test('signs every body over all of its bytes', () => {
  const request = new DeliveryTemplates(secret, '0badcafe', false).forConnection(3);
  for (let i = 0; i < 3; i++) {
    request.next();
    const { header, body } = parse(request);
    const wanted = createHmac('sha256', secret).update(body).digest('hex');
    assert.equal(header('X-Hub-Signature-256'), `sha256=${wanted}`);
    assert.equal(Number(header('Content-Length')), Buffer.byteLength(body));
    assert.equal(Buffer.byteLength(body), deliveryBytes());
  }
});

test('each delivery has another pull request and another id', () => {
  const templates = new DeliveryTemplates(secret, '0badcafe', false);
  const requests = [templates.forConnection(0), templates.forConnection(16)];
  const ids = new Set<string | undefined>();
  const numbers = new Set<number>();
  for (const request of [...requests, ...requests]) {
    const number = request.next();
    const { header, body } = parse(request);
    assert.equal(header('X-Scm-Delivery'), deliveryId('0badcafe', number));
    ids.add(header('X-Scm-Delivery'));
    numbers.add(JSON.parse(body).pull_request.number);
  }
  assert.deepEqual([ids.size, numbers.size], [4, 4]);
});

test('a delivery contains a merged pull request of real size', () => {
  const request = new DeliveryTemplates(secret, '0badcafe', false).forConnection(5);
  request.next();
  const { action, pull_request: pull, repository } = JSON.parse(parse(request).body);
  assert.equal(action, 'closed');
  assert.equal(pull.merged, true);
  assert.equal(pull.merged_at, pull.updated_at);
  assert.match(pull.merge_commit_sha, /^[0-9a-f]{40}$/);
  assert.equal(repository.full_name, 'lanternhouse/shoebox-5');
  assert.ok(deliveryBytes() > 23_000 && deliveryBytes() < 27_000);
});

test('bodies that repeat come again under new ids, with the same signature', () => {
  const request = new DeliveryTemplates(secret, '0badcafe', true).forConnection(0);
  const seen: [id: string | undefined, signature: string | undefined, body: string][] = [];
  const bodiesPerRepository = poolSize / repositoryCount;
  for (let i = 0; i <= bodiesPerRepository; i++) {
    request.next();
    if (i > 1 && i < bodiesPerRepository) continue;
    const { header, body } = parse(request);
    seen.push([header('X-Scm-Delivery'), header('X-Hub-Signature-256'), body]);
  }
  const [first, second, again] = seen;
  assert.notEqual(second?.[2], first?.[2]);
  assert.deepEqual(again?.slice(1), first?.slice(1));
  assert.notEqual(again?.[0], first?.[0]);
});

test('deliveries that are signed in advance are the same as others', () => {
  const [plain, prepared] = [false, true].map((isPrepared) => {
    const templates = new DeliveryTemplates(secret, '0badcafe', false);
    if (isPrepared) templates.prepare(100);
    return templates.forConnection(3);
  }) as [SignedRequest, SignedRequest];
  for (let i = 0; i < 10; i++) {
    plain.next();
    prepared.next();
    assert.ok(plain.bytes.equals(prepared.bytes));
  }
});

test('a forged delivery has a wrong signature and does not change the next one', () => {
  const request = new DeliveryTemplates(secret, '0badcafe', false).forConnection(3);
  const isValid = () => {
    const { header, body } = parse(request);
    return header('X-Hub-Signature-256') === `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  };
  request.nextForged();
  assert.equal(isValid(), false);
  request.next();
  assert.equal(isValid(), true);
});
