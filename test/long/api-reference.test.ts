/** Audits the accessibility of the API reference with axe, folded and unfolded, in both color schemes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReference } from '../helpers/api-reference.ts';
import { auditPage, chromiumPath, openBrowser, openContext } from '../helpers/browser.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the reference was not tested';

/** One operation of each HTTP method, because the color of an operation depends on its method. */
const operationsOfEachMethod = [
  ['Drafts', 'listDrafts'],
  ['Drafts', 'updateDraft'],
  ['Publishing', 'publishDraft'],
  ['Repositories', 'putRepositorySettings'],
  ['Keys', 'revokeKey'],
] as const;

test('the API reference is accessible', { skip }, async (t) => {
  const url = await startReference(t);
  const browser = await openBrowser(t, program as string);
  for (const theme of ['light', 'dark'] as const) {
    await t.test(`axe reports nothing serious in ${theme}`, async (t) => {
      const page = await (await openContext(t, browser, { colorScheme: theme })).newPage();
      await page.goto(`${url}/docs`);
      await page.waitForSelector('.opblock-tag');
      assert.deepEqual(await auditPage(page), [], 'folded');
      for (const [tag, operation] of operationsOfEachMethod) {
        if ((await page.locator(`#operations-${tag}-${operation}`).count()) === 0)
          await page.locator(`.opblock-tag[data-tag="${tag}"]`).click();
        await page.locator(`#operations-${tag}-${operation} .opblock-summary-control`).click();
        await page.waitForSelector(`#operations-${tag}-${operation} .response-col_description`);
      }
      assert.deepEqual(await auditPage(page, '.opblock.is-open'), [], 'unfolded');
    });
  }
});
