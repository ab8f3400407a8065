/**
 * Tests payloads without ids and times, exactly as in the specification, mixed with payloads that have ids and times.
 * Both kinds lead to the same repository and organization. Changes of a pull request after its merge are captured. The
 * organization's keys can read all of this data.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { issuePayload, pullPayload, tagPayload } from '../helpers/payloads.ts';
import { type Answer, startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const env = { TIDINGS_WORKERS: '1', TIDINGS_RENDER_THREADS: '1' };

/** Returns a pull request with exactly the fields in the specification. */
function pull(number: number, action: string, fields: object = {}, fullName = 'moon/lander'): object {
  const pull_request = {
    number,
    title: `Change ${number}`,
    body: null,
    state: 'closed',
    merged: true,
    merged_at: `2025-03-02T09:0${number}:00Z`,
    user: { login: 'grace' },
    labels: [],
    ...fields,
  };
  return { action, pull_request, repository: { full_name: fullName } };
}

/** Returns an issue with exactly the fields in the specification. */
function issue(number: number, action: string, fields: object = {}): object {
  const shape = {
    number,
    title: `Issue ${number}`,
    body: null,
    state: 'closed',
    closed_at: '2025-03-02T08:00:00Z',
    user: { login: 'ada' },
    labels: [],
    ...fields,
  };
  return { action, issue: shape, repository: { full_name: 'moon/lander' } };
}

/** The description of the repository `moon/lander` in payloads with ids. */
const numbered = { id: 4242, full_name: 'moon/lander', owner: { login: 'moon', id: 900 } };

async function send(service: TestService, event: string, ...payloads: object[]): Promise<void> {
  for (const payload of payloads) {
    const { status, body } = await service.deliver(event, payload);
    assert.equal(status, 202, JSON.stringify(body));
  }
}

function repositories(service: TestService, key?: string): Promise<Answer['body'][]> {
  return service.api('GET', '/api/repos?limit=100', undefined, key).then(({ body }) => body.repos);
}

async function organizations(service: TestService): Promise<Answer['body'][]> {
  return (await service.api('GET', '/api/orgs?limit=100')).body.organizations;
}

function keyOf(service: TestService, org: string): Promise<Answer> {
  return service.api('POST', '/api/keys', { name: `key of ${org}`, org });
}

/** Returns the text of a draft for engineers. The draft covers the pull requests between two numbers. */
async function draftOf(service: TestService, repoId: string, numbers: [number, number], key: string): Promise<string> {
  const [fromPrNumber, toPrNumber] = numbers;
  const bounds = { repoId, type: 'PR_BASED', fromPrNumber, toPrNumber };
  const { status, body: range } = await service.api('POST', '/api/ranges', bounds, key);
  assert.equal(status, 201, JSON.stringify(range));
  const made = await service.api('POST', `/api/drafts/${range.id}/generate`, { persona: 'engineer' }, key);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return waitUntil('the draft is ready', async () => {
    const { body } = await service.api('GET', `/api/drafts/${made.body.id}`, undefined, key);
    return body.status === 'ready' && body.bodyMd;
  });
}

test('a history without ids and times is captured', async (t) => {
  const service = await startService(t, { env });
  const { key } = (await keyOf(service, 'moon')).body;
  let repoId = '';

  await t.test('changes after the merge are in the notes (spec 2)', async () => {
    const feature = { labels: [{ name: 'type: feature' }] };
    await send(
      service,
      'pull_request',
      pull(1, 'closed', { title: 'Softer landng' }),
      pull(2, 'closed'),
      pull(1, 'edited', { title: 'Softer landing' }),
      pull(1, 'labeled', { title: 'Softer landing', ...feature }),
    );
    const bug = { labels: [{ name: 'type: bug' }] };
    await send(service, 'issues', issue(8, 'closed', bug), issue(8, 'edited', { ...bug, title: 'It bounces' }));
    [{ id: repoId }] = await waitUntil('the repository is listed', async () => {
      const found = await repositories(service, key);
      return found.length === 1 && found;
    });
    const text = await waitUntil('the last event is folded', async () => {
      const found = await draftOf(service, repoId, [1, 8], key);
      return found.includes('It bounces') && found;
    });
    assert.match(text, /Features[\s\S]*Softer landing/);
    assert.doesNotMatch(text, /landng/);
  });

  await t.test('an issue that is reopened after its close is open (spec 2)', async () => {
    await send(service, 'issues', issue(8, 'reopened', { state: 'open', closed_at: null }));
    const bounds = { repoId, type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 8 };
    const counted = () => service.api('POST', '/api/ranges', bounds, key);
    const isOpen = await waitUntil('the reopening is folded', async () => (await counted()).body.issueCount === 0);
    assert.ok(isOpen);
  });

  await t.test('a tag without ids belongs to the repository (spec 6)', async () => {
    await send(service, 'push', { ...tagPayload('v1.0.0', 1), repository: { full_name: 'moon/lander' } });
    await waitUntil('the tag is listed', async () => {
      const { body } = await service.api('GET', `/api/repos/${repoId}/tags`, undefined, key);
      return body.total === 1;
    });
  });

  await t.test('a payload with ids belongs to the same repository and adds its numbers (spec 2)', async () => {
    await send(service, 'pull_request', pullPayload(9, { title: 'With numbers' }, numbered));
    const adopted = await waitUntil('the number is adopted', async () => {
      const [repository] = await repositories(service, key);
      return repository.scmRepoId === 4242 && repository;
    });
    assert.equal(adopted.id, repoId);
    await send(service, 'pull_request', pull(3, 'closed', { title: 'Without numbers again' }));
    await send(service, 'issues', issuePayload(7, { title: 'Numbered issue' }, numbered));
    const text = await waitUntil('both are folded', async () => {
      const found = await draftOf(service, repoId, [1, 9], key);
      return found.includes('Without numbers again') && found.includes('With numbers') && found;
    });
    assert.match(text, /Softer landing/);
    assert.equal((await repositories(service)).length, 1);
    assert.equal((await organizations(service)).length, 1);
  });

  await t.test('a rename without ids applies to the same repository (spec 6)', async () => {
    const changes = { repository: { name: { from: 'lander' } } };
    await send(service, 'repository', { action: 'renamed', changes, repository: { full_name: 'moon/rover' } });
    await waitUntil('the name follows', async () => (await repositories(service))[0]?.fullName === 'moon/rover');
    await send(service, 'pull_request', pull(4, 'closed', {}, 'moon/rover'));
    await send(service, 'pull_request', pullPayload(5, {}, { ...numbered, full_name: 'moon/rover' }));
    const bounds = { repoId, type: 'PR_BASED', fromPrNumber: 4, toPrNumber: 5 };
    await waitUntil(
      'both are folded',
      async () => (await service.api('POST', '/api/ranges', bounds)).body.prCount === 2,
    );
    assert.equal((await repositories(service)).length, 1);
  });

  await t.test('a new repository with the former name is a different one', async () => {
    await send(service, 'pull_request', pull(1, 'closed', { title: 'Of the new one' }, 'moon/lander'));
    const all = await waitUntil('it is listed', async () => {
      const found = await repositories(service, key);
      return found.length === 2 && found;
    });
    assert.deepEqual(all.map(({ fullName }) => fullName).sort(), ['moon/lander', 'moon/rover']);
    assert.equal((await organizations(service)).length, 1);
  });
});

test('concurrent payloads with and without ids are accepted', async (t) => {
  const service = await startService(t, { env });

  await t.test('they belong to one repository and one organization', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `moon/probe-${i}`);
    const deliveries = names.flatMap((full_name, i) => {
      const repository = { ...numbered, id: 5000 + i, full_name };
      const both = [pull(1, 'closed', {}, full_name), pullPayload(2, {}, repository)];
      return i % 2 === 0 ? both : both.reverse();
    });
    const answers = await Promise.all(deliveries.map((payload) => service.deliver('pull_request', payload)));
    for (const { status } of answers) assert.equal(status, 202);
    const listed = await waitUntil('all numbers are known', async () => {
      const found = await repositories(service);
      return found.length >= names.length && found.every(({ scmRepoId }) => scmRepoId !== null) && found;
    });
    assert.deepEqual(listed.map(({ fullName }) => fullName).sort(), [...names].sort());
    assert.equal((await organizations(service)).length, 1);
    for (const { id } of listed) {
      const bounds = { repoId: id, type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 2 };
      const isWhole = async () => (await service.api('POST', '/api/ranges', bounds)).body.prCount === 2;
      await waitUntil('both pull requests are counted', isWhole);
    }
  });

  await t.test('a login of several organizations is refused with their ids', async () => {
    for (const id of [71, 72])
      await send(
        service,
        'pull_request',
        pullPayload(1, {}, { id: 7000 + id, full_name: `twin/app-${id}`, owner: { login: 'twin', id } }),
      );
    const twins = await waitUntil('both are listed', async () => {
      const found = (await organizations(service)).filter(({ login }) => login === 'twin');
      return found.length === 2 && found.map(({ id }) => String(id));
    });
    const refused = await keyOf(service, 'Twin');
    assert.equal(refused.status, 409, JSON.stringify(refused.body));
    for (const id of twins) assert.match(refused.body.message, new RegExp(id));
    assert.equal((await keyOf(service, twins[0] as string)).status, 201);
    const endpoint = await service.api('POST', '/api/webhook-endpoints', {
      org: 'twin',
      url: 'https://hooks.example/',
    });
    assert.equal(endpoint.status, 409, JSON.stringify(endpoint.body));
    const secret = await service.api('POST', '/api/webhook-secrets', { org: 'twin' });
    assert.equal(secret.status, 409);
    const args = ['keys', 'create', '--org', 'twin', '--name', 'ci'];
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], { env: service.env, encoding: 'utf8' });
    assert.notEqual(status, 0);
    for (const id of twins) assert.match(stderr, new RegExp(id));
  });

  await t.test('an organization reports its own repositories without ids, and no others', async () => {
    const { key } = (await keyOf(service, 'venus')).body;
    const { secret } = (await service.api('POST', '/api/webhook-secrets', {}, key)).body;
    const deliver = async (payload: object) => {
      const digest = createHmac('sha256', secret).update(JSON.stringify(payload)).digest('hex');
      return (await service.deliver('pull_request', payload, { 'x-hub-signature-256': `sha256=${digest}` })).status;
    };
    const own = { id: 8001, full_name: 'venus/probe', owner: { login: 'venus', id: 81 } };
    assert.equal(await deliver(pull(1, 'closed', {}, 'venus/probe')), 202);
    assert.equal(await deliver(pullPayload(2, {}, own)), 202);
    assert.equal(await deliver(pull(3, 'closed', {}, 'moon/probe-1')), 401, 'another login');
    const others = { ...own, full_name: 'moon/probe-1' };
    assert.equal(await deliver(pullPayload(3, {}, { ...others, owner: { login: 'moon', id: 81 } })), 401);
    const [repository] = await waitUntil('it is listed', async () => {
      const found = await repositories(service, key);
      return found.length > 0 && found;
    });
    assert.equal(await deliver(pullPayload(4, {}, own)), 202);
    assert.equal(await deliver(pull(5, 'closed', {}, 'venus/probe')), 202);
    const bounds = { repoId: repository.id, type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 5 };
    const isWhole = async () => (await service.api('POST', '/api/ranges', bounds, key)).body.prCount === 4;
    await waitUntil('all are counted', isWhole);
    assert.deepEqual(
      (await repositories(service, key)).map(({ id }) => id),
      [repository.id],
    );
    // The payloads of the tenant have used the repository number 8001. The real owner of this number can still use it.
    await send(service, 'pull_request', pullPayload(1, {}, { ...numbered, id: 8001, full_name: 'moon/secret' }));
    await waitUntil('the owner has it', async () =>
      (await repositories(service)).some(({ scmRepoId, fullName }) => scmRepoId === 8001 && fullName === 'moon/secret'),
    );
    assert.equal((await repositories(service, key)).length, 1);
  });
});
