/**
 * Reads commands from comments: which lines are commands, whose commands count, and which of several commands counts.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsIn, mayCommand, mayHaveCommands, readCommands } from '../../../../src/notes/change/commands.ts';
import type { Association } from '../../../../src/protocol/stored.ts';
import { aRepository } from '../memory-source.ts';

const repository = aRepository();

function said(body: string, association: Association | null = 'MEMBER', login = 'ada') {
  return { body, association, author: { login, bot: false } };
}

test('each command is a line of its own', () => {
  assert.deepEqual(commandsIn('/note Exports keep their order.'), { note: 'Exports keep their order.' });
  assert.deepEqual(commandsIn('Thanks!\r\n\r\n  /kind fix  \r\n/area ui\r\n/highlight'), {
    ...{ kind: 'fix', area: 'ui', highlight: true },
  });
  assert.deepEqual(commandsIn('/NOTE Use `foo()` instead of `bar`'), { note: 'Use `foo()` instead of `bar`' });
  assert.deepEqual(commandsIn('/note\tTabs work'), { note: 'Tabs work' });
});

test('`/note none` leaves the change out', () => {
  for (const text of ['none', 'NONE', 'n/a', 'None.'])
    assert.deepEqual(commandsIn(`/note ${text}`), { note: null }, text);
  assert.deepEqual(commandsIn('/note none of the exports is empty'), { note: 'none of the exports is empty' });
});

test('the kinds of the house and their usual words are known', () => {
  const kinds = {
    ...{ fix: 'fix', Bug: 'fix', feature: 'feature', feat: 'feature', breaking: 'breaking', docs: 'documentation' },
    ...{ security: 'security', performance: 'performance', perf: 'performance', documentation: 'documentation' },
    ...{ internal: 'internal', chore: 'internal', dependency: 'dependency' },
  };
  for (const [word, kind] of Object.entries(kinds)) assert.deepEqual(commandsIn(`/kind ${word}`), { kind }, word);
  for (const word of ['unicorn', 'revert', 'wip', 'fix it', '', '__proto__', 'constructor'])
    assert.deepEqual(commandsIn(`/kind ${word}`), {}, word);
});

test('a command in a quotation, in code, in a comment or in a sentence does not count', () => {
  for (const body of [
    'Write /note none to leave it out.',
    'See:/note none',
    '> /note none',
    '> I would write\n/note none',
    '>> deep\nlazy\n/note none\n',
    '```\n/note none\n```',
    '~~~md\n/note none\n~~~',
    '```\n/note none',
    '`/note none`',
    '`a\n/note none\nb`',
    '    /note none',
    '\t/note none',
    '<!-- \n/note none\n-->',
    '- /note none',
    '1. /note none',
    '# /note none',
    '//note none',
    '/notes none',
    '/note: none',
    '/note',
    '/area',
    '/highlight this',
    '\\/note none',
  ]) {
    assert.deepEqual(commandsIn(body), {}, JSON.stringify(body));
  }
  assert.deepEqual(commandsIn('> quoted\n\n/note none'), { note: null });
  assert.deepEqual(commandsIn('```\ncode\n```\n/note none'), { note: null });
});

test('a text without a command is recognized quickly', () => {
  assert.equal(mayHaveCommands('Please see /notes and a/note'), false);
  assert.equal(mayHaveCommands('Thanks\n/Highlight'), true);
});

test('an area is one short line', () => {
  assert.equal(commandsIn(`/area ${'x'.repeat(500)}`).area?.length, 100);
  assert.equal(commandsIn(`/area ${'x'.repeat(99)}😀`).area?.isWellFormed(), true);
});

test('the last command of each name counts', () => {
  const comments = [
    said('/note First\n/kind fix'),
    said('/note Second\n/note Third'),
    said('/kind unicorn'),
    said('No command'),
    said('/area ui'),
  ];
  assert.deepEqual(readCommands(comments, repository), { note: 'Third', kind: 'fix', area: 'ui' });
  assert.deepEqual(readCommands([...comments, said('/note none')], repository).note, null);
  assert.deepEqual(readCommands([], repository), {});
});

test('only commands of people with write access count', () => {
  const mine = (association: Association | null, login?: string) =>
    mayCommand(said('', association, login), repository);
  for (const writer of ['OWNER', 'MEMBER', 'COLLABORATOR'] as const) assert.equal(mine(writer), true, writer);
  for (const other of ['CONTRIBUTOR', 'FIRST_TIME_CONTRIBUTOR', 'FIRST_TIMER', 'MANNEQUIN', 'NONE'] as const)
    assert.equal(mine(other, 'acme'), false, other);
  assert.deepEqual([mine(null, 'ada'), mine(null, 'Acme')], [false, true]);
  assert.equal(mayCommand({ author: { login: 'acme', bot: false } }, repository), false, 'an earlier version');
  assert.equal(mayCommand({ author: { login: 'tidy[bot]', bot: true }, association: 'MEMBER' }, repository), false);
  assert.deepEqual(readCommands([said('/kind fix'), said('/kind feature', 'NONE')], repository), { kind: 'fix' });
});
