/**
 * Tests markers, the comments for conflicts, and the conflicts that are read from a draft.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  conflictComment,
  conflictsOf,
  describeConflict,
  describeWarning,
  maxConflicts,
  readConflictComment,
  warningsOf,
} from '../../../src/foundation/conflicts.ts';
import { firstLineBeside, lastLinesBeside, readDraftLines } from '../../../src/foundation/draft-lines.ts';
import { markdownTokens } from '../../../src/foundation/markdown.ts';
import {
  hasMarker,
  isChangeId,
  markedIn,
  markerOf,
  numberAndSha,
  withoutMarkers,
} from '../../../src/foundation/markers.ts';
import { ConflictReasonSchema } from '../../../src/protocol/conflicts.ts';
import { processorMs } from '../../helpers/processor-time.ts';

const ids = ['pr:1', 'pr:12.2', 'issue:7', 'commit:1f3a9c2', `commit:${'0'.repeat(40)}`];
const noIds = [
  'pr:',
  'pr:x',
  'pr:12345678901',
  'issue:1.2',
  'commit:1f3a9',
  `commit:${'0'.repeat(41)}`,
  'commit:1F3A9C2',
  'new',
];

test('markers name pull requests, their lines, issues and commits', () => {
  for (const id of ids) {
    assert.ok(isChangeId(id) && hasMarker(markerOf(id)), id);
    assert.equal(withoutMarkers(`a ${markerOf(id)} b`), 'a b');
  }
  for (const id of noIds) assert.ok(!isChangeId(id) && !hasMarker(markerOf(id)), id);
  assert.deepEqual(markedIn(ids.map(markerOf).join(' x ')), ids);
  assert.deepEqual(numberAndSha('pr:12.2'), { number: 12, sha: null });
  assert.deepEqual(numberAndSha('commit:1f3a9c2'), { number: null, sha: '1f3a9c2' });
});

test('a comment contains every reason in words, and is read back', () => {
  const details: Record<string, string> = {
    reverted: '#15',
    reverts: '1f3a9c2',
    label: 'no-changelog',
    command: '/note none',
    author: 'bot[bot]',
  };
  const more: Record<string, string> = { shipped: 'v1.2.0', publication: 'pub_1', joined: '#9', other: 'see above' };
  const texts = ConflictReasonSchema.anyOf.map(({ const: reason }) => {
    const detail = details[reason] ?? more[reason] ?? '';
    const comment = conflictComment({ id: 'pr:12', reason, detail });
    assert.deepEqual(readConflictComment(` ${comment}`), { id: 'pr:12', reason, detail });
    return comment.replace(/^<!-- rn:gone pr:12 (.*) -->$/, '$1');
  });
  assert.deepEqual(texts.slice(0, 6), [
    'reverted by #15',
    'itself reverts 1f3a9c2',
    'left out by the label no-changelog',
    'left out by the command /note none',
    'author excluded: bot[bot]',
    'already released in v1.2.0',
  ]);
  assert.ok(texts.includes('not in the range any more'));
  assert.equal(new Set(texts).size, ConflictReasonSchema.anyOf.length);
});

test('any detail makes one harmless line', () => {
  const text = fc.array(fc.constantFrom('-', '--', '>', '!', '<!--', '-->', ' ', '\n', 'x', '\u202e', '\ud800', '🚀'), {
    maxLength: 80,
  });
  fc.assert(
    fc.property(text, fc.constantFrom(...ids), (parts, id) => {
      const comment = conflictComment({ id, reason: 'label', detail: parts.join('') });
      assert.equal(comment.indexOf('-->'), comment.length - 3);
      assert.ok(!comment.includes('--!>') && !comment.includes('\n') && comment.isWellFormed());
      assert.equal(comment.lastIndexOf('<!--'), 0);
      assert.equal(readConflictComment(comment)?.id, id);
    }),
  );
});

test('a conflict has the plain words of the line before the comment', () => {
  const hint = '<!-- rn:gone pr:12 reverted by #15 -->';
  const texts: [line: string, text: string][] = [
    [
      '- **ui:** My \\*own\\* [words](https://a.test) `x` ([#12](https://a.test/12)) <!-- rn:pr:12 -->',
      'ui: My *own* words x (#12)',
    ],
    ['### My heading <!-- rn:pr:12 -->', 'My heading'],
    ['1. One', 'One'],
    ['> - quoted <!-- rn:pr:12 -->', 'quoted'],
    [`- ${'long '.repeat(100)}`, `${'long '.repeat(39)}long…`],
    ['- <b>bold</b> & more', '<b>bold</b> & more'],
  ];
  for (const [line, text] of texts) {
    const [conflict] = conflictsOf(`Intro.\n\n${line}\n${line.startsWith('>') ? '>   ' : ''}${hint}\n`);
    assert.deepEqual(conflict, { id: 'pr:12', number: 12, sha: null, text, reason: 'reverted', detail: '#15' });
  }
});

test('a comment counts once, and only beside words about its change', () => {
  const hint = '  <!-- rn:gone pr:12 reverted by #15 -->';
  const none = ['', '- <!-- rn:pr:12 -->', '- Other <!-- rn:pr:3 -->', '## T\n', '```\n- MINE\n```\n\n'];
  for (const before of none) assert.deepEqual(conflictsOf(`${before}\n${hint}\n`), [], before);
  assert.equal(
    conflictsOf(`- MINE <!-- rn:pr:12 -->\n${hint}\n${hint}\n- MINE <!-- rn:pr:12 -->\n${hint}\n`).length,
    1,
  );
  assert.equal(conflictsOf(`\`\`\`\n- MINE\n${hint}\n\`\`\`\n`).length, 0);
  assert.equal(conflictsOf(`- MINE\r\n${hint}\r\n`).length, 1);
  assert.equal(conflictsOf(`- Both <!-- rn:pr:1 --> <!-- rn:pr:12 -->\n${hint}\n`).length, 1);
});

test('many comments beside a long line are read in linear time, and the list has a limit', () => {
  const comments = (count: number): string =>
    Array.from({ length: count }, (_, index) => `  <!-- rn:gone pr:${index + 1} -->\n`).join('');
  const draft = (count: number): string => `- MINE ${'<!-- -->'.repeat(4 * count)}\n${comments(count)}`;
  assert.equal(conflictsOf(draft(maxConflicts)).length, maxConflicts);
  const first = conflictsOf(draft(maxConflicts + 1));
  assert.deepEqual([first.length, first.at(-1)?.id], [maxConflicts, `pr:${maxConflicts}`]);
  assert.equal(warningsOf(draft(maxConflicts + 1)).length, maxConflicts);
  for (const words of ['', 'MINE']) {
    const timeOf = (count: number): number => {
      const body = draft(count).replace('MINE ', words).replace('\n', ' x\n');
      return processorMs(() => conflictsOf(body));
    };
    timeOf(1_000);
    const [small, large] = [timeOf(2_000), timeOf(8_000)];
    assert.ok(large < 10 * small + 100, `${large} ms for four times the length that took ${small} ms`);
  }
});

test('a conflict is listed only if the start of its line has words', () => {
  const draft = (length: number): string => `- ${'*'.repeat(length)} x\n  <!-- rn:gone pr:1 -->\n`;
  assert.equal(conflictsOf(draft(3_000)).length, 1);
  assert.deepEqual(conflictsOf(draft(5_000)), []);
});

test('warnings and messages name the conflict', () => {
  const [warning] = warningsOf('- MINE <!-- rn:issue:7 -->\n  <!-- rn:gone issue:7 the issue is open again -->\n');
  assert.ok(warning?.kind === 'conflict');
  assert.deepEqual(
    [warning.kind, warning.reason, describeConflict(warning)],
    ['conflict', 'open', '#7 the issue is open again'],
  );
  const because = [{ number: 12, what: 'merged' }, { sha: '1f3a9c2', what: 'tag' }, { what: 'settings' }] as const;
  const [outdated, ...conflicts] = warningsOf('', [...because]);
  assert.ok(outdated?.kind === 'outdated' && conflicts.length === 0);
  assert.equal(describeWarning(outdated), 'outdated (#12 merged, 1f3a9c2 tag, settings)');
  const many = Array.from({ length: 7 }, (_, number) => ({ number, what: 'label' }) as const);
  assert.match(describeWarning({ kind: 'outdated', because: many }), /#4 label and 2 more\)$/);
  const commit = { id: 'commit:1f3a9c2', number: null, reason: 'other', detail: 'x' } as const;
  assert.equal(describeConflict(commit), 'commit 1f3a9c2 x');
});

/** Returns the blocks and texts that a Markdown library finds, without the comment. */
function shapeOf(body: string, comment: string): string[] {
  return markdownTokens(body).flatMap(({ type, content, children }) => {
    if (children) return children.map((child) => `${child.type} ${child.content}`);
    return `${type} ${content}`.replace(comment, '').trim() === 'html_block' ? [] : `${type} ${content}`;
  });
}

test('a comment beside a line changes no block of the draft', () => {
  const drafts = [
    '- Group\n  - MINE\n***\n    npm install',
    '- Group\n  - MINE\n- - -\n    npm install',
    '- Group\n  - MINE\n___\n    npm install',
    '- MINE\n---\n    npm install',
    '- MINE\n  ---\n  more',
    'MINE\n---\nmore',
    'MINE\n===\n    npm install',
    '> - MINE\n***\n    npm install',
    '- Group\n\n> - MINE\n***\n    npm install',
    '- * * *\n- MINE\n  2020. was a good year\n  more',
    ...['- nested six', '# six', '<div>', '```', '***', '1. six', '> six', '<!-- six -->'].flatMap((deep) => [
      `- MINE\n      ${deep}`,
      `- MINE\n      ${deep}\n      more\n- next`,
      `MINE\n    ${deep}\nmore`,
      `> MINE\n    ${deep}`,
    ]),
  ];
  const comment = '<!-- rn:gone pr:7 x -->';
  for (const draft of drafts) {
    const lines = readDraftLines(draft);
    const at = lines.findIndex(({ text }) => text.includes('MINE'));
    const texts = lines.map(({ text }) => text);
    texts.splice((lastLinesBeside(lines)[at] as number) + 1, 0, `${lines[at]?.lead}${comment}`);
    const commented = texts.join('\n');
    assert.deepEqual(shapeOf(commented, comment), shapeOf(draft, comment), commented);
    assert.equal(conflictsOf(commented)[0]?.id, 'pr:7', commented);
  }
});

test('comments inside a paragraph are read in linear time', () => {
  const timeOf = (count: number): number => {
    const body = `MINE\n${'      <!-- rn:gone pr:1 -->\nMINE\n'.repeat(count)}`;
    return processorMs(() => conflictsOf(body));
  };
  timeOf(1_000);
  const [small, large] = [timeOf(4_000), timeOf(16_000)];
  assert.ok(large < 10 * small + 100, `${large} ms for four times the length that took ${small} ms`);
});

test('lines of a draft keep their text, and items have the lead of their content', () => {
  const body = [
    '- a',
    'lazy',
    '  - b',
    '',
    '    more of b',
    '',
    '10. c',
    '',
    '> - d',
    '> e',
    '',
    '    code',
    '',
    '- ```',
    '  x',
    '- y',
    '<!--',
    'z',
    '-->',
  ];
  const lines = readDraftLines(body.join('\n'));
  assert.deepEqual(
    lines.map(({ text }) => text),
    body,
  );
  const leadOf = (text: string): string => lines[body.indexOf(text)]?.lead ?? '?';
  assert.deepEqual(['- a', 'lazy', '  - b', '    more of b', '10. c', '> - d', '> e'].map(leadOf), [
    '  ',
    '  ',
    '    ',
    '    ',
    '    ',
    '>   ',
    '>   ',
  ]);
  const kindOf = (text: string): string => lines[body.indexOf(text)]?.kind ?? '?';
  assert.deepEqual(['- ```', '  x', '- y', '<!--', 'z', '-->'].map(kindOf), [
    'hidden',
    'hidden',
    'shown',
    'hidden',
    'hidden',
    'hidden',
  ]);
  assert.equal(kindOf('    code'), 'code', 'a quotation ends the item before it');
  assert.deepEqual([firstLineBeside(lines, 1), lastLinesBeside(lines)[0]], [0, 1]);
  const fenced = readDraftLines('~~~\na\n~~~\n```\nb\n```');
  assert.deepEqual([lastLinesBeside(fenced)[1], lastLinesBeside(fenced)[4], firstLineBeside(fenced, 5)], [2, 5, 3]);
});
