/**
 * Tests each sentence of spec parts 4, 5 and 7 about the webhook receiver: its headers, payloads and replies, and the
 * order of its steps. Some tests pause a process of the service to check which functions work without this process.
 */
import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { pullPayload, tagPayload } from '../helpers/payloads.ts';
import { generateDraft } from '../helpers/rocket.ts';
import { type Answer, startService, type TestService } from '../helpers/service.ts';
import { pauseProcess } from '../helpers/standstill.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Payloads with exactly the fields in the spec. */
const pull = {
  action: 'closed',
  pull_request: {
    number: 7,
    title: 'Softer landing',
    body: 'Fixes #8',
    state: 'closed',
    merged: true,
    merged_at: '2026-03-02T09:00:00Z',
    user: { login: 'grace' },
    labels: [{ name: 'type: feature' }],
  },
  repository: { full_name: 'moon/lander' },
};
const issue = {
  action: 'closed',
  issue: {
    number: 8,
    title: 'It bounces',
    body: null,
    state: 'closed',
    closed_at: '2026-03-02T09:00:00Z',
    user: { login: 'ada' },
    labels: [{ name: 'type: bug' }],
  },
  repository: { full_name: 'moon/lander' },
};

/** Posts a body with exactly the given headers. */
async function post(service: TestService, body: string, headers: Record<string, string>): Promise<Answer> {
  const answer = await fetch(`${service.url}/api/webhooks/scm`, { method: 'POST', body: Buffer.from(body), headers });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

function headersFor(service: TestService, body: string, event = 'pull_request'): Record<string, string> {
  return {
    'X-Hub-Signature-256': `sha256=${createHmac('sha256', service.secret).update(body).digest('hex')}`,
    'X-Scm-Event': event,
    'X-Scm-Delivery': randomUUID(),
    'Content-Type': 'application/json',
  };
}

async function idOf(service: TestService, fullName: string): Promise<string> {
  return waitUntil(`${fullName} is listed`, async () => {
    const { repos } = (await service.api('GET', '/api/repos')).body;
    return repos.find((repo: { fullName: string }) => repo.fullName === fullName)?.id;
  });
}

/** Returns the number of deliveries with a given outcome, from the metrics. */
async function countOf(service: TestService, outcome: string): Promise<number> {
  const text = await (await fetch(`${service.opsUrl}/metrics`)).text();
  const counts = [...text.matchAll(/^tidings_webhooks_received_total\{([^}]*)\} (\d+)$/gm)];
  const found = counts.filter(([, labels]) => labels?.includes(`outcome="${outcome}"`));
  return found.reduce((sum, [, , count]) => sum + Number(count), 0);
}

/** Pauses a process of the service while `act` runs. */
async function without<T>(service: TestService, part: 'worker' | 'nats-server', act: () => Promise<T>): Promise<T> {
  const pid = service.pids()[part];
  assert.ok(pid > 0);
  try {
    await pauseProcess(pid);
    return await act();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

test('the receiver follows the spec', async (t) => {
  const service = await startService(t, {
    env: {
      TIDINGS_WORKERS: '1',
      // On a busy disk, writing one message can take seconds. The test waits this long while nats-server is paused.
      TIDINGS_ACK_DEADLINE_MS: '8000',
      TIDINGS_TIERS: '[{"name": "tiny", "webhooksPerMinute": 1}]',
      TIDINGS_WEBHOOK_MAX_DELAY_HOURS: '0',
    },
  });

  await t.test('a delivery consists of its four headers and its body (spec 4)', async () => {
    const body = JSON.stringify(pull);
    const headers = headersFor(service, body);
    const taken = await post(service, body, headers);
    assert.deepEqual([taken.status, taken.body], [202, { status: 'queued', delivery: headers['X-Scm-Delivery'] }]);
    const lacking = (name: string) => post(service, body, { ...headers, [name]: '' });
    assert.equal((await lacking('X-Hub-Signature-256')).status, 401);
    assert.deepEqual(Object.keys((await lacking('X-Scm-Event')).body.details), ['X-Scm-Event']);
    assert.deepEqual(Object.keys((await lacking('Content-Type')).body.details), ['Content-Type']);
  });

  await t.test('events in the shapes of the spec become notes (spec 4)', async () => {
    const body = JSON.stringify(issue);
    assert.equal((await post(service, body, headersFor(service, body, 'issues'))).status, 202);
    const repoId = await idOf(service, 'moon/lander');
    const bounds = { repoId, type: 'PR_BASED', fromPrNumber: 7, toPrNumber: 8 };
    const range = await waitUntil('the issue is captured too', async () => {
      const { body: made } = await service.api('POST', '/api/ranges', bounds);
      return made.issueCount === 1 && made;
    });
    assert.equal(range.prCount, 1);
    const { bodyMd, flags } = await generateDraft(service, range.id);
    assert.match(bodyMd, /## Features[\s\S]*Softer landing/);
    assert.match(bodyMd, /#8/);
    assert.deepEqual(flags.contributors, ['grace']);
  });

  await t.test('the receiver replies with 200, 202, 400 and 401 as the spec says (spec 4)', async () => {
    const signed = (event: string, body: string) => post(service, body, headersFor(service, body, event));
    assert.deepEqual((await signed('ping', '{}')).body, { status: 'processed', reason: 'pong' });
    assert.equal((await signed('push', JSON.stringify(tagPayload('v1', 1)))).status, 202);
    assert.equal((await signed('pull_request', '{"action"')).status, 400);
    const forged = { ...headersFor(service, '{}'), 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` };
    assert.equal((await post(service, '{}', forged)).status, 401);
  });

  const rover = { full_name: 'mars/rover', owner: { login: 'mars', id: 55 } };
  const fromMars = (number: number) => service.deliver('pull_request', pullPayload(number, {}, { id: 55, ...rover }));
  let limited: Answer | undefined;

  await t.test('the receiver replies with 429 over the limit of an organization (spec 4)', async () => {
    assert.equal((await fromMars(1)).status, 202);
    await idOf(service, 'mars/rover');
    const { organizations } = (await service.api('GET', '/api/orgs')).body;
    const { id } = organizations.find((each: { login: string }) => each.login === 'mars');
    assert.equal((await service.api('PATCH', `/api/orgs/${id}`, { tier: 'tiny' })).status, 200);
    assert.equal((await fromMars(2)).status, 202);
    limited = await fromMars(3);
    assert.equal(limited.status, 429);
    assert.equal(limited.headers.get('retry-after'), String(limited.body.retryAfter));
  });

  await t.test('the signature is checked first (spec 4)', async () => {
    const before = [await countOf(service, 'queued'), await countOf(service, 'unsigned')];
    const bodies = [JSON.stringify(pull), '{"action"', '', '[]', '{}'];
    const others: Record<string, string>[] = [
      {},
      { 'X-Scm-Event': '' },
      { 'Content-Type': 'text/plain' },
      { 'X-Scm-Delivery': 'd'.repeat(600) },
    ];
    for (const body of bodies) {
      for (const other of others) {
        const signature = { 'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}` };
        const answer = await post(service, body, { ...headersFor(service, body), ...other, ...signature });
        assert.equal(answer.status, 401, `${body} ${JSON.stringify(other)}`);
        assert.equal(answer.body.details, undefined, 'the reply reveals nothing about the body');
      }
    }
    const [queued = 0, unsigned = 0] = before;
    assert.deepEqual([await countOf(service, 'queued'), await countOf(service, 'unsigned')], [queued, unsigned + 20]);
  });

  await t.test('an event is queued, then processed in the background, then stored (spec 4)', async () => {
    const far = { full_name: 'moon/far-side', owner: { login: 'moon', id: 9 } };
    const names = async () =>
      (await service.api('GET', '/api/repos')).body.repos.map((repo: { fullName: string }) => repo.fullName);
    await without(service, 'worker', async () => {
      assert.equal((await service.deliver('pull_request', pullPayload(1, {}, { id: 9, ...far }))).status, 202);
      assert.equal((await names()).includes('moon/far-side'), false, 'queued, and not stored while no worker runs');
    });
    await waitUntil('it is stored', async () => (await names()).includes('moon/far-side'));
  });

  const repoId = await idOf(service, 'acme/rocket');
  const lost = { 'x-scm-delivery': randomUUID() };
  const deliver = () => service.deliver('push', tagPayload('again', 1), lost);
  const write = () => service.api('PUT', `/api/repos/${repoId}/settings`, {});
  // Each of the two requests waits for the journal until the request's deadline. They run concurrently to save time.
  const [failed, unwritten] = await without(service, 'nats-server', () => Promise.all([deliver(), write()]));

  await t.test('a delivery that cannot be queued gets 500, and counts once when it is repeated (spec 4)', async () => {
    assert.deepEqual([failed.status, failed.body.error], [500, 'Server error']);
    const tagged = async () => {
      const { tags } = (await service.api('GET', `/api/repos/${repoId}/tags`)).body;
      return tags.filter(({ name }: { name: string }) => name === 'again').length;
    };
    await waitUntil('the repeated delivery is accepted', async () => [200, 202].includes((await deliver()).status));
    await waitUntil('it is stored', async () => (await tagged()) === 1);
    await waitUntil('it is known', async () => (await deliver()).status === 200);
    assert.equal(await tagged(), 1);
  });

  await t.test('failures get 401, 400, 429 and 500 with the usual error body (spec 7.5)', async () => {
    const incomplete = JSON.stringify({ ...pull, pull_request: { number: 7 } });
    const failures: [number, string, string[], Answer][] = [
      [401, 'Unauthorized', ['error', 'message'], await service.deliver('ping', {}, { 'x-hub-signature-256': '' })],
      [400, 'Invalid request', ['error', 'message', 'details'], await service.deliver('pull_request', '{"action"')],
      [400, 'Invalid request', ['error', 'message', 'details'], await service.deliver('pull_request', incomplete)],
      [429, 'Rate limit exceeded', ['error', 'message', 'retryAfter'], limited as Answer],
      [500, 'Server error', ['error', 'message', 'retryAfter'], failed],
    ];
    for (const [status, error, keys, answer] of failures) {
      assert.deepEqual([answer.status, answer.body.error, Object.keys(answer.body)], [status, error, keys]);
    }
  });

  await t.test('a server error of the API is a 500 without internal details (spec 7)', async () => {
    const { status, body, headers } = unwritten;
    assert.deepEqual(
      [status, Object.keys(body), body.error],
      [500, ['error', 'message', 'retryAfter'], 'Server error'],
    );
    assert.equal(headers.get('retry-after'), String(body.retryAfter));
    assert.doesNotMatch(body.message, /nats|\.[jt]s\b|\bat \w+ \(/i);
    await waitUntil('writes work again', async () => (await write()).status === 200);
  });

  await t.test('the secret of webhooks is in no reply, metric or log (spec 5)', async () => {
    const texts = [service.log, await (await fetch(`${service.opsUrl}/metrics`)).text()];
    for (const path of ['/api/webhook-secrets', '/api/orgs', '/api/repos', '/api/keys', '/api/openapi.json']) {
      texts.push(JSON.stringify((await service.api('GET', path)).body));
    }
    const forged = await service.deliver('ping', {}, { 'x-hub-signature-256': 'sha256=00' });
    texts.push(JSON.stringify([forged.body, [...forged.headers]]));
    for (const text of texts) assert.ok(!text.includes(service.secret));
  });
});
