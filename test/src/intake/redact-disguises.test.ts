/**
 * Tests the redaction of disguised addresses, tokens and numbers. A person recognizes a disguised text, but a search
 * for the usual form of the text does not find it. Harmless texts that look similar must stay.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactText } from '../../../src/intake/redact.ts';

const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
const coded = (text: string, of: (code: number) => string) => [...text].map((c) => of(c.charCodeAt(0))).join('');
const wide = (text: string) => coded(text, (code) => String.fromCharCode(code + 0xfee0));

/** Asserts that none of the pieces is left in any of the redacted texts. */
function assertGone(scope: 'text' | 'comment', pieces: RegExp, texts: readonly string[]): void {
  for (const text of texts) {
    const redacted = redactText(`see ${text} there`, scope);
    assert.doesNotMatch(redacted, pieces);
    assert.match(redacted, /^see .{0,20}\[.*there$/s);
    assert.equal(redactText(redacted, scope), redacted);
  }
}

test('finds addresses broken by marks, codes and invisible characters', () => {
  const broken = ['**jane**@example.org', 'jane@**example.org**', '**jane**@**example**.org', 'jane`@`example.org'];
  broken.push('jane\\@example.org', 'jane@example\\.org', 'jane\\_doe@example.org', '~~jane~~@example.org');
  broken.push('jane&#64;example&#46;org', 'jane@example&period;org', 'jane&amp;#64;example.org');
  broken.push('jane%40example%2Eorg', '%6a%61%6e%65%40example.org', 'jane%2540example.org', 'jane\\u0040example.org');
  broken.push('jane<b>@</b>example.org', 'jane@<span class="x">example.org</span>', 'jane<!-- x -->@example.org');
  broken.push('jane (at) example.org', 'jane [at] example [dot] org', 'jane{at}example[.]org');
  broken.push(wide('jane@example.org'), 'jane﹫example.org', 'jane@example。org', '𝐣𝐚𝐧𝐞@example.org');
  for (const unseen of '\u00ad\u200b\u200c\u200d\u200e\u2060\ufeff') {
    broken.push(`jane${unseen}@example.org`, `jane@example${unseen}.org`, `ja${unseen}ne@exam${unseen}ple.org`);
  }
  for (const scope of ['text', 'comment'] as const) assertGone(scope, /jane|ja.ne|example|%6a|ｊａ|𝐣𝐚/, broken);
});

test('finds tokens broken by the same disguises', () => {
  const broken = [
    `${token.slice(0, 12)}\u200b${token.slice(12)}`,
    `gh**p**${token.slice(3)}`,
    token.replace('_', '\\_'),
  ];
  broken.push(token.replace('_', '%5F'), token.replace('_', '&#95;'), token.replace('_', '_<wbr>'), wide(token));
  broken.push(
    coded(token, (code) => `%${code.toString(16)}`),
    coded(token, (code) => `&#${code};`),
    `x${token}`,
  );
  assertGone('text', /[a-fA-F][1-6]B?2?c?3?D?4|Ｂ|%66|&#102;/, broken);
});

test('finds numbers in other digits, and between spaces and dashes of any width', () => {
  assertGone('comment', /345|5803|0132|０|٤٥٦٧|4567|1111|113|[①-⑨]/, [
    ...[
      'call ＋１ ４１５ ５５５ ０１３２',
      '+٩٦٦ ٥٠ ١٢٣ ٤٥٦٧',
      '%2B14155550132',
      '&#43;1 415 555 0132',
      '+1\u200b 415\u200b-555-0132',
    ],
    ...[
      '4111\u20091111\u20091111\u20091111',
      '4111–1111–1111–1111',
      '４１１１ １１１１ １１１１ １１１１',
      '4111\u200b1111\u200b1111\u200b1111',
    ],
    ...[
      '203[.]0[.]113[.]77',
      '203&#46;0&#46;113&#46;77',
      '203.0.113.\u200b77',
      '２０３．０．１１３．７７',
      '**203**.0.113.77',
    ],
    ...[
      'ip-203-0-113-77.ec2.internal',
      '77.113.0.203.in-addr.arpa',
      'http://3405803853/',
      'reach me under 912 345 678',
    ],
  ]);
});

test('keeps marks, codes, wide letters and joined emoji', () => {
  const texts = ['**@scope/name**@1.2.3', '`foo@^1.2.3`', '`@scope/name`@`1.2.3`', 'C:\\Users\\me', 'a\\_b and 2**10'];
  texts.push(
    'https://x/y%20z%2Fa',
    '&lt;div&gt;&nbsp;x&amp;y',
    'arr[.]x',
    'foo(at)bar',
    '日本語のテキスト。次の文。',
    'Ｖｅｒｓｉｏｎ １２３',
  );
  texts.push('👨‍👩‍👧 family', 'می‌خواهم', '@\u200boctocat', '`@&#8203;octocat`', 'x² + H<sub>2</sub>O', 'foo`bar`baz');
  texts.push(
    '1\\. item \\*not bold\\*',
    '10:20:30:40',
    'AB:CD:EF:01:23:45',
    'foo-1-2-3-4',
    'http://localhost:8080/',
    'tool-1.2.3.4.tar.gz',
  );
  for (const text of texts) assert.equal(redactText(`see ${text} here`, 'comment'), `see ${text} here`);
});
