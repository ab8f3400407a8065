/**
 * Tests that comments are in plain English: fewer than one sentence in a hundred contains a word that
 * `docs/writing.md` advises against.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folders = ['bench', 'config', 'dashboard', 'demo', 'scripts', 'sdk', 'src', 'test', 'wasm', 'workers'];
const avoided = [
  /\b(?:tell|tells|told|telling)\b/i,
  /\bwho(?:m|se)?ever\b/i,
  /\bis no\b(?! (?:longer|more)\b)/i,
  /\bstands?\b/i,
  /\b(?:goes|go|went) by\b/i,
  /\b(?:nobody|everybody|somebody|anybody)'s\b/i,
  /\banew\b/i,
  /\ba word\b/i,
  /^What\b[^?]*$/,
];

/** Returns the sentences of all comments of a TypeScript or JavaScript source. Code in backticks is left out. */
function sentencesOf(source: string): string[] {
  const comments = source.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?:^[ \t]*\/\/[^\n]*\n)+/gm);
  return [...comments].flatMap(([whole]) =>
    whole
      .replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/) ?/gm, '')
      .replace(/\*\/$/, '')
      .replace(/`[^`]*`/g, 'CODE')
      .split(/(?<=[.!?])\s+(?=[A-Z"(])|\n\s*\n|\n(?=@|- )/)
      .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
      .filter((sentence) => /[a-z]{2}/i.test(sentence)),
  );
}

function hasAvoidedWord(sentence: string): boolean {
  return avoided.some((pattern) => pattern.test(sentence));
}

test('a comment that uses an avoided word is found', () => {
  const source = [
    '/** What is not named goes no further. Returns the row. */',
    'const a = 1; // not a comment line of its own',
    '  // The caller is told',
    '  // about it. It is no longer there.',
    '/* `told` is code. */',
    '',
  ].join('\n');
  const sentences = sentencesOf(source);
  assert.deepEqual(sentences, [
    'What is not named goes no further.',
    'Returns the row.',
    'The caller is told about it.',
    'It is no longer there.',
    'CODE is code.',
  ]);
  assert.deepEqual(sentences.filter(hasAvoidedWord), [sentences[0], sentences[2]]);
});

test('fewer than one comment sentence in a hundred uses an avoided word', () => {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:tsx?|mjs)$/.test(name) && !name.includes('node_modules'))
      .map((name) => `${folder}/${name}`),
  );
  let total = 0;
  const found: string[] = [];
  for (const file of files) {
    const sentences = sentencesOf(readFileSync(join(root, file), 'utf8'));
    total += sentences.length;
    for (const sentence of sentences.filter(hasAvoidedWord)) found.push(`${file}: ${sentence}`);
  }
  assert.ok(total > 5000, `only ${total} sentences were found`);
  assert.ok(found.length < total / 100, `${found.length} of ${total} sentences:\n${found.join('\n')}`);
});
