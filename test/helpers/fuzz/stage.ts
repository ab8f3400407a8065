/**
 * Prepares a fuzz of the API. It starts a service with two organizations that have the same kinds of objects in
 * different partitions. It also starts receivers on loopback for everything that the service sends.
 */
import type { TestContext } from 'node:test';
import { partitionOf, repositoryId, slotOfId } from '../../../src/foundation/ids.ts';
import { type PartitionName, partitionName } from '../../../src/foundation/partition-names.ts';
import { channelNames } from '../../../src/protocol/names.ts';
import { type Reply, TestApp } from '../host/app.ts';
import { buildHistory } from '../host/build.ts';
import { startHost } from '../host/server.ts';
import { pullPayload, pushPayload, shaOf, tagPayload } from '../payloads.ts';
import { temporaryFolder } from '../ports.ts';
import { startReceiver, status } from '../receiver.ts';
import { startOfficeChat } from '../receivers/office-chat.ts';
import { startSmtp } from '../receivers/smtp.ts';
import { startSupportMessenger } from '../receivers/support-messenger.ts';
import { startWorkspaceChat } from '../receivers/workspace-chat.ts';
import { createTagRange, deliverRocket, generateDraft } from '../rocket.ts';
import { startService, type TestService } from '../service.ts';
import { waitUntil } from '../wait-until.ts';
import { type Caller, idsIn, type Org, orgs, otherThan, World } from './world.ts';

const partitions = 4;
const rocketNumber = 1001;
const maxStates = 20;
/** A host that does not answer. No app is ever stored for it, so manifests can be made for it at any time. */
const silentHost = 'http://127.0.0.1:9';

/**
 * Settings of a fuzzed service, in addition to the settings that all tests use. The maximums per organization are high,
 * so that more requests take effect. When a request exceeds a maximum, the expected reply is 409.
 */
const fuzzSettings = {
  TIDINGS_PARTITIONS: String(partitions),
  TIDINGS_WORKERS: '1',
  TIDINGS_RENDER_THREADS: '1',
  TIDINGS_TAG_SYNC_HOURS: '0',
  TIDINGS_MAX_KEYS: '1000',
  TIDINGS_MAX_WEBHOOK_ENDPOINTS: '100',
  TIDINGS_USAGE_FLUSH_SECONDS: '1',
  TIDINGS_EGRESS_ALLOW: '127.0.0.0/8',
  TIDINGS_HOSTS: JSON.stringify([{ origin: silentHost }]),
  NODE_OPTIONS: `--import=${new URL('./loopback-only.js', import.meta.url).href}`,
};

export interface Stage {
  service: TestService;
  world: World;
  /** The partition that stores each organization's repository. */
  partitionOf: Record<Org, PartitionName>;
  repoIdOf: Record<Org, string>;
}

/** Starts the service and makes objects of each kind for both organizations. */
export async function setStage(t: TestContext): Promise<Stage> {
  const convert = appMaker(t);
  const host = await startHost(t, buildHistory({ id: rocketNumber, numbers: 24 }), { token: 'host-token', convert });
  const service = await startService(t, { env: { ...fuzzSettings, ...host.env } });
  const repoIdOf = { acme: await deliverRocket(service), umbrella: await deliverLab(service, host.origin) };
  const origins = [host.origin, host.origin, host.origin, '127.0.0.1'];
  const apps = { code: ['code-of-the-host'], state: await appStates(service, host.origin) };
  const known = { ...(await receiversOf(t)), ...apps, host: origins, origin: [...origins, silentHost] };
  const loginsFor = (org: Org) => ({ org: [...Array<Org>(8).fill(org), otherThan(org)] });
  const world = new World(known, { acme: loginsFor('acme'), umbrella: loginsFor('umbrella') });
  const instance: Caller = { name: 'instance', org: null, key: service.adminKey, kind: 'instance' };
  world.callers.push(instance);
  for (const name of ['none', 'junk']) {
    world.callers.push({ name, org: null, key: name === 'none' ? undefined : 'rn_live_x', kind: 'useless' });
  }
  await Promise.all(orgs.map((org) => populate(service, world, org, repoIdOf[org])));
  const partitionOfOrg = (org: Org) => partitionName(partitionOf(slotOfId(repoIdOf[org]) as number, partitions));
  return {
    service,
    world,
    repoIdOf,
    partitionOf: { acme: partitionOfOrg('acme'), umbrella: partitionOfOrg('umbrella') },
  };
}

/** Returns the answers of a host that makes an app for each code. */
function appMaker(t: TestContext): (code: string) => Reply {
  const { id, key } = new TestApp(temporaryFolder(t));
  const known = { id: Number(id), slug: 'fuzzed-app', name: 'Fuzzed app', html_url: '' };
  return () => ({ status: 201, body: { ...known, pem: key, webhook_secret: 'secret-of-the-app' } });
}

/** Makes states for apps of a host. A state works once, so there are several. */
async function appStates(service: TestService, origin: string): Promise<string[]> {
  const make = async () => (await service.api('POST', '/api/hosts/app-manifest', { origin })).body.state;
  return Promise.all(Array.from({ length: maxStates }, make));
}

/**
 * Returns the number that the host gives to the repository umbrella/lab. Because of this number, the repository is
 * stored in a different partition than acme/rocket.
 */
function labNumber(origin: string): number {
  const of = (number: number) => partitionOf(slotOfId(repositoryId(origin, String(number))) as number, partitions);
  let number = rocketNumber + 1;
  while (of(number) === of(rocketNumber)) number += 1;
  return number;
}

async function deliverLab(service: TestService, origin: string): Promise<string> {
  const lab = {
    id: labNumber(origin),
    full_name: 'umbrella/lab',
    owner: { login: 'umbrella', id: 88, type: 'Organization' },
  };
  for (const [number, title] of [
    [1, 'First seed'],
    [2, 'Grow in the dark'],
    [3, 'Roots'],
  ] as const)
    await service.deliver('pull_request', pullPayload(number, { title }, lab));
  await service.deliver('push', {
    ...pushPayload([1, 2, 3], shaOf(0)),
    repository: pullPayload(1, {}, lab).repository,
  });
  for (const [tag, number] of [
    ['v1.0.0', 1],
    ['v1.1.0', 3],
  ] as const)
    await service.deliver('push', { ...tagPayload(tag, number), repository: pullPayload(1, {}, lab).repository });
  const id = repositoryId(origin, String(lab.id));
  await waitUntil('the tags of the other repository are listed', async () => {
    const { status: code, body } = await service.api('GET', `/api/repos/${id}/tags`);
    return code === 200 && body.total === 2;
  });
  return id;
}

/**
 * Starts receivers. Returns valid field values for requests, by field name. With these values, the service sends to
 * these receivers only.
 */
async function receiversOf(t: TestContext): Promise<Record<string, readonly unknown[]>> {
  const [messenger, chat, office, mail] = [
    await startSupportMessenger(t),
    await startWorkspaceChat(t),
    await startOfficeChat(t),
    await startSmtp(t),
  ];
  const [takes, refuses, ends] = [await startReceiver(t), await startReceiver(t), await startReceiver(t)];
  refuses.answer = status(400);
  ends.answer = status(410);
  return {
    url: [takes.url, takes.url, takes.url, refuses.url, ends.url],
    webhookUrl: [chat.webhookUrl, office.webhookUrl],
    apiUrl: [messenger.apiUrl],
    accessToken: [messenger.token],
    senderId: [messenger.senderId],
    newsfeedIds: [[messenger.newsfeedId]],
    port: [mail.port],
    tls: ['none'],
    from: ['notes@acme.example'],
    recipients: [['ada@example.org'], ['ada@example.org', 'grace@example.org']],
    path: ['docs/NEWS.md'],
    branch: ['main'],
    channel: channelNames,
    fromTag: ['v1.0.0'],
    toTag: ['v1.1.0'],
    revision: [1, 1, 2, 3],
    partition: ['directory', 'p00'],
    tier: ['standard', 'unlimited', 'golden'],
  };
}

/** Makes objects of each kind for an organization. Every text of these objects contains the organization's marker. */
async function populate(service: TestService, world: World, org: Org, repoId: string): Promise<void> {
  const marker = `canary-of-${org}`;
  const markers = world.markers[org];
  markers.add(marker);
  for (const text of org === 'acme' ? ['Faster start'] : ['umbrella/lab', 'Grow in the dark']) markers.add(text);
  const makeKey = async (kind: Caller['kind'], fields: object): Promise<string> => {
    const { body } = await service.api('POST', '/api/keys', { name: `${kind} ${marker}`, org, ...fields });
    world.keep(body.id, org);
    world.add(body.orgId, org);
    markers.add(body.key);
    world.callers.push({ name: `${kind} of ${org}`, org, key: body.key, kind });
    return body.key;
  };
  const key = await makeKey('main', {});
  await makeKey('reader', { scopes: ['drafts:read', 'repos:read', 'webhooks:read'] });
  await makeKey('test', { mode: 'test' });
  world.add(repoId, org);
  const asked = async (method: string, path: string, body?: unknown) => {
    const answer = await service.api(method, path, body, key);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    world.learn(answer.body, org);
    if (typeof answer.body.secret === 'string') markers.add(answer.body.secret);
    return answer.body;
  };
  const { url, webhookUrl } = world.known as Record<string, readonly string[]>;
  await asked('PUT', `/api/repos/${repoId}/settings`, { titles: { fix: marker } });
  await asked('PUT', '/api/channels/workspace_chat', { settings: { webhookUrl: webhookUrl?.[0] } });
  await asked('PUT', `/api/channels/office_chat?repoId=${repoId}`, { settings: { webhookUrl: webhookUrl?.[1] } });
  await asked('PUT', '/api/channels/hosted', { settings: { title: marker } });
  await asked('POST', '/api/webhook-secrets', { name: marker });
  const endpoint = await asked('POST', '/api/webhook-endpoints', { url: url?.[0], description: marker });
  await asked('POST', `/api/webhook-endpoints/${endpoint.id}/test`, {});
  await asked('POST', '/api/keys', { name: `more ${marker}`, scopes: ['repos:read'] });
  const range = (await createTagRange(service, repoId, key)).body;
  world.learn(range, org);
  const write = async (persona: string): Promise<void> => {
    const draft = await generateDraft(service, range.id, persona);
    world.learn(draft, org);
    await asked('PATCH', `/api/drafts/${draft.id}`, { bodyMd: `${draft.bodyMd}\n${marker}\n` });
    // The host has only the repository of acme. It can confirm the owner of this repository, but not the owner of
    // umbrella's repository. Therefore only acme publishes to the channel `changelog`.
    for (const channel of ['hosted', 'workspace_chat', 'office_chat', ...(org === 'acme' ? ['changelog'] : [])])
      await asked('POST', '/api/publish', { draftId: draft.id, channel });
  };
  await Promise.all(['engineer', 'internal', 'customer'].map(write));
  for (const id of idsIn(JSON.stringify(await asked('GET', `/api/webhook-endpoints/${endpoint.id}/deliveries`))))
    world.own(id, org);
}
