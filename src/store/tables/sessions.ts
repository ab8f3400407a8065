/**
 * The tables of sessions and sign-in codes in the directory partition. A session is found by the hash of its token.
 * `sessionsByKey` lists the sessions of a key in the order of their ids, so the oldest is first. `sessionsByEnd` lists
 * them in the order in which they end.
 */
import { type SessionRecord, type SignInCodeRecord, sessionExpiry } from '../../protocol/sessions.ts';
import type { Partition } from '../partition.ts';

/** Finds a session by the hash of its token. It may have ended, because ended sessions are removed at intervals. */
export function readSession(partition: Partition, token: string): SessionRecord | undefined {
  return partition.tables.sessions.get(token);
}

/** Writes a session and its index rows. */
export function writeSession(partition: Partition, session: SessionRecord): void {
  const { sessions, sessionsByKey, sessionsByEnd } = partition.tables;
  const { id, keyId, token } = session;
  const before = readSession(partition, token);
  if (before) sessionsByEnd.removeSync([sessionExpiry(before), id]);
  sessions.putSync(token, session);
  sessionsByKey.putSync([keyId, id], token);
  sessionsByEnd.putSync([sessionExpiry(session), id], token);
}

/** Removes a session and its index rows. */
export function removeSession(partition: Partition, session: SessionRecord): void {
  const { sessions, sessionsByKey, sessionsByEnd } = partition.tables;
  sessions.removeSync(session.token);
  sessionsByKey.removeSync([session.keyId, session.id]);
  sessionsByEnd.removeSync([sessionExpiry(session), session.id]);
}

/** Returns the sessions of a key, oldest first. */
export function listSessions(partition: Partition, keyId: string): SessionRecord[] {
  const rows = [...partition.tables.sessionsByKey.getRange({ start: [keyId, ''], end: [keyId, '\uffff'] })];
  return rows.flatMap(({ value: token }) => readSession(partition, token) ?? []);
}

/** Finds a sign-in code by its hash. The code may have expired, because expired ones are removed at intervals. */
export function readSignInCode(partition: Partition, code: string): SignInCodeRecord | undefined {
  return partition.tables.signInCodes.get(code);
}

export function writeSignInCode(partition: Partition, code: string, record: SignInCodeRecord): void {
  partition.tables.signInCodes.putSync(code, record);
}

export function removeSignInCode(partition: Partition, code: string): void {
  partition.tables.signInCodes.removeSync(code);
}

/** Returns the number of sign-in codes that are stored. */
export function countSignInCodes(partition: Partition): number {
  return partition.tables.signInCodes.getKeysCount({});
}

/** Removes the sign-in codes that have expired at `time` (milliseconds). */
export function removeSignInCodesBefore(partition: Partition, time: number): void {
  const rows = [...partition.tables.signInCodes.getRange({})];
  for (const { key, value } of rows)
    if ((value as SignInCodeRecord).expiresAt <= time) removeSignInCode(partition, key);
}

/** Removes up to `limit` sessions that have ended at `time` (milliseconds). */
export function removeSessionsBefore(partition: Partition, time: number, limit: number): void {
  const rows = [...partition.tables.sessionsByEnd.getRange({ end: [time], limit })];
  for (const { value: token } of rows) {
    const session = readSession(partition, token);
    if (session) removeSession(partition, session);
  }
}

/** Removes the sessions and the sign-in codes of a key. */
export function removeSessionsOf(partition: Partition, keyId: string): void {
  for (const session of listSessions(partition, keyId)) removeSession(partition, session);
  const codes = [...partition.tables.signInCodes.getRange({})];
  for (const { key, value } of codes) {
    if ((value as SignInCodeRecord).keyId === keyId) removeSignInCode(partition, key);
  }
}
