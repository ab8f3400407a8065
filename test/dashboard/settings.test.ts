/** Tests the logic of the form of the notes settings: defaults, order, lists, differences, merges, marks of the example. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  defaultSettings,
  differences,
  firstOf,
  freeLabels,
  isSame,
  linesToList,
  markedLines,
  merged,
  moved,
  partNames,
  partOf,
  partSummary,
  parts,
  pathWords,
  valueWords,
  wholeOrder,
  withPart,
} from '../../dashboard/text/settings.ts';
import { certainty, diagnosticsWords } from '../../dashboard/text/words.ts';
import type { NotesSettings } from '../../sdk/index.ts';
import { defaultSettings as ofService } from '../../src/protocol/notes.ts';
import { unifiedDiff } from '../../workers/render/unified-diff.ts';

test('the defaults are those of the service, and each field belongs to one part', () => {
  assert.deepEqual(defaultSettings, ofService);
  const fields = partNames.flatMap((name) => parts[name].fields as readonly string[]);
  assert.deepEqual([...fields].sort(), Object.keys(ofService).sort());
  for (const name of partNames) assert.ok(isSame(withPart(defaultSettings, name, defaultSettings), defaultSettings));
});

test('an order of sections is stored as the shortest list that gives it', () => {
  const usual = wholeOrder([]);
  assert.equal(usual.length, 11);
  assert.deepEqual(firstOf(usual), []);
  assert.deepEqual(firstOf(moved(usual, usual.indexOf('security'), -2)), ['breaking', 'security']);
  fc.assert(
    fc.property(fc.shuffledSubarray(usual, { minLength: 11, maxLength: 11 }), (order) => {
      assert.deepEqual(wholeOrder(firstOf(order)), order);
    }),
  );
});

test('an item moves by places, and stays at the ends of the list', () => {
  assert.deepEqual(moved(['a', 'b', 'c'], 2, -1), ['a', 'c', 'b']);
  assert.deepEqual(moved(['a', 'b', 'c'], 0, -1), ['a', 'b', 'c']);
  assert.deepEqual(moved(['a', 'b', 'c'], 2, 1), ['a', 'b', 'c']);
});

test('a list has one item per line, without blank lines and duplicates', () => {
  assert.deepEqual(linesToList(' bot \n\nrenovate, inc\r\nbot\n'), ['bot', 'renovate, inc']);
  assert.deepEqual(linesToList('\n'), []);
});

test('differences name each title and each label, whatever its name is', () => {
  const labels = JSON.parse('{"__proto__": {"skip": true}, "a.b": {"type": "fix", "area": "x"}}');
  const now = {
    ...defaultSettings,
    labels,
    titles: { ...defaultSettings.titles, fix: 'Mended' },
    order: ['fix'] as const,
  };
  const found = differences(defaultSettings, now);
  assert.deepEqual(
    found.map(({ path }) => path),
    [['order'], ['titles', 'fix'], ['labels', '__proto__'], ['labels', 'a.b']],
  );
  assert.deepEqual(found.map(({ path }) => pathWords(path)).slice(1), [
    'the title of “Fixes”',
    'the label “__proto__”',
    'the label “a.b”',
  ]);
  assert.deepEqual(
    found.map(({ after }) => valueWords(after)),
    ['fix', 'Mended', 'skip', 'type fix, area x'],
  );
  assert.ok(isSame({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 }));
  assert.ok(!isSame([1, 2], [2, 1]));
});

test('a merge keeps what both sides changed, and prefers mine', () => {
  const base: NotesSettings = { ...defaultSettings, labels: { old: { skip: true }, both: { area: 'a' } } };
  const mine: NotesSettings = { ...base, labels: { both: { area: 'mine' } }, links: 'short' as const };
  const theirs = {
    ...base,
    labels: { ...base.labels, both: { area: 'theirs' }, added: {} },
    titles: { ...base.titles, fix: 'Mended' },
  };
  const both = merged(base, mine, theirs);
  assert.deepEqual(both.labels, { both: { area: 'mine' }, added: {} });
  assert.deepEqual([both.links, both.titles.fix], ['short', 'Mended']);
  assert.deepEqual(merged(base, base, theirs), theirs);
  assert.deepEqual(merged(base, mine, base), mine);
});

test('a merge sets and removes labels with the names of built-in properties', () => {
  const named = { ...defaultSettings, labels: JSON.parse('{"__proto__": {"skip": true}}') };
  assert.deepEqual(Object.keys(merged(defaultSettings, named, defaultSettings).labels), ['__proto__']);
  assert.deepEqual(Object.keys(merged(named, defaultSettings, named).labels), []);
});

test('each part says its state in one line', () => {
  const settings = { ...defaultSettings, strictPublishing: true, excludedAuthors: ['bot'], labels: { infra: {} } };
  assert.deepEqual(
    partNames.map((name) => partSummary(name, settings)),
    [
      'the usual order and titles',
      '1 label with a meaning of its own',
      '0 labels, 1 author, 11 hidden areas',
      'as usual',
      'publishes only without conflicts',
      'as the changes require',
      'off',
    ],
  );
  const titles = { ...defaultSettings.titles, fix: 'Mended' };
  assert.equal(partSummary('sections', { ...settings, titles }), 'changed: the title of “Fixes”');
  assert.equal(partOf('customer.titles.new'), 'readers');
  assert.equal(partOf('body'), undefined);
});

test('every setting has words', () => {
  const leaves = (value: object, path: string[] = []): string[][] =>
    Object.entries(value).flatMap(([name, inner]) =>
      typeof inner === 'object' && !Array.isArray(inner) ? leaves(inner, [...path, name]) : [[...path, name]],
    );
  for (const path of leaves(defaultSettings)) assert.notEqual(pathWords(path), path.join('.'), path.join('.'));
});

test('the marked lines are the whole new text with the lines that are gone', () => {
  const line = fc.constantFrom('## Fixes', '', '- a <!-- rn:pr:1 -->', '- b', '- c', '+ d', '- - e', '@@ -1 +1 @@');
  const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.map((each) => `${each}\n`).join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { diff } = unifiedDiff({ name: 'stored', text: before }, { name: 'given', text: after });
      const lines = markedLines(after, diff);
      const side = (sign: '+' | '-') => lines.filter((each) => each.sign === ' ' || each.sign === sign);
      const shown = (of: string) => of.replace(/\n$/, '').replaceAll(' <!-- rn:pr:1 -->', '').split('\n');
      if (after !== '')
        assert.deepEqual(
          side('+').map((each) => each.text),
          shown(after),
        );
      if (before !== '' && after !== '')
        assert.deepEqual(
          side('-').map((each) => each.text),
          shown(before),
        );
    }),
  );
});

test('labels without a meaning are offered by frequency', () => {
  const pulls = [{ labels: ['infra', 'Bug'] }, { labels: ['infra', 'docs'] }, { labels: ['docs', 'infra', 'bug'] }];
  assert.deepEqual(freeLabels(pulls, ['BUG']), ['infra', 'docs']);
});

test('a range says how sure its content is', () => {
  const word = (fields: Partial<Parameters<typeof certainty>[0]>) =>
    certainty({ type: 'TAG_BASED', resolution: 'commits', ...fields }).word;
  assert.deepEqual(
    [word({}), word({ assumed: true }), word({ resolution: 'window' }), word({ resolution: 'compare' })],
    ['certain', 'likely', 'estimated', 'certain'],
  );
  assert.equal(word({ type: 'PR_BASED', resolution: 'window' }), 'as chosen');
  const diagnostics = {
    changes: 8,
    dependencyUpdates: 0,
    unlabelled: 2,
    unlabelledRate: 0.25,
    withoutArea: 0,
    undecided: 1,
    mayBreak: 0,
  };
  assert.equal(
    diagnosticsWords(diagnostics),
    '8 changes in the notes, 2 without a label that says its kind, 1 without any sign of its kind.',
  );
});
