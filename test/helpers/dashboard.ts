/** Opens the dashboard of a test service in a real browser, signs in, and audits its screens. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { sampleHistory, sampleRepository } from '../../demo/history/index.ts';
import { sendDeliveries } from '../../src/cli/deliveries.ts';
import { auditPage, openContext } from './browser.ts';
import { generateDraft } from './rocket.ts';
import type { TestService } from './service.ts';
import { waitUntil } from './wait-until.ts';

/** Folder for screenshots. If it is undefined, the tests take none. */
const pictures = process.env.TIDINGS_TEST_PICTURES;

/** A browser context with the dashboard. */
export interface Visit {
  context: BrowserContext;
  page: Page;
  /** Messages of the console, errors of scripts, and requests to other servers. */
  faults: string[];
}

/** The objects that the addresses of screens name. */
export interface Shown {
  repoId: string;
  draftId: string;
}

/**
 * Returns the addresses of all screens by name. Add each new screen here: the audit, the test of hostile texts and the
 * test of large repositories open all of them.
 */
export function screensOf({ repoId, draftId }: Shown): Readonly<Record<string, string>> {
  return {
    inbox: '/',
    repositories: '/app/repositories',
    changes: `/app/repositories/${repoId}`,
    releases: `/app/repositories/${repoId}/releases`,
    draft: `/app/drafts/${draftId}`,
    publications: '/app/publications',
    'publications of a repository': `/app/publications/${repoId}`,
    deliveries: '/app/deliveries',
    settings: '/app/settings',
    missing: '/app/nothing',
  };
}

/** A dialog: its name, the address of its screen, and how a person opens it. */
export type DialogOpener = readonly [name: string, path: string, open: (page: Page) => Promise<void>];

/** Returns all dialogs that open without a change of data. */
export function dialogsOf({ repoId, draftId }: Shown): readonly DialogOpener[] {
  const click =
    (name: string) =>
    (page: Page): Promise<void> =>
      page.getByRole('button', { name }).first().click();
  const press =
    (key: string) =>
    (page: Page): Promise<void> =>
      page.keyboard.press(key);
  return [
    ['shortcuts', '/', press('?')],
    ['jump box', '/', press('/')],
    ['new notes', `/app/repositories/${repoId}`, press('n')],
    ['new key', '/app/settings', click('New key')],
    ['revisions', `/app/drafts/${draftId}`, click('Revisions')],
    ['publish', `/app/drafts/${draftId}`, press('p')],
  ];
}

/** Opens a screen and waits until it has all its data. */
export async function show(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator('main h1').waitFor();
  await loaded(page);
}

/** Opens a dialog on its screen. A key that is pressed before the screen listens to keys is pressed again. */
export async function showDialog(page: Page, url: string, [name, path, open]: DialogOpener): Promise<void> {
  await show(page, url + path);
  await waitUntil(`${name} opens`, async () => {
    await open(page);
    const opened = page.getByRole('dialog').waitFor({ timeout: 2_000 });
    return opened.then(
      () => true,
      () => false,
    );
  });
  await loaded(page);
}

/**
 * Goes to a screen with two keys. Keys that come too far apart on a busy machine do nothing, and are pressed again.
 * @param heading the heading of the screen
 */
export async function goByKeys(page: Page, keys: readonly [string, string], heading: string): Promise<void> {
  await waitUntil(`the keys ${keys.join(' ')} lead to ${heading}`, async () => {
    for (const key of keys) await page.keyboard.press(key);
    const shown = page.getByRole('heading', { level: 1, name: heading }).waitFor({ timeout: 2_000 });
    return shown.then(
      () => true,
      () => false,
    );
  });
}

/** Sends the history of the demo to a service, and waits until all of it is folded and its repository is listed. */
export async function sendHistory(service: TestService): Promise<void> {
  const statuses: number[] = [];
  const options = { url: service.url, secret: service.secret, concurrency: 16 };
  await sendDeliveries(sampleHistory(), { ...options, onAnswer: (status) => statuses.push(status) });
  assert.ok(statuses.every((status) => status < 300));
  const repoId = await waitUntil('the repository is listed', async (): Promise<string | undefined> => {
    const { body } = await service.api('GET', `/api/repos?fullName=${sampleRepository.fullName}`);
    return body.repos[0]?.id;
  });
  // A write is answered after its fold, and deliveries of the same repository that came before it are folded before it.
  const { status, body } = await service.api('PUT', `/api/repos/${repoId}/settings`, {});
  assert.equal(status, 200, JSON.stringify(body));
}

/** Writes notes for customers about what is unreleased in the only repository of a service. */
export async function writeDraft(service: TestService): Promise<Shown> {
  const repoId = await waitUntil('the repository is there', async (): Promise<string | undefined> => {
    return (await service.api('GET', '/api/repos')).body.repos[0]?.id;
  });
  const range = await service.api('POST', '/api/ranges', { type: 'UNRELEASED', repoId });
  assert.ok(range.status < 300, JSON.stringify(range.body));
  const draft = await generateDraft(service, range.body.id, 'customer');
  return { repoId, draftId: draft.id };
}

/** Returns the draft for customers that was changed last. */
export async function newestDraft(service: TestService): Promise<{ id: string; repoId: string }> {
  const repoId = (await service.api('GET', '/api/repos')).body.repos[0].id;
  const { drafts } = (await service.api('GET', `/api/drafts?repoId=${repoId}&persona=customer`)).body;
  return { id: drafts[0].id, repoId };
}

/** Opens the dashboard in a new browser context, signed out if `options` have no session. */
export async function open(
  t: TestContext,
  browser: Browser,
  service: TestService,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await openContext(t, browser, { viewport: { width: 1280, height: 860 }, ...options });
  const visit = await watch(await context.newPage(), service);
  await visit.page.goto(service.url);
  return visit;
}

/** Notes everything that a page must not do from now on. The browser reports violations of the policy in the console. */
export async function watch(page: Page, service: TestService): Promise<Visit> {
  const faults: string[] = [];
  page.on('console', (message) => faults.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(service.url) && !/^(data|about):/.test(request.url())) faults.push(request.url());
  });
  page.on('dialog', (dialog) => {
    // A screen with input that is not saved asks before it is left.
    if (dialog.type() === 'beforeunload') return void dialog.accept();
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    console.error('violation', violatedDirective, blockedURI))`);
  return { context: page.context(), page, faults };
}

/** Opens the dashboard with the session of the first call, since the service accepts five sign-ins per minute. */
export async function signedIn(t: TestContext, browser: Browser, service: TestService): Promise<Visit> {
  const state = sessions.get(service);
  const visit = await open(t, browser, service, state && { storageState: state });
  if (!state) {
    await visit.page.getByLabel('API key').fill(service.adminKey);
    await visit.page.keyboard.press('Enter');
  }
  await visit.page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  if (!state) await keepSession(visit.context, service);
  return visit;
}

/** Makes the session of a browser context the one that `signedIn` uses. */
export async function keepSession(context: BrowserContext, service: TestService): Promise<void> {
  sessions.set(service, await context.storageState());
}

const sessions = new WeakMap<TestService, Awaited<ReturnType<BrowserContext['storageState']>>>();

/** Waits until the screen has all its data. */
export async function loaded(page: Page): Promise<void> {
  await waitUntil('everything is loaded', async () => (await page.locator('.skeleton').count()) === 0);
}

/** Audits a screen in light and dark on a wide screen, and checks that it fits a phone. */
export async function auditBoth(page: Page, name: string, part = 'html'): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    assert.deepEqual(await auditPage(page, part), [], `${name}, ${colorScheme}`);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 860 });
      await picture(page, `${name.replaceAll(' ', '-')}-${colorScheme}-${width}.png`);
      const fits = 'document.documentElement.scrollWidth <= window.innerWidth';
      assert.equal(await page.evaluate(fits), true, `${name} fits ${width} pixels`);
    }
    await page.setViewportSize({ width: 1280, height: 860 });
  }
}

async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `dashboard-${name}`) });
}
