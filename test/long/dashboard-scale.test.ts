/**
 * Opens every screen of the dashboard on repositories with 50,000 merged pull requests each: one with 2,000 tags and 500
 * ranges, one without a release. Repeats each request of the screens and measures its time, and measures the first reads
 * after each of several changes. Then scrolls and types in the browser and looks for tasks that hold the page up. The test
 * needs the system's Chromium and is skipped without it.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { mixedTraffic, repositoryHistory, type TrafficOptions } from '../../bench/fill/traffic.ts';
import { fillJournal } from '../../bench/fill.ts';
import { repositoryId } from '../../src/foundation/ids.ts';
import { chromiumPath, openBrowser } from '../helpers/browser.ts';
import { dialogsOf, open, screensOf, show, showDialog, signedIn } from '../helpers/dashboard.ts';
import { pullPayload, pushPayload, repositoryPayload, shaOf } from '../helpers/payloads.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the dashboard was not tested';

const [pulls, tags, ranges, drafts, small] = [50_000, 2_000, 500, 60, 2_000];
/** Pull requests after the newest tag. */
const unreleased = 400;
const repetitions = 5;
/** Number of changes after which the first reads are measured. */
const firstReads = 7;
/** Maximum median time of a request, in milliseconds. */
const maxMs = 100;
/** Maximum time of the page's scripts for one key in the editor, in milliseconds. */
const maxKeyMs = 8;
/** Lines and keys of the measurement in the editor. */
const [lines, keys] = [500, 40];
/** Longest task of the page while a person scrolls or types, in milliseconds. */
const maxTaskMs = 50;
const large = { hostId: 51, fullName: 'acme/large' };
const untagged = { hostId: 52, fullName: 'acme/untagged' };

/** A request of the dashboard that changes nothing, so that it can be repeated. */
interface Call {
  method: string;
  path: string;
  body: string | undefined;
  screen: string;
}

test('every request of the dashboard is fast on a large repository', { skip }, async (t) => {
  const dataDir = join(temporaryFolder(t), 'data');
  const filled = await fillJournal(dataDir, traffic, { label: 'fill', expected: Math.round(2.25 * pulls) + 6 * small });
  const filledAt = Date.now();
  const env = { TIDINGS_PARTITIONS: String(filled.partitions) };
  const service = await startService(t, { dataDir, env });
  const [repoId, untaggedId] = await bothReady(service);
  const draftId = await writeNotes(service, repoId);
  const browser = await openBrowser(t, program as string);

  await t.test('each request takes less than 100 ms', async (t) => {
    const { page } = await signedIn(t, browser, service);
    const calls = new Map<string, Call>();
    let screen = '';
    page.on('request', (request) => {
      const path = request.url().slice(service.url.length);
      const isRead = request.method() === 'GET' || path.endsWith('/preview');
      if (!path.startsWith('/api/') || path.startsWith('/api/events') || path === '/api/session' || !isRead) return;
      const body = request.postData() ?? undefined;
      calls.set(`${path} ${body}`, { method: request.method(), path, body, screen });
    });
    for (const shown of [
      { repoId, draftId },
      { repoId: untaggedId, draftId },
    ]) {
      for (const [name, path] of Object.entries(screensOf(shown))) {
        screen = name;
        await show(page, service.url + path);
      }
      for (const dialog of dialogsOf(shown)) {
        screen = dialog[0];
        await showDialog(page, service.url, dialog);
      }
    }
    await show(page, `${service.url}/app/repositories/${repoId}/releases`);
    screen = 'older releases';
    await page.getByRole('button', { name: 'Next' }).click();
    await waitUntil('the next page is shown', async () => [...calls.values()].some((call) => call.screen === screen));
    screen = 'first release';
    await service.api('POST', '/api/ranges/preview', { type: 'FIRST_RELEASE', repoId, toTag: tagAfter(25 * 1_999) });
    for (const bounds of previewsOf(repoId)) {
      const body = JSON.stringify(bounds);
      calls.set(body, { method: 'POST', path: '/api/ranges/preview', body, screen: 'new notes' });
    }

    const rows: Row[] = [];
    for (const call of calls.values()) {
      const times: number[] = [];
      let bytes = 0;
      for (let i = 0; i < repetitions; i++) {
        const begun = performance.now();
        bytes = await send(service, call);
        times.push(performance.now() - begun);
      }
      rows.push({ ...call, times, bytes });
    }
    assertFast(t, rows);
  });

  await t.test('the first read after a change takes less than 100 ms', async (t) => {
    const rows: Row[] = firstCalls(repoId, untaggedId).map((call) => ({ ...call, times: [], bytes: 0 }));
    for (const row of rows) await send(service, row);
    let before = await headOf(service, untaggedId);
    for (let i = 0; i < firstReads; i++) {
      before = await merge(service, pulls + 1 + i, before, filledAt);
      for (const row of rows) {
        const begun = performance.now();
        row.bytes = await send(service, row);
        row.times.push(performance.now() - begun);
      }
    }
    assertFast(t, rows);
    const { body } = await service.api('GET', `/api/repos/${untaggedId}/unreleased?limit=1`);
    assert.equal(body.counts.pulls, pulls + firstReads);
  });

  await t.test('a key in a long draft costs little', async (t) => {
    const { page } = await open(t, browser, service, { storageState: await stateOf(t, browser, service) });
    const entries = Array.from(
      { length: lines },
      (_, i) => `- Change ${i} ${'of words '.repeat(i % 20)}<!-- rn:pr:${i + 1} -->`,
    );
    const { status } = await service.api('PATCH', `/api/drafts/${draftId}`, {
      bodyMd: `## Fixes\n\n${entries.join('\n')}\n`,
    });
    assert.equal(status, 200);
    await show(page, `${service.url}/app/drafts/${draftId}`);
    const field = page.getByLabel('Text in Markdown');
    await field.waitFor();
    for (const key of ['Control+Home', 'Control+End']) {
      await field.focus();
      await page.keyboard.press(key);
      const cost = await costOfKeys(page);
      const parts = Object.entries(cost).map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`);
      t.diagnostic(`${key}, per key: ${parts.join(', ')}`);
      assert.ok(cost.scripts < maxKeyMs, `${cost.scripts} ms of scripts per key`);
    }
  });

  await t.test('no task of the page holds up a person who scrolls or types', async (t) => {
    const { page } = await open(t, browser, service, { storageState: await stateOf(t, browser, service) });
    const screens: [name: string, path: string, act: () => Promise<void>][] = [
      ['changes', `/app/repositories/${repoId}`, () => scroll(page)],
      ['changes without a release', `/app/repositories/${untaggedId}`, () => scroll(page)],
      ['releases', `/app/repositories/${repoId}/releases`, () => scroll(page)],
      ['repositories', '/app/repositories', () => scroll(page)],
      ['deliveries', '/app/deliveries', () => scroll(page)],
      ['jump box', '/', () => jump(page)],
    ];
    for (const [name, path, act] of screens) {
      await show(page, service.url + path);
      // Other programs of the machine delay some tasks, so the best of several attempts counts.
      let best = { longest: Number.POSITIVE_INFINITY, frames: '' };
      for (let i = 0; i < 4 && best.longest > maxTaskMs; i++) {
        const found = await watch(page, act);
        if (found.longest < best.longest) best = found;
      }
      t.diagnostic(`${name}: longest task ${Math.round(best.longest)} ms; frames in ms: ${best.frames}`);
      assert.ok(best.longest <= maxTaskMs, `${name}: a task of ${best.longest} ms`);
    }
  });
});

/** Requests that show what is unreleased. Each of them is new to the service after a change. */
function firstCalls(repoId: string, untaggedId: string): Call[] {
  const preview = (id: string): Call => {
    const body = JSON.stringify({ type: 'UNRELEASED', repoId: id });
    return { method: 'POST', path: '/api/ranges/preview', body, screen: 'new notes' };
  };
  const get = (path: string, screen: string): Call => ({ method: 'GET', path, body: undefined, screen });
  return [
    get(`/api/repos/${untaggedId}/unreleased?limit=100`, 'changes without a release'),
    preview(untaggedId),
    get('/api/repos?include=unreleased&limit=50', 'repositories'),
    get(`/api/repos/${repoId}/unreleased?limit=100`, 'changes'),
  ];
}

/** Returns the head of the default branch, as far as it was pushed. */
async function headOf(service: TestService, repoId: string): Promise<string> {
  return (await service.api('GET', `/api/repos/${repoId}/unreleased?limit=1`)).body.head;
}

/** Merges a pull request to the repository without a release. Returns the new head when both deliveries are folded. */
async function merge(service: TestService, number: number, before: string, filledAt: number): Promise<string> {
  const fields = { id: untagged.hostId, full_name: untagged.fullName };
  // The host's times of pushes have no finer resolution than a second, so each merge has a second of its own.
  const at = Math.floor(filledAt / 1000) + number - pulls;
  const time = new Date(at * 1000).toISOString();
  const push = pushPayload([number], before);
  const repository = { ...repositoryPayload(fields), pushed_at: at };
  const commits = (push.commits as object[]).map((commit) => ({ ...commit, timestamp: time }));
  assert.equal((await service.deliver('push', { ...push, commits, repository })).status, 202);
  const own = { title: `Add part ${number}`, merged_at: time, closed_at: time, updated_at: time };
  assert.equal((await service.deliver('pull_request', pullPayload(number, own, fields))).status, 202);
  // Both deliveries are folded in their order, and this read computes no preview.
  const id = repositoryId('https://github.com', String(untagged.hostId));
  await waitUntil('the merge is folded', async () => {
    return (await service.api('GET', `/api/repos/${id}/pulls/${number}`)).body.number === number;
  });
  return shaOf(number);
}

/** The times of a request. */
interface Row extends Call {
  times: number[];
  bytes: number;
}

/** Prints the times as a table, and asserts that the median of each request is below the maximum. */
function assertFast(t: TestContext, rows: readonly Row[]): void {
  const medianOf = (times: readonly number[]) => [...times].sort((a, b) => a - b)[times.length >> 1] as number;
  const cells = (median: string, most: string, bytes: string) => [
    median.padStart(9),
    most.padStart(8),
    bytes.padStart(9),
  ];
  t.diagnostic([...cells('median ms', 'most ms', 'bytes'), 'request'].join('  '));
  const slow: string[] = [];
  for (const { method, path, body, screen, times, bytes } of rows) {
    const median = medianOf(times);
    const about = `${screen}: ${method} ${path}${body ? ` ${body.slice(0, 120)}` : ''}`;
    const row = [...cells(median.toFixed(1), Math.max(...times).toFixed(1), String(bytes)), about].join('  ');
    t.diagnostic(row);
    if (median > maxMs) slow.push(row);
  }
  assert.deepEqual(slow, []);
}

/** The histories of two large repositories, and of many small ones. */
function* traffic(options: TrafficOptions) {
  yield* repositoryHistory({ ...options, repository: large, pulls, tagAfter });
  yield* repositoryHistory({ ...options, nth: 1, repository: untagged, pulls, tagAfter: () => undefined });
  yield* mixedTraffic({ ...options, nth: 2, records: 6 * small, repositories: small });
}

function tagAfter(number: number): string | undefined {
  const every = Math.floor((pulls - unreleased) / tags);
  return number % every === 0 && number / every <= tags ? `v1.${number / every}.0` : undefined;
}

/** Waits until everything is folded. Returns the ids of the large repositories. */
async function bothReady(service: TestService): Promise<[string, string]> {
  const [first, second] = [large, untagged].map(({ hostId }) => repositoryId('https://github.com', String(hostId))) as [
    string,
    string,
  ];
  await waitUntil(
    'all pull requests are folded',
    async () => {
      const totals = await Promise.all(
        [first, second].map(async (id) => {
          const { body } = await service.api('GET', `/api/repos/${id}/pulls?limit=1`);
          return body.total as number | undefined;
        }),
      );
      return totals.every((total) => total === pulls);
    },
    900_000,
  );
  return [first, second];
}

/** Makes ranges between neighbouring tags, and drafts of the newest ones. Returns the id of a draft. */
async function writeNotes(service: TestService, repoId: string): Promise<string> {
  let draftId = '';
  for (let i = ranges; i > 0; i--) {
    const [fromTag, toTag] = [tags - i, tags - i + 1].map((n) => `v1.${n}.0`);
    const { status, body } = await service.api('POST', '/api/ranges', { type: 'TAG_BASED', repoId, fromTag, toTag });
    assert.equal(status, 201, JSON.stringify(body));
    if (i > drafts) continue;
    const made = await service.api('POST', `/api/drafts/${body.id}/generate`, { persona: 'customer' });
    draftId = made.body.id;
    assert.equal(made.status, 201, JSON.stringify(made.body));
  }
  await waitUntil('the draft is ready', async () => {
    return (await service.api('GET', `/api/drafts/${draftId}`)).body.status === 'ready';
  });
  return draftId;
}

/** Bounds of all kinds that a person can choose for new notes. */
function previewsOf(repoId: string): object[] {
  const today = new Date().toISOString().slice(0, 10);
  return [
    { type: 'UNRELEASED', repoId },
    { type: 'TAG_BASED', repoId, fromTag: `v1.${tags - 1}.0`, toTag: `v1.${tags}.0` },
    { type: 'TAG_BASED', repoId, fromTag: 'v1.5.0', toTag: 'v1.6.0' },
    { type: 'DATE_BASED', repoId, fromDate: today, toDate: today },
    { type: 'PR_BASED', repoId, fromPrNumber: 25_000, toPrNumber: 25_300 },
  ];
}

/** Sends a request and reads the whole reply. Returns its size in bytes. */
async function send(service: TestService, { method, path, body }: Call): Promise<number> {
  const reply = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${service.adminKey}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body }),
  });
  const { byteLength } = await reply.arrayBuffer();
  assert.ok(reply.status < 300, `${method} ${path} returned ${reply.status}`);
  return byteLength;
}

async function stateOf(...place: Parameters<typeof signedIn>) {
  const { context } = await signedIn(...place);
  return context.storageState();
}

/** Does something on a page and measures its longest task and its frames. */
async function watch(page: Page, act: () => Promise<void>): Promise<{ longest: number; frames: string }> {
  await page.evaluate(`(() => {
    window.watched = { tasks: [], frames: [], on: true };
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.watched.tasks.push(entry.duration);
    });
    observer.observe({ type: 'longtask' });
    let last = performance.now();
    const frame = (now) => {
      window.watched.frames.push(now - last);
      last = now;
      if (window.watched.on) requestAnimationFrame(frame);
      else observer.disconnect();
    };
    requestAnimationFrame(frame);
  })()`);
  await act();
  const { tasks, frames } = (await page.evaluate('(window.watched.on = false, window.watched)')) as {
    tasks: number[];
    frames: number[];
  };
  const sorted = frames.sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return { longest: Math.max(0, ...tasks), frames: `median ${at(0.5)}, 95 % ${at(0.95)}, of ${sorted.length}` };
}

/** Types in the field with the focus. Returns what one key costs the page, in milliseconds. */
async function costOfKeys(page: Page): Promise<Record<'scripts' | 'layout' | 'styles', number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await page.keyboard.type('first');
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return new Map(metrics.map(({ name, value }) => [name, value]));
  };
  const before = await read();
  await page.keyboard.type('a'.repeat(keys), { delay: 30 });
  const after = await read();
  const costOf = (name: string) => (((after.get(name) ?? 0) - (before.get(name) ?? 0)) * 1000) / keys;
  await session.detach();
  return {
    scripts: costOf('ScriptDuration'),
    layout: costOf('LayoutDuration'),
    styles: costOf('RecalcStyleDuration'),
  };
}

async function scroll(page: Page): Promise<void> {
  await page.mouse.move(700, 500);
  for (let i = 0; i < 12; i++) {
    await page.mouse.wheel(0, i < 8 ? 400 : -600);
    await page.evaluate('new Promise((done) => requestAnimationFrame(done))');
  }
}

async function jump(page: Page): Promise<void> {
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Name of a repository or a screen' }).waitFor();
  await page.keyboard.type('owner-7/project', { delay: 20 });
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}
