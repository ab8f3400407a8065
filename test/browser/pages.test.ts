/**
 * Opens the pages of notes in a real browser. The browser's console stays empty, the content security policy blocks
 * nothing, and the pages are readable in dark mode and on a phone. Other web pages show the frame only if their origin is
 * allowed. The test needs the system's Chromium and is skipped
 * without it.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { cleanLogo } from '../../src/api/logo.ts';
import { hosted } from '../../src/channels/hosted.ts';
import { personaPath } from '../../src/foundation/page-url.ts';
import type { Exchange } from '../../src/http/exchange.ts';
import { startServer } from '../../src/http/server.ts';
import { auditPage, chromiumPath, contrast, openBrowser, openContext } from '../helpers/browser.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { sampleBody, sampleNote } from '../helpers/host-note.ts';
import { at, startPages, type TestPages } from '../helpers/pages.ts';
import { dataUri, png } from '../helpers/pictures.ts';
import { freePort } from '../helpers/ports.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip =
  program === undefined && 'NO CHROMIUM: none on the PATH and none at /usr/bin/chromium; the pages were not tested';
/** Folder for screenshots of the pages. If it is undefined, the test takes no screenshots. */
const pictures = process.env.TIDINGS_TEST_PICTURES;

const secret = 'a-page-that-nobody-guesses';
const internal = `v2.0.0/${personaPath('internal', secret)}`;

/** A color that cannot be read on light paper, a logo, and frames on every web page. */
const appearance = {
  title: 'Release notes of acme/rocket',
  accent: '#ffd400',
  logo: dataUri('png', png({ width: 40, height: 30 })),
  embedIn: ['*'],
};

const hostile = [
  '<script>alert(1)</script> <img src=x onerror=alert(1)> <style>*{display:none}</style>',
  '[link](javascript:alert(1)) ![pixel](https://tracker.test/pixel.png) <https://a.test/>',
  `| a | b |\n|:--|--:|\n| ${'wide '.repeat(40)} | 1 |`,
  `\`\`\`\n${'a-very-long-line-of-code-'.repeat(12)}\n\`\`\``,
  'word'.repeat(80),
  '<details>\n<summary>Two updates</summary>\n\n- One\n- Two\n\n</details>',
];

test('pages work in a browser', { skip }, async (t) => {
  const started = await startPages(t);
  const first = await started.repository();
  const pages = { ...started, first };
  const url = await publish(pages, first);
  await pages.settings(first, appearance);
  const browser = await openBrowser(t, program as string);

  for (const theme of ['light', 'dark'] as const) {
    for (const [device, width] of [
      ['desk', 1280],
      ['phone', 390],
    ] as const) {
      await t.test(`pages are readable in ${theme} on a ${device}`, async (t) => {
        const { page, faults } = await open(t, browser, { colorScheme: theme, viewport: { width, height: 800 } });
        for (const [name, path] of [
          ['note', 'v2.0.0'],
          ['engineers', 'v2.0.0/engineer'],
          ['internal', internal],
          ['list', ''],
          ['older', '?page=2'],
          ['search', '?q=faster'],
          ['embed', 'embed'],
          ['home', '../../'],
          ['missing', 'nothing'],
          ['missing-deep', 'v2.0.0/internal/nothing'],
        ] as const) {
          const response = await page.goto(url + path);
          assert.equal(response?.status(), name.startsWith('missing') ? 404 : 200);
          await picture(page, `${name}-${theme}-${device}.png`);
          assert.equal(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), true, name);
          assert.ok((await contrast(page)) >= 7, `${name}: the text has enough contrast`);
          assert.deepEqual(await auditPage(page), [], name);
          for (const small of ['.date', 'main a', 'code', '.mark', '.search button'])
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

  await t.test('the list of published notes leads to the notes', async (t) => {
    const { page, faults } = await open(t, browser, {});
    await page.goto(`${pages.url}/notes/`);
    assert.equal(await page.locator('h1').textContent(), 'Release notes');
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
    await page.waitForURL(/\?page=2$/);
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

  await t.test('headings have links that the keyboard reaches, and marks lead to their sections', async (t) => {
    const { page, faults } = await open(t, browser, {});
    await page.goto(`${url}v2.0.0`);
    await page.getByRole('link', { name: 'Breaking', exact: true }).click();
    assert.match(page.url(), /#breaking-changes$/);
    const anchor = page.getByRole('link', { name: 'Link to Breaking Changes' });
    await anchor.focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Shift+Tab');
    const focused = '[document.activeElement.className, getComputedStyle(document.activeElement).opacity].join()';
    await waitUntil('the focused link is visible', async () => (await page.evaluate(focused)) === 'anchor,1');
    await page.goto(`${url}v2.0.0`);
    await page.getByRole('link', { name: 'Previous version: release/1.0#rc' }).click();
    assert.equal(await page.locator('h1').textContent(), 'release/1.0#rc');
    await page.getByRole('link', { name: 'Next version: v2.0.0' }).click();
    assert.equal(page.url(), `${url}v2.0.0`);
    assert.deepEqual(faults, []);
  });

  await t.test('the search form finds versions without a script', async (t) => {
    const { page, faults } = await open(t, browser, { javaScriptEnabled: false });
    await page.goto(url);
    await page.getByRole('searchbox', { name: 'Search these notes' }).fill('tokens instead');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\?q=tokens\+instead$/);
    assert.match((await page.getByRole('status').textContent()) ?? '', /^\d+ versions found for “tokens instead”/);
    await page.getByRole('link', { name: 'All versions' }).click();
    assert.equal(page.url(), url);
    assert.deepEqual(faults, []);
  });

  await t.test('the browser shows logos of every kind in their stored form', async (t) => {
    const { page } = await open(t, browser, {});
    for (const kind of ['png', 'jpeg', 'webp']) {
      const drawn = (await page.evaluate(`(() => {
        const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 30 });
        const context = canvas.getContext('2d');
        context.fillStyle = '#e4007f';
        context.fillRect(5, 5, 30, 20);
        return canvas.toDataURL('image/${kind}', 0.8);
      })()`)) as string;
      assert.ok(drawn.startsWith(`data:image/${kind};`), kind);
      const cleaned = cleanLogo(drawn);
      assert.ok('uri' in cleaned, JSON.stringify(cleaned));
      await pages.settings(pages.first, { ...appearance, logo: cleaned.uri });
      await page.goto(url);
      assert.deepEqual(await naturalSize(page), [40, 30], kind);
    }
    await pages.settings(pages.first, appearance);
  });

  await t.test('an allowed web page shows the frame, and the browser refuses it on another', async (t) => {
    const [allowed, other] = [await startFramer(t, `${url}embed`), await startFramer(t, `${url}embed`)];
    await pages.settings(pages.first, { ...appearance, embedIn: [allowed] });
    const { page, faults, asked } = await open(t, browser, {});
    await page.goto(allowed);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('link', { name: 'v2.0.0' }).waitFor();
    assert.equal(await frame.locator('h2').count(), 5);
    assert.deepEqual([...faults], []);
    assert.deepEqual(
      asked.filter((address) => !address.startsWith(pages.url) && !address.startsWith(allowed)),
      [],
    );
    const [opened] = await Promise.all([
      page.context().waitForEvent('page'),
      frame.getByRole('link', { name: 'v2.0.0' }).click(),
    ]);
    await opened.waitForURL(`${url}v2.0.0`);
    assert.equal(await opened.evaluate('window.opener'), null);
    await page.goto(other);
    await waitUntil('the browser refuses the frame', () => faults.some((fault) => fault.includes('frame-ancestors')));
    assert.equal(await page.frameLocator('iframe').locator('h2').count(), 0);
    const deep = await startFramer(t, `${url}v2.0.0`);
    await pages.settings(pages.first, { ...appearance, embedIn: [deep] });
    faults.length = 0;
    await page.goto(deep);
    await waitUntil('no other page may be in a frame', () => faults.some((fault) => fault.includes("'none'")));
    await pages.settings(pages.first, appearance);
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
async function publish(pages: TestPages, id: string): Promise<string> {
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

/** Starts a web page of another origin that shows an address in a frame. Returns the origin. */
async function startFramer(t: TestContext, address: string): Promise<string> {
  const port = await freePort();
  const html = `<!doctype html><title>Docs</title><link rel="icon" href="data:,"><iframe src="${address}" title="News"></iframe>`;
  const page = {
    method: 'GET',
    path: '/',
    handle: (exchange: Exchange) => exchange.reply(200, 'text/html', html),
  } as const;
  const server = await startServer('127.0.0.1', port, [page], pino({ level: 'silent' }));
  afterwards(t, () => server.stop(1000));
  return `http://127.0.0.1:${port}`;
}

/** Waits until the logo is decoded. Returns its width and height. */
async function naturalSize(page: Page): Promise<unknown> {
  return page.evaluate(`(async () => {
    const logo = document.querySelector('img.logo');
    await logo.decode();
    return [logo.naturalWidth, logo.naturalHeight];
  })()`);
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
