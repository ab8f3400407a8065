/**
 * Kills processes of the service while a person types into a draft. Nothing that was typed is lost, the page shows that
 * the text is not saved yet, and it recovers without a reload. A page that is opened meanwhile waits for the service.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from 'playwright-core';
import { sampleRepository } from '../../demo/history/index.ts';
import { chromiumPath, openBrowser } from '../helpers/browser.ts';
import { newestDraft, sendHistory, signedIn } from '../helpers/dashboard.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the recovery of the dashboard was not tested';

test('a draft keeps what is typed while processes of the service are killed', { skip }, async (t) => {
  const service = await startService(t, { env: { TIDINGS_HOST_ORIGIN: sampleRepository.hostOrigin } });
  await sendHistory(service);
  await makeDraft(service);
  const { id } = await newestDraft(service);
  const { page } = await signedIn(t, await openBrowser(t, program as string), service);
  await page.goto(`${service.url}/app/drafts/${id}`);
  const field = page.getByLabel('Text in Markdown');
  await field.waitFor();
  // A reload would hide that the page does not recover.
  await page.evaluate('globalThis.isSamePage = true');
  await field.focus();
  await page.keyboard.press('Control+Home');
  let typed = '';
  const type = async (text: string): Promise<void> => {
    await page.keyboard.type(text, { delay: 15 });
    typed += text;
  };
  const refuseSave = (route: Route): Promise<void> =>
    route.request().method() === 'PATCH' ? route.abort('connectionrefused') : route.continue();
  for (const part of ['gateway', 'worker', 'nats-server'] as const) {
    await type(`Typed before the end of ${part}. `);
    // The gateway can be back before the dashboard saves, so the first attempt to save fails in any case.
    if (part === 'gateway') await page.route(`**/api/drafts/${id}`, refuseSave);
    const before = await service.killParts(part);
    await type(`Typed while ${part} was away. `);
    if (part === 'gateway') {
      await page.getByText('Not saved yet. Trying again…').waitFor();
      await page.unroute(`**/api/drafts/${id}`, refuseSave);
    }
    await type('Typed on. ');
    await waitUntil(`${part} runs again`, () => ![0, before[part]].includes(service.pids()[part]));
    await waitUntil(`the text is stored after the end of ${part}`, async () => {
      const answer = await service.api('GET', `/api/drafts/${id}`).catch(() => undefined);
      return answer?.status === 200 && answer.body.bodyMd.startsWith(typed);
    });
    await page.getByText('Saved', { exact: true }).waitFor();
  }
  const { bodyMd } = (await service.api('GET', `/api/drafts/${id}`)).body;
  assert.equal(await field.inputValue(), bodyMd);
  assert.equal(await page.evaluate('globalThis.isSamePage'), true);
  assert.equal(await page.getByRole('dialog').count(), 0, 'no clash with its own text');
  // What could not be loaded during the outage is loaded again after a pause.
  await waitUntil('no error stays', async () => (await page.locator('.box.bad').count()) === 0);
  await page.frameLocator('iframe').getByText('Typed while nats-server was away.').waitFor();

  // A page that opens meanwhile keeps its session, and shows its data as soon as it can. No event reports when.
  const refuse = (route: Route): Promise<void> => route.abort('connectionrefused');
  for (const [path, shown] of [
    ['**/api/session', page.getByText('The service cannot answer right now.')],
    [`**/api/drafts/${id}`, page.locator('.box.bad')],
  ] as const) {
    await page.route(path, refuse);
    await page.reload();
    await shown.waitFor();
    await page.unroute(path, refuse);
    await field.waitFor();
  }

  // Data that takes longer to load than the time between two changes is shown all the same.
  await page.route('**/api/publications?*', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return route.continue();
  });
  await page.evaluate(`setInterval(() => document.dispatchEvent(new Event('visibilitychange')), 250)`);
  await page.getByRole('link', { name: 'Publications' }).click();
  await page.getByText('Nothing is published yet.').waitFor({ timeout: 20_000 });
});

async function makeDraft(service: Awaited<ReturnType<typeof startService>>): Promise<void> {
  const repoId = (await service.api('GET', '/api/repos')).body.repos[0].id;
  const { fromTag, toTag } = sampleRepository.demoRange;
  const asked = { repoId, type: 'TAG_BASED', fromTag, toTag };
  const range = await waitUntil('the range can be made', async () => {
    const answer = await service.api('POST', '/api/ranges', asked);
    return answer.status === 201 && answer.body;
  });
  const made = await service.api('POST', `/api/drafts/${range.id}/generate`, { persona: 'customer' });
  await waitUntil(
    'the draft is ready',
    async () => (await service.api('GET', `/api/drafts/${made.body.id}`)).body.status === 'ready',
  );
}
