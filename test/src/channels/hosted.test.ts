/**
 * Tests the conversion of a draft to a page of the service.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hosted } from '../../../src/channels/hosted.ts';
import { hostContext, sampleNote } from '../../helpers/host-note.ts';

const url = 'https://notes.test/notes/acme/rocket/v2.0.0';
const inside = { ...sampleNote().repository, private: true };

test('headings begin below the heading of the page', () => {
  const html = (bodyMd: string): string => hosted.render(sampleNote({ bodyMd }), {}).page.html;
  assert.equal(html('# One\n\n## Two'), '<h2>One</h2>\n<h3>Two</h3>');
  assert.equal(html('### Three\n\n#### Four'), '<h2>Three</h2>\n<h3>Four</h3>');
  assert.equal(html('Text <!-- rn:pr:1 -->'), '<p>Text</p>');
});

test('customers get no address of a private repository', () => {
  const bodyMd = `[words](${inside.url}/pull/1) ${inside.url}/pull/2`;
  const page = (persona: 'customer' | 'engineer') =>
    hosted.render(sampleNote({ bodyMd, persona, repository: inside }), {}).page.html;
  assert.doesNotMatch(page('customer'), /host\.test/);
  assert.match(page('customer'), /words/);
  assert.match(page('engineer'), /<a href="https:\/\/host\.test\/acme\/rocket\/pull\/1"/);
});

test('a page fits into a record, whatever it contains', () => {
  const entries = Array.from({ length: 9000 }, (_, i) => `- ${'"<&>"'.repeat(20)} ${i} <!-- rn:pr:${i} -->`);
  const bodyMd = `## Highlights\n\n- Fast\n\n## Features\n\n${entries.join('\n')}\n`;
  const { page } = hosted.render(sampleNote({ bodyMd }), {});
  assert.ok(Buffer.byteLength(JSON.stringify(page)) < 1_600_000);
  assert.match(page.html, /<h2>Highlights<\/h2>\n<ul>\n<li>Fast<\/li>/);
  assert.match(page.html, /<p><a href="[^"]+compare[^"]+"[^>]*>\d+ more changes<\/a><\/p>$/);
});

test('the excerpt of a page is one bounded line', () => {
  const bodyMd = `- Fast\u202e start\n- ${'🚀'.repeat(400)}\n`;
  const { excerpt = '' } = hosted.render(sampleNote({ bodyMd }), {}).page;
  assert.ok(excerpt.startsWith('Fast start · 🚀') && excerpt.endsWith('🚀…'));
  assert.ok(excerpt.length <= 300 && excerpt.isWellFormed());
});

test('a page has the marks that its headings name, in a fixed order', () => {
  const marksOf = (bodyMd: string) => hosted.render(sampleNote({ bodyMd }), {}).page.marks;
  const body =
    '## 🐛 Bug Fixes\n\n- a\n\n## New Contributors\n\n- b\n\n## **Action required**\n\n- c\n\n## Fixed\n\n- d\n';
  assert.deepEqual(marksOf(body), ['breaking', 'fixed']);
  assert.deepEqual(marksOf('## What’s new\n\n### ui\n\n- a\n\n## Security\n\n- b\n'), ['security', 'new']);
  assert.equal(marksOf('## Features\n\n## Fixed\n'), undefined, 'an editor removed the entries below the headings');
  assert.equal(marksOf('New\n\n- Breaking\n'), undefined);
});

test('a page is delivered with its address, and refused when no one may see it', async () => {
  const payload = hosted.render(sampleNote({ pageUrl: url }), {});
  const delivered = await hosted.deliver(payload, hostContext(null, {}));
  assert.deepEqual([delivered.url, delivered.page?.version, delivered.page?.persona], [url, 'v2.0.0', 'engineer']);
  const hidden = hosted.render(sampleNote(), {});
  await assert.rejects(hosted.deliver(hidden, hostContext(null, {})), { outcome: 'refused', message: /are off/ });
  await assert.rejects(hosted.test(hostContext(null, { visibility: 'unlisted' as const })), { outcome: 'refused' });
});
