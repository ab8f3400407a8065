/** Tests which texts of fixes get the word "Fix" before them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify } from '../../../../src/notes/change/classify.ts';
import { aPull } from '../memory-source.ts';

function textOf(title: string): string {
  return classify(aPull(1, { title }), []).text;
}

test('"Fix" is put before the name of a thing that was repaired', () => {
  for (const [title, text] of [
    ['fix: CAPD on rootless podman', 'Fix CAPD on rootless podman'],
    ['fix(types): addRoute type signature', 'Fix addRoute type signature'],
    ['🐛 `parse()` of an empty list', 'Fix `parse()` of an empty list'],
    ['[BUGFIX] promql: UTF-8 handling', 'Fix UTF-8 handling'],
    ['fix: .env in a folder', 'Fix .env in a folder'],
    ['fix: src/app.ts in a folder', 'Fix src/app.ts in a folder'],
    ['fix: NPE in the parser', 'Fix NPE in the parser'],
  ])
    assert.equal(textOf(title as string), text, title);
});

test('clauses, commands, plain words and other kinds stay as they are', () => {
  for (const [title, text] of [
    ['fix: acme.Run is slow', 'acme.Run is slow'],
    ['fix: ReadableStream.locked crashes the server', 'ReadableStream.locked crashes the server'],
    ['fix: CSV export skips the last row', 'CSV export skips the last row'],
    ['fix: DNS lookups block the loop', 'DNS lookups block the loop'],
    ['fix: JSON.stringify handles BigInt', 'JSON.stringify handles BigInt'],
    ['fix: addRoute should refuse null', 'addRoute should refuse null'],
    ['fix: add/remove the listener in order', 'add/remove the listener in order'],
    ['fix: URL-encode the query', 'URL-encode the query'],
    ['fix: UPDATE the list', 'UPDATE the list'],
    ['fix: parseUrl in a text of very many words here', 'parseUrl in a text of very many words here'],
    ['fix: `departure_board` の時刻', '`departure_board` の時刻'],
    ['fix: npm workspaces', 'npm workspaces'],
    ['fix: double hook execution', 'Double hook execution'],
    ['fix: v1.2.3', 'v1.2.3'],
    ['feat: addRoute type signature', 'addRoute type signature'],
    ['fix(deps): @acme/tls2 in the image', '@acme/tls2 in the image'],
  ])
    assert.equal(textOf(title as string), text, title);
});
