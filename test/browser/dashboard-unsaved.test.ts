/**
 * Leaves forms of the dashboard with input that is not saved, in a real browser: by links, by the Back button, by closing
 * a dialog, by reloading, and by signing out. The test needs the system's Chromium and is skipped without it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { sampleRepository } from '../../demo/history/index.ts';
import { chromiumPath, openBrowser } from '../helpers/browser.ts';
import { auditBoth, sendHistory, show, signedIn } from '../helpers/dashboard.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: input that is not saved was not tested';
const secret = 'https://hooks.example.com/very-secret';

test('input that is not saved is kept, and the dashboard says so', { skip }, async (t) => {
  const service = await startService(t, { env: { TIDINGS_HOST_ORIGIN: sampleRepository.hostOrigin } });
  await sendHistory(service);
  const repoId = await waitUntil('the repository is there', async (): Promise<string | undefined> => {
    return (await service.api('GET', '/api/repos')).body.repos[0]?.id;
  });
  const settings = `${service.url}/app/repositories/${repoId}/settings`;
  const browser = await openBrowser(t, program as string);
  const inbox = (page: Page) => page.getByRole('region', { name: 'Changes of yours that are not saved' });
  const changeTitle = async (page: Page): Promise<void> => {
    await page.locator('summary', { hasText: 'Sections' }).click();
    await page.getByLabel('Title of Fixes').fill('Mended');
  };

  await t.test('the Back button and links keep the settings and the automation of a repository', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await page.goto(`${service.url}/app/repositories/${repoId}`);
    await page.getByRole('navigation', { name: 'Repository' }).getByRole('link', { name: 'Settings' }).click();
    await changeTitle(page);
    await page.getByRole('region', { name: 'Automation' }).getByLabel('Before the release').check();
    await page.goBack();
    await page.waitForURL(/\/repositories\/[^/]+$/);
    await page.getByText(`Settings of ${sampleRepository.fullName}: kept here, but not saved.`).waitFor();
    await page.getByRole('link', { name: 'Inbox' }).click();
    await inbox(page)
      .getByRole('link', { name: `Automation of ${sampleRepository.fullName}` })
      .waitFor();
    await auditBoth(page, 'inbox unsaved');
    await inbox(page)
      .getByRole('link', { name: `Settings of ${sampleRepository.fullName}` })
      .click();
    const notes = page.getByRole('region', { name: 'Notes' });
    await notes.getByText('Your changes from before are here again.').waitFor();
    await auditBoth(page, 'settings restored');
    await notes.getByRole('button', { name: 'Discard them' }).click();
    await page.getByText('Everything is saved.').waitFor();
    const automation = page.getByRole('region', { name: 'Automation' });
    assert.ok(await automation.getByLabel('Before the release').isChecked());
    await automation.getByRole('button', { name: 'Discard them' }).click();
    assert.ok(!(await automation.getByLabel('Before the release').isChecked()));
    await page.getByRole('link', { name: 'Inbox' }).click();
    await inbox(page).waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });

  await t.test('the browser asks before it reloads the tab, and the settings are kept', async (t) => {
    const { page } = await signedIn(t, browser, service);
    const asked = asks(page);
    await page.goto(settings);
    await page.reload();
    assert.deepEqual(asked, [], 'a form without changes does not ask');
    await changeTitle(page);
    await page.getByText('1 unsaved change').waitFor();
    await page.getByRole('link', { name: 'Inbox' }).click();
    await inbox(page).waitFor();
    await page.reload();
    assert.deepEqual(asked, ['beforeunload']);
    await inbox(page).getByRole('link').click();
    await page.getByText('Your changes from before are here again.').waitFor();
    await page.getByRole('button', { name: 'Save settings' }).click();
    await page.getByText('Everything is saved.').waitFor();
    await page.reload();
    assert.deepEqual(asked, ['beforeunload'], 'saved changes do not ask');
  });

  await t.test('a closed form of a channel keeps its secret in memory only, until it is discarded', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await show(page, `${service.url}/app/settings/channels`);
    const connect = page.getByRole('button', { name: 'Connect Office chat' });
    await connect.click();
    const dialog = page.getByRole('dialog', { name: /^Office chat/ });
    await dialog.getByLabel('Address of the workflow').fill(secret);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const card = page.getByRole('listitem', { name: 'Office chat' });
    await card.getByText('changes not saved').waitFor();
    await page.getByRole('link', { name: 'Inbox' }).click();
    await inbox(page)
      .getByRole('link', { name: /^Office chat of/ })
      .click();
    await connect.click();
    await dialog.getByText('Your changes from before are here again.').waitFor();
    assert.equal(await dialog.getByLabel('Address of the workflow').inputValue(), secret);
    await auditBoth(page, 'channel restored', 'dialog');
    assert.doesNotMatch(
      await page.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])'),
      /very-secret/,
    );
    await dialog.getByRole('button', { name: 'Discard', exact: true }).click();
    await card.getByText('changes not saved').waitFor({ state: 'detached' });
    await connect.click();
    assert.equal(await dialog.getByLabel('Address of the workflow').inputValue(), '');
    assert.deepEqual(faults, []);
  });

  await t.test('a closed form of an endpoint keeps its input, and a change from elsewhere is shown', async (t) => {
    const { page } = await signedIn(t, browser, service);
    await show(page, `${service.url}/app/settings/endpoints`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await dialog.getByLabel('Address').fill('https://example.com/hooks');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Continue the new endpoint' }).click();
    await dialog.getByRole('button', { name: 'Create endpoint' }).click();
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: /^Change / }).click();
    await dialog.getByLabel('Description').fill('mine');
    const { id } = (await service.api('GET', '/api/webhook-endpoints')).body.webhookEndpoints[0];
    await service.api('PATCH', `/api/webhook-endpoints/${id}`, {
      description: 'theirs',
      url: 'https://example.com/moved?token=theirs',
    });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('This endpoint was changed elsewhere.').waitFor();
    assert.equal(await dialog.getByLabel('Description').inputValue(), 'mine');
    await dialog.getByRole('button', { name: 'Go on with mine' }).click();
    assert.equal(await dialog.getByLabel('Description').inputValue(), 'mine');
    assert.equal(await dialog.getByLabel('Address').inputValue(), 'https://example.com/moved?…', 'not edited here');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('rowheader', { name: /^mine/ }).waitFor();

    await page.getByRole('button', { name: 'Change mine' }).click();
    await dialog.getByLabel('Description').fill('mine again');
    await service.api('PATCH', `/api/webhook-endpoints/${id}`, { enabled: false });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Press Save again.').waitFor();
    await auditBoth(page, 'endpoint changed elsewhere', 'dialog');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const [stored] = (await service.api('GET', '/api/webhook-endpoints')).body.webhookEndpoints;
    const { url, description, enabled } = stored;
    assert.deepEqual([url, description, enabled], ['https://example.com/moved?…', 'mine again', false]);
  });

  await t.test('signing out asks first, and drops what is not saved', async (t) => {
    const { page } = await signedIn(t, browser, service);
    await page.goto(settings);
    await changeTitle(page);
    await page.getByLabel('Title of Fixes').fill('Dropped');
    await show(page, `${service.url}/app/settings/keys`);
    const question = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await question.getByRole('link', { name: /^Settings of/ }).waitFor();
    await page.keyboard.press('Escape');
    await page
      .getByRole('row', { name: /this session/ })
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await question.getByText('This session ends too.').waitFor();
    await auditBoth(page, 'revoke unsaved', 'dialog');
    await question.getByRole('link', { name: /^Settings of/ }).click();
    await question.waitFor({ state: 'detached' });
    await page.locator('summary', { hasText: 'Sections' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign out without saving?' });
    await dialog.getByRole('link', { name: /^Settings of/ }).waitFor();
    await auditBoth(page, 'sign out unsaved', 'dialog');
    await dialog.getByRole('button', { name: 'Stay' }).click();
    assert.equal(await page.getByLabel('Title of Fixes').inputValue(), 'Dropped');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await dialog.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').fill(service.adminKey);
    await page.keyboard.press('Enter');
    await page.getByText('Everything is saved.').waitFor();
  });
});

/** Notes each question of the browser before it leaves a page. */
function asks(page: Page): string[] {
  const asked: string[] = [];
  page.on('dialog', (dialog) => asked.push(dialog.type()));
  return asked;
}
