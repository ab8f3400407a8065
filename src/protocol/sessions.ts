/**
 * The shapes and limits of sessions, as the directory partition stores them. A session is a browser that is signed in
 * with an API key. Only hashes of its secrets are stored.
 */
import { type Static, Type } from '@sinclair/typebox';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A session ends when it is not used for this time, in milliseconds. */
export const sessionIdleMs = 12 * hourMs;
/** A session ends this time after the sign-in, even if it is used, in milliseconds. */
export const sessionMaxMs = 7 * 24 * hourMs;
/** Minimum time between two records that note the use of one session, in milliseconds. */
export const sessionRenewalMs = 10 * minuteMs;
/** Maximum number of sessions of one key. A further session ends the oldest one. */
export const maxSessionsPerKey = 50;
/** Maximum number of requests per minute and session. They do not count towards the limits of key and organization. */
export const sessionRequestsPerMinute = 600;
/**
 * Maximum number of requests per minute of all sessions of an organization, as a multiple of those of one session. The
 * sessions of instance keys count together.
 */
export const organizationSessionFactor = 5;
/** How long a sign-in code works, in milliseconds. */
export const signInCodeMs = 10 * minuteMs;
/**
 * How far in the future a stored time can be, in milliseconds. A later time was stored while the clock was ahead, and
 * would make a session last until the clock reaches that time.
 */
const maxClockAheadMs = 10 * minuteMs;
/** Maximum number of sign-in codes that wait to be used. Only the operator of the service makes them. */
export const maxSignInCodes = 1000;

const sha256 = Type.String({ description: 'SHA-256, hex' });

/** A session as stored. */
export const SessionRecordSchema = Type.Object({
  id: Type.String(),
  /** The key that the session acts as. The session ends with this key. */
  keyId: Type.String(),
  /** Hash of the token in the cookie. */
  token: sha256,
  /** Hash of the value that requests send in the header X-Tidings-CSRF. */
  csrf: sha256,
  createdAt: Type.Integer(),
  renewedAt: Type.Integer(),
});
export type SessionRecord = Static<typeof SessionRecordSchema>;

/** A sign-in code as stored. */
export interface SignInCodeRecord {
  keyId: string;
  expiresAt: number;
}

/** Commands of the directory partition about sessions. */
export const sessionCommands = [
  /**
   * Starts a session of the key `keyId`. If `code` is set, the command uses up this sign-in code, and the code must
   * belong to the key. `replaces` is the token hash of the session that the browser had before. That session ends. The gateway sets it only
   * if the session has the same key, or the request has the second secret of the session.
   */
  Type.Object({
    name: Type.Literal('createSession'),
    session: Type.Pick(SessionRecordSchema, ['id', 'keyId', 'token', 'csrf']),
    code: Type.Optional(sha256),
    replaces: Type.Optional(sha256),
  }),
  /** Notes that a session was used. */
  Type.Object({ name: Type.Literal('renewSession'), token: sha256 }),
  Type.Object({ name: Type.Literal('endSession'), sessionId: Type.String(), token: sha256 }),
  /** Ends all sessions of a key. */
  Type.Object({ name: Type.Literal('endSessions'), keyId: Type.String() }),
  /** Makes a code that starts one session of a key. */
  Type.Object({ name: Type.Literal('createSignInCode'), keyId: Type.String(), code: sha256 }),
] as const;

/** Returns the time at which a session ends if it is not used until then, in milliseconds. */
export function sessionExpiry({ createdAt, renewedAt }: Pick<SessionRecord, 'createdAt' | 'renewedAt'>): number {
  return Math.min(renewedAt + sessionIdleMs, createdAt + sessionMaxMs);
}

/** Whether a session has ended, because it was not used or has reached its maximum. */
export function hasEnded(session: Pick<SessionRecord, 'createdAt' | 'renewedAt'>, at: number): boolean {
  const newest = Math.max(session.createdAt, session.renewedAt);
  return sessionExpiry(session) <= at || newest > at + maxClockAheadMs;
}

/** Whether a sign-in code can be used. */
export function isUsable({ expiresAt }: Pick<SignInCodeRecord, 'expiresAt'>, at: number): boolean {
  return at < expiresAt && expiresAt <= at + signInCodeMs + maxClockAheadMs;
}
