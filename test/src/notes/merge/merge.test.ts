/**
 * Tests merging of a person's edits into a newly generated draft. Some tests use fixed examples. Other tests combine
 * random edits by the person with random changes in the new draft.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { parseDraft, writeDraft } from '../../../../src/notes/merge/blocks.ts';
import { restore, shorten } from '../../../../src/notes/merge/equal-runs.ts';
import { mergeBodies, mergeDrafts } from '../../../../src/notes/merge/merge.ts';
import type { Persona } from '../../../../src/protocol/stored.ts';
import { aPull, memorySource } from '../memory-source.ts';

const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 99 } as const;

interface Change {
  number: number;
  type: string;
  area: string;
  word: number;
}

function draft(changes: readonly Change[], persona: Persona = 'engineer'): string {
  const pulls = changes.map(({ number, type, area, word }) =>
    aPull(number, { title: `Change ${number} word ${word}`, labels: [type, area].filter((label) => label !== '') }),
  );
  return compose(memorySource({ pulls }), bounds, persona).bodyMd;
}

function change(number: number, type = 'type: bug', area = '', word = 0): Change {
  return { number, type, area, word };
}

function countOf(body: string, id: number): number {
  return body.split(`<!-- rn:pr:${id} -->`).length - 1;
}

test('takes the new draft whole when nothing was edited', () => {
  const base = draft([change(1)]);
  const next = draft([change(1), change(2)]);
  assert.equal(mergeBodies(base, base, next), next);
  assert.equal(mergeBodies(base, base.replaceAll('\n', '\r\n'), next), next);
});

test('keeps the edited draft when nothing new was generated', () => {
  const base = draft([change(1)]);
  assert.equal(mergeBodies(base, `${base}\nMy words\n`, base), `${base}\nMy words\n`);
});

test('keeps an edited entry and adds a new one once', () => {
  const base = draft([change(1), change(3)]);
  const edited = base.replace('Change 1 word 0', 'My own words');
  const merged = mergeBodies(base, edited, draft([change(1), change(2), change(3)]));
  assert.match(merged, /My own words/);
  assert.equal(countOf(merged, 1), 1);
  assert.equal(countOf(merged, 2), 1);
  assert.ok(merged.indexOf('rn:pr:1 ') < merged.indexOf('rn:pr:2 '));
  assert.ok(merged.indexOf('rn:pr:2 ') < merged.indexOf('rn:pr:3 '));
  assert.equal(
    mergeBodies(draft([change(1), change(2), change(3)]), merged, draft([change(1), change(2), change(3)])),
    merged,
  );
});

test('drops an unchanged entry that is gone and keeps an edited one', () => {
  const base = draft([change(1), change(2), change(3)]);
  const merged = mergeBodies(base, base.replace('Change 2', 'My second'), draft([change(3)]));
  assert.equal(countOf(merged, 1), 0);
  assert.match(merged, /My second/);
  assert.equal(countOf(merged, 3), 1);
});

test('keeps the words of the person where both changed an entry', () => {
  const base = draft([change(1), change(2)]);
  const merged = mergeBodies(
    base,
    base.replace('Change 1', 'My first'),
    draft([change(1, 'type: bug', '', 5), change(2)]),
  );
  assert.match(
    merged,
    /My first word 0 .* <!-- rn:pr:1 -->\n {2}<!-- rn:new\n {2}- Change 1 word 5 .*ada\)\n {2}-->\n/,
  );
  assert.equal(countOf(merged, 1), 1);
});

test('lists only the newest words, once, and none that the person copied', () => {
  const drafts = [0, 5, 6].map((word) => draft([change(1, 'type: bug', '', word), change(2)]));
  const [base = '', second = '', third = ''] = drafts;
  const once = mergeBodies(base, base.replace('Change 1', 'My first'), second);
  const twice = mergeBodies(second, once, third);
  assert.equal(twice.split('<!-- rn:new').length, 2);
  assert.match(twice, /My first word 0[\s\S]*word 6/);
  assert.doesNotMatch(twice, /word 5/);
  const taken = once.replace('My first word 0', 'Change 1 word 6');
  assert.doesNotMatch(mergeBodies(second, taken, third), /rn:new/);
});

test('lists what is new in prose that the person rewrote', () => {
  const base = draft([change(1)]);
  const next = draft([change(1), change(2)]).replace('\n[@ada]', '\n[@bob](https://scm.example/bob), [@ada]');
  const merged = mergeBodies(base, base.replace('\n[@ada](', '\nThanks to [@ada]('), next);
  assert.match(merged, /## Contributors\n\nThanks to \[@ada\].*\n\n<!-- rn:new\n\[@bob\].*\n-->\n/);
});

test('does not restore what the person removed', () => {
  const base = draft([change(1), change(2)]);
  const edited = base
    .split('\n')
    .filter((line) => !line.includes('rn:pr:2 '))
    .join('\n');
  const merged = mergeBodies(base, edited, draft([change(1), change(2), change(3)]));
  assert.equal(countOf(merged, 2), 0);
  assert.equal(countOf(merged, 3), 1);
});

test('moves an unchanged entry with its new section', () => {
  const base = draft([change(1), change(2)]);
  const edited = base.replace('Change 1', 'My first');
  const merged = mergeBodies(base, edited, draft([change(1), change(2, 'type: feature')]));
  const [features] = parseDraft(merged).filter(({ key }) => key === '## Features');
  assert.equal(features?.blocks[0]?.id, 'pr:2');
  assert.equal(countOf(merged, 2), 1);
});

test('adds new entries under a heading the person renamed', () => {
  const base = draft([change(1), change(2)]);
  const merged = mergeBodies(
    base,
    base.replace('## Bug Fixes', '## What no longer hurts'),
    draft([change(1), change(2), change(3)]),
  );
  assert.doesNotMatch(merged, /## Bug Fixes/);
  assert.ok(merged.indexOf('rn:pr:3 ') > merged.indexOf('What no longer hurts'));
});

test('keeps paragraphs and code the person wrote anywhere', () => {
  const base = draft([change(1), change(2)]);
  const mine = 'Read this first.\n\n```sh\n# not a heading\n\n- not an entry <!-- rn:pr:1 -->\n```\n\n';
  const merged = mergeBodies(base, mine + base, draft([change(1, 'type: feature'), change(4)]));
  assert.ok(merged.startsWith(mine.trimEnd()));
  assert.equal(countOf(merged, 4), 1);
});

test('paragraphs stay apart when the entry between them is gone', () => {
  const base = '- a <!-- rn:pr:1 -->\n';
  const mine = 'first para\n- a <!-- rn:pr:1 -->\nsecond para\n';
  assert.match(mergeBodies(base, mine, '- b <!-- rn:pr:2 -->\n'), /first para\n\n/);
  assert.equal(mergeBodies(base, mine, ''), 'first para\n\nsecond para\n');
  assert.equal(mergeBodies(base, mine.replace('first para\n', 'first para\n\n'), ''), 'first para\n\nsecond para\n');
});

test('follows the new draft in lists that have no markers', () => {
  const base = draft([change(1)]);
  const next = draft([change(1), change(2)]).replace('\n[@ada]', '\n[@bob](https://scm.example/bob), [@ada]');
  const merged = mergeBodies(base, base.replace('Change 1', 'My first'), next);
  assert.match(merged, /## Contributors\n\n.*@bob/);
});

test('splits drafts into blocks and joins them unchanged', () => {
  const text = fc.array(fc.constantFrom('## A', '### b', '- x <!-- rn:pr:1 -->', '  more', '', 'prose', '```', '> q'), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(text, (lines) => {
      const body = `${lines.join('\n')}`.replace(/^\n+|\n+$/g, '');
      assert.equal(writeDraft(parseDraft(body)), `${body}\n`);
    }),
  );
});

const changes = fc.uniqueArray(
  fc.record({
    number: fc.integer({ min: 1, max: 20 }),
    type: fc.constantFrom('type: bug', 'type: feature', 'type: breaking', ''),
    area: fc.constantFrom('area: ui', 'area: core', ''),
    word: fc.integer({ min: 0, max: 2 }),
  }),
  { selector: ({ number }) => number, maxLength: 14 },
);
const edits = fc.array(
  fc.record({
    kind: fc.constantFrom('words', 'delete', 'move', 'paragraph', 'rename', 'nested'),
    at: fc.nat(60),
    to: fc.nat(60),
  }),
  { minLength: 1, maxLength: 8 },
);

/**
 * Makes edits that a person may make to a draft, line by line. The words that the person adds are `mine0x`, `mine1x`
 * and so on.
 */
function edit(body: string, steps: { kind: string; at: number; to: number }[]): { edited: string; words: string[] } {
  const lines = body.trimEnd().split('\n');
  const words: string[] = [];
  steps.forEach(({ kind, at, to }, index) => {
    const word = `mine${index}x`;
    const entries = lines.flatMap((line, position) => (line.includes('<!-- rn:pr:') ? [position] : []));
    const headings = lines.flatMap((line, position) => (line.startsWith('## ') ? [position] : []));
    const entry = entries[at % Math.max(entries.length, 1)];
    if (kind === 'paragraph') lines.splice(at % (lines.length + 1), 0, '', word, '');
    else if (kind === 'rename' && headings.length > 0) lines[headings[at % headings.length] as number] += ` ${word}`;
    else if (entry === undefined) return;
    else if (kind === 'words') lines[entry] = (lines[entry] as string).replace(' (', ` ${word} (`);
    else if (kind === 'nested') lines.splice(entry + 1, 0, `  - ${word}`);
    else if (kind === 'delete') lines.splice(entry, 1);
    else if (kind === 'move') lines.splice(to % lines.length, 0, ...lines.splice(entry, 1));
    if (['paragraph', 'words', 'nested', 'rename'].includes(kind)) words.push(word);
  });
  const edited = `${lines.join('\n')}\n`;
  return { edited, words: words.filter((word) => edited.includes(word)) };
}

test('loses no words of a person and adds each new entry once', () => {
  fc.assert(
    fc.property(
      changes,
      changes,
      edits,
      fc.constantFrom<Persona>('engineer', 'internal', 'customer'),
      (before, after, steps, persona) => {
        const base = draft(before, persona);
        const next = draft(after, persona);
        const { edited, words } = edit(base, steps);
        const merged = mergeBodies(base, edited, next);
        for (const word of words) assert.equal(merged.split(word).length, edited.split(word).length, `lost ${word}`);
        for (let id = 1; id <= 20; id += 1) {
          const [was, mine, now] = [countOf(base, id), countOf(edited, id), countOf(next, id)];
          const result = countOf(merged, id);
          if (was === 0 && mine === 0) assert.equal(result, now, `new entry ${id}`);
          if (was > 0 && mine === 0 && next !== base) assert.equal(result, 0, `deleted entry ${id} is back`);
          assert.ok(result <= Math.max(mine, 1), `entry ${id} doubled`);
        }
        assert.equal(mergeBodies(next, merged, next), merged);
      },
    ),
    { numRuns: 1500 },
  );
});

test('drops unchanged entries that the new draft does not have', () => {
  fc.assert(
    fc.property(changes, changes, (before, after) => {
      const base = draft(before);
      const edited = `My opening.\n\n${base}`;
      const merged = mergeBodies(base, edited, draft(after));
      assert.ok(merged.startsWith('My opening.'));
      for (let id = 1; id <= 20; id += 1) assert.equal(countOf(merged, id), countOf(draft(after), id));
    }),
  );
});

/** A long draft and its next version. In the next version, a few entries are new, missing or different. */
const longDrafts = fc
  .record({
    count: fc.integer({ min: 20, max: 60 }),
    areas: fc.constantFrom(1, 2, 5),
    altered: fc.array(fc.nat(70), { maxLength: 4 }),
    gone: fc.array(fc.nat(70), { maxLength: 3 }),
    more: fc.integer({ min: 0, max: 4 }),
    persona: fc.constantFrom<Persona>('engineer', 'internal', 'customer'),
  })
  .map(({ count, areas, altered, gone, more, persona }) => {
    const changeOf = (number: number, word = 0): Change =>
      change(
        number,
        number % 3 === 0 ? 'type: bug' : 'type: feature',
        areas === 1 ? '' : `area: a${number % areas}`,
        word,
      );
    const numbers = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
    const after = numbers(count + more).filter((number) => !gone.includes(number));
    return {
      base: draft(
        numbers(count).map((number) => changeOf(number)),
        persona,
      ),
      next: draft(
        after.map((number) => changeOf(number, altered.includes(number) ? 1 : 0)),
        persona,
      ),
    };
  });
const longEdits = fc.array(
  fc.record({
    kind: fc.constantFrom('words', 'delete', 'move', 'paragraph', 'rename', 'nested', 'copy', 'fence', 'blank'),
    at: fc.nat(200),
    to: fc.nat(200),
  }),
  { maxLength: 5 },
);

/**
 * Makes the edits of `edit`, and more unusual edits: copied entries, code blocks that are never closed, and added blank
 * lines.
 */
function editLong(body: string, steps: { kind: string; at: number; to: number }[]): string {
  return steps.reduce((text, step) => {
    const { kind, at, to } = step;
    if (!['copy', 'fence', 'blank'].includes(kind)) return edit(text, [step]).edited;
    const lines = text.split('\n');
    const from = lines[at % lines.length] as string;
    lines.splice(to % lines.length, 0, { copy: from, fence: '```', blank: '' }[kind] as string);
    return lines.join('\n');
  }, body);
}

test('merges long drafts as if it had read all of them', () => {
  let shortened = 0;
  fc.assert(
    fc.property(longDrafts, longEdits, ({ base, next }, steps) => {
      const edited = editLong(base, steps);
      if (edited === base || next === base) return;
      assert.equal(mergeBodies(base, edited, next), mergeDrafts(base, edited, next));
      const short = shorten(base, edited, next);
      shortened += short.runs.size;
      if (new Set(base.split('\n').filter((line) => line.startsWith('- '))).size === 0) return;
      assert.equal(restore(short.drafts[0], short), base);
      assert.equal(restore(short.drafts[2], short), next);
    }),
    { numRuns: 1000 },
  );
  assert.ok(shortened > 1000, `only ${shortened} runs were left out`);
});

test('leaves out the middle of each run that three drafts share', () => {
  const line = (number: number, word = ''): string => `- Change ${number}${word} <!-- rn:pr:${number} -->`;
  const body = (words: Record<number, string> = {}, last = 5_000): string =>
    `## Features\n\n${Array.from({ length: last }, (_, index) => line(index + 1, words[index + 1])).join('\n')}\n`;
  const drafts = [body(), body({ 2000: ' mine' }), body({ 3000: ' new' }, 5_003)] as const;
  const short = shorten(...drafts);
  assert.ok(Math.max(...short.drafts.map((draft) => draft.split('\n').length)) < 20);
  assert.equal(mergeBodies(...drafts), body({ 2000: ' mine', 3000: ' new' }, 5_003));
});

test('rejects a text that repeats the headings of long sections too often', () => {
  const list = (word: string): string => Array.from({ length: 2_000 }, (_, i) => `${word} ${i}`).join('\n\n');
  const [base, next] = [`## Features\n\n${list('old')}\n`, `## Features\n\n${list('new')}\n`];
  const repeated = (times: number): string => `${base}\n${'## Features\n'.repeat(times)}`;
  assert.match(mergeBodies(base, repeated(3), next), /^## Features\n/);
  assert.throws(() => mergeBodies(base, repeated(20_000), next), { kind: 'tooLarge' });
});
