/**
 * Uses dialogs of the dashboard as people do: selecting text beyond their edge, shortcuts, closing the tab, and new notes
 * in a repository with many tags and branches. The test needs the system's Chromium and is skipped without it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chromiumPath, openBrowser } from '../helpers/browser.ts';
import { show, signedIn } from '../helpers/dashboard.ts';
import { pushPayload, tagPayload } from '../helpers/payloads.ts';
import { deliverRocket } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the dialogs of the dashboard were not tested';
const tags = 101;

test('dialogs of the dashboard keep what they must keep', { skip }, async (t) => {
  const service = await startService(t);
  const browser = await openBrowser(t, program as string);

  await t.test('a dialog stays open when a selection of text ends beside it', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await show(page, `${service.url}/app/settings/keys`);
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    const name = dialog.getByLabel('Name');
    await name.fill('key of a person');
    const box = await name.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width - 5, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(20, 20, { steps: 4 });
    await page.mouse.up();
    assert.equal(await name.inputValue(), 'key of a person');
    await page.mouse.click(20, 20);
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
  });

  await t.test('a key that is shown once stays until it is copied', async (t) => {
    const { page } = await signedIn(t, browser, service);
    const asked: string[] = [];
    await show(page, `${service.url}/app/settings/keys`);
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('shown once');
    await dialog.getByRole('button', { name: /^Create/ }).click();
    const copied = dialog.getByRole('button', { name: 'I have copied it' });
    await copied.waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('dialog').count(), 1);
    assert.ok(await copied.isVisible());
    page.on('dialog', (question) => asked.push(question.type()));
    await page.reload();
    assert.deepEqual(asked, ['beforeunload']);
  });

  await t.test('new notes of a range keep its branch, and offer all tags', async (t) => {
    const repoId = await deliverRocket(service);
    for (let n = 1; n <= tags; n++) {
      assert.equal((await service.deliver('push', tagPayload(`v0.${n}.0`, 1))).status, 202);
    }
    assert.equal((await service.deliver('push', pushPayload([2], '0'.repeat(40), 'release/1.x'))).status, 202);
    await waitUntil('all tags are there', async () => {
      return (await service.api('GET', `/api/repos/${repoId}/tags?limit=1`)).body.total >= tags + 2;
    });
    const wanted = { type: 'UNRELEASED', repoId, branch: 'release/1.x' };
    const range = await waitUntil('the branch is known', async () => {
      const answer = await service.api('POST', '/api/ranges', wanted);
      return answer.status < 300 && answer.body;
    });
    const { page, faults } = await signedIn(t, browser, service);
    await show(page, `${service.url}/app/repositories/${repoId}/ranges`);
    const asked = page.waitForRequest(/\/api\/ranges\/preview$/);
    await page.getByRole('button', { name: 'New notes' }).last().click();
    assert.deepEqual((await asked).postDataJSON(), wanted);
    const dialog = page.getByRole('dialog');
    const names = await dialog.getByLabel('To', { exact: true }).locator('option').allTextContents();
    const { total } = (await service.api('GET', `/api/repos/${repoId}/tags?limit=1`)).body;
    assert.equal(names.length, total + 1);
    assert.equal(range.branch, 'release/1.x');
    assert.deepEqual(faults, []);
  });
});
