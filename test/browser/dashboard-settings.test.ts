/**
 * Uses the settings of the dashboard in a real browser, with real receivers: channels, endpoints and their deliveries,
 * webhook secrets, policies, retention. The test needs the system's Chromium and is skipped without it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { sampleRepository } from '../../demo/history/index.ts';
import { verifyWebhook } from '../../sdk/webhooks.ts';
import { chromiumPath, openBrowser } from '../helpers/browser.ts';
import { auditBoth, loaded, open, sendHistory, signedIn } from '../helpers/dashboard.ts';
import { startReceiver, status } from '../helpers/receiver.ts';
import { startOfficeChat } from '../helpers/receivers/office-chat.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the settings of the dashboard were not tested';

/** A text that would run a script, load a picture or end its element if a screen showed it as HTML. */
const hostile = '</pre><script>window.hacked=1</script><img src="x" onerror="window.hacked=1">';

test('the settings of the dashboard work in a browser', { skip }, async (t) => {
  const env = { TIDINGS_HOST_ORIGIN: sampleRepository.hostOrigin, TIDINGS_EGRESS_ALLOW: '127.0.0.0/8' };
  const service = await startService(t, { env });
  await sendHistory(service);
  const browser = await openBrowser(t, program as string);
  const repository = await waitUntil('the repository is known', async () => {
    return (await service.api('GET', '/api/repos')).body.repos[0];
  });
  const { orgId } = repository;
  const go = async (page: Page, path: string): Promise<void> => {
    await page.goto(service.url + path);
    await page.locator('main h1').waitFor();
    await loaded(page);
  };
  /** Fails if a hostile text has run, and checks that the page is accessible and fits a phone. */
  const audit = async (page: Page, name: string, part?: string): Promise<void> => {
    await auditBoth(page, name, part);
    assert.equal(await page.evaluate('window.hacked'), undefined);
  };

  await t.test('each part has an address, is accessible, and is found by the jump box', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    const parts = {
      keys: 'API keys',
      organization: 'Organization',
      channels: 'Channels',
      endpoints: 'Endpoints',
      secrets: 'Webhook secrets',
      hosts: 'Hosts',
      retention: 'Retention',
      about: 'About',
    };
    for (const [id, name] of Object.entries(parts)) {
      await go(page, `/app/settings/${id}`);
      await page.getByRole('region', { name, exact: true }).waitFor();
      assert.equal(await page.locator('.tabs [aria-current]').textContent(), name);
      await audit(page, `settings ${id}`);
    }
    await page.keyboard.press('/');
    await page.keyboard.type('webhook sec');
    await page.getByRole('dialog').getByRole('option', { name: 'Webhook secrets' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Webhook secrets' }).waitFor();
    await go(page, '/app/settings/nothing');
    await page.getByText('These settings do not exist').waitFor();
    assert.deepEqual(faults, []);
  });

  await t.test('a channel is connected, tested, changed and disconnected, and its secret is never shown', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    const chat = await startOfficeChat(t);
    await go(page, '/app/settings/channels');
    await page.getByRole('button', { name: 'Connect Office chat' }).click();
    const dialog = page.getByRole('dialog', { name: /^Office chat/ });
    const address = dialog.getByLabel('Address of the workflow');
    await address.fill('https://10.0.0.1/very-secret');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog
      .locator('.field-problem')
      .getByText(/public address/)
      .waitFor();
    assert.equal(await address.getAttribute('aria-invalid'), 'true');
    faults.splice(0);
    await audit(page, 'channel form', 'dialog');
    await address.fill(chat.webhookUrl);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const card = page.getByRole('listitem', { name: 'Office chat' });
    await card.getByText('uses the connection of the organization').waitFor();
    await card.getByRole('button', { name: 'Test Office chat' }).click();
    await card.getByText('works', { exact: true }).waitFor();
    assert.equal(chat.cards.length, 1);
    assert.ok(!(await page.content()).includes('sig=secret'));

    await page
      .getByRole('region', { name: 'Channels' })
      .getByLabel(/^Repository/)
      .selectOption(repository.id);
    await page.getByRole('button', { name: 'Set up Office chat' }).click();
    await page.getByText('uses the connection of its organization').waitFor();
    await page.keyboard.press('Escape');
    await go(page, `/app/settings/channels?org=${orgId}`);
    await page.getByRole('button', { name: 'Change Office chat' }).click();
    await page.getByRole('dialog').getByText('Leave it empty to keep the stored value.').waitFor();
    assert.equal(await page.getByRole('dialog').getByLabel('Address of the workflow').inputValue(), '');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    chat.receiver.answer = status(404, {}, hostile);
    await card.getByRole('button', { name: 'Test Office chat' }).click();
    await card.getByText('does not work').waitFor();
    await audit(page, 'channel fails');
    await card.getByRole('button', { name: 'Disconnect Office chat' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await card.getByText('not connected').waitFor();
    assert.deepEqual(faults, []);
  });

  await t.test('the preview of a channel shows the newest draft as the channel would receive it', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await go(page, '/app/settings/channels');
    await page.getByRole('button', { name: 'Preview Workspace chat' }).click();
    await page.getByRole('dialog').getByText('This repository has no draft yet.').waitFor();
    const { fromTag, toTag } = sampleRepository.demoRange;
    const range = await service.api('POST', '/api/ranges', {
      repoId: repository.id,
      type: 'TAG_BASED',
      fromTag,
      toTag,
    });
    await service.api('POST', `/api/drafts/${range.body.id}/generate`, { persona: 'customer' });
    await waitUntil('the draft is ready', async () => {
      const { drafts } = (await service.api('GET', `/api/drafts?repoId=${repository.id}`)).body;
      return drafts.some((draft: { status: string }) => draft.status === 'ready');
    });
    await go(page, '/app/settings/channels');
    await page.getByRole('button', { name: 'Preview Workspace chat' }).click();
    await page.getByRole('dialog').locator('.preview .message h3').waitFor();
    await audit(page, 'channel preview', 'dialog');
    await page.getByRole('dialog').getByRole('radio', { name: 'As it is sent' }).check();
    await page.getByRole('dialog').getByText('"type": "header"').waitFor();
    assert.deepEqual(faults, []);
  });

  await t.test('an endpoint is created, tested, fails, and gets its deliveries again', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    const receiver = await startReceiver(t);
    await go(page, '/app/settings/endpoints');
    await page.getByRole('button', { name: 'New endpoint' }).click();
    const form = page.getByRole('dialog', { name: 'New endpoint' });
    await form.getByLabel('Address').fill('https://10.0.0.1/');
    await form.getByRole('button', { name: 'Create endpoint' }).click();
    await form.locator('.field-problem').waitFor();
    faults.splice(0);
    await form.getByLabel('Address').fill(`${receiver.url}/hook?token=query-token-5f1e`);
    await form.getByLabel('Description').fill(hostile);
    await form.getByText('Filters').click();
    await form.getByRole('checkbox', { name: 'Customers' }).check();
    await audit(page, 'endpoint form', 'dialog');
    await form.getByRole('button', { name: 'Create endpoint' }).click();
    const shown = page.getByRole('dialog', { name: /^Secret of/ });
    const secret = (await shown.locator('.copy code').textContent()) ?? '';
    assert.match(secret, /^whsec_/);
    await audit(page, 'endpoint secret', 'dialog');
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    assert.ok(!(await page.content()).includes(secret));
    assert.ok(!(await page.content()).includes('query-token-5f1e'));

    receiver.answer = status(500, {}, hostile);
    await page.getByRole('button', { name: /^Test / }).click();
    const delivery = page.getByRole('dialog', { name: 'Test event' });
    await delivery.getByText('failed', { exact: true }).waitFor();
    await delivery.getByText(hostile).waitFor();
    const [first] = receiver.received;
    assert.equal((await verifyWebhook(first?.body ?? '', first?.headers ?? {}, secret)).event, 'endpoint.test');
    await audit(page, 'endpoint test', 'dialog');
    await page.keyboard.press('Escape');
    await page.getByText(/^failing since/).waitFor();
    await audit(page, 'failing endpoint');

    receiver.answer = status(204);
    await page.getByRole('link', { name: /^Deliveries to/ }).click();
    await page.getByRole('radio', { name: 'Failed' }).check();
    await page.getByRole('button', { name: 'Details' }).click();
    const log = page.getByRole('dialog', { name: 'Delivery' });
    await log.getByRole('button', { name: 'Send again' }).click();
    await log.getByText('delivered', { exact: true }).waitFor();
    assert.equal(await log.locator('.attempts > li').count(), 2);
    assert.equal(receiver.received[1]?.headers['webhook-id'], first?.headers['webhook-id']);
    await page.keyboard.press('Escape');
    await page.getByText('No delivery has this outcome.').waitFor();
    await page.getByRole('radio', { name: 'All' }).check();
    await page.getByRole('cell', { name: 'delivered' }).waitFor();
    await audit(page, 'deliveries to endpoints');

    await page.getByRole('button', { name: 'Send a period again' }).click();
    const replay = page.getByRole('dialog', { name: 'Send a period again' });
    await replay.getByLabel('Which').selectOption({ label: 'all' });
    await audit(page, 'replay', 'dialog');
    await replay.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('1 delivery is sent again.').waitFor();
    await waitUntil('the receiver has it again', () => receiver.received.length >= 3);
    await page.goto(`${service.url}/app/deliveries/endpoints?outcome=failed`);
    await page.waitForURL(/endpoints\/[^/?]+\?outcome=failed$/);
    assert.deepEqual(faults, []);
  });

  await t.test('an endpoint is changed, turned off, gets a new secret, and is deleted', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await go(page, '/app/settings/endpoints');
    await page.getByRole('button', { name: /^Change / }).click();
    const form = page.getByRole('dialog', { name: 'Change endpoint' });
    await form.getByLabel('Description').fill('chat bot');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Turn off chat bot' }).click();
    await page.getByText('a person turned it off').waitFor();
    await page.getByRole('button', { name: 'Turn on chat bot' }).click();
    await page.getByText('on', { exact: true }).waitFor();
    const [{ url }] = (await service.api('GET', '/api/webhook-endpoints')).body.webhookEndpoints;
    assert.match(url, /\/hook\?…$/, 'the query of the address stays');
    // The reply to a test waits behind a secret, which the service never shows again.
    const release = await hold(page, '**/webhook-endpoints/*/test');
    await page.getByRole('button', { name: 'Test chat bot' }).click();
    await page.getByText('Testing…').waitFor();
    await page.getByRole('button', { name: 'Replace secret of chat bot' }).click();
    await page
      .getByRole('dialog')
      .getByLabel(/^Deliveries are signed/)
      .selectOption({ label: '1 hour' });
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^whsec_/)
      .waitFor();
    release();
    await page.getByText('Testing…').waitFor({ state: 'detached' });
    const tested = page.getByRole('dialog', { name: 'Test event' });
    assert.equal(await tested.count(), 0);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await tested.waitFor();
    await page.keyboard.press('Escape');
    await page.getByText(/^former value ends/).waitFor();
    await page.getByRole('button', { name: 'Delete chat bot' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There is no endpoint yet.').waitFor();
    assert.deepEqual(faults, []);
  });

  await t.test('a webhook secret is created, replaced and revoked, and its value is shown once', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await go(page, '/app/settings/secrets');
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill(`hooks ${hostile}`);
    await page.getByRole('dialog').getByLabel('Accepted for').selectOption(orgId);
    await audit(page, 'new secret', 'dialog');
    const release = await hold(page, '**/api/webhook-secrets');
    await page.getByRole('button', { name: 'Create secret' }).dblclick();
    release();
    const shown = page.getByRole('dialog', { name: /^Secret hooks/ });
    const value = (await shown.locator('.copy code').first().textContent()) ?? '';
    assert.ok(value.length >= 32);
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    assert.ok(!(await page.content()).includes(value));
    await page.getByRole('button', { name: /^Replace hooks/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText(/^former value ends/).waitFor();
    await audit(page, 'secrets');
    await page.getByRole('button', { name: /^Revoke hooks/ }).click();
    const revoke = page.getByRole('dialog').getByRole('button', { name: 'Revoke' });
    assert.ok(await revoke.isDisabled());
    await page.getByLabel(/^Enter the name/).fill(`hooks ${hostile}`);
    await revoke.click();
    await page.getByText('The secret is revoked.').waitFor();
    assert.equal((await service.api('GET', '/api/webhook-secrets')).body.total, 0);
    assert.deepEqual(faults, []);
  });

  await t.test('policies, retention and the facts of the service are those of the API', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await go(page, '/app/settings/organization');
    await page.getByRole('switch', { name: /^Keep notes for engineers/ }).click();
    await page.getByText('The setting is saved.').waitFor();
    assert.equal((await service.api('GET', `/api/orgs/${orgId}`)).body.refuseInternalOnPublicChannels, true);
    await go(page, '/app/settings/retention');
    const { before } = (await service.api('GET', '/api/retention')).body;
    await page.getByText(`Data that was last reported before ${before}.`).waitFor();
    await go(page, '/app/settings/about');
    const about = page.getByRole('region', { name: 'About' });
    await about.getByText('a killed process and a power cut').waitFor();
    await about.getByText(process.versions.node, { exact: true }).waitFor();
    assert.deepEqual(faults, []);
  });

  await t.test('a key with few scopes sees what it may, and a key of an organization sees its own', async (t) => {
    const make = async (fields: object) =>
      (await service.api('POST', '/api/keys', { name: 'limited', ...fields })).body.key as string;
    const signIn = async (key: string) => {
      const visit = await open(t, browser, service);
      await visit.page.getByLabel('API key').fill(key);
      await visit.page.keyboard.press('Enter');
      await visit.page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
      return visit;
    };
    const few = await signIn(await make({ instance: true, scopes: ['repos:read', 'orgs:read'] }));
    await go(few.page, '/app/settings');
    assert.deepEqual(await few.page.locator('.tabs a').allTextContents(), [
      'Organization',
      'Channels',
      'Hosts',
      'Retention',
      'About',
    ]);
    assert.ok(await few.page.getByRole('switch').first().isDisabled());
    await go(few.page, '/app/settings/channels');
    assert.equal(await few.page.getByRole('button', { name: /^(Connect|Set up|Test|Disconnect) / }).count(), 0);
    await audit(few.page, 'few scopes');
    assert.deepEqual(few.faults, []);

    await service.api('POST', '/api/webhook-secrets', { org: orgId, name: 'of the owner' });
    const foreign = await signIn(await make({ org: 'umbrella' }));
    await go(foreign.page, '/app/settings/secrets');
    await foreign.page.getByText('There is no webhook secret here yet.').waitFor();
    await go(foreign.page, `/app/settings/channels?org=${orgId}`);
    await foreign.page.getByRole('listitem', { name: 'Email' }).waitFor();
    const content = await foreign.page.content();
    assert.ok(!content.includes(sampleRepository.fullName) && content.includes('umbrella'));
    assert.equal(await foreign.page.getByRole('link', { name: 'Retention' }).count(), 0);
    assert.deepEqual(foreign.faults, []);
  });

  await t.test('a key shows its rights, and signing out everywhere ends its other sessions', async (t) => {
    const { page } = await signedIn(t, browser, service);
    const other = await signedIn(t, browser, service);
    await go(page, '/app/settings');
    await page
      .getByText(/^Read \(partly\)/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await other.page.reload();
    await other.page.getByRole('heading', { name: /Sign in|Your session has ended/ }).waitFor();
  });
});

/** Holds the POST requests to an address until the returned function is called. */
async function hold(page: Page, url: string): Promise<() => void> {
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    if (route.request().method() === 'POST') await released;
    await route.continue();
  });
  return release;
}
