/**
 * Sends made-up requests to a service with two organisations, and says what is wrong with a reply: a 5xx, a status or body that
 * the document does not have, a word of the other organisation.
 */
import type { TestContext } from 'node:test';
import fc from 'fast-check';
import { channelNames, channelTraits } from '../../src/protocol/channels.ts';
import { operations, replyFault } from './contract.ts';
import { type FuzzRequest, fuzzRequest, type Picked } from './contract-requests.ts';
import { pullPayload } from './payloads.ts';
import { createTagRange, deliverRocket, generateDraft } from './rocket.ts';
import { startService, type TestService } from './service.ts';
import { waitUntil } from './wait-until.ts';

/** What was sent and what came back, in numbers. */
export interface Tally {
  requests: number;
  /** Operation and status, and how often. */
  replies: Map<string, number>;
}

interface Stage {
  service: TestService;
  pools: Record<string, string[]>;
  keys: Record<string, string | undefined>;
  /** Endpoints of deliveries. */
  homes: Map<unknown, string>;
  /** What only an organisation's own keys may get to see, by organisation. */
  secrets: Record<'acme' | 'umbrella', Set<string>>;
}

/** Ids of all operations that are asked this way; what hosts send has tests of its own. */
export const fuzzed: readonly string[] = operations
  .map(({ definition }) => definition.operationId as string)
  .filter((id) => id !== 'receiveWebhook');

const inFlight = 25;
/** What a pool may hold: enough of what requests made themselves, and what was there first. */
const largestPool = 60;
const other = { acme: 'umbrella', umbrella: 'acme' } as const;

/**
 * Sends requests of some operations until the number is reached.
 * @throws the first fault, with the request and the seed
 */
export async function fuzzService(
  t: TestContext,
  ids: readonly string[],
  requests: number,
  seed: number,
): Promise<Tally> {
  const stage = await setStage(t);
  const tally: Tally = { requests: 0, replies: new Map() };
  const batch = fc.array(fuzzRequest(ids), { minLength: inFlight, maxLength: inFlight });
  const property = fc.asyncProperty(batch, async (made) => {
    await Promise.all(made.map((request) => sendOne(stage, request, tally)));
  });
  const parameters = { numRuns: Math.ceil(requests / inFlight), seed, endOnFailure: true };
  const { failed, errorInstance } = await fc.check(property, parameters);
  // The whole batch would be pages long; the fault names its request.
  if (failed)
    throw new Error(`seed ${seed}: ${(errorInstance as Error | null)?.message ?? 'failed'}`, { cause: errorInstance });
  return tally;
}

async function setStage(t: TestContext): Promise<Stage> {
  // Backfills find no host; nothing leaves the machine.
  const service = await startService(t, { env: { TIDINGS_HOST_API_URL: 'http://127.0.0.1:9' } });
  const repoId = await deliverRocket(service);
  const range = (await createTagRange(service, repoId)).body;
  const draft = await generateDraft(service, range.id);
  const lab = { id: 2002, full_name: 'umbrella/lab', owner: { login: 'umbrella', id: 88 } };
  await service.deliver('pull_request', pullPayload(1, { title: 'Grow in the dark' }, lab));
  const labId = await waitUntil('the other repository is listed', async () => {
    const { repos } = (await service.api('GET', '/api/repos')).body;
    return repos.find((each: { fullName: string }) => each.fullName === 'umbrella/lab')?.id as string | undefined;
  });
  const days = { type: 'DATE_BASED', fromDate: '2025-12-01', toDate: '2026-12-31' };
  const labRange = (await service.api('POST', '/api/ranges', { repoId: labId, ...days })).body;
  const labDraft = await generateDraft(service, labRange.id);
  const publish = async (draftId: string): Promise<string[]> => {
    const asked = ['scm_releases', 'changelog', 'releases_md', 'hosted'].map((channel) =>
      service.api('POST', '/api/publish', { draftId, channel }),
    );
    return (await Promise.all(asked)).map(({ body }) => body.id);
  };
  const [published, labPublished] = [await publish(draft.id), await publish(labDraft.id)];
  const make = async (body: object) => (await service.api('POST', '/api/keys', { name: 'k', ...body })).body;
  const [acme, umbrella] = [await make({ org: 'acme' }), await make({ org: 'umbrella' })];
  const hooks = { org: 'acme', url: 'https://hooks.example/' };
  const endpoint = (await service.api('POST', '/api/webhook-endpoints', hooks)).body;
  const others = [1, 2, 3].map(() => service.api('POST', '/api/webhook-endpoints', hooks));
  const more = (await Promise.all(others)).map(({ body }) => body.id);
  const tried = (await service.api('POST', `/api/webhook-endpoints/${endpoint.id}/test`, {})).body;
  for (const { orgId } of [acme, umbrella]) {
    const builtIn = channelNames.filter((name) => channelTraits[name].isBuiltIn);
    for (const name of builtIn) await service.api('PUT', `/api/channels/${name}?orgId=${orgId}`, { settings: {} });
  }
  const revoked = await make({ org: 'acme' });
  await service.api('DELETE', `/api/keys/${revoked.id}`);
  return {
    service,
    homes: new Map([[tried.id, endpoint.id]]),
    keys: {
      acme: acme.key,
      umbrella: umbrella.key,
      instance: service.adminKey,
      reader: (await make({ org: 'acme', scopes: ['drafts:read', 'repos:read'] })).key,
      test: (await make({ org: 'acme', mode: 'test' })).key,
      revoked: revoked.key,
      none: undefined,
      junk: 'rn_live_x',
    },
    pools: {
      repoId: [repoId, labId],
      rangeId: [range.id, labRange.id],
      draftId: [draft.id, labDraft.id],
      orgId: [acme.orgId, umbrella.orgId],
      org: ['acme', 'umbrella', acme.orgId, umbrella.orgId],
      keyId: [revoked.id],
      secretId: [(await service.api('POST', '/api/webhook-secrets', { org: 'acme' })).body.id],
      // Enough of them that some are left when others are deleted.
      pubId: [...published, ...labPublished],
      channel: ['hosted', 'changelog', ...channelNames],
      endpointId: [endpoint.id, ...more],
      deliveryId: [tried.id],
      // Nobody answers there: names of this kind resolve nowhere.
      url: ['https://hooks.example/', 'https://127.0.0.1/', 'http://hooks.example/'],
      revision: ['1', '2', '3', '99'],
      secretText: ['a text of more than sixteen characters', 'short'],
      tag: ['v1.0.0', 'v1.1.0', 'v9'],
      host: ['https://github.com', 'https://scm.example'],
      tier: ['standard', 'unlimited', 'golden'],
      etag: ['*', '"1-OaaAgMsPlo3iGVxNFSLvpQ"', 'W/"1-x"'],
      once: ['one', 'two', '"three"', 'four', 'five'],
    },
    secrets: {
      acme: new Set([
        repoId,
        range.id,
        draft.id,
        acme.orgId,
        acme.id,
        endpoint.id,
        tried.id,
        ...published,
        'Faster start',
      ]),
      umbrella: new Set([
        labId,
        labRange.id,
        labDraft.id,
        umbrella.orgId,
        umbrella.id,
        ...labPublished,
        'umbrella/lab',
        'Grow in the dark',
      ]),
    },
  };
}

async function sendOne(stage: Stage, request: FuzzRequest, tally: Tally): Promise<void> {
  const { operation, key, contentType } = request;
  const made = pickAll(stage, request) as FuzzRequest;
  const home = stage.homes.get(made.params.deliveryId);
  // Two ids picked by themselves hardly ever belong together.
  if (home !== undefined) made.params.endpointId = home;
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => segment(made.params[name]));
  const query = new URLSearchParams(made.query.map(([name, value]): [string, string] => [textOf(name), textOf(value)]));
  const headers = new Headers();
  for (const [name, value] of Object.entries(made.headers)) setHeader(headers, name, value);
  const text = stage.keys[key];
  if (text !== undefined) headers.set('authorization', `Bearer ${text}`);
  const body = made.body && ('text' in made.body ? made.body.text : (JSON.stringify(made.body.value) ?? ''));
  if (body !== undefined) headers.set('content-type', contentType);
  const url = `${path}?${query}`;
  const answer = await fetch(stage.service.url + url, {
    method: operation.method,
    headers,
    ...(body !== undefined && { body }),
  });
  const reply = { status: answer.status, headers: answer.headers, text: await answer.text() };
  const sent = JSON.stringify([operation.method, url, [...headers], body]);
  check(stage, request, reply, sent);
  if (operation.method === 'DELETE' && reply.status === 200) forget(stage, Object.values(made.params));
  const at = `${operation.definition.operationId} ${reply.status}`;
  tally.requests += 1;
  tally.replies.set(at, (tally.replies.get(at) ?? 0) + 1);
}

interface Reply {
  status: number;
  headers: Headers;
  text: string;
}

/** @throws for a reply that is not as promised */
function check(stage: Stage, { operation, key }: FuzzRequest, reply: Reply, sent: string): void {
  const { status, headers, text } = reply;
  const fail = (fault: string): never => {
    throw new Error(`${fault}\n  sent: ${sent.slice(0, 2000)}\n  got: ${status} ${text.slice(0, 2000)}`);
  };
  if (status >= 500) fail(`a reply of ${status}`);
  const body = text === '' ? '' : JSON.parse(text);
  const fault = replyFault(operation.method, operation.path, { status, headers, body });
  if (fault !== undefined) fail(fault);
  if (/\n\s+at |node_modules|\.(ts|js):\d+/.test(text) && !sent.includes('node_modules')) fail('a stack');
  const made = headers.get('x-test-mode') === null && status === 201 && body?.id;
  if (made && body.endpointId !== undefined) stage.homes.set(body.id, body.endpointId);
  if (made) learn(stage, key, body.id);
  const owner = key === 'reader' ? 'acme' : key;
  // The document's examples are ids of a real acme/rocket.
  if ((owner !== 'acme' && owner !== 'umbrella') || operation.path === '/api/openapi.json') return;
  const foreign = other[owner];
  for (const secret of stage.secrets[foreign]) {
    if (text.includes(secret) && !sent.includes(secret)) fail(`tells ${owner} of ${secret}, which is ${foreign}’s`);
  }
}

/** What ids are called in paths, where that is not what they begin with. */
const longNames: Readonly<Record<string, string>> = { ep: 'endpoint', dlv: 'delivery' };

/** What a request made can be asked for by later ones, and is nobody else's. */
function learn(stage: Stage, owner: string, id: string): void {
  const prefix = id.split('_')[0] as string;
  const pool = stage.pools[`${longNames[prefix] ?? prefix}Id`];
  if (!pool || pool.includes(id)) return;
  pool.push(id);
  if (owner === 'acme' || owner === 'umbrella') stage.secrets[owner].add(id);
  if (pool.length <= largestPool) return;
  const [gone] = pool.splice(2, 1);
  for (const secrets of Object.values(stage.secrets)) secrets.delete(gone as string);
}

/** What is deleted is asked for no more, as long as there is something else of its kind. */
function forget({ pools }: Stage, ids: readonly unknown[]): void {
  for (const [name, pool] of Object.entries(pools)) {
    if (pool.length > 1 && name.endsWith('Id')) pools[name] = pool.filter((id) => !ids.includes(id));
  }
}

/** The request with what it picked from the pools. */
function pickAll(stage: Stage, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isPicked(value)) {
    const pool = stage.pools[value.pool] as string[];
    return pool[value.at % pool.length];
  }
  if (Array.isArray(value)) return value.map((each) => pickAll(stage, each));
  if ('definition' in value) return value;
  const picked: Record<string, unknown> = Object.create(null);
  for (const [name, each] of Object.entries(value)) picked[name] = pickAll(stage, each);
  return picked;
}

function isPicked(value: object): value is Picked {
  return 'pool' in value && 'at' in value && Object.keys(value).length === 2 && typeof value.at === 'number';
}

/** Empty segments and dots would make another path. */
function segment(value: unknown): string {
  const text = encodeURIComponent(textOf(value));
  return text === '' || text === '.' || text === '..' ? 'x' : text;
}

function setHeader(headers: Headers, name: string, value: unknown): void {
  if (value === undefined) return;
  try {
    headers.set(name, textOf(value));
  } catch {
    // No client can send it.
  }
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.toWellFormed();
}
