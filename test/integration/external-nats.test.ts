/**
 * Tests connections to a NATS server of the operator. NKeys, `.creds` files, passwords and TLS work, and each error
 * names the setting that causes it.
 */
import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeCertificate } from '../../src/journal/certificate.ts';
import { connectionFault, connectJournal } from '../../src/journal/connect.ts';
import type { NatsSettings } from '../../src/journal/credentials.ts';
import { ensureStream } from '../../src/journal/topology.ts';
import {
  certFile,
  certKeyFile,
  externalSettings,
  issuedCertFile,
  issuedKeyFile,
  makeCreds,
  makeSigner,
  serverTls,
  startExternal,
} from '../helpers/external-nats.ts';
import { Impostor } from '../helpers/impostor.ts';
import { quiet } from '../helpers/journal.ts';
import { streamBytes } from '../helpers/partition-stream.ts';
import { freePort, temporaryFolder } from '../helpers/ports.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Asserts that a connection with these settings can create a stream. */
async function works(settings: NatsSettings): Promise<void> {
  const journal = await connectJournal(settings, { role: 'supervisor', name: 'test' }, quiet);
  await ensureStream(journal, 'p00', streamBytes);
  await journal.close();
}

async function says(settings: NatsSettings, what: RegExp): Promise<void> {
  const fault = await connectionFault(settings, 'supervisor');
  assert.match(fault?.message ?? 'it connects', what);
}

test('a token, a password, an NKey seed and a .creds file are accepted', async (t) => {
  const token = await startExternal(t, 'authorization { token: "s3cret" }');
  await works(externalSettings(`nats://s3cret@127.0.0.1:${token}`));
  await says(externalSettings(`nats://other@127.0.0.1:${token}`), /refuses the credentials in TIDINGS_NATS_URL/);
  await says(externalSettings(`nats://127.0.0.1:${token}`), /without credentials: set TIDINGS_NATS_CREDENTIALS/);

  const password = await startExternal(t, 'authorization { user: "ada", password: "pa:ss" }');
  await works(externalSettings(`nats://ada:pa%3Ass@127.0.0.1:${password}`));

  const [signer, other] = [makeSigner(t), makeSigner(t)];
  const signed = await startExternal(t, `authorization { users: [{ nkey: ${signer.nkey} }] }`);
  const url = `nats://127.0.0.1:${signed}`;
  await works(externalSettings(url, { natsCredentials: signer.file }));
  await says(
    externalSettings(url, { natsCredentials: other.file }),
    /refuses the credentials of TIDINGS_NATS_CREDENTIALS/,
  );

  const creds = makeCreds(t);
  const jwt = await startExternal(t, creds.config);
  await works(externalSettings(`nats://127.0.0.1:${jwt}`, { natsCredentials: creds.file }));
});

test('the error names the credentials file that cannot be used', async (t) => {
  const url = 'nats://127.0.0.1:4222';
  const missing = join(temporaryFolder(t), 'missing.nk');
  await says(externalSettings(url, { natsCredentials: missing }), /^TIDINGS_NATS_CREDENTIALS: ENOENT.*missing\.nk/);
  await says(
    externalSettings(url, { natsCredentials: certFile }),
    /^TIDINGS_NATS_CREDENTIALS: expected a \.creds file/,
  );
  await says(externalSettings(url, { natsTlsCa: missing }), /^TIDINGS_NATS_TLS_CA: ENOENT/);
  await says(externalSettings(url, { natsTlsCa: certKeyFile }), /^TIDINGS_NATS_TLS_CA: expected a certificate/);
});

test('a client reads its credentials again for each connection', async (t) => {
  const [former, current] = [makeSigner(t), makeSigner(t)];
  const user = (nkey: string): string => `{ nkey: ${nkey} }`;
  const port = await startExternal(t, `authorization { users: [${user(former.nkey)}, ${user(current.nkey)}] }`);
  const settings = externalSettings(`nats://127.0.0.1:${port}`, { natsCredentials: former.file });
  const journal = await connectJournal(settings, { role: 'gateway', name: 'test' }, quiet);
  const reconnected: string[] = [];
  journal.onReconnect(() => void reconnected.push('again'));
  for (const replace of [() => copyFileSync(current.file, former.file), () => writeFileSync(former.file, 'half a f')]) {
    replace();
    const before = reconnected.length;
    await journal.connection.reconnect();
    await waitUntil('it is connected again', () => reconnected.length > before);
  }
  await journal.close();
});

test('a client checks the certificate of the server and shows its own', async (t) => {
  const port = await startExternal(t, serverTls('verify: true'));
  const url = `tls://127.0.0.1:${port}`;
  const shown = { natsTlsCert: certFile, natsTlsKey: certKeyFile };
  await works(externalSettings(url, { natsTlsCa: certFile, ...shown }));
  await works(externalSettings(url.replace('tls:', 'nats:'), { natsTlsCa: certFile, ...shown }));
  await says(externalSettings(url, shown), /not trusted: set TIDINGS_NATS_TLS_CA/);
  await says(externalSettings(url, { natsTlsCa: certFile }), /TIDINGS_NATS_TLS_CERT/);
});

test('a client pins a certificate that is not a CA, for any server name', async (t) => {
  const folder = temporaryFolder(t);
  const [pair, other] = [makeCertificate(), makeCertificate()];
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [own, key] = [file('own.pem', pair.certificate), file('key.pem', pair.key)];
  // The server listens on 127.0.0.2, but its certificate names only 127.0.0.1 and localhost.
  const tls = `tls { cert_file: "${own}", key_file: "${key}", handshake_first: true }`;
  const port = await startExternal(t, tls, '127.0.0.2');
  const settings = externalSettings(`tls://127.0.0.2:${port}`, { natsTlsCa: own, natsTlsFirst: true });
  await works(settings);
  const wrong = file('other.pem', other.certificate);
  await says({ ...settings, natsTlsCa: wrong }, /not trusted/);
});

test('a client pins a certificate that a CA has issued, without that CA', async (t) => {
  const port = await startExternal(t, `tls { cert_file: "${issuedCertFile}", key_file: "${issuedKeyFile}" }`);
  await works(externalSettings(`tls://127.0.0.1:${port}`, { natsTlsCa: issuedCertFile }));
  await says(externalSettings(`tls://127.0.0.1:${port}`, { natsTlsCa: certFile }), /not trusted/);
});

test('a client begins with TLS if the setting says so', async (t) => {
  const port = await startExternal(t, serverTls('handshake_first: true'));
  const settings = externalSettings(`tls://127.0.0.1:${port}`, { natsTlsCa: certFile, natsTlsFirst: true });
  await works(settings);
  const later = await startExternal(t, serverTls());
  await says(
    { ...settings, natsUrl: `tls://127.0.0.1:${later}` },
    /TIDINGS_NATS_TLS_FIRST is set, but .* set handshake_first/,
  );
});

test('a client never continues without TLS if the settings require it', async (t) => {
  const plain = await startExternal(t, 'authorization { token: "s3cret" }');
  const ca = { natsTlsCa: certFile };
  for (const settings of [
    externalSettings(`tls://s3cret@127.0.0.1:${plain}`),
    externalSettings(`nats://s3cret@127.0.0.1:${plain}`, ca),
  ]) {
    await says(settings, /does not offer TLS/);
  }
  const port = await freePort();
  const impostor = new Impostor();
  assert.ok(await impostor.seize(port, 5000));
  // The impostor has three greetings and uses them in turn. Each greeting is tried with connections that start with a
  // TLS handshake and with connections that do not.
  for (let round = 0; round < 6; round++) {
    const signer = makeSigner(t);
    const pinned = join(temporaryFolder(t), 'pinned.pem');
    writeFileSync(pinned, makeCertificate().certificate);
    const asked = { natsCredentials: signer.file, natsTlsCa: pinned, natsTlsFirst: round >= 3 };
    assert.ok(await connectionFault(externalSettings(`tls://127.0.0.1:${port}`, asked), 'gateway'));
  }
  impostor.leave();
  for (const { raw, inside } of impostor.overheard) {
    assert.equal(inside.length, 0);
    assert.doesNotMatch(raw.toString('latin1'), /CONNECT|nkey|sig/);
  }
  assert.equal(impostor.overheard.length, 6);
});
