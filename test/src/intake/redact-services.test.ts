/**
 * Tests the redaction of tokens of many services, and of credentials in cookies, command lines, hashes and files. The
 * samples are joined from pieces, so that scanners of repositories do not report them as real secrets.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactText } from '../../../src/intake/redact.ts';

const mixed = 'kW7uAfRRfAvu4JpXcDxv2ZGDQsXTd9jdpCskuGvnvG6ksCpdj3dTXsQDGZ8vx'.repeat(3);
const hex = '84e6c0220c6e48aa84e6c0220c6e48aa40a28ceec82a046640a28ceec82a0466'.repeat(4);
const digits = '1535115351';
const uuid = '84e6c022-c82a-41d7-a1d7-40a28ceec82a';

/** Prefixes of tokens, and the characters that follow each prefix. */
const heads: readonly [head: string, rest: string][] = [
  ...(
    [
      'glsa_',
      'glc_',
      'ntn_',
      'figd_',
      'gsk_',
      'pplx-',
      'lin_api_',
      'r8_',
      'nfp_',
      'pnu_',
      'sgp_',
      'HRKU-',
      'ATBB',
    ] as const
  ).map((head): [string, string] => [head, mixed.slice(0, 44)]),
  ...(['sbp_', 'dapi', 'bkua_', 'pul-', 'sqp_', 'squ_', 'rubygems_', 'CLOJARS_', 'key-'] as const).map(
    (head): [string, string] => [head, hex.slice(0, 48)],
  ),
  ...(
    [
      'xai-',
      'sntrys_',
      'tfp_',
      'y0_',
      'sl.',
      'AKCp',
      'EZAK',
      'EAAC',
      'ATATT3',
      'rdme_',
      'ops_eyJ',
      'dckr_oat_',
    ] as const
  ).map((head): [string, string] => [head, mixed.slice(0, 120)]),
  ...(['sq0csp-', 'NRAK-', 'NRII-', 'LTAI', 'GR1348941', 'tskey-auth-', 'pscale_tkn_', 'duffel_live_'] as const).map(
    (head): [string, string] => [head, mixed.slice(0, 40)],
  ),
  ...(['SK', 'live_', 'PMAK-', 'CCIPAT_x_', 'xkeysib-', 'v1.'] as const).map((head): [string, string] => [
    head,
    hex.slice(0, { SK: 32, live_: 35, 'v1.': 40 }[head as string] ?? 64),
  ]),
  ...(['dp.pt.', 'secret_', 'p8e-'] as const).map((head): [string, string] => [head, mixed.slice(0, 43)]),
  ...(['pat-na1-', 'sdk-', 'access-production-'] as const).map((head): [string, string] => [head, uuid]),
  [`${digits}:`, `AA${mixed.slice(0, 33)}`],
  ['MTIz', `${mixed.slice(0, 20)}.${mixed.slice(0, 6)}.${mixed.slice(0, 30)}`],
  ['pat', `${mixed.slice(0, 14)}.${hex.slice(0, 64)}`],
  ['', `${mixed.slice(0, 14)}.atlasv1.${mixed.slice(0, 60)}`],
  ['', `${mixed.slice(0, 3)}8Q~${mixed.slice(0, 34)}`],
  ['', `${hex.slice(0, 32)}-us12`],
];

test('removes tokens of many services', () => {
  for (const [head, rest] of heads) {
    for (const scope of ['text', 'comment'] as const) {
      assert.equal(redactText(`use ${head}${rest}, please`, scope), 'use [secret], please', head);
      assert.equal(redactText(`("${head}${rest}")`, scope), '("[secret]")', head);
    }
  }
});

test('removes cookies, but keeps their attributes and plain words', () => {
  const value = mixed.slice(0, 32);
  for (const [before, after] of [
    [`Cookie: theme=dark; session=${value}; id=${value}`, 'Cookie: theme=dark; session=[secret]; id=[secret]'],
    [`Set-Cookie: sid=${value}; Path=/; Max-Age=31536000`, 'Set-Cookie: sid=[secret]; Path=/; Max-Age=31536000'],
    [`curl -H 'cookie: a=${value}' x`, "curl -H 'cookie: a=[secret]' x"],
    ['cookie: set SameSite=strict there', 'cookie: set SameSite=strict there'],
  ] as const) {
    assert.equal(redactText(before, 'text'), after);
  }
});

test('removes passwords of command lines and files, hashes, and keys in base64', () => {
  const password = 'Xq7kW2pJ9f';
  const login = Buffer.from(`me:${password}${password}`).toString('base64');
  const key = Buffer.from(`-----BEGIN RSA ${'PRIVATE'} KEY-----\n${mixed}`).toString('base64');
  for (const [before, after] of [
    [`curl -u admin:${password} https://x`, 'curl -u admin:[secret] https://x'],
    [`sshpass -p ${password} ssh x`, 'sshpass -p [secret] ssh x'],
    [`docker login -u me -p ${password}`, 'docker login -u me -p [secret]'],
    [`mysql -u root -p${password} x`, 'mysql -u root -p[secret] x'],
    [`machine h login me password ${password}`, 'machine h login me password [secret]'],
    [`**Password:** ${password}`, '**Password:** [secret]'],
    [`X-Amz-Signature=${hex.slice(0, 64)}&x`, 'X-Amz-Signature=[secret]&x'],
    [`hash $2b$12$${mixed.slice(0, 53)} x`, 'hash [secret] x'],
    [`"auth": "${login}"`, '"auth": "[secret]"'],
    [`key ${key}`, 'key [secret]'],
    [`PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 1\n${mixed}\n`, '[secret]\n'],
    [`![x](data:image/png;base64,${mixed})`, '![x]([attachment])'],
  ] as const) {
    assert.equal(redactText(before, 'text'), after);
  }
});

test('keeps look-alikes', () => {
  const texts = [
    'docker run -u 1000:1000',
    'docker login -u me -p $TOKEN',
    'pat-release key-value live_reload',
    'v1.0-rc',
  ];
  texts.push(
    's.replaceAllTheThings',
    'M1.2.3',
    'y0_ r8_x gsk_',
    `sha ${hex.slice(0, 40)}`,
    `md5 ${hex.slice(0, 32)}`,
    uuid,
  );
  texts.push(
    'integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP==',
    '$1$2 and $5',
    'signature=valid',
  );
  for (const text of texts) assert.equal(redactText(`see ${text} here`, 'comment'), `see ${text} here`);
});
