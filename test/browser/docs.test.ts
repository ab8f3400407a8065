/**
 * The API's reference in a real browser: it asks nobody else, follows the reader's choice of light or dark, fits a phone, and can
 * be read in both.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import type { Browser } from 'playwright-core';
import { documentRoute } from '../../src/api/document.ts';
import { apiRoutes } from '../../src/api/routes.ts';
import { docsRoutes } from '../../src/docs-page.ts';
import { startServer } from '../../src/http/server.ts';
import { chromiumPath, contrast, openBrowser, openContext } from '../helpers/browser.ts';
import { afterwards } from '../helpers/cleanup.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the reference was not looked at';

test('the reference in a browser', { skip }, async (t) => {
  const routes = [...docsRoutes(), documentRoute(apiRoutes)];
  const server = await startServer('127.0.0.1', 0, routes, pino({ level: 'silent' }));
  afterwards(t, () => server.stop(1000));
  const url = `http://127.0.0.1:${server.port}`;
  const browser = await openBrowser(t, program as string);
  for (const look of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      await t.test(`${look}, ${width} wide`, (t) => looksAt(t, browser, { url, look, width }));
    }
  }
});

async function looksAt(
  t: TestContext,
  browser: Browser,
  { url, look, width }: { url: string; look: 'light' | 'dark'; width: number },
): Promise<void> {
  const context = await openContext(t, browser, { colorScheme: look, viewport: { width, height: 900 } });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) faults.push(request.url());
  });
  await page.goto(`${url}/docs#/Drafts/updateDraft`);
  await page.waitForSelector('.opblock.is-open .headers td');
  assert.equal(await page.evaluate('document.documentElement.classList.contains("dark-mode")'), look === 'dark');
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), true);
  for (const place of ['.opblock.is-open .headers td', '.opblock.is-open .response-col_description', '.info .title'])
    assert.ok((await contrast(page, place)) >= 4.5, `${place} stands out`);
  assert.deepEqual(faults, []);
}
