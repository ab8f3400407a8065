/**
 * Takes the screenshot in the README. It shows the page that the demo publishes: the customer draft of the sample
 * repository. To replace the file, run `TIDINGS_TEST_PICTURES=docs/images npm run test:browser -- readme`.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sampleRepository } from '../../demo/history/index.ts';
import { hosted } from '../../src/channels/hosted.ts';
import { chromiumPath, openBrowser, openContext } from '../helpers/browser.ts';
import { sampleNote } from '../helpers/host-note.ts';
import { startPages } from '../helpers/pages.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const program = chromiumPath();
const skip =
  program === undefined && 'NO CHROMIUM: none on the PATH and none at /usr/bin/chromium; no picture was taken';
const pictures = process.env.TIDINGS_TEST_PICTURES;
const size = { width: 900, height: 672 };

test('the picture of the README shows a page as the demo publishes it', { skip }, async (t) => {
  const pages = await startPages(t);
  const { fullName, demoRange } = sampleRepository;
  const version = demoRange.toTag;
  const bodyMd = readFileSync(join(root, 'test/golden/customer.md'), 'utf8');
  const note = sampleNote({ version, tag: version, persona: 'customer', bodyMd, date: Date.UTC(2026, 5, 23, 16) });
  await pages.note(await pages.repository({ fullName }), hosted.render(note, {}).page);
  const context = await openContext(t, await openBrowser(t, program as string), {
    viewport: size,
    colorScheme: 'light',
  });
  const page = await context.newPage();
  await page.goto(`${pages.url}/notes/${fullName}/${version}`);
  assert.equal(await page.locator('h1').textContent(), version);
  assert.equal(await page.locator('h2').first().textContent(), 'Action required');
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, 'hosted-note.png') });
});

test('the README shows this picture, and the file is small', () => {
  assert.match(readFileSync(join(root, 'README.md'), 'utf8'), /!\[[^\]]{20,}\]\(docs\/images\/hosted-note\.png\)/);
  const picture = readFileSync(join(root, 'docs/images/hosted-note.png'));
  assert.equal(picture.toString('latin1', 1, 4), 'PNG');
  assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [size.width, size.height]);
  assert.ok(picture.length < 150_000, `${picture.length} bytes`);
});
