/**
 * Tests the error messages for a connection that the journal's server has closed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from '../../../src/journal/connect-faults.ts';
import { externalSettings } from '../../helpers/external-nats.ts';

const cut = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const [overTls, inClear] = ['tls://127.0.0.1:1', 'nats://127.0.0.1:1'];

test('the error of a closed TLS connection names the certificate settings if the client shows none', () => {
  const advice = /^read ECONNRESET \(.*TIDINGS_NATS_TLS_CERT/;
  assert.match(explain(cut, externalSettings(overTls)).message, advice);
  assert.match(explain(cut, externalSettings(inClear, { natsTlsCa: 'ca.pem' })).message, advice);
});

test("the error of any other connection fault is the system's message", () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  assert.equal(explain(refused, externalSettings(overTls)).message, 'connect ECONNREFUSED');
  assert.equal(explain(cut, externalSettings(inClear)).message, 'read ECONNRESET');
  const shown = externalSettings(overTls, { natsTlsCert: 'cert.pem', natsTlsKey: 'key.pem' });
  assert.equal(explain(cut, shown).message, 'read ECONNRESET');
});
