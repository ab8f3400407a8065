/**
 * Opens the API reference in a real browser. The page loads nothing from other servers, uses the light or dark colors
 * that the reader prefers, and fits a phone. It is readable in both color schemes and can be used without a mouse.
 * Operations are collapsed at first, and the reader can filter them. `test/long/api-reference.test.ts` audits it with axe.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { startReference } from '../helpers/api-reference.ts';
import { auditPage, chromiumPath, contrast, openBrowser, openContext } from '../helpers/browser.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the reference was not tested';

test('the API reference works in a browser', { skip }, async (t) => {
  const url = await startReference(t);
  const browser = await openBrowser(t, program as string);
  for (const theme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      await t.test(`is readable in ${theme}, ${width} pixels wide`, (t) =>
        assertReadable(t, browser, { url, theme, width }),
      );
    }
  }

  await t.test('operations are folded, and the filter shows those that match', async (t) => {
    const page = await (await openContext(t, browser, {})).newPage();
    await page.goto(`${url}/docs`);
    await page.waitForSelector('.opblock-tag');
    const shown = page.locator('.opblock-tag-section .opblock-tag');
    const tags = await shown.count();
    assert.ok(tags > 5, `${tags} tags`);
    assert.equal(await page.locator('.opblock-tag-section .opblock').count(), 0);
    for (const [text, tag] of [
      ['/api/retention/approve', 'Operations'],
      ['generateDraft', 'Drafts'],
      ['list api KEYS', 'Keys'],
      ['statist', 'Statistics'],
    ] as const) {
      await page.locator('.operation-filter-input').fill(text);
      await waitUntil(`only ${tag} is left`, async () => {
        return (await shown.count()) === 1 && (await shown.first().getAttribute('data-tag')) === tag;
      });
    }
    await page.locator('.operation-filter-input').fill('');
    await waitUntil('all tags are back', async () => (await shown.count()) === tags);
  });

  await t.test('the guide is readable in light and dark on a phone', async (t) => {
    for (const theme of ['light', 'dark'] as const) {
      const context = await openContext(t, browser, { colorScheme: theme, viewport: { width: 390, height: 900 } });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
      await page.goto(`${url}/docs/guide#errors`);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), true);
      for (const place of ['body', 'pre code', '.contents a', 'td code']) {
        assert.ok((await contrast(page, place)) >= 4.5, `${place} in ${theme}`);
      }
      assert.deepEqual(await auditPage(page), [], theme);
      await page.locator('.contents a', { hasText: 'Ranges' }).first().click();
      assert.match(page.url(), /\/docs\/guide#ranges$/);
      assert.deepEqual(faults, []);
    }
  });

  await t.test('a key press unfolds an operation', async (t) => {
    const page = await (await openContext(t, browser, {})).newPage();
    await page.goto(`${url}/docs#/Drafts`);
    await page.locator('#operations-Drafts-getDraft .opblock-summary-control').press('Enter');
    await page.waitForSelector('#operations-Drafts-getDraft.is-open');
    assert.match(page.url(), /#\/Drafts\/getDraft$/);
  });
});

async function assertReadable(
  t: TestContext,
  browser: Browser,
  { url, theme, width }: { url: string; theme: 'light' | 'dark'; width: number },
): Promise<void> {
  const context = await openContext(t, browser, { colorScheme: theme, viewport: { width, height: 900 } });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) faults.push(request.url());
  });
  await page.goto(`${url}/docs#/Drafts/updateDraft`);
  await page.waitForSelector('.opblock.is-open .headers td');
  assert.equal(await page.evaluate('document.documentElement.classList.contains("dark-mode")'), theme === 'dark');
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), true);
  for (const place of ['.opblock.is-open .headers td', '.opblock.is-open .response-col_description', '.info .title'])
    assert.ok((await contrast(page, place)) >= 4.5, `${place} has enough contrast`);
  assert.deepEqual(faults, []);
}
