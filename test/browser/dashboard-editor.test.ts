/** Tests the editor of drafts in a browser: links beside the lines, previews, tools, sheets, and large and hostile texts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { sampleRepository } from '../../demo/history/index.ts';
import { chromiumPath, openBrowser } from '../helpers/browser.ts';
import { auditBoth, loaded, sendHistory, signedIn } from '../helpers/dashboard.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const program = chromiumPath();
const skip = program === undefined && 'NO CHROMIUM: the editor was not tested';

/** The part of a text field of the browser that is used here. */
interface Field {
  setSelectionRange(start: number, end: number): void;
}

/** Creates a range and its draft, and returns the id of the draft when it is ready. */
async function makeDraft(service: TestService, bounds: object, persona: string): Promise<string> {
  const repoId = (await service.api('GET', '/api/repos')).body.repos[0].id;
  const range = await service.api('POST', '/api/ranges', { repoId, ...bounds });
  assert.equal(range.status, 201, JSON.stringify(range.body));
  const { id } = (await service.api('POST', `/api/drafts/${range.body.id}/generate`, { persona })).body;
  await waitUntil('the draft is ready', async () => (await read(service, id)).status === 'ready');
  return id;
}

// biome-ignore lint/suspicious/noExplicitAny: the shapes of replies differ
async function read(service: TestService, id: string): Promise<any> {
  return (await service.api('GET', `/api/drafts/${id}`)).body;
}

async function openDraft(page: Page, service: TestService, id: string) {
  await page.goto(`${service.url}/app/drafts/${id}`);
  const field = page.getByLabel('Text in Markdown');
  await field.waitFor();
  await loaded(page);
  return field;
}

/** Vertical distance in pixels between a link in the gutter and the beginning of its line. */
const offsets = `[...document.querySelectorAll('.mark')].map((mark) =>
  Math.abs(mark.getBoundingClientRect().top - mark.nextElementSibling.getClientRects()[0].top))`;
/** Difference in pixels between the height of the field and that of the text that is drawn over it. */
const drift = `(() => { const [field, drawn] = document.querySelector('.editor-field').children;
  return Math.abs(field.scrollHeight - drawn.scrollHeight); })()`;

test('the editor of drafts works in a browser', { skip }, async (t) => {
  const service = await startService(t, { env: { TIDINGS_HOST_ORIGIN: sampleRepository.hostOrigin } });
  await sendHistory(service);
  const browser = await openBrowser(t, program as string);
  const { fromTag, toTag } = sampleRepository.demoRange;
  const tagged = await makeDraft(service, { type: 'TAG_BASED', fromTag, toTag }, 'customer');
  const untagged = await makeDraft(service, { type: 'UNRELEASED' }, 'engineer');

  await t.test('each line has a link to its change, at its height and on the keyboard', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    const field = await openDraft(page, service, tagged);
    const link = page.getByRole('link', { name: '#218', exact: true });
    assert.match((await link.getAttribute('href')) ?? '', /\/issues\/218$/);
    for (const width of [1280, 800]) {
      await page.setViewportSize({ width, height: 860 });
      const found = (await page.evaluate(offsets)) as number[];
      assert.ok(found.length > 10 && Math.max(...found) < 6, `links are beside their lines: ${Math.max(...found)}`);
      assert.ok(((await page.evaluate(drift)) as number) < 2, 'the drawn text wraps like the field');
    }
    await page.setViewportSize({ width: 1280, height: 860 });
    const text = await field.inputValue();
    await field.focus();
    await field.evaluate(
      (element, at) => (element as unknown as Field).setSelectionRange(at, at),
      text.indexOf('rn:pr:218'),
    );
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), '#218');
    const card = page.getByRole('tooltip');
    await card.getByText('#218 ').waitFor();
    await card.getByText('Has an entry of its own').waitFor();
    await card.getByText(/its kind comes from/).waitFor();
    await auditBoth(page, 'editor');
    await page.keyboard.press('ArrowDown');
    assert.notEqual(await page.evaluate('document.activeElement.textContent'), '#218');
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate('document.activeElement.localName'), 'textarea');
    assert.equal(await card.count(), 0);
    await link.hover();
    await card.waitFor();
    assert.deepEqual(faults, []);
  });

  await t.test('notes without a tag have a preview for every channel', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await openDraft(page, service, untagged);
    const preview = page.getByRole('region', { name: 'Preview' });
    const { body } = await service.api('POST', '/api/publish/preview', { draftId: untagged, channel: 'hosted' });
    assert.match(body.provisionalVersion, /^v\d/);
    await preview.getByText('These notes have no tag yet').waitFor();
    await page.frameLocator('iframe').getByRole('heading', { name: body.provisionalVersion, exact: true }).waitFor();
    for (const [channel, isProvisional] of [
      ['scm_releases', true],
      ['changelog', true],
      ['workspace_chat', false],
      ['office_chat', false],
      ['support_messenger', false],
      ['email', false],
    ] as const) {
      await preview.getByLabel('Preview for').selectOption(channel);
      await preview.locator('.message, .preview-head').first().waitFor();
      assert.equal(await preview.getByText('These notes have no tag yet').count(), isProvisional ? 1 : 0, channel);
      await auditBoth(page, `preview ${channel}`, '.preview');
      await preview.getByRole('radio', { name: 'As it is sent' }).check();
      const sent = await service.api('POST', '/api/publish/preview', { draftId: untagged, channel });
      const shown = JSON.parse((await preview.locator('pre.payload').textContent()) ?? '');
      assert.deepEqual(Object.keys(shown), Object.keys(sent.body.payload), channel);
      await preview.getByRole('radio', { name: 'As people see it' }).check();
    }
    assert.equal((await service.api('POST', '/api/publish', { draftId: untagged, channel: 'hosted' })).status, 409);
    assert.deepEqual(faults, []);
  });

  await t.test('the tools change the text by button and key, and the browser undoes them', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await service.api('PATCH', `/api/drafts/${tagged}`, { bodyMd: 'one two\n' });
    const field = await openDraft(page, service, tagged);
    const select = (start: number, end: number): Promise<void> =>
      field.evaluate(
        (element, [from, to]) => (element as unknown as Field).setSelectionRange(from as number, to as number),
        [start, end],
      );
    await field.focus();
    await select(4, 7);
    for (const [press, expected] of [
      ['Control+b', 'one **two**\n'],
      ['Control+b', 'one two\n'],
      ['Control+i', 'one _two_\n'],
      ['Control+z', 'one two\n'],
      ['Control+k', 'one [two](https://)\n'],
      ['Control+z', 'one two\n'],
    ] as const) {
      await page.keyboard.press(press);
      assert.equal(await field.inputValue(), expected, press);
      if (press === 'Control+z') await select(4, 7);
    }
    assert.equal(await page.getByRole('dialog').count(), 0, 'Ctrl K opens no jump box while a person types');
    await page.keyboard.press('Shift+Tab');
    assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Bold');
    for (const name of ['Italic', 'Link', 'List', 'Heading', 'Code', 'Bold'])
      await page.keyboard.press('ArrowRight').then(async () => {
        assert.equal(await page.evaluate('document.activeElement.ariaLabel'), name);
      });
    await page.getByRole('button', { name: 'List' }).click();
    assert.equal(await field.inputValue(), '- one two\n');
    assert.deepEqual(faults, []);
  });

  await t.test(
    'writing a draft again says what is kept and what has changed, and a revision is restored',
    async (t) => {
      const { page, faults } = await signedIn(t, browser, service);
      const id = await makeDraft(service, { type: 'TAG_BASED', fromTag, toTag }, 'internal');
      const written = (await read(service, id)).bodyMd as string;
      const lines = written.split('\n');
      const at = lines.findIndex((line) => /^- .*rn:pr:/.test(line));
      const edited = lines.with(at, (lines[at] as string).replace(/^- /, '- In my own words: '));
      await service.api('PATCH', `/api/drafts/${id}`, {
        bodyMd: `A paragraph of my own.\n\n${edited.join('\n')}`.replace(/^- .*rn:pr:221 -->\n/m, ''),
      });
      await openDraft(page, service, id);
      await page.getByRole('button', { name: 'Generate again' }).click();
      const asks = page.getByRole('dialog', { name: 'Generate this draft again?' });
      await asks.getByText('1 edited entry').waitFor();
      await asks.getByText('In my own words').waitFor();
      await asks.getByText('A paragraph of my own.').waitFor();
      await auditBoth(page, 'generate', 'dialog');
      await asks.getByRole('button', { name: 'Generate again' }).click();
      const done = page.getByRole('dialog', { name: 'The draft is written again' });
      await done.waitFor();
      await auditBoth(page, 'generated', 'dialog');
      await done.getByRole('button', { name: 'Done' }).click();
      assert.match((await read(service, id)).bodyMd, /A paragraph of my own\.[\s\S]*In my own words/);
      await page.getByRole('button', { name: 'Revisions' }).click();
      const drawer = page.getByRole('dialog', { name: 'Revisions' });
      await drawer.getByRole('button', { name: /#1 / }).click();
      await drawer.locator('.diff ins').first().waitFor();
      await auditBoth(page, 'revision', 'dialog');
      await drawer.getByRole('button', { name: 'Restore this text' }).click();
      await drawer.waitFor({ state: 'detached' });
      assert.equal(await page.getByLabel('Text in Markdown').inputValue(), written);
      assert.equal((await read(service, id)).bodyMd, written);
      assert.deepEqual(faults, []);
    },
  );

  await t.test('the sheet for publishing says what will happen, and asks when it is not certain', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    await openDraft(page, service, tagged);
    await page.getByRole('button', { name: 'Publish' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByText(/A page of this service and its feeds\. These notes were not published there yet/).waitFor();
    await auditBoth(page, 'publish sheet', 'dialog');
    // No real channel of the test is uncertain, so the reply is changed on its way.
    await page.route('**/api/publish', async (route) => {
      const { body } = await service.api('POST', '/api/publish', { draftId: tagged, channel: 'hosted' });
      await route.fulfill({ status: 201, json: { ...body, status: 'failed', outcomeUnknown: true } });
    });
    await sheet.getByRole('checkbox', { name: /Hosted page/ }).check();
    await sheet.getByRole('button', { name: 'Publish' }).click();
    const question = sheet.getByRole('region', { name: 'Is it there?' });
    await question.waitFor();
    assert.match((await question.getByRole('link').getAttribute('href')) ?? '', /\/notes\//);
    await auditBoth(page, 'is it there', 'dialog');
    await question.getByRole('button', { name: 'No, send it again' }).click();
    await sheet.getByText('published', { exact: true }).waitFor();
    await sheet.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Publish' }).click();
    await sheet.getByText(/Replaces the text there: revision \d+ was published/).waitFor();
    await page.keyboard.press('Escape');
    await page.route('**/api/publications?*', async (route) => {
      const { body } = await service.api('GET', `/api/publications?draftId=${tagged}`);
      for (const each of body.publications) each.outcomeUnknown = true;
      await route.fulfill({ json: body });
    });
    await page.route('**/api/publications/*', async (route) => {
      const { body } = await service.api('GET', new URL(route.request().url()).pathname);
      await route.fulfill({ json: { ...body, outcomeUnknown: true } });
    });
    await page.goto(`${service.url}/app/publications`);
    await page.getByRole('button', { name: 'Details' }).first().click();
    await question.getByRole('button', { name: 'Yes, it is there' }).click();
    await question.getByText('Then there is nothing to do').waitFor();
    assert.deepEqual(faults, []);
  });

  await t.test('500 entries have their links, and hostile texts stay text', async (t) => {
    const { page, faults } = await signedIn(t, browser, service);
    const hostile = '<img src=x onerror="hacked = 1"> [x](javascript:hacked=1) </textarea><script>hacked = 1</script>';
    const many = Array.from(
      { length: 500 },
      (_, i) => `- Change ${i} ${'of words '.repeat(i % 20)}${i === 7 ? hostile : ''} <!-- rn:pr:${i + 1} -->`,
    );
    const bodyMd = `## Fixes\n\n${many.join('\n')}\n`;
    assert.equal((await service.api('PATCH', `/api/drafts/${untagged}`, { bodyMd })).status, 200);
    const field = await openDraft(page, service, untagged);
    assert.equal(await page.locator('.mark').count(), 500);
    assert.ok(Math.max(...((await page.evaluate(offsets)) as number[])) < 6);
    await field.focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('The end.');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), '#500');
    await page.getByText('Saved', { exact: true }).waitFor();
    assert.equal((await read(service, untagged)).bodyMd, `${bodyMd}The end.`);
    const preview = page.getByRole('region', { name: 'Preview' });
    for (const channel of ['office_chat', 'workspace_chat', 'email', 'scm_releases']) {
      await preview.getByLabel('Preview for').selectOption(channel);
      await preview.locator('.message, .preview-head').first().waitFor();
      assert.equal(await preview.locator('img, script, a').count(), 0);
    }
    assert.equal(await page.evaluate('typeof hacked'), 'undefined');
    assert.deepEqual(faults, []);
  });
});
