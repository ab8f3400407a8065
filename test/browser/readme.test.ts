/**
 * Takes the screenshots in the README. They show the sample repository of the demo: its draft for customers in the
 * dashboard, and the page that the demo publishes. `npm run pictures` replaces the files.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { sampleRepository } from '../../demo/history/index.ts';
import { hosted } from '../../src/channels/hosted.ts';
import { chromiumPath, openBrowser, openContext } from '../helpers/browser.ts';
import { loaded, sendHistory, signedIn } from '../helpers/dashboard.ts';
import { sampleNote } from '../helpers/host-note.ts';
import { startPages } from '../helpers/pages.ts';
import { startService } from '../helpers/service.ts';
import { smallPng } from '../helpers/small-png.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const program = chromiumPath();
const skip =
  program === undefined && 'NO CHROMIUM: none on the PATH and none at /usr/bin/chromium; no picture was taken';
const pictures = process.env.TIDINGS_TEST_PICTURES;
const size = { width: 1280, height: 800 };

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
  await save(page, 'hosted-note.png');
});

test('the picture of the README shows a draft in the dashboard', { skip }, async (t) => {
  const service = await startService(t, { env: { TIDINGS_HOST_ORIGIN: sampleRepository.hostOrigin } });
  await sendHistory(service);
  const repoId = (await service.api('GET', '/api/repos')).body.repos[0].id;
  const bounds = { repoId, type: 'TAG_BASED', ...sampleRepository.demoRange };
  const range = await waitUntil('the range is made', async () => {
    const { status, body } = await service.api('POST', '/api/ranges', bounds);
    return status === 201 && body;
  });
  // The tab of each kind of reader has its draft, as after the demo.
  for (const persona of ['engineer', 'internal', 'customer'])
    await service.api('POST', `/api/drafts/${range.id}/generate`, { persona });
  const { id } = await waitUntil('the drafts are ready', async () => {
    const { drafts } = (await service.api('GET', `/api/drafts?releaseRangeId=${range.id}`)).body as {
      drafts: { id: string; persona: string; status: string }[];
    };
    return drafts.every(({ status }) => status === 'ready') && drafts.find(({ persona }) => persona === 'customer');
  });
  const { page, faults } = await signedIn(t, await openBrowser(t, program as string), service);
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto(`${service.url}/app/drafts/${id}`);
  await page.frameLocator('iframe').getByRole('heading', { name: 'Action required' }).waitFor();
  await loaded(page);
  await page.getByRole('link', { name: '#218', exact: true }).hover();
  await page.getByRole('tooltip').getByText('Has an entry of its own').waitFor();
  assert.deepEqual(faults, []);
  await save(page, 'dashboard.png');
});

async function save(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  writeFileSync(join(pictures, name), smallPng(await page.screenshot()));
}

test('the README shows these pictures, and the files are small', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  for (const name of ['dashboard.png', 'hosted-note.png']) {
    assert.match(readme, new RegExp(`<img src="docs/images/${name}" width="640"\\s+alt="[^"]{20,}"`), name);
    const picture = readFileSync(join(root, 'docs/images', name));
    assert.equal(picture.toString('latin1', 1, 4), 'PNG');
    assert.deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [size.width, size.height]);
    assert.ok(picture.length < 120_000, `${name}: ${picture.length} bytes`);
  }
});
