/**
 * Tests the title and text that readers of a channel see: a title is one line, and customers see no address of a
 * private repository.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksOf, readOnUrl, titleOf } from '../../../../src/channels/text/note-text.ts';
import { aNote } from '../../../helpers/delivery.ts';

const note = aNote();
const inside = { ...note.repository, private: true };
const body = [
  'See [the change](https://git.example/LanternHouse/shoebox/pull/1) and <https://git.example/lanternhouse/shoebox/issues/2>.',
  '**[Bold](https://git.example/lanternhouse/shoebox?tab=x)**, https://git.example/lanternhouse/shoebox/wiki too,',
  '[elsewhere](https://git.example/lanternhouse/shoebox-docs) and `git clone https://git.example/lanternhouse/shoebox.git`',
  '\n```\ncurl https://git.example/lanternhouse/shoebox/raw/x\n```',
].join('\n');

test('customers get no addresses of a private repository', () => {
  const text = JSON.stringify(blocksOf({ persona: 'customer', repository: inside, bodyMd: body }));
  assert.doesNotMatch(text, /shoebox(?!-docs)/i);
  assert.match(text, /the change/);
  assert.match(text, /Bold/);
  assert.match(text, /git\.example\/lanternhouse\/shoebox-docs/);
});

test('colleagues, and customers of a public repository, keep the addresses', () => {
  for (const fields of [
    { persona: 'engineer' as const, repository: inside },
    { persona: 'customer' as const, repository: note.repository },
  ]) {
    assert.match(JSON.stringify(blocksOf({ ...fields, bodyMd: body })), /shoebox\/issues\/2/);
  }
});

test('readers get an address that they can open', () => {
  const customer = { ...note, persona: 'customer' as const, repository: inside };
  assert.equal(readOnUrl(customer), null);
  assert.equal(readOnUrl({ ...customer, pageUrl: 'https://notes.example/v2' }), 'https://notes.example/v2');
  assert.equal(readOnUrl(note), note.compareUrl);
  assert.equal(readOnUrl({ ...note, compareUrl: null }), note.repository.url);
});

test('a title becomes one line of plain text', () => {
  assert.equal(titleOf({ ...note, version: ' v1\n<b>\u202Ex\u0000 ' }), 'shoebox v1 <b>x');
  assert.equal(titleOf({ ...note, version: 'x'.repeat(1_000) }).length, 300);
});
