/**
 * Opens the pages of notes in a real browser. The browser's console stays empty, the content security policy blocks
 * nothing, and the pages are readable in dark mode and on a phone. The test needs the system's Chromium and is skipped
 * without it.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { hosted } from '../../src/channels/hosted.ts';
import { personaPath } from '../../src/foundation/page-url.ts';
import { chromiumPath, contrast, openBrowser, openContext } from '../helpers/browser.ts';
import { sampleBody, sampleNote } from '../helpers/host-note.ts';
import { at, startPages, type TestPages } from '../helpers/pages.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip =
  program === undefined && 'NO CHROMIUM: none on the PATH and none at /usr/bin/chromium; the pages were not tested';
/** Folder for screenshots of the pages. If it is undefined, the test takes no screenshots. */
const pictures = process.env.TIDINGS_TEST_PICTURES;

const secret = 'a-page-that-nobody-guesses';
const internal = `v2.0.0/${personaPath('internal', secret)}`;

const hostile = [
  '<script>alert(1)</script> <img src=x onerror=alert(1)> <style>*{display:none}</style>',
  '[link](javascript:alert(1)) ![pixel](https://tracker.test/pixel.png) <https://a.test/>',
  `| a | b |\n|:--|--:|\n| ${'wide '.repeat(40)} | 1 |`,
  `\`\`\`\n${'a-very-long-line-of-code-'.repeat(12)}\n\`\`\``,
  'word'.repeat(80),
  '<details>\n<summary>Two updates</summary>\n\n- One\n- Two\n\n</details>',
];

test('pages work in a browser', { skip }, async (t) => {
  const pages = await startPages(t);
  const url = await publish(pages);
  const browser = await openBrowser(t, program as string);

  for (const theme of ['light', 'dark'] as const) {
    for (const [device, width] of [
      ['desk', 1280],
      ['phone', 360],
    ] as const) {
      await t.test(`pages are readable in ${theme} on a ${device}`, async (t) => {
        const { page, faults } = await open(t, browser, { colorScheme: theme, viewport: { width, height: 800 } });
        for (const [name, path] of [
          ['note', 'v2.0.0'],
          ['engineers', 'v2.0.0/engineer'],
          ['internal', internal],
          ['list', ''],
          ['home', '../../../'],
          ['missing', 'nothing'],
          ['missing-deep', 'v2.0.0/internal/nothing'],
        ] as const) {
          const response = await page.goto(url + path);
          assert.equal(response?.status(), name.startsWith('missing') ? 404 : 200);
          await picture(page, `${name}-${theme}-${device}.png`);
          assert.equal(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), true, name);
          assert.ok((await contrast(page)) >= 7, `${name}: the text has enough contrast`);
          for (const small of ['.date', 'main a', 'code'])
            if (await page.locator(small).count())
              assert.ok((await contrast(page, small)) >= 4.5, `${name}: ${small} can be read`);
          assert.ok(
            ((await page.evaluate('document.styleSheets[0].cssRules.length')) as number) > 20,
            `${name}: it has styles`,
          );
        }
        // The browser itself writes a line to the console for each page that is not found.
        assert.deepEqual(
          faults.filter((fault) => !fault.includes('404')),
          [],
        );
      });
    }
  }

  await t.test('notes run no script and load nothing from other servers', async (t) => {
    const { page, faults, asked } = await open(t, browser, {});
    await page.goto(`${url}v2.0.0`);
    assert.equal(await page.locator('article script, article img, article style, article [style]').count(), 0);
    assert.deepEqual(await page.locator('a[href^="javascript"]').count(), 0);
    assert.equal(await page.locator('h1').count(), 1);
    assert.equal(await page.getByRole('heading', { level: 2, name: 'Breaking Changes' }).count(), 1);
    assert.equal(await page.title(), 'v2.0.0 · Release notes of acme/rocket');
    assert.deepEqual(
      asked.filter((address) => !address.startsWith(pages.url) && !address.startsWith('data:')),
      [],
    );
    assert.deepEqual(faults, []);
  });

  await t.test('the home page leads to the notes, with headings in order', async (t) => {
    const { page, faults } = await open(t, browser, {});
    await page.goto(`${pages.url}/`);
    const headings = await page.evaluate(`[...document.querySelectorAll('h1, h2, h3')].map((each) => each.localName)`);
    assert.deepEqual(headings, ['h1', 'h2', 'h2']);
    assert.equal(await page.getByRole('region', { name: 'Next steps' }).count(), 1);
    assert.equal(await page.locator('dl dt').count(), 4);
    await page.getByRole('link', { name: 'acme/rocket' }).click();
    assert.equal(await page.locator('h1').textContent(), 'Release notes of acme/rocket');
    assert.deepEqual(faults, []);
  });

  await t.test('a breach of the content security policy is reported', async (t) => {
    const { page, faults } = await open(t, browser, {});
    await page.goto(`${url}v2.0.0`);
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<img src="https://a.test/x.png"><p style="color:red">')`,
    );
    await waitUntil('the console reports it', () => faults.some((fault) => fault.includes('Content Security Policy')));
  });

  await t.test('links lead from the list to a version and back', async (t) => {
    const { page } = await open(t, browser, {});
    await page.goto(url);
    await page.getByRole('link', { name: 'release/1.0#rc' }).click();
    assert.equal(await page.locator('h1').textContent(), 'release/1.0#rc');
    await page.getByRole('link', { name: 'Release notes of acme/rocket' }).click();
    await page.getByRole('link', { name: 'Older versions' }).click();
    assert.match(page.url(), /\?page=2$/);
    assert.equal(await page.locator('h2').count(), 5);
  });

  await t.test('links lead between notes for customers and engineers, and never to an internal note', async (t) => {
    const { page, faults } = await open(t, browser, {});
    await page.goto(`${url}v2.0.0`);
    await page.getByRole('link', { name: 'Notes for engineers' }).click();
    assert.equal(page.url(), `${url}v2.0.0/engineer`);
    assert.match((await page.locator('header').textContent()) ?? '', /For engineers/);
    assert.equal(await page.locator('a[href*="internal"]').count(), 0);
    await page.getByRole('link', { name: 'Notes for customers' }).click();
    assert.equal(page.url(), `${url}v2.0.0`);
    assert.equal(await page.locator('a[href*="internal"]').count(), 0);
    await page.goto(`${url}${internal}`);
    assert.match((await page.locator('header').textContent()) ?? '', /Internal notes/);
    await page.getByRole('link', { name: 'Release notes of acme/rocket' }).click();
    assert.equal(page.url(), url);
    assert.deepEqual(faults, []);
  });

  await t.test('the browser parses the Atom feed', async (t) => {
    const { page } = await open(t, browser, {});
    await page.goto(url);
    const atom = (await pages.get(`${url}atom.xml`)).body;
    const read = `((xml) => {
      const parsed = new DOMParser().parseFromString(xml, 'application/xml');
      return [parsed.documentElement.nodeName, parsed.getElementsByTagName('entry').length];
    })(${JSON.stringify(atom)})`;
    assert.deepEqual(await page.evaluate(read), ['feed', 20]);
  });
});

/**
 * Publishes twenty-five versions. One version has hostile notes, and another version has special characters in its
 * name. Returns the address of the list of versions.
 */
async function publish(pages: TestPages): Promise<string> {
  const id = await pages.repository();
  for (let i = 0; i < 25; i++) {
    const version = i === 24 ? 'v2.0.0' : i === 23 ? 'release/1.0#rc' : `v1.${i}.0`;
    const bodyMd = i === 24 ? `${sampleBody}\n${hostile.join('\n\n')}\n` : sampleBody;
    const date = at + i * 86_400_000;
    const note = sampleNote({ version, tag: version, bodyMd, date, pageUrl: pages.url, persona: 'customer' });
    await pages.note(id, hosted.render(note, {}).page);
    if (i !== 24 && i !== 22) continue;
    for (const persona of ['engineer', 'internal'] as const)
      await pages.note(id, {
        ...hosted.render(sampleNote({ ...note, persona }), {}).page,
        path: personaPath(persona, secret),
      });
    // This version has pages for engineers and internal readers but none for customers. Lists for engineers must still
    // contain this version.
    if (i === 22) await pages.remove(id, { version });
  }
  return `${pages.url}/notes/acme/rocket/`;
}

async function open(t: TestContext, browser: Browser, options: BrowserContextOptions) {
  const context = await openContext(t, browser, options);
  const page = await context.newPage();
  const [faults, asked]: [string[], string[]] = [[], []];
  page.on('console', (message) => faults.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => asked.push(request.url()));
  return { page, faults, asked };
}

async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, name), fullPage: true });
}
