/**
 * Uses the dashboard of a real service in a real browser: signs in, writes notes, edits and publishes them. Each screen
 * is also audited in both color schemes and on a phone. The test needs the system's Chromium and is skipped without it.
 */
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { sampleRepository } from '../../demo/history/index.ts';
import { chromiumPath, openBrowser, openContext } from '../helpers/browser.ts';
import { afterwards } from '../helpers/cleanup.ts';
import {
  auditBoth,
  dialogsOf,
  goByKeys,
  keepSession,
  newestDraft,
  open,
  screensOf,
  sendHistory,
  show,
  showDialog,
  signedIn,
  watch,
} from '../helpers/dashboard.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the dashboard was not tested';

test('the dashboard works in a browser', { skip }, async (t) => {
  const service = await startService(t, { env: { TIDINGS_HOST_ORIGIN: sampleRepository.hostOrigin } });
  const browser = await openBrowser(t, program as string);

  await t.test('a wrong key is refused with the reason, and the right one signs in', async (t) => {
    const { page, context } = await open(t, browser, service);
    await page.getByLabel('API key').fill('rn_live_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('.field-problem').waitFor();
    await page.getByLabel('API key').fill(service.adminKey);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    await keepSession(context, service);
  });

  await t.test('an empty service shows how to connect a repository, and notices the first delivery', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await page.getByRole('heading', { name: 'Connect a repository' }).waitFor();
    assert.match((await page.locator('dl.facts').textContent()) ?? '', new RegExp(`${service.url}/api/webhooks/scm`));
    await auditBoth(page, 'first-steps');
    await sendHistory(service);
    await page.getByRole('heading', { name: /^Unreleased changes/ }).waitFor();
    assert.deepEqual(faults, []);
  });

  await t.test('from the printed link to the published page, a person clicks at most ten times', async (t) => {
    const context = await openContext(t, browser, {});
    const { page, faults } = await watch(await context.newPage(), service);
    let clicks = 0;
    const click = async (target: Locator): Promise<void> => {
      clicks += 1;
      await target.click();
    };
    const link = /http\S+#k=[\w-]+/.exec(service.tidings('dashboard'))?.[0] as string;
    clicks += 1;
    await page.goto(link);
    await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
    assert.equal(page.url(), `${service.url}/`, 'the code leaves the address');
    assert.equal(await page.evaluate('history.length'), 2, 'no step of the history has the code');
    const main = page.locator('main');
    await click(main.getByRole('link', { name: sampleRepository.fullName }));
    await click(page.getByRole('link', { name: 'Releases' }));
    await click(page.getByRole('button', { name: `Write notes for ${sampleRepository.demoRange.toTag}` }));
    await page
      .getByRole('region', { name: 'What falls in' })
      .getByText(/pull requests/)
      .first()
      .waitFor();
    await click(page.getByRole('button', { name: 'Write drafts' }));
    await click(page.getByRole('navigation', { name: 'Readers' }).getByRole('link', { name: 'Customers' }));
    await click(page.getByRole('button', { name: 'Publish' }));
    await click(page.getByRole('checkbox', { name: /Hosted page/ }));
    await click(page.getByRole('dialog').getByRole('button', { name: 'Publish' }));
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      click(page.getByRole('dialog').getByRole('link', { name: 'Open' })),
    ]);
    await opened.waitForLoadState();
    assert.match(opened.url(), new RegExp(`/notes/${sampleRepository.fullName}/`));
    assert.ok(clicks <= 10, `${clicks} clicks`);
    assert.equal(await opened.evaluate('window.opener'), null);
    assert.deepEqual(faults, []);
    const other = await (await openContext(t, browser, {})).newPage();
    await other.goto(link);
    await other.locator('.field-problem').waitFor();
    assert.equal(other.url(), `${service.url}/`, 'the link works once');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  await t.test('every screen is accessible in both color schemes and fits a phone', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    const draft = await newestDraft(service);
    for (const [name, path] of Object.entries(screensOf({ repoId: draft.repoId, draftId: draft.id }))) {
      await show(page, service.url + path);
      await auditBoth(page, name);
    }
    assert.deepEqual(faults, []);
  });

  await t.test('dialogs are accessible, and Escape closes them', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    const draft = await newestDraft(service);
    for (const dialog of dialogsOf({ repoId: draft.repoId, draftId: draft.id })) {
      await showDialog(page, service.url, dialog);
      await auditBoth(page, dialog[0], 'dialog');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    assert.deepEqual(faults, []);
  });

  await t.test('the keyboard alone leads from the inbox to a saved draft', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content');
    await goByKeys(page, ['g', 'r'], 'Repositories');
    // The screen moves the focus after it was drawn.
    await waitUntil('the focus follows the screen', async () => {
      return (await page.evaluate('document.activeElement.localName')) === 'h1';
    });
    await page.keyboard.press('/');
    await page.keyboard.type('shoebox');
    await page.getByRole('dialog').getByRole('option', { name: sampleRepository.fullName }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: sampleRepository.fullName }).waitFor();
    const draft = await newestDraft(service);
    await page.goto(`${service.url}/app/drafts/${draft.id}`);
    const field = page.getByLabel('Text in Markdown');
    await field.focus();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('Written by hand.\n\n');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved', { exact: true }).waitFor();
    assert.match((await service.api('GET', `/api/drafts/${draft.id}`)).body.bodyMd, /^Written by hand\.\n/);
    await page.keyboard.press('Tab');
    assert.notEqual(await page.evaluate('document.activeElement.localName'), 'textarea', 'Tab leaves the field');
    assert.deepEqual(faults, []);
  });

  await t.test('a change from elsewhere is never overwritten: the person sees both texts and decides', async (t) => {
    const { page } = await signedIn(t, browser, service);
    const draft = await newestDraft(service);
    await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd: 'first\n\nmiddle\n\nlast\n' });
    await page.goto(`${service.url}/app/drafts/${draft.id}`);
    const field = page.getByLabel('Text in Markdown');
    await waitUntil('the text is there', async () => (await field.inputValue()).startsWith('first'));
    // The screen would take over a change from elsewhere before the person types, so both happen at once.
    await page.route('**/api/drafts/*', async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd: 'first\n\ntheirs\n\nlast, theirs\n' });
      await page.unroute('**/api/drafts/*');
      return route.fallback();
    });
    await field.fill('first, mine\n\nmine\n\nlast\n');
    const dialog = page.getByRole('dialog', { name: 'This draft was changed elsewhere' });
    await dialog.waitFor();
    await auditBoth(page, 'conflict', 'dialog');
    await page.keyboard.press('Escape');
    await dialog.waitFor();
    await dialog.getByRole('radio', { name: 'Keep both' }).check();
    await dialog.getByRole('button', { name: 'Save the merged text' }).click();
    await waitUntil('the merged text is stored', async () => {
      const { bodyMd } = (await service.api('GET', `/api/drafts/${draft.id}`)).body;
      return bodyMd === 'first, mine\n\nmine\ntheirs\n\nlast, theirs\n';
    });
  });

  await t.test('text that was not saved survives a reload and the end of the session', async (t) => {
    const { page, context } = await signedIn(t, browser, service);
    const draft = await newestDraft(service);
    await page.goto(`${service.url}/app/drafts/${draft.id}`);
    const field = page.getByLabel('Text in Markdown');
    await field.waitFor();
    // The session ends with the first attempt to save. Ended earlier, a load in the background could close the editor
    // before the text is typed.
    let hasEnded = false;
    await page.route(`**/api/drafts/${draft.id}`, async (route) => {
      if (route.request().method() === 'PATCH' && !hasEnded) {
        hasEnded = true;
        await context.clearCookies();
      }
      await route.continue();
    });
    await field.fill('Typed when the session had ended.\n');
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await page.getByLabel('API key').fill(service.adminKey);
    await page.keyboard.press('Enter');
    await waitUntil('the text is stored', async () => {
      const { bodyMd } = (await service.api('GET', `/api/drafts/${draft.id}`)).body;
      return bodyMd === 'Typed when the session had ended.\n';
    });
    assert.equal(await field.inputValue(), 'Typed when the session had ended.\n');
  });

  await t.test('hostile text in a draft runs no script, and loads nothing', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    const draft = await newestDraft(service);
    const bodyMd = [
      '<script>parent.hacked = 1</script> <img src="https://tracker.test/x.png" onerror="parent.hacked = 1">',
      '</textarea><script>hacked = 1</script> ![pixel](https://tracker.test/pixel.png)',
      '[link](javascript:alert(1)) <style>*{display:none}</style> <!-- "><script>hacked = 1</script> -->',
    ].join('\n\n');
    await service.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd });
    await page.goto(`${service.url}/app/drafts/${draft.id}`);
    const frame = page.frameLocator('iframe');
    await frame.locator('article').waitFor();
    assert.equal(await frame.locator('script, img, style').count(), 0);
    assert.equal(await page.evaluate('typeof hacked'), 'undefined');
    assert.deepEqual(faults, []);
  });

  await t.test('a key is created, shown once, and revoked after its name was entered', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await goByKeys(page, ['g', 's'], 'Settings');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel(/^Name/).fill('writer');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Key writer' });
    const key = (await dialog.locator('code').first().textContent()) ?? '';
    assert.equal((await service.api('GET', '/api/repos', undefined, key)).status, 200);
    assert.equal((await service.api('GET', '/api/keys', undefined, key)).status, 403);
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    assert.ok(!(await page.content()).includes(key));
    await page.getByRole('button', { name: 'Revoke writer' }).click();
    const revoke = page.getByRole('dialog').getByRole('button', { name: 'Revoke' });
    await page.getByLabel(/^Enter the name/).fill('write');
    assert.ok(await revoke.isDisabled());
    await page.getByLabel(/^Enter the name/).fill('writer');
    await revoke.click();
    await page.getByText('The key is revoked.').waitFor();
    assert.equal((await service.api('GET', '/api/repos', undefined, key)).status, 401);
    assert.deepEqual(faults, []);
  });

  await t.test('behind a proxy that adds a path, the dashboard finds its files and the service', async (t) => {
    const url = await startPrefixProxy(t, service.url, '/tidings');
    const context = await openContext(t, browser, {});
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${url}/tidings/app/repositories`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.deepEqual(
      asked.filter((path) => !path.startsWith('/tidings/')),
      [],
    );
    await page.getByRole('link', { name: 'Published notes' }).click();
    await page.getByRole('heading', { name: 'Release notes' }).waitFor();
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(page.url(), `${url}/tidings/`);
  });
});

/** Starts a proxy that serves a service below a path. Other paths get 404. */
async function startPrefixProxy(t: TestContext, target: string, prefix: string): Promise<string> {
  const proxy = createServer((incoming, reply) => {
    if (!incoming.url?.startsWith(`${prefix}/`)) return reply.writeHead(404).end();
    const path = incoming.url.slice(prefix.length);
    incoming.pipe(
      request(target + path, { method: incoming.method, headers: incoming.headers }, (answer) => {
        reply.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(reply);
      }),
    );
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  afterwards(t, () => proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}
