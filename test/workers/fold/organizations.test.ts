/**
 * Checks what happens to an organization whose app was removed. The organization is erased 30 days later, in the
 * directory and in every partition, unless the app is installed again. Repositories that moved to another owner are
 * kept.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayMs } from '../../../src/foundation/days.ts';
import { draftId } from '../../../src/foundation/ids.ts';
import type { InstallationBody } from '../../../src/protocol/events.ts';
import type { JournalRecord, RelayRecord } from '../../../src/protocol/journal.ts';
import { defaultSettings } from '../../../src/protocol/notes.ts';
import type { Share } from '../../../src/protocol/retention.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { foldedTables } from '../../../src/store/table-registry.ts';
import {
  listDirectoryRepositories,
  listKeys,
  listOrganizations,
  organizationByLogin,
} from '../../../src/store/tables/directory.ts';
import type { OutboxRow } from '../../../src/store/tables/outbox.ts';
import { dueOrganizations, isSweeping, retentionStatus } from '../../../src/store/tables/retention.ts';
import { listWebhookSecrets } from '../../../src/store/tables/webhook-secrets.ts';
import { foldBatch } from '../../../workers/partition/batch.ts';
import { dump, foldRecords, openTestPartition, rows, toMessages } from '../../helpers/partition.ts';
import {
  approvalRecord,
  branchPush,
  commandRecord,
  dailyTicks,
  epoch,
  eventRecord,
  keyFields,
  poisonRecord,
  pullRecord,
  repositoryFields,
  sweepRecord,
  tagRecord,
  tickRecord,
} from '../../helpers/partition-records.ts';

const { origin } = repositoryFields();
const acme = { id: '77', login: 'acme' };
const moon = { id: '88', login: 'moon' };
const month = 30 * dayMs;
let nth = 0;

function installation(
  action: InstallationBody['action'],
  at: number,
  owner = acme,
  added: number[] = [],
): JournalRecord {
  nth += 1;
  const repositories = added.map((each) => {
    const { id, hostId, fullName } = repositoryFields({}, each);
    return { id, hostId, fullName, private: false };
  });
  const body = { action, origin, installationId: owner.id, owner, added: repositories, removed: [] };
  return { id: `i${nth}`, at, kind: 'installation', delivery: `d${nth}`, source: '', body };
}

/** Returns the sweep record that the owner process of the directory partition would enqueue. */
function sweepNow(directory: Partition, at: number, shares: Share[] = []): JournalRecord {
  const organizations = dueOrganizations(directory, at);
  return sweepRecord({ sweep: 'organisations', organisations: organizations, partitions: 1, shares }, at);
}

function createKey(id: string, org: string): JournalRecord {
  return commandRecord({ name: 'createKey', org, origin, key: keyFields(id) } as never);
}

/** Returns commands that start a session and make a sign-in code of a key, shortly before the 30 days end. */
function signedIn(keyId: string): JournalRecord[] {
  const session = { id: `ses_${keyId}`, keyId, token: `token ${keyId}`, csrf: 'csrf' };
  return [
    commandRecord({ name: 'createSession', session } as never, epoch + month - 1),
    commandRecord({ name: 'createSignInCode', keyId, code: `code ${keyId}` } as never, epoch + month - 1),
  ];
}

/** Creates a webhook secret for the organization with this login. */
function createSecret(directory: Partition, id: string, login: string): JournalRecord {
  const orgId = organizationByLogin(directory, origin, login)?.id ?? assert.fail();
  const secret = { id, origin, orgId, name: id, sealed: 'v1.x', previous: [], createdAt: 0, rotatedAt: null };
  return commandRecord({ name: 'createWebhookSecret', secret } as never);
}

/**
 * Returns commands that store a channel connection, a policy and a suppressed recipient for the organization with this
 * login.
 */
function publishing(directory: Partition, login: string): JournalRecord[] {
  const orgId = organizationByLogin(directory, origin, login)?.id ?? assert.fail();
  const connection = { orgId, repoId: null, settings: {}, secrets: { webhookUrl: 'v1.x' }, receiver: '' };
  const record = { channel: 'workspace_chat', ...connection, createdAt: 0, updatedAt: 0 };
  return [
    commandRecord({ name: 'putChannel', record } as never),
    commandRecord({ name: 'setPolicy', orgId, refuseInternalOnPublicChannels: true } as never),
    commandRecord({ name: 'suppress', orgId, address: 'digest', suppressed: true } as never),
  ];
}

async function removed(t: Parameters<typeof openTestPartition>[0]): Promise<Partition> {
  const directory = openTestPartition(t, 'directory');
  const installed = [installation('installed', epoch, acme, [0, 1]), installation('installed', epoch, moon, [2])];
  await foldRecords(directory, 1, ...installed, createKey('a', 'acme'), createKey('b', 'moon'));
  const secrets = [createSecret(directory, 'secret_a', 'acme'), createSecret(directory, 'secret_b', 'moon')];
  const kept = [...publishing(directory, 'acme'), ...publishing(directory, 'moon')];
  await foldRecords(
    directory,
    2,
    ...secrets,
    ...kept,
    installation('uninstalled', epoch),
    ...dailyTicks(epoch, epoch + month),
  );
  return directory;
}

test('erases an organization 30 days after its app was removed', async (t) => {
  const directory = await removed(t);
  await foldRecords(directory, 3, sweepNow(directory, epoch + month - 1), ...signedIn('a'), ...signedIn('b'));
  assert.equal(listOrganizations(directory).length, 2);
  await foldRecords(directory, 4, sweepNow(directory, epoch + month));
  assert.deepEqual(
    [listOrganizations(directory).map(({ login }) => login), listKeys(directory).map(({ id }) => id)],
    [['moon'], ['b']],
  );
  assert.deepEqual(
    listDirectoryRepositories(directory, null).map(({ id }) => id),
    [repositoryFields({}, 2).id],
  );
  assert.equal(organizationByLogin(directory, origin, 'acme'), undefined);
  assert.deepEqual(
    listWebhookSecrets(directory, null).map(({ id }) => id),
    ['secret_b'],
  );
  const left = organizationByLogin(directory, origin, 'moon')?.id;
  for (const table of ['channels', 'policies', 'suppressions'] as const) {
    const keys = [...directory.tables[table].getKeys({})] as (string | string[])[];
    assert.deepEqual(
      keys.map((key) => (Array.isArray(key) ? key[0] : key)),
      [left],
      table,
    );
  }
  assert.deepEqual([...directory.tables.sessions.getKeys({})], ['token b']);
  assert.deepEqual([...directory.tables.sessionsByKey.getKeys({})], [['b', 'ses_b']]);
  assert.equal([...directory.tables.sessionsByEnd.getKeys({})].length, 1);
  assert.deepEqual([...directory.tables.signInCodes.getKeys({})], ['code b']);
  const effects = rows<OutboxRow>(directory, 'outbox').map(({ effect }) => effect);
  assert.deepEqual(
    effects.map((effect) => effect.effect === 'relay' && [effect.target, effect.body.relay]),
    [
      ['p00', 'repositoryErased'],
      ['p00', 'repositoryErased'],
    ],
  );
});

test('keeps a repository that moved to another owner', async (t) => {
  const directory = await removed(t);
  const body = {
    relay: 'repositorySeen',
    repository: repositoryFields({ owner: moon, fullName: 'moon/rocket' }, 1),
    seenAt: epoch,
  } as const;
  await foldRecords(directory, 3, { id: 'r', at: epoch, kind: 'relay', source: 'p00', row: 1, body });
  await foldRecords(directory, 4, sweepNow(directory, epoch + month));
  assert.deepEqual(
    listDirectoryRepositories(directory, null)
      .map(({ fullName }) => fullName)
      .sort(),
    ['acme/rocket', 'moon/rocket'],
  );
});

test('waits for approval when an organization holds too many records', async (t) => {
  const directory = await removed(t);
  const shares = [{ partition: 'p00', records: 900, total: 1000 }];
  await foldRecords(directory, 3, sweepNow(directory, epoch + month, shares));
  const [wait] = retentionStatus(directory).waiting;
  assert.deepEqual([wait?.cause, listOrganizations(directory).length], ['organisations', 2]);
  await foldRecords(directory, 4, approvalRecord({ ...wait, organisations: [] } as never, epoch + month));
  assert.equal(listOrganizations(directory).length, 2);
  await foldRecords(directory, 5, approvalRecord(wait as never, epoch + month));
  assert.deepEqual([listOrganizations(directory).length, retentionStatus(directory).waiting], [1, []]);
});

test('erases nothing of an organization that was installed again while it waited', async (t) => {
  const directory = await removed(t);
  const shares = [{ partition: 'p00', records: 900, total: 1000 }];
  await foldRecords(directory, 3, sweepNow(directory, epoch + month, shares));
  const [wait] = retentionStatus(directory).waiting;
  await foldRecords(directory, 4, installation('installed', epoch + month));
  assert.deepEqual(retentionStatus(directory).waiting, []);
  await foldRecords(directory, 5, approvalRecord(wait as never, epoch + month));
  assert.equal(listOrganizations(directory).length, 2);
});

test('keeps an organization after a person selects one of its repositories', async (t) => {
  const directory = await removed(t);
  const repoId = repositoryFields({}, 1).id;
  await foldRecords(directory, 3, commandRecord({ name: 'selectRepository', repoId, selected: true } as never));
  await foldRecords(directory, 4, sweepNow(directory, epoch + 2 * month));
  assert.equal(listOrganizations(directory).length, 2);
});

test('a removal time from a clock that ran ahead counts as today', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const far = Date.UTC(2038, 0, 19);
  await foldRecords(directory, 1, installation('installed', epoch, acme, [0]), installation('uninstalled', far));
  await foldRecords(directory, 2, ...dailyTicks(epoch, epoch + month), sweepNow(directory, epoch + month));
  assert.equal(listOrganizations(directory)[0]?.uninstalledAt, epoch + month);
});

test('a removal time from a clock that ran behind does not count as old', async (t) => {
  const directory = openTestPartition(t, 'directory');
  const past = Date.UTC(1970, 0, 2);
  await foldRecords(directory, 1, installation('installed', epoch, acme, [0]), tickRecord(epoch), tickRecord(past));
  await foldRecords(directory, 2, installation('uninstalled', past), tickRecord(epoch + 1000));
  await foldRecords(directory, 3, sweepNow(directory, epoch + 1000));
  assert.equal(listOrganizations(directory)[0]?.uninstalledAt, epoch);
});

/**
 * Records may arrive in any order. A sweep erases an organization only if its app was last removed at least 30 days
 * ago.
 */
test('the last state of the app decides about erasing, in any order of events and sweeps', async (t) => {
  const step = fc.record({
    what: fc.constantFrom('installed', 'uninstalled', 'sweep', 'approve', 'held sweep'),
    days: fc.integer({ min: 0, max: 40 }),
    owner: fc.constantFrom(acme, moon),
  });
  const directory = openTestPartition(t, 'directory');
  let at = epoch;
  let seq = 1;
  const model = new Map<string, number | null>();
  const tick = async (to: number) => {
    await foldRecords(directory, seq++, ...dailyTicks(at, to));
    at = to;
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      for (const { what, days, owner } of steps) {
        await tick(at + days * dayMs);
        if (what === 'installed' || what === 'uninstalled') {
          await foldRecords(directory, seq++, installation(what, at, owner, what === 'installed' ? [0] : []));
          model.set(owner.login, what === 'installed' ? null : at);
          continue;
        }
        const due = [...model].filter(([, since]) => since !== null && since <= at - month).map(([login]) => login);
        if (what === 'approve') {
          const waiting = retentionStatus(directory).waiting.flatMap((wait) =>
            wait.cause === 'organisations' ? wait.organisations : [],
          );
          const named = waiting.flatMap(({ id, uninstalledAt }) =>
            listOrganizations(directory).flatMap((each) =>
              each.id === id && each.uninstalledAt === uninstalledAt ? each.login : [],
            ),
          );
          const words = retentionStatus(directory).waiting.map((wait) => approvalRecord(wait, at));
          if (words.length > 0) await foldRecords(directory, seq++, ...words);
          for (const login of named) model.delete(login);
        } else {
          const shares = what === 'sweep' ? [] : [{ partition: 'p00', records: 900, total: 1000 }];
          await foldRecords(directory, seq++, sweepNow(directory, at, shares));
          if (what === 'sweep') for (const login of due) model.delete(login);
        }
        assert.deepEqual(
          listOrganizations(directory)
            .map(({ login }) => login)
            .sort(),
          [...model.keys()].sort(),
        );
      }
    }),
    { numRuns: 60 },
  );
});

const relayErased = (row: number): RelayRecord => ({
  id: `erased-${row}`,
  at: epoch,
  kind: 'relay',
  source: 'directory',
  row,
  body: { relay: 'repositoryErased', repoId: repositoryFields().id },
});
const more = () => sweepRecord({ sweep: 'more' }, epoch);

/** Returns a history of one repository that leaves rows in every table. */
function history(fields: { nth: number; due?: number }): JournalRecord[] {
  const repository = repositoryFields({}, fields.nth);
  const at = { repository };
  const rangeId = `range_0000000000000000000000000${fields.nth}aa`.slice(0, 34);
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 } as const;
  const comment = {
    kind: 'review',
    id: '1',
    number: 1,
    author: { login: 'x', bot: false },
    body: 'b',
    state: null,
  } as const;
  return [
    ...Array.from({ length: 40 }, (_, i) => pullRecord(i + 1, at)),
    eventRecord({ event: 'comment', action: 'created', comment: { ...comment, createdAt: 1, updatedAt: 1 } }, at),
    eventRecord({ event: 'push', push: branchPush(0, 9) }, at),
    eventRecord({ event: 'issue_removed', number: 99, seenAt: 1 }, at),
    eventRecord({ event: 'label', from: 'a', to: 'b', seenAt: 1 }, at),
    tagRecord('v1', 3, at),
    commandRecord({
      name: 'createRange',
      rangeId,
      repoId: repository.id,
      bounds,
      prCount: 1,
      issueCount: 0,
      resolution: 'window',
    }),
    commandRecord({
      name: 'generateDraft',
      rangeId,
      draftId: draftId(rangeId, 'engineer'),
      persona: 'engineer',
      ticket: 't',
    }),
    commandRecord({
      name: 'startBackfill',
      backfillId: `bf_${fields.nth}`,
      repository,
      since: null,
      installationId: null,
    }),
    commandRecord({ name: 'updateDraft', draftId: draftId(rangeId, 'engineer'), bodyMd: 'one' }),
    commandRecord({ name: 'updateDraft', draftId: draftId(rangeId, 'engineer'), bodyMd: 'two' }),
    commandRecord({ name: 'putSettings', repoId: repository.id, settings: defaultSettings }),
    poisonRecord(at),
    pullRecord(70, { ...at, due: epoch + 1e9 }),
  ];
}

test('erases all rows of an erased repository and none of others', async (t) => {
  const [both, other] = [openTestPartition(t), openTestPartition(t, 'p01')];
  const [first, second] = [history({ nth: 0 }), history({ nth: 1 })];
  await foldBatch(both, toMessages([[...first, ...second]]));
  await foldBatch(other, toMessages([second]));
  await foldRecords(both, 2, relayErased(1));
  for (let seq = 3; isSweeping(both); seq++) await foldRecords(both, seq, more());
  assert.equal(dump(both).includes(Buffer.from(repositoryFields().id).toString('hex')), false);
  assert.equal(dump(both).includes(repositoryFields().id), false);
  const own = foldedTables.filter(
    (name) =>
      ![
        'meta',
        'outbox',
        'outboxKeys',
        'relays',
        'backfills',
        'deliveries',
        'results',
        'deadLetters',
        'delayed',
        'retention',
      ].includes(name),
  );
  for (const name of own) assert.deepEqual(rows(both, name), rows(other, name), name);
  assert.equal(both.responses.getKeysCount({}), other.responses.getKeysCount({}));
  for (const name of ['outbox', 'deadLetters', 'delayed', 'results', 'backfills'] as const)
    assert.equal(rows(both, name).length, rows(other, name).length, name);
});

test('a repository that is added again during its erasing begins a new incarnation', async (t) => {
  const [again, fresh] = [openTestPartition(t), openTestPartition(t, 'p01')];
  await foldBatch(again, toMessages([history({ nth: 0 }), [relayErased(1)]]));
  await foldRecords(again, 3, pullRecord(3), more());
  await foldRecords(fresh, 1, pullRecord(3));
  for (const name of ['pulls', 'comments', 'commits', 'tags', 'ranges', 'repositories', 'syncs', 'erasing'] as const)
    assert.deepEqual(rows(again, name).length, rows(fresh, name).length, name);
});
