/**
 * Uses the publications, the releases of a repository and the limits of the inbox in a real browser, with a real receiver
 * of messages. The test needs the system's Chromium and is skipped without it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { chromiumPath, openBrowser } from '../helpers/browser.ts';
import { auditBoth, loaded, signedIn } from '../helpers/dashboard.ts';
import { startWorkspaceChat } from '../helpers/receivers/workspace-chat.ts';
import { createTagRange, deliverRocket, generateDraft, publicationEnded } from '../helpers/rocket.ts';
import { type Answer, startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the publications were not tested';
const dayMs = 86_400_000;

test('publications, older releases and the limits of the inbox work in a browser', { skip }, async (t) => {
  const service = await startService(t, { env: { TIDINGS_EGRESS_ALLOW: '127.0.0.0/8', TIDINGS_PARTITIONS: '1' } });
  const browser = await openBrowser(t, program as string);
  const chat = await startWorkspaceChat(t);
  const repoId = await deliverRocket(service);
  const settings = { webhookUrl: chat.webhookUrl };
  const connected = await service.api('PUT', `/api/channels/workspace_chat?repoId=${repoId}`, { settings });
  assert.ok(connected.status < 300, JSON.stringify(connected.body));
  const draft = await generateDraft(service, (await createTagRange(service, repoId)).body.id);
  const publish = async (channel: string): Promise<Answer['body']> => {
    const { body } = await service.api('POST', '/api/publish', { draftId: draft.id, channel });
    return publicationEnded(service, body.id);
  };
  const resend = async (id: string): Promise<Answer['body']> => {
    await service.api('POST', `/api/publications/${id}/resend`, {});
    return publicationEnded(service, id);
  };
  const statusOf = async (id: string): Promise<number> => (await service.api('GET', `/api/publications/${id}`)).status;
  /** Reads what the service replies to a request that a test changes the reply of. */
  const original = async (route: Route): Promise<Answer['body']> => {
    const { pathname, search } = new URL(route.request().url());
    return (await service.api('GET', pathname + search)).body;
  };
  /** Opens the details of the publication to a channel. */
  const details = (page: Page, channel: string): Promise<void> =>
    page.getByRole('row', { name: channel }).getByRole('button', { name: 'Details' }).click();

  await t.test('a message that may have arrived is sent once, also when two people decide', async (t) => {
    chat.plan(chat.lost);
    const { id, outcomeUnknown } = await publish('workspace_chat');
    assert.equal(outcomeUnknown, true);
    const { page, faults } = await signedIn(t, browser, service);
    await page.goto(`${service.url}/app/publications?status=failed`);
    await details(page, 'Workspace chat');
    const dialog = page.getByRole('dialog');
    const question = dialog.getByRole('region', { name: 'Is it there?' });
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/resend', async (route) => {
      await held;
      await route.continue();
    });
    await question.getByRole('button', { name: 'No, send it again' }).dblclick();
    assert.equal(await question.getByRole('button', { name: 'No, send it again' }).isDisabled(), true);
    assert.equal(await dialog.getByRole('button', { name: 'Send again', exact: true }).isDisabled(), true);
    release();
    await page.getByText('The notes are sent again.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    assert.equal(chat.messages.length, 2);
    // It is not certain once more, and another person sends it while the dialog is open.
    chat.plan(chat.lost);
    assert.equal((await resend(id)).outcomeUnknown, true);
    await details(page, 'Workspace chat');
    await question.waitFor();
    await auditBoth(page, 'publication', 'dialog');
    await resend(id);
    await question.waitFor({ state: 'detached' });
    await dialog.getByText('published', { exact: true }).waitFor();
    await page.getByText('No publication is in this state.').waitFor();
    assert.equal(chat.messages.length, 4);
    assert.deepEqual(faults, []);
  });

  await t.test(
    'a page is taken down and a message is forgotten, each after a question that says what stays',
    async (t) => {
      const { id } = await publish('hosted');
      const { page, faults } = await signedIn(t, browser, service);
      await page.goto(`${service.url}/app/publications`);
      await details(page, 'Hosted page');
      await page.getByRole('button', { name: 'Take down' }).click();
      const question = page.getByRole('dialog', { name: 'Take the page down?' });
      await question.getByText('The draft stays too.').waitFor();
      assert.equal(await statusOf(id), 200);
      await auditBoth(page, 'take down', 'dialog');
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Take down');
      await page.keyboard.press('Enter');
      await question.getByRole('button', { name: 'Take down' }).click();
      await page.getByText('The page of the publication was removed.').waitFor();
      await page.getByRole('row', { name: 'Hosted page' }).waitFor({ state: 'detached' });
      assert.equal(await statusOf(id), 404);
      await details(page, 'Workspace chat');
      await page.getByRole('button', { name: 'Forget' }).click();
      const other = page.getByRole('dialog', { name: 'Forget this publication?' });
      await other.getByText(/What was published stays there \(Workspace chat\)/).waitFor();
      await auditBoth(page, 'forget publication', 'dialog');
      await other.getByRole('button', { name: 'Forget' }).click();
      await page.getByText('Anything already published to the channel workspace_chat stays there.').waitFor();
      await page.getByText('Nothing is published yet.').waitFor();
      assert.equal(await page.getByRole('dialog').count(), 0);
      assert.deepEqual(faults, []);
    },
  );

  await t.test('a page of the list that has become empty is left', async (t) => {
    await publish('hosted');
    const { page, faults } = await signedIn(t, browser, service);
    const offsets: (string | null)[] = [];
    await page.route('**/api/publications?*', async (route) => {
      const offset = new URL(route.request().url()).searchParams.get('offset');
      offsets.push(offset);
      const body = await original(route);
      await route.fulfill({ json: offset === '50' ? { ...body, publications: [] } : { ...body, total: 51 } });
    });
    await page.goto(`${service.url}/app/publications`);
    await page.getByRole('button', { name: 'Next' }).click();
    await waitUntil('the second page was asked for', async () => offsets.includes('50'));
    await page.getByRole('row', { name: 'Hosted page' }).waitFor();
    assert.equal(await page.getByText('Nothing is published yet.').count(), 0);
    assert.deepEqual(faults, []);
  });

  await t.test('the notes of a release are found behind a hundred newer ranges', async (t) => {
    const day = (i: number): string => new Date(Date.UTC(2025, 0, 1) + i * dayMs).toISOString().slice(0, 10);
    for (let i = 0; i < 105; i += 21) {
      const made = Array.from({ length: 21 }, (_, j) =>
        service.api('POST', '/api/ranges', { repoId, type: 'DATE_BASED', fromDate: day(i + j), toDate: day(i + j) }),
      );
      for (const { status, body } of await Promise.all(made)) assert.equal(status, 201, JSON.stringify(body));
    }
    const { page, faults } = await signedIn(t, browser, service);
    await page.goto(`${service.url}/app/repositories/${repoId}/releases`);
    const newest = page.getByRole('row', { name: 'v1.1.0' });
    const oldest = page.getByRole('row', { name: 'v1.0.0' });
    await newest.getByRole('link', { name: 'Engineers' }).waitFor();
    await newest.getByRole('link', { name: 'Hosted page' }).waitFor();
    await oldest.getByText('not published').waitFor();
    await oldest.getByRole('button', { name: 'Write notes for v1.0.0' }).waitFor();
    // A list without an end: the screen stops reading, and does not claim what it cannot know.
    await page.route('**/api/ranges?*', async (route) => {
      const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
      const body = await original(route);
      await route.fulfill({ json: { ...body, hasMore: true, nextOffset: (offset + 100) % 200 } });
    });
    await page.reload();
    await oldest.getByText('not known').first().waitFor();
    assert.equal(await oldest.getByText('not known').count(), 2);
    assert.equal(await oldest.getByRole('button').count(), 0);
    await newest.getByRole('link', { name: 'Engineers' }).first().waitFor();
    await auditBoth(page, 'releases not known');
    assert.deepEqual(faults, []);
  });

  await t.test('the inbox says what it does not look at, and counts all refused deliveries', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    const none = { total: 0, hasMore: false, nextOffset: null };
    let refused: object[] = [];
    await page.route('**/api/repos?*', async (route) => {
      const body = await original(route);
      await route.fulfill({ json: { ...body, total: body.total + 120 } });
    });
    await page.route('**/api/drafts?*', (route) => route.fulfill({ json: { ...none, drafts: [], nextCursor: null } }));
    await page.route('**/api/publications?*', (route) =>
      route.fulfill({ json: { ...none, publications: [], nextCursor: null } }),
    );
    await page.route('**/api/deliveries?*', (route) =>
      route.fulfill({ json: { ...none, deliveries: refused, total: refused.length && 9 } }),
    );
    await page.goto(service.url);
    await page.getByText('Nothing was found here.').waitFor();
    await page.getByText(/^The inbox does not look at the unreleased changes of 120 more repositories\./).waitFor();
    await auditBoth(page, 'inbox limits');
    const delivery = { receivedAt: new Date().toISOString(), hostKind: 'github', event: 'push', outcome: 'refused' };
    refused = Array.from({ length: 5 }, (_, i) => ({ ...delivery, id: `d${i}`, message: 'no', remedy: 'mend it' }));
    await page.reload();
    const group = page.getByRole('region', { name: 'Refused deliveries' });
    await group.getByRole('heading', { name: 'Refused deliveries 9' }).waitFor();
    await auditBoth(page, 'inbox refused');
    await group.getByRole('link', { name: 'and 4 older deliveries' }).click();
    await page.waitForURL(/deliveries\?outcome=refused$/);
    await loaded(page);
    assert.deepEqual(faults, []);
  });
});
