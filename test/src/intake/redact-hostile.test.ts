/**
 * Tests the duration of redaction on texts that are crafted to make it slow. Absolute durations depend on the machine,
 * so the growth of processor time with the length of the text is measured.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coAuthors, redactText } from '../../../src/intake/redact.ts';
import { assertLinear } from '../../helpers/processor-time.ts';

const length = 131_072;

const seeds = [
  ...[
    '+1',
    '+1 ',
    '+999 111 222 333 ',
    '+1 202 555 0117 ',
    '202-555-0117 ',
    '01 ',
    '(1',
    'call 1 ',
    '00 1',
    '4',
    '4111 ',
  ],
  ...['a@', 'a.', 'a.a@a.a ', '"@aa.bb', '%40', '漢@', '1.', '10.0.0.1 ', 'to 10.0.0.1 ', '1:', 'fe80::1 ', '::'],
  ...[
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----\nAAAA\n',
    '=',
    '-',
    '_',
    '\\n',
    '\n',
    ' ',
  ],
  ...['0123456789abcdef', 'https://', 'https://a/', 'https://a:b@', '://a:', '![a](', '/user-attachments/assets/', '['],
  ...['eyJ', 'eyJaaaaaaaaaa-', 'eyJaaaaaaaaaa.', 'ghp_', 'sk-', 'token=', 'token:a1', 'TOKEN=', 'TOKEN="', 'TOKEN_A'],
  ...['password is ', '--token ', 'Authorization: ', 'Authorization: Bearer ', 'bearer ', 'Basic a1b2c3d4'],
  ...[
    `Bearer ${'a-'.repeat(100)}A1 `,
    `token: ${'a.'.repeat(100)}! `,
    '(12)99999999999999999999x ',
    '1%401.2.ab',
    'a.',
  ],
  ...[
    '＠',
    '＠a',
    '[email]＠',
    '1.1.1.1-',
    '00 1 ',
    'x-by:a@b\n',
    'x-by: <<<<<',
    'a-',
    'Signed-off-by: x <a@b> \n',
    'co-authored-by: a[a[a[a[a[',
  ],
];

test('takes time in proportion to repeated fragments', () => {
  for (const seed of seeds) {
    const textOf = (length: number) => seed.repeat(Math.ceil(length / seed.length)).slice(0, length);
    assertLinear(JSON.stringify(seed), length, textOf, (text) => redactText(text, 'comment'));
    assertLinear(JSON.stringify(seed), length, textOf, (text) => coAuthors(text));
  }
});

test('takes time in proportion to a head and a long tail', () => {
  for (const [head, tail] of [
    ['token=', '.'],
    ['TOKEN=', ','],
    ['://', 'a'],
    ['-----BEGIN PRIVATE KEY-----', 'A'],
    ['a@', 'b.'],
    ['"@', ' '],
  ] as const) {
    const textOf = (length: number) => head.repeat(length / 2 / head.length) + tail.repeat(length / 2 / tail.length);
    assertLinear(JSON.stringify([head, tail]), length, textOf, (text) => redactText(text, 'comment'));
  }
});

test('survives a text of many megabytes', () => {
  for (const seed of ['4', '+1 202 555 0117 ', `ghp_${'a'.repeat(64)}`]) {
    const text = seed.repeat(8_000_000 / seed.length);
    assert.ok(redactText(text, 'comment').length <= text.length);
  }
});
