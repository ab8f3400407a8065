/**
 * Tests the settings of a repository: each field works as described, the defaults change nothing, and no setting can
 * hide a breaking change.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import { compose } from '../../../src/notes/draft/compose.ts';
import { gather } from '../../../src/notes/draft/gather.ts';
import { defaultSettings, type NotesSettings, NotesSettingsSchema } from '../../../src/protocol/notes.ts';
import type { Persona, RangeBounds } from '../../../src/protocol/stored.ts';
import { anIssue, aPull, type Memory, memorySource } from './memory-source.ts';

const all: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 99 };
const personas: Persona[] = ['engineer', 'internal', 'customer'];

function settings(some: object): NotesSettings {
  const filled = Value.Default(NotesSettingsSchema, structuredClone(some));
  assert.ok(Value.Check(NotesSettingsSchema, filled), [...Value.Errors(NotesSettingsSchema, filled)][0]?.message);
  return filled;
}

function headings(memory: Memory, persona: Persona = 'engineer'): string[] {
  return compose(memorySource(memory), all, persona).bodyMd.match(/^## .*/gm) ?? [];
}

const pulls = [
  aPull(1, { labels: ['type: feature'] }),
  aPull(2, { labels: ['type: bug'] }),
  aPull(3, { labels: ['type: breaking'], author: { login: 'Bob', bot: false } }),
  aPull(4, { labels: ['team/graph', 'noise'] }),
];

test('settings give the titles and the order of the sections', () => {
  const own = settings({ order: ['fix'], titles: { fix: 'Mended *things*', breaking: 'Take care' } });
  const { contributors: _, ...rest } = own.engineer;
  const memory = { pulls, settings: { ...own, engineer: { ...rest, contributors: false, newContributors: false } } };
  assert.deepEqual(headings(memory), ['## Mended \\*things\\*', '## Take care', '## Features', '## Other Changes']);
  assert.deepEqual(headings(memory, 'internal'), [
    '## Take care',
    '## Mended \\*things\\*',
    '## Features',
    '## Other Changes',
  ]);
});

test('a label has only the meaning that the settings give it', () => {
  const labels = {
    'Team / Graph': { type: 'feature', area: 'graph', priority: true },
    'type: bug': { type: 'internal' },
  };
  const entries = gather(memorySource({ pulls, settings: settings({ labels }) }), all).entries;
  assert.deepEqual(
    entries.map(({ pull, section, areas, housekeeping }) => [pull?.number, section, areas, housekeeping]),
    [
      [4, 'feature', ['graph'], false],
      [1, 'feature', [], false],
      [2, 'other', [], true],
      [3, 'breaking', [], false],
    ],
  );
});

test('leaves out labels and authors, but no breaking change because of its author', () => {
  const own = settings({ excludedLabels: ['NOISE'], excludedAuthors: ['bob', 'ADA'] });
  const { entries, dropped } = gather(memorySource({ pulls, settings: own }), all);
  assert.deepEqual(
    entries.map(({ pull }) => pull?.number),
    [3],
  );
  assert.deepEqual(dropped, [
    { number: 1, reason: 'author', detail: 'ada' },
    { number: 2, reason: 'author', detail: 'ada' },
    { number: 4, reason: 'label', detail: 'noise' },
  ]);
});

test('short links give references without addresses', () => {
  const { bodyMd } = compose(memorySource({ pulls, settings: settings({ links: 'short' }) }), all, 'engineer');
  assert.match(bodyMd, /^- Change 1 \(#1\) — ada <!-- rn:pr:1 -->$/m);
  assert.doesNotMatch(bodyMd, /https:|@/);
});

test('leaves out the sections that are off for a persona', () => {
  const off = {
    contributors: false,
    newContributors: false,
    directCommits: false,
    closedIssues: false,
    dependencies: false,
  };
  const bump = aPull(5, { title: 'Bump a from 1 to 2', labels: ['dependencies'] });
  const memory = { pulls: [bump, aPull(6)], issues: [anIssue(7)] };
  assert.deepEqual(headings({ ...memory, settings: settings({ engineer: off }) }), ['## Other Changes']);
  assert.deepEqual(headings(memory), ['## Other Changes', '## Closed Issues', '## Dependencies', '## Contributors']);
  const quiet = settings({ internal: { closedIssues: false, risks: false } });
  assert.deepEqual(headings({ ...memory, settings: quiet }, 'internal'), ['## Other Changes']);
});

test('customers get the given number of lines, under the given titles', () => {
  const many = Array.from({ length: 30 }, (_, index) =>
    aPull(index + 1, { labels: [index % 2 ? 'type: bug' : 'type: feature'] }),
  );
  const own = settings({ customer: { bullets: 3, titles: { new: 'Fresh' } } });
  const { bodyMd } = compose(memorySource({ pulls: many, settings: own }), all, 'customer');
  assert.equal(bodyMd.match(/rn:pr:/g)?.length, 3);
  assert.deepEqual(bodyMd.match(/^## .*/gm), ['## Fresh', '## Fixed']);
});

test('rejects settings outside their bounds', () => {
  const fits = (some: object): boolean => Value.Check(NotesSettingsSchema, Value.Default(NotesSettingsSchema, some));
  assert.ok(fits({}));
  assert.deepEqual(settings({}), defaultSettings);
  for (const bad of [
    { order: ['fix', 'fix'] },
    { order: ['nothing'] },
    { titles: { fix: '' } },
    { titles: { fix: ' ' } },
    { titles: { fix: 'a\nb' } },
    { titles: { fixes: 'a' } },
    { labels: { '': {} } },
    { labels: { x: { type: 'bug' } } },
    { links: 'none' },
    { customer: { bullets: -1 } },
    { excludedLabels: [''] },
    { more: true },
  ]) {
    assert.ok(!fits(bad), JSON.stringify(bad));
  }
});

const drawn = fc.record({
  order: fc.uniqueArray(fc.constantFrom('fix', 'feature', 'other', 'dependencies', 'breaking', 'issues'), {
    maxLength: 4,
  }),
  labels: fc.dictionary(
    fc.constantFrom('type: feature', 'own', 'type: bug'),
    fc.record({ type: fc.constantFrom('feature', 'internal', 'dependency'), priority: fc.boolean() }),
  ),
  excludedAuthors: fc.subarray(['ada', 'bob']),
  customer: fc.record({ bullets: fc.integer({ min: 1, max: 5 }) }),
});

test('every breaking change is in all drafts with any settings', () => {
  fc.assert(
    fc.property(
      drawn,
      fc.array(fc.subarray(['type: breaking', 'type: feature', 'own', 'type: bug', 'dependencies']), { maxLength: 12 }),
      (some, labels) => {
        const changes = labels.map((each, index) =>
          aPull(index + 1, { labels: each, author: { login: index % 2 ? 'ada' : 'bob', bot: false } }),
        );
        const own = settings(some);
        for (const persona of personas) {
          const title = persona === 'customer' ? own.customer.titles.breaking : own.titles.breaking;
          const { bodyMd } = compose(memorySource({ pulls: changes, settings: own }), all, persona);
          const section = bodyMd.split(/^## /m).find((part) => part.startsWith(title)) ?? '';
          const shown = [...section.matchAll(/rn:pr:(\d+)/g)].map((match) => Number(match[1]));
          const expected = changes.filter((pull) => pull.labels.includes('type: breaking')).map(({ number }) => number);
          assert.deepEqual(
            shown.sort((a, b) => a - b),
            expected,
            persona,
          );
        }
      },
    ),
    { numRuns: 300 },
  );
});
