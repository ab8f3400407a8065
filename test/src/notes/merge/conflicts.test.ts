/**
 * Tests edits that outlive their change. Each edit goes through several generations: the change is in the draft, gone,
 * and back again. A person's words always stay, and a hidden comment is beside them while the change is gone.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { conflictsOf, maxConflicts } from '../../../../src/foundation/conflicts.ts';
import { markdownTokens } from '../../../../src/foundation/markdown.ts';
import { markedIn } from '../../../../src/foundation/markers.ts';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { mergeBodies, mergeDrafts, mergeFormerBodies } from '../../../../src/notes/merge/merge.ts';
import type { AbsentChange } from '../../../../src/protocol/conflicts.ts';
import { defaultSettings } from '../../../../src/protocol/notes.ts';
import type { Persona, PullRecord, RangeBounds } from '../../../../src/protocol/stored.ts';
import { processorMs } from '../../../helpers/processor-time.ts';
import { aPull, aPush, aTag, history, memorySource } from '../memory-source.ts';

/** Why change 2 is not in the draft; undefined while it is. */
type Gone = 'revert' | 'label' | 'author' | 'tag' | undefined;

const expected: Record<Exclude<Gone, undefined>, [reason: string, detail: string | null]> = {
  revert: ['reverted', '#9'],
  label: ['label', 'no changelog'],
  author: ['author', 'grace'],
  tag: ['range', null],
};

function pulls(gone: Gone): PullRecord[] {
  const label = (number: number): string[] => [
    number === 4 ? 'type: feature' : 'type: bug',
    ...(gone === 'label' && number === 2 ? ['no changelog'] : []),
  ];
  const changes = [1, 2, 3, 4, 5].map((number) =>
    aPull(number, {
      title: `Change ${number}`,
      labels: label(number),
      ...(number === 2 && { author: { login: 'grace', bot: false } }),
    }),
  );
  return gone === 'revert' ? [...changes, aPull(9, { title: 'Revert "Change 2"', body: 'Reverts #2' })] : changes;
}

/** Writes the draft between two tags. In the moved range, the first tag is after change 2. */
function generate(gone: Gone, persona: Persona, named: readonly string[]) {
  const settings = { ...defaultSettings, excludedAuthors: gone === 'author' ? ['grace'] : [] };
  const order = ['m2', 'm1', 'm3', 'm4', 'm5', ...(gone === 'revert' ? ['m9'] : []), 'end'];
  const source = memorySource({
    pulls: pulls(gone),
    settings,
    tags: [aTag('v1', gone === 'tag' ? 'm2' : 'm0'), aTag('v2', 'end')],
    ...history(aPush('main', 'x', ['m0'], 1), aPush('main', 'm0', order, 20)),
  });
  const bounds: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' };
  return compose(source, bounds, persona, () => named);
}

/** A draft with the generated text that it is based on. */
interface Draft {
  base: string;
  mine: string;
}

/** Generates a draft again, and checks that generating it once more changes nothing. */
function again({ base, mine }: Draft, gone: Gone, persona: Persona): Draft {
  const named = [...markedIn(base), ...markedIn(mine), ...conflictsOf(mine).map(({ id }) => id)];
  const { bodyMd, absent } = generate(gone, persona, named);
  const merged = mergeBodies(base, mine, bodyMd, absent);
  assert.equal(mergeBodies(bodyMd, merged, bodyMd, absent), merged, 'the merge is not a fixed point');
  assert.equal(mergeDrafts(base, mine, bodyMd, absent), merged);
  return { base: bodyMd, mine: merged };
}

function hintsIn(body: string): string[] {
  return body.match(/<!-- rn:gone .*?-->/g) ?? [];
}

/** Returns the text that readers see, without Markdown signs. */
function readable(body: string): string {
  return markdownTokens(body)
    .flatMap(({ content, type, children }) => {
      if (children) return children.filter((child) => child.type !== 'html_inline').map((child) => child.content);
      return type === 'html_block' ? content.replace(/<!--[\s\S]*?-->/g, '') : content;
    })
    .join('\n');
}

/** Returns the blocks and texts that a Markdown library finds, without comments. */
function shape(body: string): string[] {
  return markdownTokens(body).flatMap(({ type, content, children }) => {
    if (children) return children.map((child) => `${child.type} ${child.content}`);
    if (type !== 'html_block') return `${type} ${type === 'fence' ? content : ''}`;
    const text = content.replace(/<!-- rn:gone .*?-->/g, '').trim();
    return text === '' ? [] : text;
  });
}

function lineOf(body: string, id: string): string {
  const line = body.split('\n').find((each) => markedIn(each).includes(id));
  assert.ok(line !== undefined, `${id} is not in\n${body}`);
  return line;
}

const withoutComments = (text: string): string => text.replace(/ ?<!--.*?-->/g, '');
const reword = (body: string): string => body.replace('Change 2', 'MINE');

interface Edit {
  edit: (body: string) => string;
  /** Words that must stay through all generations. */
  words: string[];
  /** Number of comments while the change is gone. 1 unless the person left no words of their own about it. */
  hints?: number;
  /** How often readers see change 2 at the end, by its words or those of the person. 1 unless given. */
  shown?: number;
}

const edits: Record<string, Edit> = {
  reword: { edit: reword, words: ['MINE'] },
  reorder: {
    edit: (body) => {
      const line = lineOf(body, 'pr:2');
      return body.replace(`${line}\n`, '').replace(/\n$/, `\n\nMINE below\n\n${reword(line)}\n`);
    },
    words: ['MINE below', 'MINE'],
  },
  'delete the entry, keep a paragraph': {
    edit: (body) => `MINE: more to come.\n\n${body.replace(`${lineOf(body, 'pr:2')}\n`, '')}`,
    words: ['MINE: more to come.'],
    hints: 0,
  },
  'retitle a section': {
    edit: (body) => reword(body).replace(/^## (?:Bug Fixes|Fixed)$/m, '## MINE title'),
    words: ['MINE title', 'MINE'],
  },
  'merge two entries': {
    edit: (body) => {
      const [first, second] = [lineOf(body, 'pr:1'), lineOf(body, 'pr:2')];
      return body.replace(`${second}\n`, '').replace(first, '- MINE of both <!-- rn:pr:1 --> <!-- rn:pr:2 -->');
    },
    words: ['MINE of both'],
  },
  'strip the marker': {
    edit: (body) => `MINE at the top.\n\n${body.replace(' <!-- rn:pr:2 -->', '')}`,
    words: ['MINE at the top.', 'Change 2'],
  },
  'all prose': {
    edit: (body) =>
      `MINE prose.\n\n${withoutComments(body)
        .split('\n')
        .filter((line) => line.startsWith('- '))
        .map((line) => line.slice(2))
        .join('\n\n')}\n`,
    words: ['MINE prose.', 'Change 1', 'Change 2', 'Change 3'],
  },
  'a table': {
    edit: () =>
      '## Fixes\n\n| change | note |\n| --- | --- |\n| MINE <!-- rn:pr:2 --> | a |\n| Other <!-- rn:pr:3 --> | b |\n',
    words: ['MINE', 'Other'],
  },
  'a fence': {
    edit: (body) => `${body.replace(`${lineOf(body, 'pr:2')}\n`, '')}\n\`\`\`sh\nMINE <!-- rn:pr:2 -->\n\`\`\`\n`,
    words: ['MINE'],
  },
  'a copy in Highlights': {
    edit: (body) => `## Highlights\n\n${lineOf(body, 'pr:2').replace('Change 2', 'MINE big')}\n\n${reword(body)}`,
    words: ['MINE big', 'MINE'],
    shown: 2,
  },
  'nested, quoted and continued lines': {
    edit: (body) => {
      const line = lineOf(body, 'pr:2');
      return body.replace(line, `${reword(line)}\nMINE lazily\n  - MINE nested\n\n> MINE quoted`);
    },
    words: ['MINE lazily', 'MINE nested', 'MINE quoted'],
    shown: 4,
  },
  'revise again while the change is gone': { edit: reword, words: ['MINE'] },
};

for (const persona of ['engineer', 'internal', 'customer'] as const) {
  for (const gone of ['revert', 'label', 'author', 'tag'] as const) {
    for (const [name, { edit, words, hints = 1, shown = 1 }] of Object.entries(edits)) {
      test(`${name}: the words stay while the change is gone (${gone}, ${persona})`, () => {
        const base = generate(undefined, persona, []).bodyMd;
        let draft: Draft = { base, mine: edit(base) };
        const kept = (): void => {
          for (const word of words) assert.ok(draft.mine.includes(word), `lost ${word}:\n${draft.mine}`);
        };
        for (const state of [undefined, gone, gone, undefined, gone, undefined, undefined]) {
          draft = again(draft, state, persona);
          kept();
          assert.equal(hintsIn(draft.mine).length, state ? hints : 0, draft.mine);
          assert.doesNotMatch(readable(draft.mine), /rn:gone/);
          const found = conflictsOf(draft.mine);
          assert.equal(found.length, state ? hints : 0);
          if (state && hints > 0) {
            const { id, reason, detail } = found[0] ?? {};
            assert.deepEqual([id, reason, detail], ['pr:2', ...expected[state]]);
          }
          if (state && name.startsWith('revise')) draft.mine = draft.mine.replace('MINE', 'MINE anew');
        }
        if (hints > 0)
          assert.equal(readable(draft.mine).match(/MINE(?! at| prose| below| title)|Change 2/g)?.length, shown);
      });
    }
  }
}

const entry = (number: number, words = `Change ${number}`): string =>
  `- ${words} ([#${number}](https://scm.example/pull/${number})) <!-- rn:pr:${number} -->`;
const list = (...entries: string[]): string => `## Fixes\n\n${entries.join('\n')}\n`;
const three = list(entry(1), entry(2), entry(3));
const two = list(entry(1), entry(3));
const reverted: AbsentChange[] = [{ id: 'pr:2', reason: 'reverted', detail: '#9' }];
const hint = '  <!-- rn:gone pr:2 reverted by #9 -->';

test('the comment is under the item and does not split the list', () => {
  const merged = mergeBodies(three, reword(three), two, reverted);
  assert.equal(merged, list(entry(1), entry(2, 'MINE'), hint, entry(3)));
  const lists = markdownTokens(merged).filter(({ type }) => type === 'bullet_list_open');
  assert.equal(lists.length, 1);
});

test('the comment is after the lines that continue an item', () => {
  const mine = three.replace(entry(2), `${entry(2, 'MINE')}\nlazily\n  and indented\n  - nested`);
  const merged = mergeBodies(three, mine, two, reverted);
  assert.ok(merged.includes(`${entry(2, 'MINE')}\nlazily\n  and indented\n${hint}\n  - nested\n`), merged);
});

test('the comment of a table follows the whole table', () => {
  const mine = '| a | b |\n|---|---|\n| MINE <!-- rn:pr:2 --> | x |\n| Two | y |\n\nText.\n';
  const merged = mergeBodies(three, mine, two, reverted);
  assert.equal(merged, mine.replace('| y |\n', '| y |\n<!-- rn:gone pr:2 reverted by #9 -->\n'));
  assert.equal(conflictsOf(merged)[0]?.text, 'MINE | x');
});

test('no comment is added in an open fence, in a comment of the person or in indented code', () => {
  for (const mine of ['```\nMINE <!-- rn:pr:2 -->\n', '<!--\nMINE #2\n-->\n', '<!-- MINE <!-- rn:pr:2 -->\n\nText.\n'])
    assert.equal(mergeBodies(three, mine, two, reverted).includes('rn:gone'), false, mine);
  const code = mergeBodies(three, 'Text.\n\n    MINE <!-- rn:pr:2 -->\n\nEnd.\n', two, reverted);
  assert.doesNotMatch(readable(code), /rn:gone/);
});

test('the comment is beside the copy in the section that had the change', () => {
  const mine = `## Highlights\n\n${entry(2, 'MINE big')}\n\n${reword(three)}`;
  const merged = mergeBodies(three, mine, two, reverted);
  assert.equal(hintsIn(merged).length, 1);
  assert.ok(merged.indexOf('rn:gone') > merged.indexOf('## Fixes'));
});

test('a line that links to the number of a removed entry gets the comment', () => {
  const mine = `Read about [#2](https://scm.example/pull/2).\n\n${three.replace(`${entry(2)}\n`, '')}`;
  const merged = mergeBodies(three, mine, two, reverted);
  assert.match(merged, /^Read about .*\n<!-- rn:gone pr:2 reverted by #9 -->\n\n## Fixes/);
  assert.equal(mergeBodies(two, merged, two, reverted), merged);
});

test('the comment disappears with the line, and returns while the words are there', () => {
  const merged = mergeBodies(three, reword(three), two, reverted);
  const bare = merged.replace(`${hint}\n`, '');
  assert.equal(mergeBodies(two, bare, two, reverted), merged);
  const removed = merged.replace(`${entry(2, 'MINE')}\n`, '');
  assert.deepEqual(conflictsOf(removed), []);
  assert.equal(mergeBodies(two, removed, two, reverted), two);
  const inline = merged.replace(`\n${hint}`, ' <!-- rn:gone pr:2 reverted by #9 -->');
  assert.equal(mergeBodies(two, inline, two, reverted), merged);
  const doubled = merged.replace(hint, `${hint}\n${hint}`);
  assert.equal(mergeBodies(two, doubled, two, reverted), merged);
});

test('the reason of a comment follows the newest draft', () => {
  const merged = mergeBodies(three, reword(three), two, reverted);
  const moved = mergeBodies(two, merged, two, []);
  assert.match(moved, /<!-- rn:gone pr:2 not in the range any more -->/);
});

test('every kind of id gets a comment', () => {
  const ids = ['pr:12.2', 'issue:7', 'commit:1f3a9c2', `commit:${'a'.repeat(40)}`];
  for (const id of ids) {
    const base = list(entry(1), `- Two <!-- rn:${id} -->`);
    const merged = mergeBodies(base, base.replace('Two', 'MINE'), list(entry(1)));
    assert.equal(
      merged,
      list(entry(1), `- MINE <!-- rn:${id} -->`, `  <!-- rn:gone ${id} not in the range any more -->`),
    );
    assert.equal(mergeBodies(list(entry(1)), merged, base), base.replace('Two', 'MINE'));
  }
});

test('a change that the draft merely does not list any more can be accepted', () => {
  const absent: AbsentChange[] = [{ id: 'pr:2', reason: 'unlisted' }];
  const merged = mergeBodies(three, reword(three), two, absent);
  assert.match(merged, /rn:gone pr:2 not listed in this draft any more/);
  assert.equal(mergeBodies(two, merged, two, absent), merged);
  const accepted = merged.replace(/.*rn:gone.*\n/, '');
  assert.equal(mergeBodies(two, accepted, two, absent), accepted);
});

test('hostile details end no comment early and forge no marker', () => {
  const details = [
    '--> <img src=x>',
    '--!> x',
    '<!-- rn:pr:3 -->',
    'a\n-->\nb',
    '-->'.repeat(200),
    '<!--',
    '\u202e--\u200b>',
    '- -- -',
  ];
  for (const detail of details) {
    const merged = mergeBodies(three, reword(three), two, [{ id: 'pr:2', reason: 'label', detail }]);
    assert.equal(merged.split('\n').length, three.split('\n').length + 1, detail);
    const line = merged.split('\n').find((each) => each.includes('rn:gone')) ?? '';
    assert.match(line, /^ {2}<!-- rn:gone pr:2 left out by the label(?:(?!--!?>|<!--).)* -->$/);
    assert.deepEqual(markedIn(line), []);
    assert.equal(conflictsOf(merged)[0]?.reason, 'label');
    assert.equal(mergeBodies(two, merged, two, [{ id: 'pr:2', reason: 'label', detail }]), merged);
  }
});

test('forged and malformed comments break nothing', () => {
  const forged = [
    '<!-- rn:gone -->',
    '<!-- rn:gone  -->',
    '<!-- rn:gone pr: x -->',
    '<!-- rn:gone pr:99999999999 x -->',
    '<!-- rn:gone constructor x -->',
    '<!-- rn:gone pr:2',
    '<!-- rn:gone pr:2 --> text',
    '`<!-- rn:gone pr:2 x -->`',
    '```\n<!-- rn:gone pr:2 x -->\n```',
    '<!-- rn:gone pr:2 x -->',
  ];
  for (const comment of forged) {
    assert.deepEqual(conflictsOf(`# Title\n\n${comment}\n`), [], comment);
    const merged = mergeBodies(three, `${reword(three)}\n${comment}\n\nMINE last\n`, two, reverted);
    assert.match(merged, /MINE last/);
    assert.equal(mergeBodies(two, merged, two, reverted), merged, comment);
  }
  const typed = 'My line\n<!-- rn:gone pr:7 because I say so -->\n';
  assert.deepEqual(conflictsOf(typed), [
    { id: 'pr:7', number: 7, sha: null, text: 'My line', reason: 'other', detail: 'because I say so' },
  ]);
});

test('a change that is back is not added beside an entry that names it', () => {
  const base = list(entry(1), entry(3));
  const mine = list('- MINE of both <!-- rn:pr:1 --> <!-- rn:pr:2 -->', entry(3));
  assert.equal(mergeBodies(base, mine, three), mine);
});

test('an earlier comment with new words is removed when nothing is new any more', () => {
  const prose = (text: string): string => `## Thanks\n\n${text}\n\nEnd.\n`;
  const first = mergeBodies(prose('Ada'), prose('Thanks to Ada'), prose('Ada, Bob'));
  assert.match(first, /<!-- rn:new\nAda, Bob\n-->/);
  const kept = mergeBodies(prose('Ada, Bob'), first, `## More\n\nText.\n\n${prose('Ada, Bob')}`);
  assert.match(kept, /<!-- rn:new\nAda, Bob\n-->/);
  const taken = first.replace('Thanks to Ada', 'Ada, Bob');
  assert.doesNotMatch(mergeBodies(prose('Ada, Bob'), taken, prose('Ada, Bob, Eve')), /Bob\n-->/);
  const adopted = mergeBodies(prose('Ada, Bob'), `${taken}\nMINE\n`, `## More\n\nText.\n\n${prose('Ada, Bob')}`);
  assert.doesNotMatch(adopted, /rn:new/);
});

test('records of earlier versions are merged as before', () => {
  assert.equal(mergeFormerBodies(three, reword(three), two), reword(three));
  const long = three.replace(entry(2), `${entry(2)}\n  - nested`);
  const spread = mergeFormerBodies(two, two.replace('Change 1', 'MINE'), long);
  assert.equal(spread, long.replace('Change 1', 'MINE').replace(entry(2), `\n${entry(2)}`));
});

test('an inserted entry adds no blank line to a list', () => {
  const nested = (number: number): string => `${entry(number)}\n  - Reported as: Issue ${number}`;
  const base = list(nested(1), nested(3));
  const next = list(entry(0), nested(1), nested(2), nested(3), nested(4));
  const mine = base.replace('Change 1', 'MINE');
  assert.equal(mergeBodies(base, mine, next), next.replace('Change 1', 'MINE'));
  const own = base.replace(`${nested(3)}\n`, `${nested(3)}\n- My own item\n`);
  assert.equal(mergeBodies(base, own, next), next.replace(nested(4), `${nested(4)}\n- My own item`));
});

test('entries with steps keep their blank lines', () => {
  const steps = (number: number): string => `${entry(number)}\n\n  > Step ${number}`;
  const base = `${list(steps(1), '', entry(3))}`;
  const next = `${list(steps(1), '', steps(2), '', entry(3))}`;
  assert.equal(mergeBodies(base, base.replace('Change 3', 'MINE'), next), next.replace('Change 3', 'MINE'));
});

test('a new entry stays in its section when its neighbor was moved elsewhere', () => {
  const next = list(entry(1), entry(2), entry(3));
  const top = `## Highlights\n\n${entry(1, 'MINE big')}\n\n`;
  assert.equal(mergeBodies(two, `${top}${list(entry(3))}`, next), `${top}${list(entry(2), entry(3))}`);
  const renamed = `${top}${list(entry(3))}`.replace('## Fixes', '## What we mended');
  assert.equal(
    mergeBodies(two, renamed, next),
    `${top}${list(entry(2), entry(3)).replace('## Fixes', '## What we mended')}`,
  );
});

/** Random edits of a line, a list or a whole draft. The person's words are `mine0x`, `mine1x` and so on. */
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(
      ...['words', 'strip', 'both', 'copy', 'move', 'delete', 'paragraph', 'quote', 'fence', 'comment', 'nested'],
      ...['table', 'lazy', 'rename', 'hint', 'blank'],
    ),
    at: fc.nat(60),
    to: fc.nat(60),
  }),
  { minLength: 1, maxLength: 7 },
);

function edited(body: string, made: { kind: string; at: number; to: number }[]): { text: string; words: string[] } {
  const lines = body.trimEnd().split('\n');
  const words: string[] = [];
  made.forEach(({ kind, at, to }, index) => {
    const word = `mine${index}x`;
    const items = lines.flatMap((line, position) => (line.startsWith('- ') ? [position] : []));
    const item = items[at % Math.max(items.length, 1)];
    const target = to % (lines.length + 1);
    if (kind === 'paragraph') lines.splice(target, 0, '', `${word} about #${at % 6}`, '');
    else if (kind === 'quote') lines.splice(target, 0, '', `> ${word} <!-- rn:pr:${at % 6} -->`, '');
    else if (kind === 'fence') lines.splice(target, 0, '```', word, ...(at % 3 === 0 ? [] : ['```']));
    else if (kind === 'comment') lines.splice(target, 0, `<!-- ${word}`, ...(at % 3 === 0 ? [] : ['-->']));
    else if (kind === 'table') lines.splice(target, 0, '', '| a |', '| --- |', `| ${word} <!-- rn:pr:${at % 6} --> |`);
    else if (kind === 'hint') lines.splice(target, 0, `  <!-- rn:gone pr:${at % 6} x -->`);
    else if (kind === 'blank') lines.splice(target, 0, '');
    else if (item === undefined) return;
    else if (kind === 'words') lines[item] = (lines[item] as string).replace('- ', `- ${word} `);
    else if (kind === 'strip') lines[item] = withoutComments(lines[item] as string);
    else if (kind === 'both') lines[item] = `${lines[item]} ${word} <!-- rn:pr:${to % 6} -->`;
    else if (kind === 'copy') lines.splice(target, 0, lines[item] as string);
    else if (kind === 'move') lines.splice(to % lines.length, 0, ...lines.splice(item, 1));
    else if (kind === 'delete') lines.splice(item, 1);
    else if (kind === 'nested') lines.splice(item + 1, 0, `  - ${word}`);
    else if (kind === 'lazy') lines.splice(item + 1, 0, word);
    else if (kind === 'rename') lines[lines.findIndex((line) => line.startsWith('## '))] = `## ${word}`;
    if (!['strip', 'copy', 'move', 'delete', 'hint', 'blank'].includes(kind)) words.push(word);
  });
  const text = `${lines.join('\n')}\n`;
  return { text, words: words.filter((word) => text.includes(word)) };
}

test('random edits lose no words, and each change has at most one comment', () => {
  const states = fc.array(fc.subarray([1, 2, 3, 4, 5]), { minLength: 1, maxLength: 4 });
  const bodyOf = (numbers: readonly number[]): string => {
    const half = (odd: number): string[] =>
      numbers.filter((number) => number % 2 === odd).map((number) => entry(number));
    return `## Fixes\n\n${half(1).join('\n')}\n\n## Features\n\n${half(0).join('\n')}\n`;
  };
  fc.assert(
    fc.property(steps, steps, states, (first, second, generations) => {
      let base = bodyOf([1, 2, 3, 4, 5]);
      let { text: mine, words } = edited(base, first);
      for (const [index, numbers] of generations.entries()) {
        const next = bodyOf(numbers);
        const merged = mergeBodies(base, mine, next);
        for (const word of words) assert.ok(merged.includes(word), `lost ${word} of\n${mine}\nin\n${merged}`);
        assert.equal(mergeBodies(next, merged, next), merged);
        if (mine !== base) assert.equal(mergeDrafts(base, mine, next), merged);
        const bare = merged.replace(/^.*<!-- rn:gone .*\n/gm, '');
        assert.deepEqual(shape(merged), shape(bare), `the comments change the layout of\n${merged}`);
        const conflicts = conflictsOf(merged);
        assert.equal(new Set(conflicts.map(({ id }) => id)).size, conflicts.length);
        for (const { number } of conflicts) assert.ok(!numbers.includes(number as number), `#${number} is not gone`);
        [base, mine] = [next, merged];
        if (index !== 0) continue;
        const more = edited(mine, second);
        words = words.filter((word) => more.text.includes(word));
        mine = more.text;
      }
    }),
    { numRuns: 1_500 },
  );
});

test('the time grows linearly with the number of edits whose changes are gone', () => {
  const body = (last: number, words: (number: number) => string | undefined): string =>
    list(...Array.from({ length: last }, (_, index) => words(index + 1) ?? '').filter((line) => line !== ''));
  const timeOf = (last: number): number => {
    const isGone = (number: number): boolean => number % 5 < 2;
    const base = body(last, (number) => entry(number));
    const mine = body(last, (number) => entry(number, isGone(number) ? `MINE ${number}` : undefined));
    const stripped = withoutComments(mine);
    const next = body(last, (number) => (isGone(number) ? undefined : entry(number)));
    return processorMs(() => {
      const merged = mergeBodies(base, mine, next);
      assert.equal(conflictsOf(merged).length, Math.min((last * 2) / 5, maxConflicts));
      assert.equal(hintsIn(merged).length, (last * 2) / 5);
      mergeBodies(next, merged, next);
      const prose = mergeBodies(base, stripped, next);
      assert.equal(hintsIn(prose).length, (last * 2) / 5);
      mergeBodies(next, mergeBodies(base, withoutComments(base).replaceAll('- ', ''), next), next);
    });
  };
  timeOf(1_000);
  const [small, large] = [timeOf(1_250), timeOf(5_000)];
  assert.ok(large < 12 * small + 100, `${large} ms for four times the length that took ${small} ms`);
});

test('many markers and comments on one line take time in proportion to their number', () => {
  const many = (last: number, piece: (number: number) => string): string =>
    Array.from({ length: last }, (_, index) => piece(index + 1)).join('');
  const edits: Record<string, (last: number) => string> = {
    'markers on one line': (last) => `- MINE ${many(last, (number) => `<!-- rn:pr:${number} -->`)}\n`,
    'markers on one line with comments below': (last) =>
      `- MINE ${many(last, (number) => `<!-- rn:pr:${number} -->`)}\n${many(last, (number) => `  <!-- rn:gone pr:${number} -->\n`)}`,
    'lines of a paragraph': (last) => many(last, (number) => `MINE <!-- rn:pr:${number} -->\n`),
    'comments on one line': (last) => `- MINE ${many(last, (number) => `<!-- rn:gone pr:${number} --> \`c\` `)}\n`,
  };
  for (const [name, editOf] of Object.entries(edits)) {
    for (const next of ['Generated.\n', 'Generated anew.\n']) {
      const timeOf = (last: number): number => {
        const edit = editOf(last);
        return processorMs(() => mergeBodies('Generated.\n', edit, next));
      };
      timeOf(2_000);
      const [small, large] = [timeOf(4_000), timeOf(16_000)];
      assert.ok(large < 10 * small + 100, `${name}: ${large} ms for four times the length that took ${small} ms`);
    }
  }
});

test('the comments beside a deep quotation stay short', () => {
  const markers = Array.from({ length: 500 }, (_, index) => `<!-- rn:pr:${index} -->`).join('');
  const merged = mergeBodies('a\n', `${'> '.repeat(5_000)}MINE ${markers}\n`, 'b\n');
  assert.ok(merged.length < 200_000, `${merged.length} characters`);
});
