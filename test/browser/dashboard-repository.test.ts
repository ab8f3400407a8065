/**
 * Uses the tabs Ranges and Settings of a repository in a real browser: the settings of the notes with their live
 * example, two editors at once, faults at their fields, and the automation. The test needs the system's Chromium and is
 * skipped without it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { sampleRepository } from '../../demo/history/index.ts';
import { chromiumPath, openBrowser } from '../helpers/browser.ts';
import { auditBoth, loaded, open, sendHistory, signedIn } from '../helpers/dashboard.ts';
import { pullPayload, pushPayload, shaOf, tagPayload } from '../helpers/payloads.ts';
import { deliverRocket } from '../helpers/rocket.ts';
import { type Answer, startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the tabs of a repository were not tested';
const hostile = '"><img src=x onerror=alert(1)> __proto__';

test('the tabs Ranges and Settings of a repository work in a browser', { skip }, async (t) => {
  const service = await startService(t, {
    env: {
      TIDINGS_HOST_ORIGIN: sampleRepository.hostOrigin,
      TIDINGS_HOSTS: JSON.stringify([{ origin: 'https://github.com', kind: 'github' }]),
      TIDINGS_PARTITIONS: '1',
    },
  });
  await sendHistory(service);
  const rocketId = await deliverRocket(service);
  const repoId = await idOf(service, sampleRepository.fullName);
  const browser = await openBrowser(t, program as string);
  const settingsOf = async (): Promise<Answer['body']> =>
    (await service.api('GET', `/api/repos/${repoId}/settings`)).body;
  const show = async (page: Page, tab: 'ranges' | 'settings', id = repoId): Promise<void> => {
    await page.goto(`${service.url}/app/repositories/${id}/${tab}`);
    await page.locator('main h1').waitFor();
    await loaded(page);
  };
  const part = async (page: Page, title: string): Promise<void> =>
    page.locator('summary', { hasText: title }).first().click();

  await t.test('a title and the meaning of a label change the example, and after saving the notes', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await show(page, 'settings');
    const example = page.getByRole('complementary', { name: 'Example' });
    await example.getByText('As with the saved settings.').waitFor();
    await part(page, 'Sections');
    await page.getByLabel('Title of Fixes').fill('Mended');
    await example.locator('.added', { hasText: 'Mended' }).waitFor();
    await example.locator('.removed', { hasText: 'Bug Fixes' }).waitFor();
    await part(page, 'Labels');
    await page.getByRole('combobox', { name: 'Label' }).fill(hostile);
    await page.keyboard.press('Enter');
    const label = page.getByRole('group', { name: hostile });
    await label.getByLabel('Kind').selectOption('fix');
    await label.getByLabel('Area').fill('platform');
    await page.getByText('2 unsaved changes').waitFor();
    await auditBoth(page, 'repository settings');
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Everything is saved.').waitFor();
    await example.getByText('As with the saved settings.').waitFor();
    const { titles, labels } = await settingsOf();
    assert.equal(titles.fix, 'Mended');
    assert.deepEqual(labels, { [hostile]: { type: 'fix', area: 'platform' } });
    await page.getByRole('button', { name: 'New notes' }).click();
    const { fromTag, toTag } = sampleRepository.demoRange;
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'To', exact: true }).selectOption(toTag);
    await dialog.getByRole('combobox', { name: 'From', exact: true }).selectOption(fromTag);
    await dialog
      .getByText(/pull requests/)
      .first()
      .waitFor();
    await dialog.getByRole('button', { name: 'Write drafts' }).click();
    const text = page.getByLabel('Text in Markdown');
    await waitUntil('the draft has the title', async () => /^## Mended$/m.test(await text.inputValue()));
    assert.deepEqual(faults, []);
  });

  await t.test('sections are reordered with the keyboard, and the focus stays on the button', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await show(page, 'settings');
    await page.locator('summary', { hasText: 'Sections' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Move Security up' }).focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press('Enter');
    await page.getByText(`Security is number 1 of 11`).waitFor({ state: 'attached' });
    assert.equal(
      await page.evaluate('document.activeElement.ariaLabel'),
      'Move Security down',
      'the other end is reached',
    );
    await page.keyboard.press('Control+s');
    await page.getByText('Everything is saved.').waitFor();
    assert.deepEqual((await settingsOf()).order, ['security']);
    await page.getByRole('button', { name: 'Restore defaults of Sections' }).click();
    await page.getByText('2 unsaved changes').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    assert.equal(await page.getByLabel('Title of Fixes').inputValue(), 'Mended');
    assert.deepEqual(faults, []);
  });

  await t.test('two editors keep both their changes, and each sees what the other changed', async (t) => {
    const { page } = await signedIn(t, browser, service);
    await show(page, 'settings');
    await part(page, 'Sections');
    // The screen would take over a change from elsewhere before the person saves, so both happen at once.
    await page.route('**/settings', async (route) => {
      if (route.request().method() !== 'PUT') return route.fallback();
      const settings = await settingsOf();
      const titles = { ...settings.titles, feature: 'Theirs', fix: 'Their fixes' };
      await service.api('PUT', `/api/repos/${repoId}/settings`, { ...settings, titles, excludedAuthors: ['robot'] });
      await page.unroute('**/settings');
      return route.fallback();
    });
    await page.getByLabel('Title of Fixes').fill('My fixes');
    await page.getByRole('button', { name: 'Save settings' }).click();
    const clash = page.getByRole('alert').filter({ hasText: 'These settings were changed elsewhere.' });
    await clash.getByText('excluded authors: none → robot').waitFor();
    await clash.getByText('(yours: My fixes)').waitFor();
    assert.equal(await page.getByLabel('Title of Fixes').inputValue(), 'My fixes', 'what was typed stays');
    await auditBoth(page, 'settings conflict');
    await clash.getByRole('button', { name: /^Keep both/ }).click();
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Everything is saved.').waitFor();
    const stored = await settingsOf();
    const { feature, fix } = stored.titles;
    assert.deepEqual([feature, fix, stored.excludedAuthors], ['Theirs', 'My fixes', ['robot']]);
  });

  await t.test('a fault is shown at its field, and changes survive leaving the screen', async (t) => {
    const { page } = await signedIn(t, browser, service);
    await show(page, 'settings');
    await part(page, 'Readers');
    const bullets = page.getByLabel(/^Maximum number of lines/);
    await bullets.fill('5000');
    await page.locator('.field-problem', { hasText: /1000/ }).waitFor();
    assert.equal(await bullets.getAttribute('aria-invalid'), 'true');
    await auditBoth(page, 'settings fault');
    await page.getByRole('navigation', { name: 'Repository' }).getByRole('link', { name: 'Releases' }).click();
    await page.waitForURL(/\/releases$/);
    await page.getByRole('status').getByRole('link', { name: 'Go back' }).click();
    await page.waitForURL(/\/settings$/);
    await page.getByText('Your changes from before are here again.').waitFor();
    await page.getByRole('button', { name: 'Discard them' }).click();
    await page.getByText('Everything is saved.').waitFor();
    assert.equal((await settingsOf()).customer.bullets, 0);
  });

  await t.test('an automation made by clicks drafts and publishes the next tag', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await show(page, 'settings', rocketId);
    const automation = page.getByRole('region', { name: 'Automation' });
    await automation.getByLabel(/^When a release is tagged/).check();
    await automation.getByLabel('Engineers').check();
    await automation.getByRole('button', { name: 'Add publication' }).click();
    await automation.getByRole('group', { name: 'Publication 1' }).getByLabel('Readers').selectOption('customer');
    await auditBoth(page, 'automation');
    await automation.getByRole('button', { name: 'Save automation' }).click();
    await automation.getByRole('button', { name: 'Remove automation' }).waitFor();
    await service.deliver(
      'pull_request',
      pullPayload(7, { title: 'Land softly', labels: [{ name: 'type: feature' }] }),
    );
    await service.deliver('push', pushPayload([7], shaOf(4)));
    await service.deliver('push', tagPayload('v2.0.0', 7));
    const run = automation.getByRole('row', { name: /v2\.0\.0/ });
    await run.getByText('done').waitFor();
    await run.getByRole('link', { name: 'Hosted page, customers' }).waitFor();
    assert.equal((await fetch(`${service.url}/notes/acme/rocket/v2.0.0`)).status, 200);
    await run.getByRole('link', { name: 'v2.0.0' }).click();
    await page
      .getByRole('dialog', { name: /^v2\.0\.0/ })
      .getByText('Land softly')
      .waitFor();
    await page.keyboard.press('Escape');
    await show(page, 'settings', rocketId);
    await automation.getByRole('button', { name: 'Remove automation' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal((await service.api('GET', `/api/repos/${rocketId}/automation`)).body.onTag, null);
    assert.deepEqual(faults, []);
  });

  await t.test('ranges show how sure they are, open their changes, and begin new notes', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    const days = { type: 'DATE_BASED', repoId, fromDate: '2026-01-01', toDate: '2026-01-31' };
    assert.equal((await service.api('POST', '/api/ranges', days)).status, 201);
    await show(page, 'ranges');
    const { toTag } = sampleRepository.demoRange;
    const row = page.getByRole('row', { name: new RegExp(toTag.replaceAll('.', '\\.')) });
    await row.getByRole('link', { name: 'Engineers' }).waitFor();
    await auditBoth(page, 'ranges');
    await row.getByRole('button', { name: `Changes of ${toTag}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/changes? in the notes/).waitFor();
    await auditBoth(page, 'range changes', 'dialog');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New notes for 2026-01-01 to 2026-01-31' }).click();
    await dialog
      .getByText('What falls in')
      .or(dialog.getByLabel('From', { exact: true }))
      .first()
      .waitFor();
    assert.equal(await dialog.getByLabel('From', { exact: true }).inputValue(), '2026-01-01');
    assert.equal(await dialog.getByLabel('To', { exact: true }).inputValue(), '2026-01-31');
    assert.deepEqual(faults, []);
  });

  await t.test('a key that may only read sees the settings, and cannot change them', async (t) => {
    const { key } = (await service.api('POST', '/api/keys', { name: 'reader', scopes: ['repos:read'], instance: true }))
      .body;
    const { page, faults } = await open(t, browser, service);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await show(page, 'settings');
    await page.getByText('repos:write').first().waitFor();
    await part(page, 'Sections');
    assert.ok(await page.getByLabel('Title of Fixes').isDisabled());
    assert.equal(await page.getByRole('button', { name: 'Save settings' }).count(), 0);
    await page.getByText('drafts:read').first().waitFor();
    await auditBoth(page, 'settings read-only');
    assert.deepEqual(faults, []);
  });
});

async function idOf(service: TestService, fullName: string): Promise<string> {
  return (await service.api('GET', `/api/repos?fullName=${fullName}`)).body.repos[0].id;
}
