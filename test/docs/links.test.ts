/**
 * Tests the documents: links lead to existing headings, mentioned settings exist, and the set-up steps for GitHub
 * mention every captured event.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { settingEntries } from '../../config/load.ts';
import { knownEvents } from '../../src/intake/events.ts';
import { anchorsOf } from '../helpers/anchors.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const list = (folder: string): string[] => readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));
const documents = new Map(
  [...list('.'), ...list('docs').map((name) => `docs/${name}`), ...list('sdk').map((name) => `sdk/${name}`)].map(
    (path) => [path, readFileSync(join(root, path), 'utf8')],
  ),
);

test('documents link to headings that exist', () => {
  let links = 0;
  for (const [path, text] of documents) {
    for (const [, target = '', anchor = ''] of text.matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)) {
      const document = target === '' ? path : normalize(join(path, '..', target));
      assert.ok(anchorsOf(documents.get(document) ?? '').has(anchor), `${path} links to ${document}#${anchor}`);
      links += 1;
    }
  }
  assert.ok(links > 50);
});

test('the handbooks of operators name settings that exist', () => {
  const known = new Set([...settingEntries.map(({ env }) => env), 'TIDINGS_CONFIG']);
  for (const path of ['docs/operations.md', 'docs/hosts.md']) {
    const named = [...(documents.get(path) ?? '').matchAll(/\bTIDINGS_[A-Z][A-Z_]*[A-Z]\b(?![_*])/g)].map(
      ([name]) => name,
    );
    assert.ok(named.length > 5, path);
    // These two names are not settings. Kubernetes sets the variable TIDINGS_SERVICE_HOST, and TIDINGS_DIRECTORY is the
    // name of the stream of the directory partition.
    const others = named.filter((name) => !known.has(name) && !/^TIDINGS_(SERVICE_HOST|DIRECTORY)$/.test(name));
    assert.deepEqual(others, [], path);
  }
});

/** Maps each captured event to its name in GitHub's settings form for webhooks. */
const githubNames: Record<string, string> = {
  pull_request: 'Pull requests',
  issues: 'Issues',
  push: 'Pushes',
  create: 'Branch or tag creation',
  delete: 'Branch or tag deletion',
  issue_comment: 'Issue comments',
  pull_request_review: 'Pull request reviews',
  pull_request_review_comment: 'Pull request review comments',
  repository: 'Repositories',
  label: 'Labels',
};
/**
 * Events that GitHub's form does not list. GitHub always sends some of these events, such as `ping`. The events about
 * reviews have these names only on Gitea.
 */
const unasked = /^(ping|other|installation\w*|pull_request_(approved|rejected|comment))$/;

test('the steps for GitHub name every captured event', () => {
  const text = (documents.get('docs/hosts.md') ?? '').replace(/\s+/g, ' ');
  for (const event of knownEvents) {
    if (unasked.test(event)) continue;
    const name = githubNames[event];
    assert.ok(name !== undefined && text.includes(name), `docs/hosts.md names ${event}`);
  }
});
