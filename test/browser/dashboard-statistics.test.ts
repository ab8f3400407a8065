/**
 * Uses the statistics, and the groups of the inbox that are about drafts and publications, in a real browser. The test
 * needs the system's Chromium and is skipped without it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chromiumPath, openBrowser } from '../helpers/browser.ts';
import { auditBoth, goByKeys, loaded, signedIn } from '../helpers/dashboard.ts';
import { pullPayload } from '../helpers/payloads.ts';
import { createTagRange, deliverRocket, generateDraft, publicationEnded } from '../helpers/rocket.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the dashboard was not tested';
const moon = { id: 2002, full_name: 'Moon/Lab', owner: { login: 'Moon', id: 88 } };
const dayMs = 86_400_000;

test('the statistics and the inbox work in a browser', { skip }, async (t) => {
  const service = await startService(t);
  const browser = await openBrowser(t, program as string);

  await t.test('statistics without a merge say so', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await goByKeys(page, ['g', 't'], 'Statistics');
    await page.getByText('Nothing was merged in the last 26 weeks.').waitFor();
    await page.getByText(/of its API calls for/).waitFor();
    await auditBoth(page, 'statistics-empty');
    assert.deepEqual(faults, []);
  });

  const repoId = await deliverRocket(service);
  // Merges of half a year, in a pattern that shows weeks of different heights and shares.
  const numbers = Array.from({ length: 160 }, (_, i) => i + 20);
  const deliver = (number: number) => {
    const at = new Date(Date.now() - ((number * number * 7) % 180) * dayMs).toISOString();
    const labels = number % 4 === 0 ? [] : [{ name: 'type: bug' }];
    const times = { merged_at: at, closed_at: at, updated_at: at };
    return service.deliver('pull_request', pullPayload(number, { ...times, labels }, moon));
  };
  await Promise.all(numbers.map(deliver));
  const moonId: string = await waitUntil('the second repository is listed', async () => {
    return (await service.api('GET', '/api/repos?fullName=Moon/Lab')).body.repos[0]?.id;
  });
  const merged = async () => {
    const { weeks } = (await service.api('GET', `/api/stats/weeks?repoId=${moonId}`)).body;
    return weeks.reduce((sum: number, week: { merged: number }) => sum + week.merged, 0);
  };
  await waitUntil('the merges are counted', async () => (await merged()) >= 155);
  const bounds = { repoId: moonId, type: 'PR_BASED', fromPrNumber: 20, toPrNumber: 60 };
  const moonDraft = await generateDraft(service, (await service.api('POST', '/api/ranges', bounds)).body.id);
  const publication = (await service.api('POST', '/api/publish', { draftId: moonDraft.id, channel: 'hosted' })).body;
  await publicationEnded(service, publication.id);
  const range = (await createTagRange(service, repoId)).body;
  await generateDraft(service, range.id);
  const draft = await generateDraft(service, range.id, 'customer');

  await t.test('the charts show the weeks, by pointer, by keyboard and as tables', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await page.goto(`${service.url}/app/statistics`);
    const chart = page.getByRole('region', { name: 'Merges per week' });
    await chart.getByText(/^\d+ merges? last week, \d+ in a usual week\.$/).waitFor();
    const slider = chart.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('Home');
    assert.match((await slider.getAttribute('aria-valuetext')) ?? '', /^Week of \d+ \w+ \d{4}: \d+ merges?$/);
    await page.keyboard.press('ArrowRight');
    assert.equal(await slider.getAttribute('aria-valuenow'), '2');
    await page.keyboard.press('End');
    await chart.getByText(/so far$/).waitFor();
    await slider.hover({ position: { x: 3, y: 50 } });
    await waitUntil('the first week is chosen', async () => (await slider.getAttribute('aria-valuenow')) === '1');
    await chart.getByText('Show as table').click();
    assert.equal(await chart.getByRole('row').count(), 27);
    await page.getByRole('region', { name: 'Time from merge to published' }).getByRole('slider').waitFor();
    await page.mouse.move(0, 0);
    await chart.getByText('Show as table').click();
    await loaded(page);
    await auditBoth(page, 'statistics');
    await page.getByRole('combobox', { name: 'Repository' }).last().selectOption({ label: 'acme/rocket' });
    await page.waitForURL(/repository=repo_/);
    assert.deepEqual(faults, []);
  });

  await t.test('the inbox lists drafts that are ready, until they are published', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    const group = page.getByRole('region', { name: 'Ready to publish' });
    await group.getByText('acme/rocket v1.1.0').waitFor();
    assert.deepEqual(await group.getByRole('link').allTextContents(), ['Engineers', 'Customers']);
    await auditBoth(page, 'inbox-ready');
    await service.api('POST', '/api/publish', { draftId: draft.id, channel: 'hosted' });
    await group.getByRole('link', { name: 'Customers' }).waitFor({ state: 'detached' });
    await page.goto(`${service.url}/app/publications`);
    await page.getByRole('row').nth(2).waitFor();
    const names = await page.getByRole('rowheader').allTextContents();
    await waitUntil('both repositories are named', async () => {
      const names = await page.getByRole('rowheader').allTextContents();
      return names.length === 2 && /acme\/rocket/.test(names[0] ?? '') && /Moon\/Lab/.test(names[1] ?? '');
    }).catch(() => assert.fail(names.join()));
    await loaded(page);
    await auditBoth(page, 'publications-all');
    assert.deepEqual(faults, []);
  });

  await t.test('after a merge, the open inbox reads only the repositories again', async (t) => {
    const { page } = await signedIn(t, browser, service);
    const unreleased = page.getByRole('region', { name: 'Unreleased changes' });
    // The requests of the page that is open now do not count.
    await page.goto('about:blank');
    const read: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      read.push([pathname, searchParams.get('include') ?? ''].join(' ').trim());
    });
    await page.goto(service.url);
    // The inbox reads everything again when its stream of events has opened. Each part is read again when its own first
    // reading has ended, and two parts are lists of drafts.
    const everything = Object.entries({
      '/api/repos': 2,
      '/api/repos unreleased': 2,
      '/api/drafts': 4,
      '/api/publications': 2,
      '/api/deliveries': 2,
    });
    const count = (path: string) => read.filter((each) => each === path).length;
    await waitUntil('the inbox asks for everything a second time', () =>
      everything.every(([path, times]) => count(path) >= times),
    );
    await unreleased.getByText('Moon/Lab').waitFor();
    // The name of a range is read when its draft is drawn.
    await page.getByRole('region', { name: 'Ready to publish' }).getByText('acme/rocket v1.1.0').waitFor();
    const before = await unreleased.textContent();
    read.length = 0;
    await service.deliver('pull_request', pullPayload(500, {}, moon));
    await waitUntil('the inbox counts the change', async () => (await unreleased.textContent()) !== before);
    // A count that is not ready is asked for again.
    assert.deepEqual([...new Set(read)], ['/api/repos unreleased']);
  });
});
