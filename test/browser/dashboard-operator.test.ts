/**
 * Tests what an operator does in the dashboard: applies records again that could not be applied, approves an erasure
 * that waits, and removes a stored app that is not used.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { dayMs } from '../../src/foundation/days.ts';
import { connectJournal } from '../../src/journal/connect.ts';
import type { JournalRecord } from '../../src/protocol/journal.ts';
import { openPartition } from '../../src/store/partition.ts';
import { writeDeadLetter } from '../../src/store/tables/dead-letters.ts';
import { localJournal } from '../../src/supervisor/nats-server.ts';
import { chromiumPath, openBrowser } from '../helpers/browser.ts';
import { auditBoth, loaded, open, show, signedIn } from '../helpers/dashboard.ts';
import { quiet } from '../helpers/journal.ts';
import { feed } from '../helpers/partition-owner.ts';
import { commandRecord, poisonRecord, pullRecord, repositoryFields } from '../helpers/partition-records.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the screens for operators were not tested';
const { fullName } = repositoryFields();
const scm = 'http://127.0.0.1:1';

test('an operator looks after the service in the dashboard', { skip }, async (t) => {
  const dataDir = join(temporaryFolder(t), 'data');
  await leaveDeadLetter(dataDir);
  const service = await startService(t, {
    dataDir,
    env: {
      ...{ TIDINGS_PARTITIONS: '1', TIDINGS_TICK_SECONDS: '1', TIDINGS_HOST_ORIGIN: scm },
      ...{ TIDINGS_HOST_APP_ID: '1', TIDINGS_HOST_APP_KEY_FILE: join(dataDir, 'webhook-secret') },
    },
  });
  const browser = await openBrowser(t, program as string);
  await t.test('a record that could not be applied is opened, applied again, and leaves the list', (t) =>
    applyAgain(t, browser, service),
  );
  await t.test('a key that may only read sees the records, and no button that applies them', (t) =>
    readOnly(t, browser, service),
  );
  await t.test('an erasure that waits is shown with its numbers, approved and carried out', (t) =>
    approve(t, browser, service),
  );
  await t.test('a stored app that the settings replace is shown with the reason, and removed', (t) =>
    removeUnusedApp(t, browser, service),
  );
});

/** Leaves a record that a former version could not apply, as an update finds it. */
async function leaveDeadLetter(dataDir: string): Promise<void> {
  const partition = openPartition(dataDir, 'p00');
  const letter = { seq: 9_000_001, index: 0, at: Date.now(), error: 'a fault of the former version' };
  const record = pullRecord(7, { at: Date.now(), delivery: 'delivery-7' });
  await partition.write(() => writeDeadLetter(partition, { ...letter, record }));
  await partition.root.flushed;
  await partition.close();
}

/** Writes records directly to the journal. */
async function enqueue(service: TestService, partition: string, records: readonly JournalRecord[]): Promise<void> {
  const server = localJournal(service.dataDir, Number(service.env.TIDINGS_NATS_PORT), 'cli');
  const journal = await connectJournal(server, { role: 'cli', name: 'test' }, quiet);
  const lane = feed(journal, partition);
  await Promise.all(records.map((record) => lane.enqueue(record)));
  await lane.close();
  await journal.close();
}

async function applyAgain(t: TestContext, browser: Browser, service: TestService): Promise<void> {
  const poison = (delivery: string): JournalRecord => poisonRecord({ at: Date.now(), delivery });
  await enqueue(service, 'p00', [poison('delivery-1'), poison('delivery-2')]);
  await waitUntil('the records are set aside', async () => {
    return (await service.api('GET', '/api/dead-letters')).body.total === 3;
  });
  const { page, faults } = await signedIn(t, browser, service);
  await show(page, `${service.url}/app/deliveries`);
  const list = page.getByRole('region', { name: 'Records that could not be applied' });
  await list.getByText('a fault of the former version').waitFor();
  await list.getByText(`pull_request of ${fullName}, delivery delivery-1`).waitFor();
  await auditBoth(page, 'dead letters');

  // With the keyboard: the record that the update can apply.
  await list.getByRole('button', { name: /delivery-7$/ }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText('a fault of the former version').waitFor();
  await dialog.getByText(fullName, { exact: true }).waitFor();
  await auditBoth(page, 'dead letter', 'dialog');
  assert.equal(await dialog.getByRole('button', { name: /with this reason/ }).count(), 0);
  await page.keyboard.press('Enter');
  await dialog.getByText('Applied. The record has left the list.').waitFor();
  await auditBoth(page, 'dead letter applied', 'dialog');
  await page.keyboard.press('Escape');
  await list.getByText('a fault of the former version').waitFor({ state: 'detached' });
  assert.deepEqual((await service.api('GET', '/api/repos?include=unreleased')).body.repos[0].fullName, fullName);

  // A record that fails again stays, with one more attempt.
  await list.getByRole('button', { name: /delivery-1$/ }).click();
  await dialog.getByRole('button', { name: 'Apply again' }).click();
  await dialog.getByText('It failed again, and stays in the list.').waitFor();
  await auditBoth(page, 'dead letter failed', 'dialog');
  await dialog.getByRole('button', { name: 'Apply all with this reason again' }).click();
  await page.getByText('0 records applied, 2 failed again.').waitFor();
  await list.getByText('tried 3 times').waitFor();
  await list.getByText('tried 2 times').waitFor();

  await list.getByRole('button', { name: 'Apply all again' }).click();
  await list.getByText('tried 4 times').waitFor();
  // The other record was tried twice before.
  await list.getByText('tried 3 times').waitFor();
  const { deadLetters } = (await service.api('GET', '/api/dead-letters')).body;
  const attempts = deadLetters.map((each: { attempts: number }) => each.attempts);
  assert.deepEqual(attempts.sort(), [3, 4]);

  const [first] = service.tidings('dead-letters', 'list').split('\n') as [string];
  const [, place = ''] = /^(p00 \d+\/\d+) {2}.*delivery delivery-\d: /.exec(first) ?? [];
  const { code, output } = await service.run('dead-letters', 'replay', ...place.split(' '));
  assert.equal(code, 1);
  assert.match(output, new RegExp(`^${place}  failed again: .+\\nDead letters: 0 applied, 1 failed again\\.\\n$`));
  assert.deepEqual(faults, []);
}

/** A key without `repos:write` sees the records and their reasons, but cannot apply them. */
async function readOnly(t: TestContext, browser: Browser, service: TestService): Promise<void> {
  const wanted = { name: 'reader', scopes: ['repos:read', 'webhooks:read'], instance: true };
  const { key } = (await service.api('POST', '/api/keys', wanted)).body;
  assert.equal((await service.api('POST', '/api/dead-letters', { all: true }, key)).status, 403);
  const { page, faults } = await open(t, browser, service);
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  await show(page, `${service.url}/app/deliveries`);
  await page.getByRole('button', { name: /delivery-1$/ }).click();
  await page.getByRole('dialog').getByText('Attempts').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Apply/ }).count(), 0);
  // The inbox and the list ask for what the key may not read.
  assert.deepEqual(
    faults.filter((fault) => !/status of 403/.test(fault)),
    [],
  );
}

async function approve(t: TestContext, browser: Browser, service: TestService): Promise<void> {
  const old = { at: Date.now() - 400 * dayMs };
  await enqueue(
    service,
    'p00',
    Array.from({ length: 150 }, (_, i) => pullRecord(1000 + i, old)),
  );
  const report = async () => (await service.api('GET', '/api/retention')).body;
  await waitUntil('all is stored', async () => (await report()).repositories[0]?.pulls === 150);
  service.tidings('retention', 'sweep');
  // The command does not wait for a sweep that takes long.
  await waitUntil('the erasure waits', async () => (await report()).partitions[1].waiting.length === 1);

  const { page, faults } = await signedIn(t, browser, service);
  await show(page, `${service.url}/app/settings/retention`);
  await loaded(page);
  const row = page.getByRole('row').filter({ hasText: fullName });
  assert.match(await row.innerText(), /150/);
  const waiting = page.getByRole('region', { name: 'Waiting for approval' });
  await waiting.getByText(/150 records of 15\d were last reported before/).waitFor();
  await auditBoth(page, 'retention waiting');

  await waiting.getByRole('button', { name: 'Approve' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/150 records of 15\d/).waitFor();
  await auditBoth(page, 'retention question', 'dialog');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal((await report()).partitions[1].waiting.length, 1, 'Escape approves nothing');

  await waiting.getByRole('button', { name: 'Approve' }).click();
  await dialog.getByRole('button', { name: 'Erase for good' }).click();
  await dialog.waitFor({ state: 'detached' });
  await waitUntil('it is erased', async () => (await report()).partitions[1].lastSweep?.erased.pulls === 150);
  await page.getByText('Nothing is to be erased now.').waitFor();
  await page.getByText(/and erased 150 pull requests\./).waitFor();
  assert.equal(await waiting.count(), 0);
  await auditBoth(page, 'retention erased');
  assert.deepEqual(faults, []);
}

async function removeUnusedApp(t: TestContext, browser: Browser, service: TestService): Promise<void> {
  const secretId = 'secret_00000000000000000000000000aa';
  const of = { appId: '7', slug: 'tidings', name: 'Tidings of yesterday', url: `${scm}/github-apps/tidings` };
  const app = { origin: scm, ...of, secretId, sealed: 'sealed', createdAt: 0 };
  const secret = { id: secretId, origin: scm, orgId: null, name: 'App', sealed: 'sealed', previous: [] };
  const command = { name: 'createHostApp', app, secret: { ...secret, createdAt: 0, rotatedAt: null } };
  await enqueue(service, 'directory', [commandRecord(command as never, Date.now())]);
  const hosts = async () => (await service.api('GET', '/api/hosts')).body;
  await waitUntil('the app is stored', async () => (await hosts()).unusedApps.length === 1);
  assert.deepEqual((await hosts()).unusedApps, [
    { origin: scm, id: '7', name: of.name, url: of.url, reason: 'other_app' },
  ]);
  const [{ app: used, webhookSecrets }] = (await hosts()).hosts;
  assert.deepEqual([used.source, used.id, webhookSecrets], ['settings', '1', 1]);

  const { page, faults } = await signedIn(t, browser, service);
  await show(page, `${service.url}/app/settings/hosts`);
  await page.getByText('stored but not used, because the settings have another app for this host').waitFor();
  await auditBoth(page, 'unused app');
  await show(page, `${service.url}/app/settings/secrets`);
  await page.getByRole('row', { name: /^App not used/ }).waitFor();
  await auditBoth(page, 'secret of an unused app');
  await show(page, `${service.url}/app/settings/hosts`);
  await page.getByRole('button', { name: `Remove app ${of.name} of ${scm}` }).click();
  await auditBoth(page, 'remove unused app', 'dialog');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove app' }).click();
  await page.getByText('stored but not used').waitFor({ state: 'detached' });
  assert.deepEqual((await hosts()).unusedApps, []);
  assert.deepEqual((await service.api('GET', '/api/webhook-secrets')).body.webhookSecrets, []);
  assert.deepEqual(faults, []);
}
