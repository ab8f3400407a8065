/**
 * Tests the webhook receiver over HTTP while the directory changes during a delivery, and with several gateways. The
 * tests use real partitions and real servers.
 */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { loadSettings } from '../../../config/load.ts';
import type { Homes } from '../../../src/cluster/homes.ts';
import { createLogger } from '../../../src/foundation/logger.ts';
import { directoryName } from '../../../src/foundation/partition-names.ts';
import { createSealer } from '../../../src/foundation/seal.ts';
import { ingestionLimit } from '../../../src/gateway/gateway.ts';
import { BodyBudget } from '../../../src/http/budget.ts';
import { startServer } from '../../../src/http/server.ts';
import { type DeliveredRecord, Receiver, type ReceiverOptions } from '../../../src/ingress/receive.ts';
import { RecentDeliveries } from '../../../src/ingress/recent.ts';
import { Refusals } from '../../../src/ingress/refusals.ts';
import { BoundSecrets } from '../../../src/ingress/secrets.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { organizationByLogin } from '../../../src/store/tables/directory.ts';
import { sealedFor } from '../../../src/store/tables/webhook-secrets.ts';
import { GatewayBus } from '../../helpers/gateway-bus.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { commandRecord, epoch, repositoryFields } from '../../helpers/partition-records.ts';
import { waitUntil } from '../../helpers/wait-until.ts';

const settings = loadSettings({ TIDINGS_HOST_ORIGIN: 'https://scm.example' });
const origin = settings.hostOrigin;
const sealer = createSealer(randomBytes(32));
const logger = createLogger('test', 'silent');
const secretText = 'the secret of acme';
/** A pull request with exactly the fields in the specification, so without the host's numbers. */
const payload = {
  action: 'closed',
  pull_request: {
    ...{ number: 1, title: 'Land softly', body: null, state: 'closed', merged: true },
    ...{ merged_at: '2025-03-02T09:00:00Z', user: { login: 'grace' }, labels: [] },
  },
  repository: { full_name: 'acme/app' },
};

/** Returns a directory with an organization `acme` and its webhook secret. The organization has no number yet. */
async function openDirectory(t: TestContext): Promise<{ directory: Partition; orgId: string }> {
  const directory = openTestPartition(t, 'directory');
  await foldRecords(directory, 1, commandRecord({ name: 'nameOrganisation', origin, login: 'acme' } as never));
  const orgId = organizationByLogin(directory, origin, 'acme')?.id as string;
  const id = 'secret-1';
  const secret = {
    ...{ id, origin, orgId, name: '' },
    sealed: sealer.seal(secretText, sealedFor({ id, origin, orgId })),
  };
  const record = { ...secret, previous: [], createdAt: 0, rotatedAt: null };
  await foldRecords(directory, 2, commandRecord({ name: 'createWebhookSecret', secret: record } as never));
  return { directory, orgId };
}

/** Adds the organization's number to the directory, by a repository in whose payload it was. */
async function addNumber(directory: Partition, orgId: string): Promise<void> {
  const owner = { id: '77', login: 'acme' };
  const repository = repositoryFields({ origin, owner, fullName: 'acme/other' });
  const body = { relay: 'repositorySeen', repository, seenAt: epoch, claimedBy: orgId } as const;
  await foldRecords(directory, 3, { id: 'relay-1', at: epoch, kind: 'relay', source: 'p00', row: 1, body });
}

/** The state of partitions that never change. */
const unchanging = { seq: () => 1, generation: () => 1 };

test('a delivery is checked with one state of the directory', async (t) => {
  const before = await openDirectory(t);
  const after = await openDirectory(t);
  assert.equal(after.orgId, before.orgId);
  await addNumber(after.directory, after.orgId);
  // A fold commits between the first read and the second.
  const states = [before.directory];
  let reads = 0;
  const read = (name: string) => {
    if (name !== directoryName) return undefined;
    reads += 1;
    return states.shift() ?? after.directory;
  };
  const enqueued: DeliveredRecord[] = [];
  const { deliver } = await startReceiver(t, {
    ...{ settings: { ...settings, autoConnect: false } },
    readers: { current: read, ...unchanging },
    bound: boundOf(before.directory),
    limit: ingestionLimit(settings, { current: () => after.directory, ...unchanging }),
    enqueue: async (_, record) => ({ seq: enqueued.push(record), index: 0 }),
    isConnected: (directory) => directory === before.directory,
  });
  const { status } = await deliver(payload, 'one');
  assert.deepEqual([status, reads, enqueued.length], [202, 1, 1]);
});

function boundOf(directory: Partition): BoundSecrets {
  return new BoundSecrets({
    read: () => directory,
    sealer,
    hosts: [{ origin, kind: 'github', app: undefined }],
    logger,
  });
}

type Options = Omit<ReceiverOptions, 'secrets' | 'budget' | 'refusals' | 'recent'>;

/** Starts a server with a receiver. Returns the function that posts a delivery signed with the secret of `acme`. */
async function startReceiver(t: TestContext, options: Options) {
  const receiver = new Receiver({
    ...options,
    secrets: [],
    budget: new BodyBudget(settings.bodyBudgetBytes),
    refusals: new Refusals({ trustedProxies: [], logger }),
    recent: new RecentDeliveries('boot'),
  });
  const route = { method: 'POST', path: '/api/webhooks/scm', handle: receiver.handle.bind(receiver) } as const;
  const server = await startServer('127.0.0.1', 0, [route], logger);
  t.after(() => server.stop(0));
  const deliver = (content: object, id: string, signal?: AbortSignal) => {
    const text = JSON.stringify(content);
    const digest = createHmac('sha256', secretText).update(text).digest('hex');
    return fetch(`http://127.0.0.1:${server.port}/api/webhooks/scm`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', 'x-scm-event': 'pull_request', 'x-scm-delivery': id },
        'x-hub-signature-256': `sha256=${digest}`,
      },
      body: text,
      ...(signal && { signal }),
    });
  };
  return { deliver, touch: () => fetch(`http://127.0.0.1:${server.port}/`) };
}

const ids = ['local-0', 'local-1', 'local-2', 'local-3'];

/** Starts four receivers that know each other, with a maximum of claims. Their organization has no proof of its number. */
async function startReceivers(t: TestContext, limitClaimedRepositories: number) {
  const bus = new GatewayBus();
  const group = await bus.group(ids);
  const { directory, orgId } = await openDirectory(t);
  const readers = { current: (name: string) => (name === directoryName ? directory : undefined), ...unchanging };
  const enqueued: DeliveredRecord[] = [];
  const remembered: string[] = [];
  const start = ({ homes }: { homes: Homes }) =>
    startReceiver(t, {
      settings: { ...settings, limitClaimedRepositories },
      ...{ readers, homes },
      bound: boundOf(directory),
      limit: ingestionLimit(settings, readers),
      enqueue: async (_, record) => ({ seq: enqueued.push(record), index: 0 }),
      isConnected: () => true,
      onRemember: ({ fullName }) => remembered.push(fullName),
    });
  const receivers = await Promise.all(group.map(start));
  const deliver = (gateway: number, name: string, id: string, signal?: AbortSignal) =>
    receivers[gateway]?.deliver(
      { ...payload, repository: { full_name: `acme/${name}` } },
      id,
      signal,
    ) as Promise<Response>;
  return { bus, group, orgId, enqueued, remembered, deliver, receivers };
}

test('the claims of an organization have one maximum over several gateways, and more are not remembered', async (t) => {
  const { deliver, enqueued, remembered } = await startReceivers(t, 3);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => deliver(i % 4, `repository-${i}`, `delivery-${i}`)),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(3).fill(202), ...Array(9).fill(429)]);
  assert.deepEqual([enqueued.length, remembered.length], [3, 3]);
});

test('a repository whose first deliveries reach several gateways at once gets one id', async (t) => {
  const { deliver, enqueued } = await startReceivers(t, 3);
  const answers = await Promise.all(ids.map((_, i) => deliver(i, 'new', `delivery-${i}`)));
  assert.ok(answers.every(({ status }) => status === 202));
  const found = enqueued.map((record) => (record.kind === 'event' ? record.repository.id : ''));
  assert.equal(new Set(found).size, 1);
});

test('a client that leaves while another gateway is asked disturbs no one', async (t) => {
  const { bus, group, orgId, deliver, enqueued, receivers } = await startReceivers(t, 1);
  const home = group.findIndex(({ homes }) => homes.isHere(orgId));
  const away = (home + 1) % ids.length;
  await deliver(home, 'first', 'delivery-1');
  bus.stop(ids[home] as string);
  const leaving = new AbortController();
  const gone = deliver(away, 'second', 'delivery-2', leaving.signal).catch((error: Error) => error.name);
  const before = bus.questions;
  await waitUntil('the home is asked', () => bus.questions > before);
  leaving.abort();
  assert.equal(await gone, 'AbortError');
  // The server notices the end of the connection at the latest with the next request.
  assert.equal((await receivers[away]?.touch())?.status, 404);
  bus.goOn(ids[home] as string);
  assert.equal((await deliver(away, 'third', 'delivery-3')).status, 429, 'the gateway still serves');
  assert.equal(enqueued.length, 1);
});
