/**
 * Tests linked issues: which words of a body link an issue, and which words only look like a link. Reading a hostile
 * body takes time in proportion to its length.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkedIssues } from '../../../../src/notes/change/link.ts';
import { visibleProse, withoutComments } from '../../../../src/notes/change/scan.ts';
import { processorMs } from '../../../helpers/processor-time.ts';

const context = { fullName: 'acme/rocket', formerNames: ['old/Rocket'], origin: 'https://scm.example', ownNumber: 99 };
const links = (body: string): number[] => linkedIssues(body, context);

test('links by all nine keywords in any case (spec 2.1)', () => {
  for (const word of ['close', 'closes', 'closed', 'fix', 'Fixes', 'FIXED', 'resolve', 'Resolves', 'resolved']) {
    assert.deepEqual(links(`${word} #7`), [7], word);
    assert.deepEqual(links(`${word}: #7`), [7], `${word}:`);
  }
});

test('links inside brackets, bold text and before a full stop', () => {
  assert.deepEqual(links('(fixes #17) and **Fixes #18** and Fixes #16.\r\nfix: #6'), [17, 18, 16, 6]);
});

test('ignores words that only contain a keyword', () => {
  for (const body of [
    'prefixes #3',
    'hotfix #5',
    'unresolved #22',
    'encloses #4',
    'fixing #7',
    'fixes #15abc',
    'resolve issue #27',
    '',
  ]) {
    assert.deepEqual(links(body), [], body);
  }
});

test('links one issue for one keyword and never itself', () => {
  assert.deepEqual(links('Fixes #1, #2. Closes #99. Resolves #3'), [1, 3]);
});

test('follows only references and addresses of the same repository', () => {
  assert.deepEqual(links('fixes ACME/rocket#4, closes old/rocket#5, fixes other/rocket#6'), [4, 5]);
  assert.deepEqual(
    links('fixes https://scm.example/acme/rocket/issues/8#note, closes https://evil.example/acme/rocket/issues/9'),
    [8],
  );
  assert.deepEqual(links('fixes https://scm.example/acme/other/issues/10'), []);
});

test('ignores comments, code and quotations', () => {
  const body =
    '<!-- Fixes #1 -->\n```\nfixes #2\n```\n> fixes #3\n`fixes #4` and fixes `x` #5\n~~~\nfixes #6\n~~~\nfixes #7';
  assert.deepEqual(links(body), [7]);
});

test('pairs backticks only within a paragraph', () => {
  assert.deepEqual(links('a lone ` mark\n\nfixes #1 and another ` mark'), [1]);
  assert.deepEqual(links('``a ` fixes #2`` fixes #3'), [3]);
  assert.deepEqual(links('text <!-- never closed, fixes #4'), [4]);
  assert.deepEqual(links('<!-- never closed\nfixes #5'), []);
});

test('keeps code when only comments are removed', () => {
  assert.equal(withoutComments('a<!-- b -->c\n```\n<!-- d -->\n```\n'), 'a c\n```\n<!-- d -->\n```\n');
  assert.equal(visibleProse('# Title\ntext'), '# Title\ntext');
});

test('hostile bodies of 65,536 characters take little time', () => {
  const fill = (unit: string): string => unit.repeat(Math.ceil(65_536 / unit.length)).slice(0, 65_536);
  const runs = Array.from({ length: 360 }, (_, index) => '`'.repeat(index + 1)).join(' ');
  const hostile = [
    '<!--',
    '`',
    '` ``',
    '```\n',
    '> \n`',
    'fixes ',
    'fixes https://scm.example/',
    'close#',
    '\n\n`a',
    '-->',
    '\r',
  ].map(fill);
  for (const body of [...hostile, runs]) {
    assert.ok(processorMs(() => links(body)) < 500, `${JSON.stringify(body.slice(0, 20))} takes too long`);
  }
});
