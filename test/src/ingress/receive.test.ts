/**
 * Tests the webhook receiver over HTTP while the directory changes during a delivery. The tests use real partitions and
 * a real server.
 */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { loadSettings } from '../../../config/load.ts';
import { createLogger } from '../../../src/foundation/logger.ts';
import { directoryName } from '../../../src/foundation/partition-names.ts';
import { createSealer } from '../../../src/foundation/seal.ts';
import { ingestionLimit } from '../../../src/gateway/gateway.ts';
import { BodyBudget } from '../../../src/http/budget.ts';
import { startServer } from '../../../src/http/server.ts';
import { type DeliveredRecord, Receiver } from '../../../src/ingress/receive.ts';
import { RecentDeliveries } from '../../../src/ingress/recent.ts';
import { Refusals } from '../../../src/ingress/refusals.ts';
import { BoundSecrets } from '../../../src/ingress/secrets.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { organizationByLogin } from '../../../src/store/tables/directory.ts';
import { sealedFor } from '../../../src/store/tables/webhook-secrets.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { commandRecord, epoch, repositoryFields } from '../../helpers/partition-records.ts';

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
  const receiver = new Receiver({
    ...{ settings: { ...settings, autoConnect: false }, secrets: [] },
    readers: { current: read, ...unchanging },
    bound: new BoundSecrets({
      read: () => before.directory,
      sealer,
      hosts: [{ origin, kind: 'github', app: undefined }],
      logger,
    }),
    budget: new BodyBudget(settings.bodyBudgetBytes),
    limit: ingestionLimit(settings, { current: () => after.directory, ...unchanging }),
    refusals: new Refusals({ trustedProxies: [], logger }),
    recent: new RecentDeliveries('boot'),
    enqueue: async (_, record) => ({ seq: enqueued.push(record), index: 0 }),
    isConnected: (directory) => directory === before.directory,
  });
  const route = { method: 'POST', path: '/api/webhooks/scm', handle: receiver.handle.bind(receiver) } as const;
  const server = await startServer('127.0.0.1', 0, [route], logger);
  t.after(() => server.stop(0));
  const text = JSON.stringify(payload);
  const digest = createHmac('sha256', secretText).update(text).digest('hex');
  const { status } = await fetch(`http://127.0.0.1:${server.port}/api/webhooks/scm`, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', 'x-scm-event': 'pull_request', 'x-scm-delivery': 'one' },
      'x-hub-signature-256': `sha256=${digest}`,
    },
    body: text,
  });
  assert.deepEqual([status, reads, enqueued.length], [202, 1, 1]);
});
