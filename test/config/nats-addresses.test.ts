/** Tests the list of NATS addresses: what is parsed, what is refused, and that no fault contains a secret. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSettings, SettingsError, settingsToEnv } from '../../config/load.ts';
import { natsAddressesOf } from '../../config/nats-addresses.ts';

function faultsOf(natsUrl: string, more: NodeJS.ProcessEnv = {}): readonly string[] {
  try {
    loadSettings({ TIDINGS_NATS_URL: natsUrl, ...more });
    return [];
  } catch (error) {
    assert.ok(error instanceof SettingsError);
    return error.faults;
  }
}

test('an address and a list of addresses are parsed', () => {
  const cases: [string, string[], boolean][] = [
    ['nats://nats.example.com', ['nats.example.com:4222'], false],
    ['tls://10.0.0.1:4223/', ['10.0.0.1:4223'], true],
    ['nats://[2001:db8::1]:4222', ['[2001:db8::1]:4222'], false],
    ['nats://a:4222,nats://b:4223, nats://c', ['a:4222', 'b:4223', 'c:4222'], false],
    ['tls://a,tls://b', ['a:4222', 'b:4222'], true],
  ];
  for (const [natsUrl, servers, tls] of cases) {
    assert.deepEqual(faultsOf(natsUrl), []);
    assert.deepEqual(natsAddressesOf(natsUrl), { servers, tls, credentials: undefined });
  }
});

test('credentials are those of the first address', () => {
  const cases: [string, object][] = [
    ['nats://t0ken@a', { token: 't0ken' }],
    ['nats://ada:pa%3Ass%2C1@a,nats://b,nats://c', { user: 'ada', pass: 'pa:ss,1' }],
    ['nats://ada:secret@a,nats://ada:secret@b,nats://c', { user: 'ada', pass: 'secret' }],
  ];
  for (const [natsUrl, credentials] of cases) {
    assert.deepEqual(faultsOf(natsUrl), []);
    assert.deepEqual(natsAddressesOf(natsUrl).credentials, credentials);
  }
});

test('each fault of an address names its place and what is expected', () => {
  const host = /^TIDINGS_NATS_URL: expected a host, optionally with a port from 1 to 65535/;
  const cases: [string, RegExp][] = [
    ['nats://', host],
    ['nats://pass-word@', host],
    ['nats://a:0', host],
    ['nats://a:65536', host],
    ['nats://a:b', host],
    ['nats://ada:pass/word@a', host],
    ['nats://pass-word@a/path', /^TIDINGS_NATS_URL: expected an address that ends after the host and port/],
    ['nats://pass-word@a?tls=1', /^TIDINGS_NATS_URL: expected an address that ends after the host and port/],
    ['nats://pass-word%@a', /^TIDINGS_NATS_URL: expected credentials in percent-encoding/],
    ['nats://pass-word@a,', /^TIDINGS_NATS_URL\[1\]: expected an address, got nothing/],
    ['nats://pass-word@a,,nats://b', /^TIDINGS_NATS_URL\[1\]: expected an address, got nothing/],
    ['nats://ada:pass,word@a', /^TIDINGS_NATS_URL\[0\]: expected a host/],
    ['nats://a,b:4222', /^TIDINGS_NATS_URL\[1\]: expected an address that begins with tls:\/\/ or nats:\/\//],
    ['nats://a,http://pass-word@b', /^TIDINGS_NATS_URL\[1\]: expected an address that begins with tls:\/\/ or nats/],
    ['nats://a,tls://b', /^TIDINGS_NATS_URL: expected only tls:\/\/ addresses or only nats:\/\/ addresses, got both/],
    ['nats://a,nats://pass-word@b', /^TIDINGS_NATS_URL\[1\]: expected no credentials, or the same ones as in the fir/],
    ['nats://x:pass-word@a,nats://x:word@b', /^TIDINGS_NATS_URL\[1\]: expected no credentials, or the same ones/],
    ['nats://a,nats://b,nats://a:4222', /^TIDINGS_NATS_URL\[2\]: expected each server only once/],
    [',nats://pass-word@a', /^TIDINGS_NATS_URL: expected an address that begins with tls:\/\/ or nats:\/\/, or a list/],
  ];
  for (const [natsUrl, expected] of cases) {
    const faults = faultsOf(natsUrl);
    assert.match(faults[0] ?? `${natsUrl} is accepted`, expected);
    assert.doesNotMatch(faults.join(), /pass-word|pass,|word@/);
  }
});

test('every address with a fault is named', () => {
  assert.equal(faultsOf('nats://a/x,nats://b:0,nats://c,').length, 3);
});

test('a credentials file is refused beside credentials in an address', () => {
  const file = { TIDINGS_NATS_CREDENTIALS: '/etc/tidings/nats.creds' };
  assert.match(faultsOf('nats://t0ken@a,nats://b', file).join(), /^TIDINGS_NATS_CREDENTIALS: expected no value/);
  assert.deepEqual(faultsOf('nats://a,nats://b', file), []);
});

test('a list is the same in a child process', () => {
  const settings = loadSettings({ TIDINGS_NATS_URL: 'nats://t0ken@a, nats://b' });
  assert.equal(loadSettings(settingsToEnv(settings)).natsUrl, settings.natsUrl);
});
