/**
 * Checks the events about connections of repositories. Only a change between connected and not connected is reported,
 * once, to the endpoints of the organization that the repository belongs to.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ulid } from '../../../src/foundation/ids.ts';
import { toInstallation } from '../../../src/intake/installations.ts';
import type { InstallationRecord, JournalRecord, RelayRecord } from '../../../src/protocol/journal.ts';
import type { EventRepository } from '../../../src/protocol/repository.ts';
import type { WebhookEvent } from '../../../src/protocol/webhooks.ts';
import { organizationByLogin, readDirectoryRepository } from '../../../src/store/tables/directory.ts';
import { listWebhookDeliveries } from '../../../src/store/tables/webhook-deliveries.ts';
import { dump, foldRecords, openTestPartition, rows } from '../../helpers/partition.ts';
import { commandRecord, epoch, repositoryFields } from '../../helpers/partition-records.ts';

const { origin, id: repoId, hostId } = repositoryFields();
const acme = { id: 8, account: { login: 'acme', id: 77 } };
const moon = { id: 9, account: { login: 'moon', id: 88 } };
const rocket = { id: Number(hostId), full_name: 'acme/rocket', private: false };
let row = 0;

/** Returns the relay with which a repository's partition reports a delivery about the repository. */
function seen(fields: Partial<EventRepository> = {}, second = 1): RelayRecord {
  row += 1;
  const at = epoch + second * 1000;
  const body = { relay: 'repositorySeen', repository: repositoryFields(fields), seenAt: at, claimedBy: null } as const;
  return { id: `relay-${row}`, at, kind: 'relay', source: 'p00', row, body };
}

function installed(event: string, payload: object, delivery = ulid()): InstallationRecord[] {
  const bodies = toInstallation(event, payload, origin) ?? [];
  return bodies.map((body, part) => ({
    ...{ id: ulid(), at: epoch, kind: 'installation', delivery, source: '' },
    ...{ part, signedBy: null, body },
  }));
}

const created = (repositories: object[] = [rocket]) =>
  installed('installation', { action: 'created', installation: acme, repositories });
const deleted = () => installed('installation', { action: 'deleted', installation: acme });
const added = (installation = acme) =>
  installed('installation_repositories', { action: 'added', installation, repositories_added: [rocket] });
const removed = () =>
  installed('installation_repositories', {
    action: 'removed',
    installation: acme,
    repositories_removed: [rocket],
  });
const select = (selected: boolean) => commandRecord({ name: 'selectRepository', repoId, selected } as never);

/** Opens a directory with the organizations acme and moon. Each has an endpoint for the given events. */
async function openDirectory(
  t: TestContext,
  events: WebhookEvent[] = ['repository.connected', 'repository.disconnected'],
) {
  const directory = openTestPartition(t, 'directory');
  let seq = 0;
  const fold = (...records: JournalRecord[]) => foldRecords(directory, ++seq, ...records);
  for (const { account } of [acme, moon]) {
    const named = commandRecord({ name: 'nameOrganisation', origin, login: account.login } as never);
    await fold(named);
    const orgId = organizationByLogin(directory, origin, account.login)?.id;
    const address = { url: `https://${account.login}.example/`, description: '', sealed: 'v1.x', previous: [] };
    const times = { disabled: null, failingSince: null, createdAt: 0, updatedAt: 0 };
    const endpoint = { id: `ep_${account.login}`, orgId, events, ...address, ...times };
    await fold(commandRecord({ name: 'createWebhookEndpoint', endpoint } as never));
  }
  const reported = (login: string) =>
    listWebhookDeliveries(directory, `ep_${login}`).map(({ body }) => {
      const { event, data } = JSON.parse(body);
      assert.equal(data.repoId, repoId);
      return [event.slice('repository.'.length), data.fullName, data.cause];
    });
  return { directory, fold, reported };
}

test('the first delivery connects a repository, and a later one reports nothing', async (t) => {
  const { directory, fold, reported } = await openDirectory(t);
  const first = seen();
  await fold(first, first);
  await fold(seen({ defaultBranch: 'next' }, 2), seen({ fullName: 'acme/renamed' }, 3));
  assert.deepEqual(reported('acme'), [['connected', 'acme/rocket', 'delivery']]);
  const [delivery] = listWebhookDeliveries(directory, 'ep_acme');
  assert.deepEqual([delivery?.createdAt, delivery?.status], [epoch + 1000, 'pending']);
  assert.deepEqual(reported('moon'), []);
});

test('a person and the selection of the app connect and disconnect a repository', async (t) => {
  const { fold, reported } = await openDirectory(t);
  await fold(seen(), select(false), select(false), select(true), select(true));
  await fold(...removed(), ...removed(), select(false), ...added(), ...added());
  assert.deepEqual(reported('acme').slice(1), [
    ['disconnected', 'acme/rocket', 'request'],
    ['connected', 'acme/rocket', 'request'],
    ['disconnected', 'acme/rocket', 'selection'],
    ['connected', 'acme/rocket', 'selection'],
  ]);
});

test('installing the app connects its repositories, and removing it disconnects those that are connected', async (t) => {
  const { fold, reported } = await openDirectory(t);
  await fold(...created(), ...created(), ...deleted(), ...deleted());
  await fold(...created(), select(false), ...deleted());
  assert.deepEqual(reported('acme'), [
    ['connected', 'acme/rocket', 'installation'],
    ['disconnected', 'acme/rocket', 'installation'],
    ['connected', 'acme/rocket', 'installation'],
    ['disconnected', 'acme/rocket', 'request'],
  ]);
});

test('a transfer is reported to both organizations, each with the name that it knows', async (t) => {
  const moves = {
    delivery: () => [seen({ fullName: 'moon/rocket', owner: { id: '88', login: 'moon' } }, 9)],
    installation: () => added(moon),
  };
  for (const [name, move] of Object.entries(moves)) {
    await t.test(name, async (t) => {
      const { directory, fold, reported } = await openDirectory(t);
      await fold(seen());
      await fold(...move());
      assert.deepEqual(reported('acme')[1], ['disconnected', 'acme/rocket', 'transfer']);
      const { fullName } = readDirectoryRepository(directory, repoId) ?? assert.fail();
      assert.deepEqual(reported('moon'), [['connected', fullName, 'transfer']]);
      const ids = rows<{ eventId: string }>(directory, 'webhookDeliveries').map(({ eventId }) => eventId);
      assert.equal(new Set(ids).size, 3, 'every event has an id of its own');
    });
  }
});

test('without an endpoint that subscribes, the directory stays as it was in earlier versions', async (t) => {
  const { directory, fold } = await openDirectory(t, ['draft.generated']);
  await fold(seen(), select(false), ...added(), ...deleted());
  assert.deepEqual(rows(directory, 'webhookDeliveries'), []);
  assert.doesNotMatch(dump(directory), /webhookDeliveries/);
});
