/**
 * Tests secrets that redaction must find, and harmless texts that look similar and must stay. The samples are joined
 * from pieces, so that scanners of repositories do not report them as real secrets.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactText } from '../../../src/intake/redact.ts';

const mixed = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
const hex40 = '3f786850e387550fdab836ed7e6dc881de23001b';
const jwt = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0In0', 'abc-def_ghi'].join('.');

function assertTable(table: readonly (readonly [before: string, after: string])[]): void {
  for (const [before, after] of table) {
    assert.equal(redactText(before, 'text'), after);
    assert.equal(redactText(before, 'comment'), after);
  }
}

function assertKept(texts: readonly string[]): void {
  for (const text of texts) assert.equal(redactText(text, 'text'), text);
}

test('removes tokens with a known prefix', () => {
  const heads = ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'rn_live_', 'rn_test_', 'sk_live_', 'sk_test_'];
  heads.push('rk_live_', 'sk-', 'sk-proj-', 'xoxb-', 'xoxp-', 'AIza', 'whsec_', 'npm_', 'pypi-', 'glpat-', 'hf_');
  for (const head of heads) {
    const token = head + mixed;
    assertTable([
      [`use ${token}, please`, 'use [secret], please'],
      [`\`\`\`\n${token}\n\`\`\``, '```\n[secret]\n```'],
      [`"a\\n${token}"`, '"a\\n[secret]"'],
      [`https://host.example/?t=${token}&x=1`, 'https://host.example/?t=[secret]&x=1'],
    ]);
  }
});

test('removes access key ids, JSON Web Tokens and chat hooks', () => {
  assertTable([
    [`key ${'AKIA'}EORFLMAT34WUQPWX.`, 'key [secret].'],
    [`jwt-${jwt}.`, 'jwt-[secret].'],
    [`cookie=${jwt};`, 'cookie=[secret];'],
    [`post to https://hooks.slack.com/services/${'T0000/B0000/xyz'}`, 'post to https://[secret]'],
  ]);
});

test('keeps look-alikes of tokens', () => {
  assertKept([
    'highp_float and ghp_short',
    'sk-some-long-branch-name-here-and-more',
    'npm_config_registry_with_a_long_name_behind_it',
    'pypi-publish-workflow-for-everyone',
    'AKIATOOSHORT1 and AKIA0123456789ABCDEFGHIJ',
    'eyJ is how a token begins, eyJhbGciOiJIUzI1NiJ9 alone is none',
  ]);
});

test('removes private keys, whole, quoted, escaped or cut off', () => {
  const begin = `-----BEGIN RSA ${'PRIVATE'} KEY-----`;
  const end = `-----END RSA ${'PRIVATE'} KEY-----`;
  const line = 'MIIEpAIBAAKCAQEA0123456789abcdef';
  assertTable([
    [`a\n${begin}\n${line}\n${line}\n${end}\nb`, 'a\n[secret]\nb'],
    [`> ${begin}\n> ${line}\n> ${end}`, '> [secret]'],
    [`"${begin}\\n${line}\\n${end}\\n"`, '"[secret]\\n"'],
    [`a\r\n${begin}\r\nProc-Type: 4,ENCRYPTED\r\n\r\n${line}\r\n`, 'a\r\n[secret]\r\n'],
    [`${begin}\n${line}\nprose follows`, '[secret]\nprose follows'],
    [`${begin}${line}${line} and prose`, '[secret] and prose'],
  ]);
  const certificate = '-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----';
  assertKept([certificate, 'the BEGIN PRIVATE KEY line']);
});

test('removes credentials from URLs and keeps the host', () => {
  assertTable([
    ['https://user:pass@host.example/x', 'https://[secret]@host.example/x'],
    ['postgres://app:p@ss%40@db:5432/x?y=1', 'postgres://[secret]@db:5432/x?y=1'],
    [`https://${mixed}@host.example/`, 'https://[secret]@host.example/'],
    ['redis://:pass@cache', 'redis://[secret]@cache'],
  ]);
  assertKept([
    'ssh://git@github.com/o/r and git@github.com:o/r.git',
    'https://<user>:<password>@host and http://$' + '{USER}:$' + '{PASS}@host',
    'http://localhost:8080/@scope/package',
  ]);
});

test('removes values of authorization headers', () => {
  assertTable([
    ['Authorization: Bearer abcdefgh', 'Authorization: Bearer [secret]'],
    ['"authorization": "Basic dXNlcjpwYXNz"', '"authorization": "Basic [secret]"'],
    [`curl -H 'Authorization: token ${hex40}'`, "curl -H 'Authorization: token [secret]'"],
    ['bearer abc123def456.', 'bearer [secret].'],
    ['AUTHORIZATION: abc123def456', 'AUTHORIZATION: [secret]'],
  ]);
  assertKept([
    'a bearer token, Bearer authentication and Basic auth over Basic HTTP/1.1',
    'Authorization: Bearer <API_KEY>, Authorization: Bearer API_KEY, Authorization: required',
    'authorization: the user must be known',
  ]);
});

test('removes forty hexadecimal digits only after the word "token"', () => {
  assertTable([
    [`token ${hex40}`, 'token [secret]'],
    [`the token is \`${hex40}\``, 'the token is `[secret]`'],
    [`?access_token=${hex40}`, '?access_token=[secret]'],
  ]);
  assertKept([hex40, `commit ${hex40}`, `fixes the token parser in ${hex40}`, `${hex40}${hex40.slice(0, 24)}`]);
});

test('removes the values of a dumped environment', () => {
  assertTable([
    ['export TOKEN=abc', 'export TOKEN=[secret]'],
    ['DB_PASSWORD="correct horse" X=1', 'DB_PASSWORD="[secret]" X=1'],
    ['AWS_SECRET_ACCESS_KEY=abc/def+ghi', 'AWS_SECRET_ACCESS_KEY=[secret]'],
    ['SECRET_KEY_BASE=x7y8z9; API_KEY=k1k2', 'SECRET_KEY_BASE=[secret]; API_KEY=[secret]'],
    ['```\nHOME=/root\nNPM_TOKEN=abc\n```', '```\nHOME=/root\nNPM_TOKEN=[secret]\n```'],
  ]);
  assertKept([
    'TOKEN=$' + '{TOKEN} API_KEY=<key> PASSWORD=*** SECRET=',
    'MAX_TOKENS=4096 SECRET_ENABLED=true TOKEN==other PWD=/root TOKEN_TTL=60',
  ]);
});

test('removes settings whose value looks random', () => {
  assertTable([
    ['password: hunter2', 'password: [secret]'],
    ['{"client_secret": "s3cr3tv4lue"}', '{"client_secret": "[secret]"}'],
    ['apiKey = "AbCd1234EfGh"', 'apiKey = "[secret]"'],
    ['--github-token abc123def456', '--github-token [secret]'],
    ['the password is hunter22', 'the password is [secret]'],
  ]);
  assertKept([
    'token: string; secret: my-cluster-1; password: process.env.PASS1',
    'const token = getToken1() and token => token1.value',
    'the token abc123 and 2 tokens: 12345678',
    'secretName: registry1-credentials2',
  ]);
});
