/**
 * Tests the signature check: the published test vector, the current and the previous secret, and signatures that must
 * fail.
 */
import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseSignature, SignatureCheck } from '../../../src/ingress/signature.ts';

const secret = "It's a Secret to Everybody";
const body = Buffer.from('Hello, World!');
const digest = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

function passes(header: string | undefined, secrets: readonly string[], bytes: Buffer = body): boolean {
  const check = new SignatureCheck(header, secrets);
  check.update(bytes);
  return check.verify(bytes);
}

function sign(key: string, bytes: Buffer = body): string {
  return `sha256=${createHmac('sha256', key).update(bytes).digest('hex')}`;
}

test('the published test vector passes (spec 5)', () => {
  assert.ok(passes(`sha256=${digest}`, [secret]));
});

test('the digest may be in upper case', () => {
  assert.ok(passes(`sha256=${digest.toUpperCase()}`, [secret]));
});

test('anything but 64 hex digits fails (spec 5)', () => {
  const headers = [
    undefined,
    '',
    'sha256=',
    'sha256',
    digest,
    `sha1=${digest}`,
    `sha256=${digest.slice(0, 62)}`,
    `sha256=${digest.slice(0, 63)}`,
    `sha256=${digest}0`,
    `sha256=${digest}00`,
    `sha256=${digest.replace('7', 'g')}`,
    `sha256= ${digest.slice(1)}`,
    ` sha256=${digest}`,
    `sha256=${digest}\n`,
    `sha256=${digest},sha256=${digest}`,
    `sha256=${'0'.repeat(64)}`,
  ];
  for (const header of headers) assert.equal(passes(header, [secret]), false, String(header));
});

test('one changed bit of the digest fails (spec 5)', () => {
  const bytes = Buffer.from(digest, 'hex');
  for (let bit = 0; bit < 256; bit++) {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
    assert.equal(passes(`sha256=${changed.toString('hex')}`, [secret]), false);
  }
});

test('current and previous secret both pass', () => {
  assert.ok(passes(sign('current-secret'), ['current-secret', 'previous-secret']));
  assert.ok(passes(sign('previous-secret'), ['current-secret', 'previous-secret']));
  assert.equal(passes(sign('older-secret'), ['current-secret', 'previous-secret']), false);
});

test('an empty secret never passes', () => {
  assert.equal(passes(sign(''), []), false);
  assert.equal(passes(sign(''), ['']), false);
  assert.equal(passes(sign(''), ['', '']), false);
  assert.equal(passes(sign(''), ['current-secret', '']), false);
  assert.ok(passes(sign('previous-secret'), ['', 'previous-secret']));
});

test('a missing digest does not count as zeros', () => {
  assert.equal(parseSignature('sha256='), undefined);
  assert.equal(passes(undefined, [secret], Buffer.alloc(0)), false);
});

test('a body that arrives in pieces passes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 20 }), (bytes, size) => {
      const whole = Buffer.from(bytes);
      for (const secrets of [['current-secret'], ['newer-secret', 'current-secret']]) {
        const check = new SignatureCheck(sign('current-secret', whole), secrets);
        for (let at = 0; at < whole.length; at += size) check.update(whole.subarray(at, at + size));
        assert.ok(check.verify(whole));
      }
    }),
  );
});

test('another body under the same signature fails (spec 5)', () => {
  const bytes = randomBytes(200);
  const changed = Buffer.from(bytes);
  changed[100] = (changed[100] as number) ^ 1;
  assert.equal(passes(sign(secret, bytes), [secret], changed), false);
  assert.equal(passes(sign(secret, bytes), [secret], bytes.subarray(0, 199)), false);
});
