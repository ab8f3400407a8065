/**
 * Checks the fold of sessions and sign-in codes: a session slides and has a maximum, a code starts one session, and
 * ended rows are removed.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { CommandResult } from '../../../src/protocol/commands.ts';
import {
  maxSessionsPerKey,
  maxSignInCodes,
  sessionExpiry,
  sessionIdleMs,
  sessionMaxMs,
  sessionRenewalMs,
  signInCodeMs,
} from '../../../src/protocol/sessions.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { listSessions, readSession } from '../../../src/store/tables/sessions.ts';
import { foldRecords, openTestPartition, rows } from '../../helpers/partition.ts';
import { commandRecord, epoch, keyFields, tickRecord } from '../../helpers/partition-records.ts';

const origin = 'https://scm.example';
const tables = ['sessions', 'sessionsByKey', 'sessionsByEnd', 'signInCodes'] as const;

async function openDirectory(t: TestContext) {
  const directory = openTestPartition(t, 'directory');
  let seq = 0;
  const fold = (...records: Parameters<typeof foldRecords>[2][]) => {
    seq += 1;
    return foldRecords(directory, seq, ...records);
  };
  const run = async (command: object, at = epoch): Promise<CommandResult> => {
    const record = commandRecord(command as never, at);
    await fold(record);
    return readResult(directory, record.id) ?? assert.fail();
  };
  await run({ name: 'createKey', org: null, origin, key: keyFields('key_1') });
  const signIn = (nth: number | string, at = epoch, more: object = {}) => {
    const session = { id: `ses_${nth}`, keyId: 'key_1', token: `token ${nth}`, csrf: `csrf ${nth}` };
    return run({ name: 'createSession', session, ...more }, at);
  };
  const code = (hash: string, at = epoch, keyId = 'key_1') => run({ name: 'createSignInCode', keyId, code: hash }, at);
  const counts = () => tables.map((name) => rows(directory, name).length);
  return { directory, fold, run, signIn, code, counts };
}

const kindOf = (result: CommandResult) => (result.ok ? 'ok' : result.kind);

test('a session slides with its use, up to its maximum', async (t) => {
  const { directory, run, signIn } = await openDirectory(t);
  await signIn(1);
  const expiry = () => sessionExpiry(readSession(directory, 'token 1') ?? assert.fail()) - epoch;
  assert.equal(expiry(), sessionIdleMs);
  const use = (at: number) => run({ name: 'renewSession', token: 'token 1' }, epoch + at);
  await use(sessionRenewalMs - 1);
  assert.equal(expiry(), sessionIdleMs, 'a use within ten minutes changes nothing');
  await use(sessionRenewalMs);
  assert.equal(expiry(), sessionRenewalMs + sessionIdleMs);
  for (let at = sessionIdleMs; at < sessionMaxMs; at += sessionIdleMs - sessionRenewalMs) await use(at);
  assert.equal(expiry(), sessionMaxMs);
});

test('the use of a session that has ended does not renew it', async (t) => {
  const { directory, run, signIn } = await openDirectory(t);
  await signIn(1);
  await run({ name: 'renewSession', token: 'token 1' }, epoch + sessionIdleMs);
  assert.equal(readSession(directory, 'token 1')?.renewedAt, epoch);
  assert.equal(kindOf(await run({ name: 'renewSession', token: 'none' })), 'ok');
  assert.equal(readSession(directory, 'none'), undefined);
});

test('a sign-in ends the session that the browser had before, and no other one', async (t) => {
  const { directory, signIn } = await openDirectory(t);
  await signIn(1);
  await signIn(2);
  const ended = async (nth: number, replaces: string) => {
    const result = await signIn(nth, epoch, { replaces });
    return result.ok && (result.value as { endedSessions: string[] }).endedSessions;
  };
  assert.deepEqual([await ended(3, 'token 1'), await ended(4, 'unknown')], [['ses_1'], []]);
  assert.deepEqual(
    listSessions(directory, 'key_1').map(({ id }) => id),
    ['ses_2', 'ses_3', 'ses_4'],
  );
});

test('a further session of a key ends the oldest one', async (t) => {
  const { directory, signIn, counts } = await openDirectory(t);
  for (let nth = 0; nth < maxSessionsPerKey; nth++) await signIn(String(nth).padStart(3, '0'));
  const last = await signIn('050');
  assert.deepEqual(last.ok && last.value, {
    ...{ id: 'ses_050', keyId: 'key_1', createdAt: epoch },
    endedSessions: ['ses_000'],
  });
  const left = listSessions(directory, 'key_1').map(({ id }) => id);
  assert.deepEqual([left.length, left[0]], [maxSessionsPerKey, 'ses_001']);
  assert.deepEqual(counts(), [maxSessionsPerKey, maxSessionsPerKey, maxSessionsPerKey, 0]);
});

test('sessions that were made while the clock was ahead end none that were made afterwards', async (t) => {
  const { directory, run, signIn, code } = await openDirectory(t);
  const ahead = epoch + 365 * 86_400_000;
  for (let nth = 0; nth < maxSessionsPerKey; nth++) await signIn(`9${nth}`, ahead);
  await code('c', ahead);
  await signIn('01');
  await signIn('02');
  assert.deepEqual(
    listSessions(directory, 'key_1').map(({ id }) => id),
    ['ses_01', 'ses_02'],
  );
  assert.equal(kindOf(await signIn('03', epoch, { code: 'c' })), 'unauthorized', 'nor does a code work for a year');
  await run({ name: 'renewSession', token: 'token 01' }, epoch + sessionRenewalMs);
  assert.equal(readSession(directory, 'token 01')?.renewedAt, epoch + sessionRenewalMs);
});

test('a key that was revoked or has expired starts no session', async (t) => {
  const { run, signIn, code, counts } = await openDirectory(t);
  await code('c');
  await run({ name: 'revokeKey', keyId: 'key_1' });
  assert.equal(kindOf(await signIn(1)), 'unauthorized');
  assert.equal(kindOf(await signIn(1, epoch, { code: 'c' })), 'unauthorized');
  assert.equal(kindOf(await code('d')), 'conflict');
  assert.equal(kindOf(await code('d', epoch, 'key_none')), 'notFound');
  assert.deepEqual(counts(), [0, 0, 0, 0]);
});

test('a code starts one session, also if two requests use it in one batch', async (t) => {
  const { directory, fold, code } = await openDirectory(t);
  await code('c');
  const records = [1, 2].map((nth) =>
    commandRecord({
      name: 'createSession',
      session: { id: `ses_${nth}`, keyId: 'key_1', token: `token ${nth}`, csrf: 'csrf' },
      code: 'c',
    } as never),
  );
  await fold(...records);
  assert.deepEqual(
    records.map(({ id }) => kindOf(readResult(directory, id) ?? assert.fail())),
    ['ok', 'unauthorized'],
  );
  assert.deepEqual(
    listSessions(directory, 'key_1').map(({ id }) => id),
    ['ses_1'],
  );
});

test('a code works for ten minutes, and only for its key', async (t) => {
  const { run, signIn, code } = await openDirectory(t);
  await run({ name: 'createKey', org: null, origin, key: keyFields('key_2') });
  await code('late');
  await code('early');
  await code('foreign', epoch, 'key_2');
  assert.equal(kindOf(await signIn(1, epoch + signInCodeMs, { code: 'late' })), 'unauthorized');
  assert.equal(kindOf(await signIn(2, epoch + signInCodeMs - 1, { code: 'early' })), 'ok');
  assert.equal(kindOf(await signIn(3, epoch, { code: 'foreign' })), 'unauthorized');
});

test('codes that wait to be used have a maximum; expired ones do not count', async (t) => {
  const { fold, code, counts } = await openDirectory(t);
  const records = Array.from({ length: maxSignInCodes }, (_, nth) =>
    commandRecord({ name: 'createSignInCode', keyId: 'key_1', code: `c${nth}` } as never),
  );
  await fold(...records);
  assert.equal(kindOf(await code('more')), 'conflict');
  assert.equal(kindOf(await code('later', epoch + signInCodeMs)), 'ok');
  assert.deepEqual(counts(), [0, 0, 0, 1]);
});

test('sign-out ends one session, and sign-out everywhere those of the key', async (t) => {
  const { run, signIn, counts } = await openDirectory(t);
  await run({ name: 'createKey', org: null, origin, key: keyFields('key_2') });
  const other = { id: 'ses_other', keyId: 'key_2', token: 'other', csrf: 'csrf' };
  await run({ name: 'createSession', session: other });
  for (const nth of [1, 2, 3]) await signIn(nth);
  for (let round = 0; round < 2; round++) {
    const ended = await run({ name: 'endSession', sessionId: 'ses_1', token: 'token 1' });
    assert.deepEqual(ended, { ok: true, value: { id: 'ses_1', endedAt: epoch } });
  }
  const all = await run({ name: 'endSessions', keyId: 'key_1' });
  assert.deepEqual(all, { ok: true, value: { keyId: 'key_1', endedSessions: 2, endedAt: epoch } });
  assert.deepEqual(counts(), [1, 1, 1, 0]);
});

test('a tick removes sessions and codes that have ended', async (t) => {
  const { directory, fold, run, signIn, code, counts } = await openDirectory(t);
  await fold(tickRecord(epoch));
  await signIn(1);
  await signIn(2);
  await code('c');
  await run({ name: 'renewSession', token: 'token 2' }, epoch + sessionRenewalMs);
  await fold(tickRecord(epoch + sessionIdleMs + 1));
  assert.deepEqual(counts(), [1, 1, 1, 0]);
  assert.deepEqual(
    listSessions(directory, 'key_1').map(({ id }) => id),
    ['ses_2'],
  );
  await fold(tickRecord(epoch + sessionRenewalMs + sessionIdleMs + 1));
  assert.deepEqual(counts(), [0, 0, 0, 0]);
});
