/**
 * Plants hostile texts in everything that a contributor, a tenant or a receiver controls, and opens all screens, dialogs,
 * pages and feeds. No text may run a script, load something, or make a screen wider than the window.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { chromiumPath, openBrowser } from '../helpers/browser.ts';
import { dialogsOf, type Shown, screensOf, show, showDialog, signedIn } from '../helpers/dashboard.ts';
import { issuePayload, pullPayload, pushPayload, repositoryPayload, shaOf, tagPayload } from '../helpers/payloads.ts';
import { startReceiver, status } from '../helpers/receiver.ts';
import { generateDraft, publicationEnded } from '../helpers/rocket.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the dashboard was not tested with hostile texts';

const rightToLeft = '\u202e';
const image = '<img src=https://tracker.test/x onerror=hacked=1>';
/** Texts without line breaks, so that every field accepts them. */
const hostile = [
  '<script>hacked=1</script>',
  `"'><svg onload=hacked=1>${image}`,
  '</textarea></title></style><script>hacked=1</script>]]><!--',
  '[link](javascript:hacked=1) ![pixel](https://tracker.test/pixel.png) <https://tracker.test/>',
  `\${hacked=1} {{constructor.constructor('hacked=1')()}} <%= 1 %> #{hacked}`,
  `safe${rightToLeft}txt.exe \u2066isolated\u200b\u200d\ufeff`,
  'שלום עולם (v1.0) مرحبا 🚀👩‍👩‍👧‍👦 Z̸̡̢͔̫͛͂͝a̷lgo',
  '{"__proto__":{"hacked":1}} constructor __proto__ toString',
] as const;
/** A name without a place where a line can break. */
const unbroken = (length: number): string => 'W'.repeat(length);

/** Names that hosts allow, as long and as strange as a host allows them. */
const repository = { id: 7001, full_name: `acme-שלום/${unbroken(80)}-صاروخ`, private: false };
const plain = { id: 7002, full_name: 'acme-שלום/plain' };
const firstTag = 'v1.0.0';
const lastTag = `v1.1.0"><img/src=x/onerror=hacked=1>${unbroken(60)}`;

test('hostile texts are shown as texts', { skip }, async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = status(400, { 'content-type': 'text/html' }, `${hostile.join(' ')} ${unbroken(2_000)}`);
  const service = await startService(t, {
    env: { TIDINGS_EGRESS_ALLOW: '127.0.0.0/8' },
  });
  const repoId = await plant(service);
  const draftId = await write(service, repoId, receiver.url);
  const shown: Shown = { repoId, draftId };
  const browser = await openBrowser(t, program as string);

  for (const width of [1280, 390]) {
    await t.test(`on every screen and in every dialog, ${width} pixels wide`, async (t) => {
      const { page, check } = await watched(t, browser, service, width);
      for (const [name, path] of Object.entries(screensOf(shown))) {
        await show(page, service.url + path);
        for (const details of await page.locator('main details').all()) {
          if ((await details.getAttribute('open')) === null) await details.locator('summary').first().click();
        }
        await check(name);
      }
      for (const dialog of dialogsOf(shown)) {
        await showDialog(page, service.url, dialog);
        await check(dialog[0]);
      }
    });
  }

  await t.test('in each preview of a channel', async (t) => {
    const { page, check } = await watched(t, browser, service, 1280);
    await show(page, `${service.url}/app/drafts/${draftId}`);
    const select = page.getByLabel('Preview for');
    for (const channel of await select.locator('option').all()) {
      await select.selectOption((await channel.getAttribute('value')) ?? '');
      await waitUntil('the preview is loaded', async () => (await page.locator('.skeleton').count()) === 0);
      await check(`preview of ${await channel.textContent()}`);
    }
  });

  await t.test('in details of deliveries, and in names within sentences', async (t) => {
    const { page, check } = await watched(t, browser, service, 1280);
    await show(page, `${service.url}/app/deliveries?outcome=refused`);
    await page.getByRole('button', { name: 'Details' }).first().click();
    await page.getByRole('dialog').waitFor();
    await check('details of a delivery');
    await show(page, `${service.url}/app/repositories/${repoId}`);
    await page.locator('.change-title').filter({ hasText: 'txt.exe' }).first().waitFor();
    // The marks of one title must not turn the texts after it around.
    const styles = `[...document.querySelectorAll('.change-title')].map((title) => getComputedStyle(title).unicodeBidi)`;
    assert.deepEqual([...new Set((await page.evaluate(styles)) as string[])], ['isolate']);
  });

  await t.test('on the hosted pages and in the feeds', async (t) => {
    const { page, check } = await watched(t, browser, service, 390);
    const root = `${service.url}/notes/${repository.full_name.split('/').map(encodeURIComponent).join('/')}/`;
    const paths = ['', 'embed', encodeURIComponent(lastTag), `?q=${encodeURIComponent(hostile[1])}`];
    for (const path of ['/notes/', ...paths.map((each) => root.slice(service.url.length) + each)]) {
      const reply = await page.goto(service.url + path);
      assert.equal(reply?.status(), 200, path);
      await check(path);
    }
    for (const feed of ['feed.xml', 'atom.xml', 'feed.json']) {
      const reply = await fetch(root + feed);
      if (reply.status === 404) continue;
      assert.match(reply.headers.get('content-type') ?? '', /xml|json/, feed);
      const text = await reply.text();
      // In JSON, only one field is markup.
      const markup = feed.endsWith('json') ? JSON.parse(text).items.map(contentOf).join('\n') : text;
      assert.doesNotMatch(markup, /<script|<img|<svg|href="javascript:/, feed);
    }
  });
});

function contentOf(item: { content_html?: string }): string {
  return item.content_html ?? '';
}

/** Opens a page that notes everything that a hostile text could do. `check` asserts that nothing was done. */
async function watched(t: TestContext, browser: Browser, service: TestService, width: number) {
  const visit = await signedIn(t, browser, service);
  const { page, faults } = visit;
  await page.setViewportSize({ width, height: 860 });
  const check = async (name: string): Promise<void> => {
    for (const frame of page.frames()) {
      assert.equal(await frame.evaluate('typeof hacked').catch(() => 'undefined'), 'undefined', name);
    }
    assert.equal(await page.locator('main img[onerror], main svg[onload], main script').count(), 0, name);
    assert.equal(await page.locator('a[href^="javascript:"]').count(), 0, name);
    assert.deepEqual(await overflowing(page), [], `${name} fits ${width} pixels`);
    assert.deepEqual(faults, [], name);
  };
  return { page, check };
}

/** Returns what makes the page wider than the window; an empty list if nothing does. */
function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const { scrollWidth } = document.documentElement;
    if (scrollWidth <= window.innerWidth) return [];
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > window.innerWidth + 1)
      .map((element) => element.localName + '.' + element.className)
      .slice(0, 8);
  })()`);
}

/** Delivers a history whose texts are hostile. Returns the id of the repository. */
async function plant(service: TestService): Promise<string> {
  const titles = [...hostile, unbroken(255), `${unbroken(300)} ${hostile[0]}`];
  const labels = ['type: feature', ...hostile, unbroken(200)].map((name) => ({ name }));
  const send = async (event: string, payload: object): Promise<void> => {
    const { status: got, body } = await service.deliver(event, payload);
    assert.ok(got < 300, `${event}: ${got} ${JSON.stringify(body)}`);
  };
  const of = (payload: Record<string, unknown>) => {
    const pushed = payload.repository as Record<string, unknown>;
    return { ...payload, repository: { ...repositoryPayload(repository), pushed_at: pushed.pushed_at } };
  };
  const numbers = titles.map((_, i) => i + 1);
  for (const [i, title] of titles.entries()) {
    const fields = {
      title,
      body: `${hostile.join('\n\n')}\n\nFixes #50\n\n\`\`\`release-note\n${title}\n\`\`\``,
      labels: i % 2 === 0 ? labels : [],
      milestone: { title },
      user: { login: i === 0 ? 'ada' : `${hostile[i % hostile.length]}`, id: 5, type: 'User' },
      head: { ref: title.slice(0, 250) },
    };
    await send('pull_request', of(pullPayload(i + 1, fields, repository)));
  }
  await send('issues', of(issuePayload(50, { title: hostile[1], labels }, repository)));
  await send('push', of(pushPayload([1], shaOf(0))));
  await send('push', of(tagPayload(firstTag, 1)));
  await send('push', of(pushPayload(numbers.slice(1, -2), shaOf(1))));
  await send('push', of(tagPayload(lastTag, numbers.length - 2)));
  await send('push', of(pushPayload(numbers.slice(-2), shaOf(numbers.length - 2))));
  await send('push', of(pushPayload([99], shaOf(0), `topic"><img/src=x/onerror=hacked=1>${unbroken(200)}`)));
  await send('pull_request', pullPayload(1, { title: hostile[2] }, plain));
  // Names that no host allows are refused, and shown in the list of deliveries.
  for (const fullName of [`<img/src=x/onerror=hacked=1>`, `acme/${image}`, `acme/${rightToLeft}exe`])
    await service.deliver('pull_request', pullPayload(1, {}, { id: 7003, full_name: fullName }));
  for (const [i, text] of hostile.entries()) {
    const headers = { 'x-hub-signature-256': `sha256=${String(i).repeat(64)}` };
    await service.deliver('pull_request', { repository: { full_name: text } }, headers);
  }
  const repoId: string = await waitUntil('the repository is listed', async () => {
    const { repos } = (await service.api('GET', '/api/repos')).body;
    return repos.find(({ scmRepoId }: { scmRepoId: number }) => scmRepoId === repository.id)?.id;
  });
  await waitUntil('both tags are listed', async () => {
    return (await service.api('GET', `/api/repos/${repoId}/tags`)).body.total === 2;
  });
  return repoId;
}

/** Writes hostile texts through the API, and publishes a draft with them. Returns the id of the draft. */
async function write(service: TestService, repoId: string, receiverUrl: string): Promise<string> {
  const api = async (method: string, path: string, body?: object) => {
    const answer = await service.api(method, path, body);
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const heading = (i: number): string => (hostile[i] as string).slice(0, 100);
  for (const text of [...hostile, unbroken(100)])
    await api('POST', '/api/keys', { name: text.slice(0, 100), instance: true });
  await api('POST', '/api/keys', { name: hostile[5], org: repository.full_name.split('/')[0] });
  await api('POST', '/api/webhook-endpoints', {
    url: `${receiverUrl}/hook?x=${encodeURIComponent(hostile[0])}`,
    description: hostile[1].slice(0, 200),
    events: ['draft.generated'],
    org: repository.full_name.split('/')[0],
  });
  await api('PUT', `/api/repos/${repoId}/settings`, {
    titles: { feature: heading(0), fix: heading(1), other: unbroken(100) },
    customer: { titles: { new: heading(2), improved: heading(3), fixed: heading(6) } },
  });
  await api('PUT', `/api/channels/hosted?repoId=${repoId}`, { settings: { title: heading(0), embedIn: ['*'] } });
  const webhookUrl = `${receiverUrl}/chat`;
  await api('PUT', `/api/channels/workspace_chat?repoId=${repoId}`, { settings: { webhookUrl } });
  for (const bounds of [{ type: 'UNRELEASED' }, { type: 'TAG_BASED', fromTag: firstTag, toTag: lastTag }]) {
    const range = await api('POST', '/api/ranges', { ...bounds, repoId });
    for (const persona of ['engineer', 'internal', 'customer']) await generateDraft(service, range.id, persona);
  }
  const { drafts } = await api('GET', `/api/drafts?repoId=${repoId}&persona=customer`);
  const { id } = drafts.find((draft: { bodyMd: string }) => draft.bodyMd.includes(unbroken(20))) ?? drafts[0];
  for (const draft of drafts) {
    const bodyMd = `${draft.bodyMd}\n\n${hostile.join('\n\n')}\n\n${unbroken(10_000)}\n\n| a |\n|---|\n| ${unbroken(900)} |\n`;
    await api('PATCH', `/api/drafts/${draft.id}`, { bodyMd });
    for (const channel of ['hosted', 'workspace_chat']) {
      const { status: got, body } = await service.api('POST', '/api/publish', { draftId: draft.id, channel });
      if (got < 300) await publicationEnded(service, body.id);
    }
  }
  return id;
}
