/**
 * Tests which kinds of data redaction removes in each of the two scopes (text and comment). Also tests properties that
 * every redacted text must have, and the handles of co-authors, which are read before redaction.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { coAuthors, redactText } from '../../../src/intake/redact.ts';

const token = `ghp_${'a1B2c3'.repeat(6)}`;

test('keeps IP addresses, cards and national phone numbers in a body', () => {
  const body = 'bind to 10.0.0.1 or fe80::1, test card 4111 1111 1111 1111, (415) 555-0179';
  assert.equal(redactText(body, 'text'), body);
  assert.equal(redactText(body, 'comment'), 'bind to [ip] or [ip], test card [card], [phone]');
});

test('removes secrets, e-mail addresses and international phone numbers in both scopes', () => {
  for (const scope of ['text', 'comment'] as const) {
    const redacted = redactText(`${token}, jo@example.org, +1-202-555-0117 by @jo in #12`, scope);
    assert.equal(redacted, '[secret], [email], [phone] by @jo in #12');
  }
});

test('removes addresses from trailers, whatever their form', () => {
  const message = [
    'fix: all of it (#12)',
    '',
    'Co-authored-by: Jo <jo@localhost>',
    'Signed-off-by: Max M. <max@example.org>\r',
    'Reported-by: Ann <ann at example.org>',
    'Tested-by: ann@localhost',
    'Acked-by: @handle',
    'Reviewed-by: Bo <https://example.org/bo>',
    'Sorted-by: <key>',
  ].join('\n');
  const lines = redactText(message, 'text').split('\n');
  assert.deepEqual(lines.slice(2), [
    'Co-authored-by: Jo <[email]>',
    'Signed-off-by: Max M. <[email]>\r',
    'Reported-by: Ann <[email]>',
    'Tested-by: [email]',
    'Acked-by: @handle',
    'Reviewed-by: Bo <https://example.org/bo>',
    'Sorted-by: <key>',
  ]);
});

test('removes phone candidates beyond the thirty-second without a check', () => {
  const unknown = '+999 111 222 333';
  assert.equal(redactText(unknown, 'comment'), unknown);
  const redacted = redactText(`${unknown}\n`.repeat(60), 'comment');
  assert.match(redacted.split('\n')[59] as string, /^\[phone\]/);
  assert.match(redacted.split('\n')[0] as string, /^\+999/);
});

const pieces = [
  ...['+1 202 555 0117', '+49 30 1', '0049 30 23125038', '030/', '555-0117', '4111 1111 1111 1111', '10.0.0.1', '::'],
  ...['jo', '@', 'a@b.co', '%40', 'fe80::1', 'v', 'version ', 'TOKEN=', 'token: ', 'is ', '--password ', token, 'sk-'],
  ...['eyJhbGciOiJI', '.eyJ', 'Bearer ', 'Authorization: ', 'abc123def456', '://', 'user:pass@', '![a](', '\\n', '漢'],
  ...['-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----', 'MIIEpAIBAAKCAQEA', 'Signed-off-by: x <', '[email]'],
  ...[
    '/user-attachments/assets/',
    'tel:',
    '"',
    "'",
    '`',
    '<',
    '>',
    '[',
    ']',
    '(',
    ')',
    ' ',
    '\n',
    '.',
    '-',
    ':',
    '=',
    '1',
  ],
];
const hostileText = fc
  .array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...pieces) }, { weight: 1, arbitrary: fc.string() }))
  .map((parts) => parts.join(''));
const scopes = fc.constantFrom('text' as const, 'comment' as const);

test('changes nothing when it is run again', () => {
  fc.assert(
    fc.property(hostileText, scopes, (text, scope) => {
      const once = redactText(text, scope);
      assert.equal(redactText(once, scope), once);
    }),
    { numRuns: 2000 },
  );
});

test('grows a text by at most half of its length', () => {
  fc.assert(
    fc.property(hostileText, scopes, (text, scope) => {
      assert.ok(redactText(text, scope).length <= text.length * 1.5 + 16);
    }),
    { numRuns: 1000 },
  );
});

test('finds a token and an address between any words', () => {
  const word = fc.constantFrom('the', 'fix', '`', '>', '(#12)', '\n', '- [x]', '**', '"', '\t', ',', '漢字');
  const words = fc.array(word, { maxLength: 8 }).map((parts) => parts.join(' '));
  fc.assert(
    fc.property(words, words, (before, after) => {
      const redacted = redactText(`${before} ${token} ${after} jo@example.org ${before}`, 'text');
      assert.equal(redacted, `${before} [secret] ${after} [email] ${before}`);
    }),
  );
});

test('reads the handle of each co-author once', () => {
  const message = [
    'feat: x',
    'Co-authored-by: A <12345+a-b@users.noreply.github.com>',
    'CO-AUTHORED-BY: A B <A-B@users.noreply.ghe.example>\r',
    'Co-authored-by: dependabot[bot] <49+dependabot[bot]@users.noreply.github.com>',
    '* Co-Authored-By: Jo <jo@example.org>',
    'Co-authored-by: fo_o <fo_o@noreply.forge.example>',
    'not Co-authored-by: z <z@users.noreply.github.com>',
  ].join('\n');
  assert.deepEqual(coAuthors(message), ['a-b', 'dependabot[bot]', 'fo_o']);
});

test('stops at thirty-two co-authors', () => {
  const line = (_: unknown, i: number) => `Co-authored-by: x <user${i}@users.noreply.github.com>`;
  assert.equal(coAuthors(Array.from({ length: 100 }, line).join('\n')).length, 32);
});
