/**
 * Tests deliveries that the service must refuse: unsigned, malformed, incomplete or too large. None of them reaches the
 * journal.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { test } from 'node:test';
import { faultsIn } from '../helpers/log.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { type Answer, startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Returns the number of folded records of one kind. */
async function folded(service: TestService, kind: string): Promise<number> {
  const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
  const counts = [...text.matchAll(/^tidings_fold_records_total\{([^}]*)\} (\d+)$/gm)];
  return counts
    .filter(([, labels]) => labels?.includes(`kind="${kind}"`))
    .reduce((sum, each) => sum + Number(each[2]), 0);
}

/**
 * Posts a body with Node's own HTTP client, because this client also reads a reply that arrives before the whole body
 * is sent.
 */
function post(service: TestService, body: Buffer, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${service.url}/api/webhooks/scm`, { method: 'POST', headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: new Headers(), body: JSON.parse(text) }),
      );
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

test('invalid deliveries are refused', async (t) => {
  const service = await startService(t);
  const payload = pullPayload(1);
  const digest = createHmac('sha256', service.secret).update(JSON.stringify(payload)).digest('hex');

  const signatures: Record<string, string> = {
    'a signature with another secret': `sha256=${createHmac('sha256', 'other').update(JSON.stringify(payload)).digest('hex')}`,
    'a signature of another body': `sha256=${createHmac('sha256', service.secret).update('{}').digest('hex')}`,
    'an empty digest': 'sha256=',
    'an empty header': '',
    'a short digest': `sha256=${digest.slice(0, 62)}`,
    'a long digest': `sha256=${digest}00`,
    'a digest that is not hex': `sha256=${'z'.repeat(64)}`,
    'a bare digest': digest,
    'a SHA-1 prefix': `sha1=${digest.slice(0, 40)}`,
    'a digest under the empty secret': `sha256=${createHmac('sha256', '').update(JSON.stringify(payload)).digest('hex')}`,
  };
  for (const [name, signature] of Object.entries(signatures)) {
    await t.test(`${name} gets 401 (spec 5)`, async () => {
      const { status, body } = await service.deliver('pull_request', payload, { 'x-hub-signature-256': signature });
      assert.equal(status, 401);
      assert.equal(body.error, 'Unauthorized');
      assert.match(body.message, /X-Hub-Signature-256/);
    });
  }

  await t.test('a missing signature gets 401 (spec 5)', async () => {
    const answer = await fetch(`${service.url}/api/webhooks/scm`, { method: 'POST', body: JSON.stringify(payload) });
    assert.equal(answer.status, 401);
    assert.equal((await fetch(`${service.url}/api/webhooks/scm`, { method: 'POST' })).status, 401);
  });

  const bodies: Record<string, [string, string]> = {
    'truncated JSON': ['{"action": "closed", "pull_requ', 'body'],
    'text that is not JSON': ['payload=%7B%7D', 'body'],
    'a fault in a field that is not read': [JSON.stringify({ x: [{ y: 1 }], ...payload }).replace('1', '01'), 'body'],
    'an empty body': ['', 'body'],
    'an array': ['[{"action": "closed"}]', 'body'],
    'a number': ['5', 'body'],
    null: ['null', 'body'],
    'a byte order mark': ['\ufeff{}', 'body'],
    'an empty object': ['{}', 'pull_request'],
    'a missing number': [JSON.stringify(pullPayload(1, { number: undefined })), 'pull_request.number'],
    'a number in quotes': [JSON.stringify(pullPayload(1, { number: '12' })), 'pull_request.number'],
    'a missing title': [JSON.stringify(pullPayload(1, { title: undefined })), 'pull_request.title'],
    'a repository without name': [JSON.stringify({ ...payload, repository: {} }), 'repository.full_name'],
    'a missing repository': [JSON.stringify({ ...payload, repository: undefined }), 'repository'],
  };
  for (const [name, [text, field]] of Object.entries(bodies)) {
    await t.test(`${name} gets 400 naming ${field} (spec 7.5)`, async () => {
      const { status, body } = await service.deliver('pull_request', text);
      assert.equal(status, 400, JSON.stringify(body));
      assert.ok(field in body.details, JSON.stringify(body.details));
      assert.ok(body.message.includes(field));
    });
  }

  await t.test('a push without its ends gets 400 (spec 7.5)', async () => {
    const { status, body } = await service.deliver('push', { ref: 'refs/heads/main', repository: payload.repository });
    assert.equal(status, 400);
    assert.deepEqual(Object.keys(body.details).sort(), ['after', 'before']);
  });

  await t.test('a signed delivery with another content type gets 400 (spec 4)', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/jsonp', '']) {
      const { status, body } = await service.deliver('pull_request', payload, { 'content-type': type });
      assert.equal(status, 400, type);
      assert.ok('Content-Type' in body.details);
    }
    const forged = { 'content-type': 'text/plain', 'x-hub-signature-256': 'sha256=' };
    assert.equal((await service.deliver('pull_request', payload, forged)).status, 401, 'the signature comes first');
  });

  await t.test('a missing event name gets 400 (spec 4)', async () => {
    const { status, body } = await service.deliver('', payload);
    assert.equal(status, 400);
    assert.ok('X-Scm-Event' in body.details);
  });

  await t.test('a delivery id that is too long gets 400', async () => {
    const { status, body } = await service.deliver('pull_request', payload, { 'x-scm-delivery': 'd'.repeat(600) });
    assert.equal(status, 400);
    assert.ok('X-Scm-Delivery' in body.details);
  });

  await t.test('a body of 26 MiB gets a 413 that the client can read', async () => {
    const { status, body } = await post(service, Buffer.alloc(26 * 1024 * 1024, 'x'), {
      'content-type': 'application/json',
    });
    assert.equal(status, 413);
    assert.equal(body.error, 'Payload too large');
    assert.match(body.message, /27262976 bytes; the maximum is 26214400/);
  });

  await t.test('none of them reached the journal (spec 5)', async () => {
    assert.deepEqual((await service.api('GET', '/api/repos')).body.repos, []);
    // All deliveries name the same repository or no repository, so they are folded in order. If an earlier delivery had
    // reached the journal, it would be folded before this accepted delivery.
    assert.equal((await service.deliver('pull_request', payload)).status, 202);
    await waitUntil('the next one is folded', async () => (await service.api('GET', '/api/repos')).body.total === 1);
    assert.equal(await folded(service, 'event'), 1, 'it is the first');
    assert.equal(await service.metric('tidings_fold_dead_letters_total'), 0);
    assert.deepEqual(faultsIn(service.log), []);
  });
});
