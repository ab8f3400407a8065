/**
 * Leaves the editor of drafts in a real browser with text that is not saved: during an outage, after another person has
 * saved, by reloading, by signing out. No text is lost, and no text of another person is overwritten. The test needs the
 * system's Chromium and is skipped without it.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { sampleHistory, sampleRepository } from '../../demo/history/index.ts';
import { chromiumPath, openBrowser, openContext } from '../helpers/browser.ts';
import { auditBoth, sendHistory, show, signedIn, writeDraft } from '../helpers/dashboard.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: texts that are not saved were not tested';
const clashTitle = 'This draft was changed elsewhere';

test('text of a draft is saved or kept, wherever the person goes', { skip }, async (t) => {
  const service = await startService(t, { env: { TIDINGS_HOST_ORIGIN: sampleRepository.hostOrigin } });
  await sendHistory(service);
  const { draftId } = await writeDraft(service);
  const browser = await openBrowser(t, program as string);
  const draftUrl = `${service.url}/app/drafts/${draftId}`;
  const draftPath = `**/api/drafts/${draftId}`;
  const refuse = (route: Route): Promise<void> => route.abort('connectionrefused');
  const inbox = (page: Page) => page.getByRole('region', { name: 'Changes of yours that are not saved' });
  const field = (page: Page) => page.getByLabel('Text in Markdown');
  const stored = async (): Promise<string> => (await service.api('GET', `/api/drafts/${draftId}`)).body.bodyMd;
  const store = async (bodyMd: string): Promise<void> => {
    const { status } = await service.api('PATCH', `/api/drafts/${draftId}`, { bodyMd });
    assert.equal(status, 200);
  };
  /** Opens the draft with a text that the service has. */
  const openWith = async (t: TestContext, text: string) => {
    await store(text);
    const visit = await signedIn(t, browser, service);
    await show(visit.page, draftUrl);
    assert.equal(await field(visit.page).inputValue(), text);
    await visit.page.getByRole('link', { name: sampleRepository.fullName }).waitFor();
    return visit;
  };
  const leave = (page: Page): Promise<void> => page.getByRole('link', { name: 'Inbox' }).click();

  await t.test('a text that is left at once is saved, and typing on it later finds no clash', async (t) => {
    const { page, faults } = await openWith(t, 'first\n');
    await field(page).fill('second\n');
    await leave(page);
    await waitUntil('the text is saved', async () => (await stored()) === 'second\n');
    // The draft is not read again before the person types.
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route(draftPath, async (route) => {
      if (route.request().method() === 'GET') await held;
      return route.continue();
    });
    await page.goBack();
    assert.equal(await field(page).inputValue(), 'second\n');
    await field(page).fill('third\n');
    await waitUntil('the text is saved', async () => (await stored()) === 'third\n');
    release();
    await page.getByText('Saved', { exact: true }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal(await inbox(page).count(), 0);
    assert.deepEqual(faults, []);
  });

  await t.test('a text that cannot be saved is named in the inbox, and saved when the service answers', async (t) => {
    const { page } = await openWith(t, 'before\n');
    const asked: string[] = [];
    page.on('dialog', (dialog) => asked.push(dialog.type()));
    await page.route(draftPath, refuse);
    await field(page).fill('typed during an outage\n');
    await leave(page);
    const toast = page.getByText(/: kept here, but not saved\.$/);
    await toast.waitFor();
    await inbox(page)
      .getByRole('link', { name: `Notes of ${sampleRepository.fullName} Unreleased, customers` })
      .waitFor();
    await auditBoth(page, 'inbox with a text');
    await page.reload();
    assert.deepEqual(asked, ['beforeunload']);
    await inbox(page).getByRole('link').waitFor();
    await page.unroute(draftPath, refuse);
    await inbox(page).waitFor({ state: 'detached' });
    assert.equal(await stored(), 'typed during an outage\n');
  });

  await t.test('a saving whose reply is lost is no clash after a reload', async (t) => {
    const { page } = await openWith(t, 'before the reply\n');
    let isStored = false;
    await page.route(draftPath, async (route) => {
      if (route.request().method() !== 'PATCH' || isStored) return route.fallback();
      await route.fetch();
      isStored = true;
    });
    await field(page).fill('stored without a reply\n');
    await waitUntil('the service has the text', () => isStored);
    await field(page).fill('typed meanwhile\n');
    await page.reload();
    await waitUntil('the newer text is saved', async () => (await stored()) === 'typed meanwhile\n');
    await page.getByText('Saved', { exact: true }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
  });

  await t.test('a clash is found again after a reload and after other screens', async (t) => {
    const { page } = await openWith(t, 'base\n');
    const dialog = page.getByRole('dialog', { name: clashTitle });
    /** Another person saves between the last reading and the next saving, which begins after `until`. */
    const saveBefore = async (text: string, until?: Promise<unknown>): Promise<void> => {
      await page.route(draftPath, async (route) => {
        if (route.request().method() !== 'PATCH') return route.fallback();
        await until;
        await store(text);
        await page.unroute(draftPath);
        return route.fallback();
      });
    };
    await saveBefore('theirs\n');
    await field(page).fill('mine\n');
    await dialog.waitFor();
    await page.reload();
    await dialog.waitFor();
    assert.equal(await stored(), 'theirs\n');
    await dialog.getByRole('button', { name: 'Discard my changes' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.frameLocator('iframe').getByText('theirs').waitFor();

    const inboxShown = page.waitForURL(`${service.url}/`, { timeout: 60_000 });
    await saveBefore('theirs again\n', inboxShown);
    await field(page).fill('mine again\n');
    await leave(page);
    await page.getByText(/: kept here, but not saved\.$/).waitFor();
    assert.equal(await stored(), 'theirs again\n');
    await inbox(page).getByRole('link').click();
    await dialog.getByRole('radio', { name: 'Keep mine' }).check();
    await dialog.getByRole('button', { name: 'Save the merged text' }).click();
    await waitUntil('the chosen text is saved', async () => (await stored()) === 'mine again\n');
    await leave(page);
    await inbox(page).waitFor({ state: 'detached' });
  });

  await t.test('restoring an earlier text keeps what was typed a moment before in the revisions', async (t) => {
    const { page, faults } = await openWith(t, 'an old text\n');
    await store('a newer text\n');
    await waitUntil('the newer text is shown', async () => (await field(page).inputValue()) === 'a newer text\n');
    await page.getByRole('button', { name: 'Revisions' }).click();
    await page.getByRole('dialog', { name: 'Revisions' }).waitFor();
    await page.keyboard.press('Escape');
    await field(page).fill('typed a moment ago\n');
    await page.getByRole('button', { name: 'Revisions' }).click();
    const rows = page.getByRole('dialog', { name: 'Revisions' }).getByRole('listitem');
    await waitUntil('the typed text is a revision', async () => (await stored()) === 'typed a moment ago\n');
    const { revision } = (await service.api('GET', `/api/drafts/${draftId}`)).body;
    await rows.filter({ hasText: `· now#${revision} ` }).waitFor();
    await rows
      .filter({ hasText: `#${revision - 2} ` })
      .getByRole('button')
      .click();
    await page.getByRole('button', { name: 'Restore this text' }).click();
    await waitUntil('the old text is back', async () => (await stored()) === 'an old text\n');
    await waitUntil('the old text is shown', async () => (await field(page).inputValue()) === 'an old text\n');
    const { revisions } = (await service.api('GET', `/api/drafts/${draftId}/revisions?order=desc&limit=2`)).body;
    const texts = await Promise.all(
      revisions.map(async ({ number }: { number: number }) => {
        return (await service.api('GET', `/api/drafts/${draftId}/revisions/${number}`)).body.bodyMd;
      }),
    );
    assert.deepEqual(texts, ['an old text\n', 'typed a moment ago\n']);
    assert.deepEqual(faults, []);
  });

  await t.test('signing out saves the text first, and asks if that fails', async (t) => {
    const { page } = await openWith(t, 'signed in\n');
    await page.route(draftPath, refuse);
    await field(page).fill('refused\n');
    await page.getByRole('button', { name: 'Sign out' }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign out without saving?' });
    await dialog.getByRole('link', { name: /customers$/ }).waitFor();
    await dialog.getByRole('button', { name: 'Stay' }).click();
    await page.unroute(draftPath, refuse);
    await waitUntil('the text is saved', async () => (await stored()) === 'refused\n');
    await field(page).fill('typed just before the end\n');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    assert.equal(await stored(), 'typed just before the end\n');
    assert.equal(
      await page.evaluate('Object.keys(sessionStorage).filter((name) => name.includes("draft:")).length'),
      0,
    );
  });

  await t.test('the notes take the name of their tag, and the screen follows another tab that signs in', async (t) => {
    // The test before has ended the session that the others use.
    const { key } = (await service.api('POST', '/api/keys', { name: 'editor', instance: true })).body;
    const context = await openContext(t, browser, {});
    const page = await context.newPage();
    await page.goto(draftUrl);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Unreleased' }).waitFor();
    assert.equal((await service.deliver('push', tagOfHead('v2.1.0'))).status, 202);
    await page.getByRole('heading', { level: 1, name: 'v2.1.0' }).waitFor();
    await page.getByRole('button', { name: 'Publish' }).click();
    assert.ok(await page.getByRole('checkbox', { name: /^Hosted page/ }).isEnabled());

    // Another tab signs in with a key of fewer rights. This tab sends the same cookie, so it follows.
    const reader = { name: 'reader', scopes: ['drafts:read'], instance: true };
    const second = (await service.api('POST', '/api/keys', reader)).body.key;
    const other = await context.newPage();
    await other.goto(service.url);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByLabel('API key').fill(second);
    await other.keyboard.press('Enter');
    await page.getByTitle('API key reader').waitFor();
    await page.getByRole('button', { name: 'Publish' }).waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('combobox').getByText(sampleRepository.fullName).count(), 0);
  });
});

/** Returns the push of a tag on the head of the default branch. */
function tagOfHead(name: string): object {
  const newest = sampleHistory().findLast(({ event, body }) => event === 'push' && body.ref === 'refs/heads/main');
  return { ...newest?.body, ref: `refs/tags/${name}`, before: '0'.repeat(40), created: true, commits: [] };
}
