/**
 * Folds the commands about sessions: sign-in, use, sign-out, and sign-in codes. A session of a key that has ended is
 * not removed here. Every request checks the key, so such a session is refused at once, and its row expires.
 */
import { ServiceError } from '../../src/foundation/errors.ts';
import type { CommandResult, DirectoryCommand, KeyRecord } from '../../src/protocol/commands.ts';
import {
  hasEnded,
  isUsable,
  maxSessionsPerKey,
  maxSignInCodes,
  type SessionRecord,
  sessionRenewalMs,
  signInCodeMs,
} from '../../src/protocol/sessions.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readKey } from '../../src/store/tables/directory.ts';
import { keyStateOf } from '../../src/store/tables/key-ends.ts';
import {
  countSignInCodes,
  listSessions,
  readSession,
  readSignInCode,
  removeSession,
  removeSignInCode,
  removeSignInCodesBefore,
  writeSession,
  writeSignInCode,
} from '../../src/store/tables/sessions.ts';
import { missing, refused } from './refusals.ts';

type Named<Name extends DirectoryCommand['name']> = Extract<DirectoryCommand, { name: Name }>;

/**
 * Starts a session. `endedSessions` of the result has the ids of the sessions that this ended: the one that the browser
 * had before, and the oldest of a key that has the maximum. A sign-in code is used up here, so of two concurrent requests with one code only the first one
 * starts a session.
 */
export function createSession(
  partition: Partition,
  { session, code, replaces }: Named<'createSession'>,
  at: number,
): CommandResult {
  if (code !== undefined) {
    const found = readSignInCode(partition, code);
    removeSignInCode(partition, code);
    if (found?.keyId !== session.keyId || !isUsable(found, at)) {
      return refused(new ServiceError('unauthorized', 'The sign-in code has expired or was used before.'));
    }
  }
  if (!activeKey(partition, session.keyId, at)) {
    return refused(new ServiceError('unauthorized', 'The API key has expired or was revoked.'));
  }
  const all = listSessions(partition, session.keyId);
  const ended = all.filter((other) => hasEnded(other, at));
  const active = all.filter((other) => !hasEnded(other, at) && other.token !== replaces);
  const surplus = active.slice(0, Math.max(0, active.length - maxSessionsPerKey + 1));
  const replaced = replacedBy(partition, replaces, at);
  for (const other of [...ended, ...surplus, ...replaced]) removeSession(partition, other);
  const started: SessionRecord = { ...session, createdAt: at, renewedAt: at };
  writeSession(partition, started);
  const { id, keyId, createdAt } = started;
  const endedSessions = [...replaced, ...surplus].map((other) => other.id);
  return { ok: true, value: { id, keyId, createdAt, endedSessions } };
}

function replacedBy(partition: Partition, token: string | undefined, at: number): SessionRecord[] {
  const found = token === undefined ? undefined : readSession(partition, token);
  return found && !hasEnded(found, at) ? [found] : [];
}

/** Notes that a session was used, so that it ends later. A session that has ended does not come back. */
export function renewSession(partition: Partition, { token }: Named<'renewSession'>, at: number): CommandResult {
  const session = readSession(partition, token);
  const isDue = session && !hasEnded(session, at) && at >= session.renewedAt + sessionRenewalMs;
  if (isDue) writeSession(partition, { ...session, renewedAt: at });
  return { ok: true, value: {} };
}

/** Ends a session. A second command for the same session changes nothing. */
export function endSession(partition: Partition, { sessionId, token }: Named<'endSession'>, at: number): CommandResult {
  const session = readSession(partition, token);
  if (session) removeSession(partition, session);
  return { ok: true, value: { id: sessionId, endedAt: at } };
}

/** Ends all sessions of a key. `endedSessions` does not count those that had already ended by themselves. */
export function endSessions(partition: Partition, { keyId }: Named<'endSessions'>, at: number): CommandResult {
  const sessions = listSessions(partition, keyId);
  for (const session of sessions) removeSession(partition, session);
  const endedSessions = sessions.filter((session) => !hasEnded(session, at)).length;
  return { ok: true, value: { keyId, endedSessions, endedAt: at } };
}

/** Stores a sign-in code of a key. */
export function createSignInCode(
  partition: Partition,
  { keyId, code }: Named<'createSignInCode'>,
  at: number,
): CommandResult {
  if (!readKey(partition, keyId)) return missing('API key', keyId);
  if (!activeKey(partition, keyId, at)) return conflict(`The API key ${keyId} has expired or was revoked.`);
  removeSignInCodesBefore(partition, at);
  if (countSignInCodes(partition) >= maxSignInCodes) {
    return conflict(`At most ${maxSignInCodes} sign-in codes can wait to be used. Wait ten minutes.`);
  }
  const expiresAt = at + signInCodeMs;
  writeSignInCode(partition, code, { keyId, expiresAt });
  return { ok: true, value: { keyId, expiresAt } };
}

function activeKey(partition: Partition, keyId: string, at: number): KeyRecord | undefined {
  const key = readKey(partition, keyId);
  return key && keyStateOf(partition, key, at).status === 'active' ? key : undefined;
}

function conflict(message: string): CommandResult {
  return refused(new ServiceError('conflict', message));
}
