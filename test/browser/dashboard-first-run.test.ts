/**
 * Connects a host to an empty service in a real browser: a wrong secret is named at once, a new secret works, the
 * access to the host is checked, and its history is fetched. The test needs the system's Chromium and is skipped
 * without it.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { chromiumPath, openBrowser } from '../helpers/browser.ts';
import { auditBoth, loaded, open, signedIn } from '../helpers/dashboard.ts';
import { buildHistory } from '../helpers/host/build.ts';
import { deliveriesOf } from '../helpers/host/deliveries.ts';
import { held, secondaryLimit } from '../helpers/host/faults.ts';
import { startHost } from '../helpers/host/server.ts';
import { type Answer, startService, type TestService } from '../helpers/service.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the dashboard was not tested';

test('a host is connected in the browser', { skip }, async (t) => {
  const host = await startHost(t, buildHistory({ numbers: 40 }), { kind: 'gitea', token: 'host-token' });
  const other = JSON.stringify([{ origin: 'http://127.0.0.1:9', kind: 'github' }]);
  // A sync of tags would use up the faults that are meant for the fetch of the history.
  const env = { ...host.env, TIDINGS_HOSTS: other, TIDINGS_TAG_SYNC_HOURS: '0' };
  const service = await startService(t, { env });
  const browser = await openBrowser(t, program as string);
  const { page, faults } = await signedIn(t, browser, service);
  const [first] = deliveriesOf(host.history, host.place);
  assert.ok(first);
  const { event, payload } = first;
  const { full_name: name } = (payload as { repository: { full_name: string } }).repository;
  const send = (headers: Record<string, string> = {}) => service.deliver(event, payload, headers);
  const step = (title: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title }) });

  await t.test('an empty service shows the fields of the form of its host', async () => {
    await page.getByRole('heading', { name: 'Connect a repository' }).waitFor();
    await step('Webhook').getByText('POST Content Type').waitFor();
    assert.ok(await page.getByRole('radio', { name: 'Gitea' }).isChecked(), 'the kind of host of the settings');
    await page.getByText('Content type: application/json.').waitFor();
    await auditBoth(page, 'first-run empty');
    await page.getByRole('radio', { name: 'GitHub' }).check();
    await page.getByText('Let me select individual events').waitFor();
    await page.getByText('Choose another host above').waitFor();
    await auditBoth(page, 'first-run other-form');
    await page.reload();
    await page.getByText('Choose another host above').waitFor();
    await page.getByRole('radio', { name: '127.0.0.1:9', exact: true }).check();
    await page.getByText('Choose another host above').waitFor({ state: 'detached' });
    assert.equal(
      await page.getByText('TIDINGS_WEBHOOK_SECRETS').count(),
      0,
      'the secret of the settings is of one host',
    );
    await page.getByRole('radio', { name: new URL(host.origin).host }).check();
    await page.getByText('POST Content Type').waitFor();
  });

  const expectRefusal = async (headers: Record<string, string>, title: string, todo: RegExp) => {
    assert.ok((await send(headers)).status >= 400);
    await page.getByText(title).waitFor();
    assert.match((await step('First delivery').textContent()) ?? '', todo);
    assert.match((await step('First delivery').textContent()) ?? '', /needs attention/);
  };

  await t.test('each refused delivery is explained at once, with the field to mend', async () => {
    const wrong = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    await expectRefusal(
      wrong,
      'A delivery came, its signature does not match. Is this the secret?',
      /field Secret again/,
    );
    await page.getByText('All refused deliveries').scrollIntoViewIfNeeded();
    await auditBoth(page, 'first-run refused');
    await expectRefusal(
      { 'x-hub-signature-256': '' },
      'A delivery came without a signature.',
      /field Secret .* is empty/,
    );
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'x-forgejo-event': event };
    await expectRefusal(
      form,
      'A delivery came as a form',
      /On Forgejo .* field POST content type to application\/json/,
    );
    await page.reload();
    await page.getByText('A delivery came as a form').waitFor();
  });

  await t.test('a new secret is shown once, and a ping with it shows that the host reaches the service', async () => {
    await page.getByRole('button', { name: 'Make a secret' }).click();
    await page.getByText('It cannot be shown again').waitFor();
    await auditBoth(page, 'first-run secret');
    const secret = (await page.locator('.secret .copy code').textContent()) ?? '';
    assert.match(secret, /^[0-9a-f]{64}$/);
    assert.equal((await sendSigned(service, secret, 'ping', { zen: 'Keep it' })).status, 200);
    await page.getByText(/The host reaches this service: its ping came/).waitFor();
    assert.match((await step('First delivery').textContent()) ?? '', /half done/);
    assert.match((await step('Webhook').textContent()) ?? '', /\(done\)/);
    assert.equal(await page.getByText('A delivery came as a form').count(), 0);
    await auditBoth(page, 'first-run ping');
    await page.reload();
    await page.getByText(/its ping came/).waitFor();
    await page.getByText(/made in the dashboard \(/).waitFor();
    assert.ok(!(await page.content()).includes(secret), 'the secret is gone');
    assert.equal((await sendSigned(service, secret, event, payload)).status, 202);
  });

  await t.test('the first accepted delivery turns the step green with a link to the repository', async () => {
    await page.getByText(/is connected. Its newest delivery came/).waitFor();
    await step('First delivery').getByRole('link', { name }).waitFor();
    assert.match((await step('First delivery').textContent()) ?? '', /\(done\)/);
  });

  await t.test('the access to the host is checked', async () => {
    await page.getByRole('button', { name: 'Check access' }).click();
    const access = page.getByRole('list', { name: `Access to ${host.origin}` });
    await access.waitFor();
    assert.match(
      (await access.textContent()) ?? '',
      /Reachable.*yes.*Kind.*Gitea or Forgejo.*May read.*yes.*May write/,
    );
    await access.scrollIntoViewIfNeeded();
    await auditBoth(page, 'first-run access');
  });

  await t.test('history is fetched with its progress, and cancelled after a question', async () => {
    const { fault, release } = held();
    host.fail(/\/tags/, secondaryLimit(8, 429));
    host.fail(/\/releases/, fault, { times: 100 });
    await page.getByRole('button', { name: 'Fetch history' }).click();
    await page.getByText('The host asks for a pause.').waitFor();
    await auditBoth(page, 'first-run waiting');
    await page.getByText('Fetching releases', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await auditBoth(page, 'first-run cancel');
    await page.getByRole('button', { name: 'Cancel fetching' }).click();
    await page.getByText('Fetching was cancelled').first().waitFor();
    host.heal();
    release();
    await page.getByRole('button', { name: 'Fetch again' }).click();
    await page.getByText('The history is fetched').first().waitFor();
    assert.equal(await page.getByRole('progressbar').getAttribute('value'), '100');
    // The step learns the state of the fetch after the state was drawn.
    await step('Host access').getByText('(done)').waitFor({ state: 'attached' });
    await page.reload();
    await page.getByText('The history is fetched').first().waitFor();
  });

  await t.test('the tab History shows the same numbers as the service', async () => {
    const [{ id }] = (await service.api('GET', '/api/repos')).body.repos;
    const { counts } = (await service.api('GET', `/api/repos/${id}/backfill`)).body;
    await page.goto(`${service.url}/app/repositories/${id}/history`);
    await page.getByText('The history is fetched').first().waitFor();
    const shown = (await page.locator('.payload-fields').textContent()) ?? '';
    for (const [kind, number] of Object.entries(counts)) assert.match(shown, new RegExp(`${kind}${number}`, 'i'));
    assert.match(shown, /Commits\d+.*Reviews\d+/);
    await auditBoth(page, 'history');
  });

  await t.test('the steps stay on the inbox until they are closed, and open from the repositories', async () => {
    await page.goto(service.url);
    await page.getByRole('button', { name: 'Close these steps' }).click();
    await page.getByRole('heading', { name: 'Connect a repository' }).waitFor({ state: 'detached' });
    await page.reload();
    await loaded(page);
    assert.equal(await page.getByRole('heading', { name: 'Connect a repository' }).count(), 0);
    await page.getByRole('link', { name: 'Repositories', exact: true }).click();
    await page.getByRole('link', { name: 'Connect a repository' }).click();
    await page.getByRole('heading', { level: 1, name: 'Connect a repository' }).waitFor();
    await page.getByText(/is connected. Its newest delivery came/).waitFor();
    await loaded(page);
    await auditBoth(page, 'connect');
  });

  await t.test('the hostile name of a repository is shown as a text', async () => {
    const hostile = "acme/&lt;img&gt;'{{x}}";
    const { repository } = payload as { repository: object };
    const renamed = { ...(payload as object), repository: { ...repository, id: 987_654, full_name: hostile } };
    const answer = await service.deliver(event, renamed);
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    await step('First delivery').getByRole('link', { name: hostile, exact: true }).waitFor();
    assert.equal(await page.locator('img').count(), 0);
  });

  assert.deepEqual(faults, []);

  await t.test('a key that may only read sees what it may not do', async (t) => {
    const reader = await readerOf(t, browser, service, ['repos:read']);
    await reader.page.goto(`${service.url}/app/connect`);
    await reader.page.getByText('To make a secret here, a key needs the scope').waitFor();
    await reader.page.getByText('To check the access, a key needs the scope').waitFor();
    await reader.page.getByText(/To fetch history, a key needs the scope/).waitFor();
    await reader.page.getByText('To see here why a delivery was refused').waitFor();
    await auditBoth(reader.page, 'connect reader');
    const stranger = await readerOf(t, browser, service, ['repos:read', 'webhooks:read'], 'stranger');
    await stranger.page.goto(`${service.url}/app/connect`);
    await stranger.page.getByText('Only a key of the instance').waitFor();
    await stranger.page.getByText('History can be fetched as soon as').waitFor();
    await auditBoth(stranger.page, 'connect stranger');
    assert.deepEqual([...reader.faults, ...stranger.faults], []);
  });
});

/** Posts a delivery that is signed with a given secret. */
function sendSigned(service: TestService, secret: string, event: string, payload: unknown): Promise<Answer> {
  const body = JSON.stringify(payload);
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return service.deliver(event, body, { 'x-hub-signature-256': `sha256=${signature}` });
}

/** Opens the dashboard with a new key. */
async function readerOf(
  t: TestContext,
  browser: Browser,
  service: TestService,
  scopes: readonly string[],
  org?: string,
): Promise<{ page: Page; faults: string[] }> {
  const owner = org === undefined ? { instance: true } : { org };
  const { body } = await service.api('POST', '/api/keys', { name: 'reader', scopes, ...owner });
  const { page, faults } = await open(t, browser, service);
  await page.getByLabel('API key').fill(body.key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  return { page, faults };
}
