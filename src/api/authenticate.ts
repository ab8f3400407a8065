/**
 * Authenticates requests by their API key or session and decides what a key may see. Keys and sessions are cached until
 * the directory partition changes. Every request checks whether this partition has changed, so a revoked key stops
 * working immediately, with its sessions (`docs/architecture.md` decision 13).
 */
import type { Settings } from '../../config/schema.ts';
import { type Tier, type TierSettings, tierNamed, tiersOf } from '../../config/tiers.ts';
import { hashKey, keyFault, newKeyRemedy } from '../foundation/api-key.ts';
import { notFound, ServiceError } from '../foundation/errors.ts';
import { partitionOf, slotInside, slotOfId } from '../foundation/ids.ts';
import { directoryName, partitionName } from '../foundation/partition-names.ts';
import { hasHash, hashSessionSecret } from '../foundation/session-secret.ts';
import type { KeyRecord, Scope } from '../protocol/commands.ts';
import {
  hasEnded,
  organizationSessionFactor,
  type SessionRecord,
  sessionRequestsPerMinute,
} from '../protocol/sessions.ts';
import { belongsToListed } from '../store/belonging.ts';
import type { Partition } from '../store/partition.ts';
import type { Readers } from '../store/readers.ts';
import { Remembered } from '../store/remembered.ts';
import { type DirectoryRepository, keyByHash, readDirectoryRepository, readKey } from '../store/tables/directory.ts';
import { endOf } from '../store/tables/key-ends.ts';
import { rotateBy } from '../store/tables/keys.ts';
import { readSession } from '../store/tables/sessions.ts';
import { tierOfUsage } from '../store/tables/tiers.ts';
import { instanceUsage } from '../store/tables/usage.ts';
import type { Limited } from './limit.ts';
import { sessionTokens } from './session-cookie.ts';

const testPrefix = 'rn_test_';

/**
 * The limits of sessions. Their requests have windows of their own, so a page does not use up the limits of its key.
 * The window of the organization keeps a key with many sessions from having no limit.
 */
export const sessionTier: Tier = {
  name: 'session',
  ...{ apiPerMinute: sessionRequestsPerMinute, apiPerHour: 0, apiPerDay: 0, apiOrgFactor: organizationSessionFactor },
  ...{ webhooksPerMinute: 0, webhooksPerHour: 0 },
};

/**
 * Headers of replies to a session. Shared caches do not store replies to requests with the header Authorization, but
 * they may store replies to requests with a cookie.
 */
const sessionNotices: readonly string[] = ['Cache-Control', 'private, no-cache'];

/** Why a key is refused. */
export type KeyFault = 'malformed' | 'mistyped' | 'unknown' | 'revoked' | 'expired';

/** Refuses a key. `fault` is the reason; `keyId` is undefined if the service does not know the key. */
export class KeyRefusedError extends ServiceError {
  readonly fault: KeyFault;
  readonly keyId: string | undefined;

  constructor(fault: KeyFault, words: string, keyId?: string) {
    super('unauthorized', `The API key ${words}. ${newKeyRemedy}`);
    this.fault = fault;
    this.keyId = keyId;
  }
}

/** A valid key, what it may see, and its limits. */
export interface Caller {
  readonly key: KeyRecord;
  /**
   * Time at which the key stops being valid, in milliseconds; null = never. A key never stays valid longer than the key
   * that created it.
   */
  readonly expiresAt: number | null;
  /** Whether all requests of the key are in test mode. */
  readonly isTest: boolean;
  readonly limited: Limited;
  /** Limits of the key's requests in test mode. These requests do not count towards the live limits. */
  readonly testLimited: Limited;
  /**
   * Headers about the key or session, such as the date by which the key must be rotated. They are sent with every
   * reply. The headers are a flat list of names and values.
   */
  readonly notices: readonly string[];
  /** The session of the request. Undefined for a request with an API key. */
  readonly session?: SessionRecord;
  /**
   * Whether the caller may see the repository. For a key of an organization, the repository must belong to this
   * organization. For an instance key, the repository must exist.
   */
  maySee: (repoId: string) => boolean;
}

/** The caller of a request with a session. */
export type SessionCaller = Caller & { readonly session: SessionRecord };

type Headers = Readonly<Record<string, string>>;

/** A caller, and the directory partition in the state in which the caller was found. */
export interface Admitted {
  caller: Caller;
  directory: Partition;
}

export class Authenticator {
  private readonly readers: Readers;
  private readonly tiers: ReadonlyMap<string, Tier>;
  private readonly instanceTier: string;
  private readonly partitions: number;
  private readonly callers: Remembered<Caller>;
  /** The callers of sessions, by the hashes of their tokens. */
  private readonly sessions: Remembered<SessionCaller>;
  private readonly listings: Remembered<DirectoryRepository>;

  constructor(readers: Readers, settings: TierSettings & Pick<Settings, 'instanceTier' | 'partitions'>) {
    this.readers = readers;
    this.callers = new Remembered(readers, directoryName);
    this.sessions = new Remembered(readers, directoryName);
    this.listings = new Remembered(readers, directoryName);
    this.partitions = settings.partitions;
    this.tiers = tiersOf(settings);
    this.instanceTier = settings.instanceTier;
  }

  /**
   * Finds the caller of a request by its headers: by the API key in the header Authorization, or without this header by
   * the session in the cookie. `scope` null = the request needs no scope.
   * @throws ServiceError `unauthorized` naming the cause, `forbidden` naming the missing scope, or why the request may
   *   not use its session
   */
  admitRequest(headers: Headers, scope: Scope | null, now: number): Admitted {
    const { authorization, cookie } = headers;
    if (authorization !== undefined || cookie === undefined) return this.admit(authorization, scope, now);
    const tokens = sessionTokens(headers);
    if (tokens.length === 0) return this.admit(undefined, scope, now);
    const directory = this.directory();
    const caller = this.callerOfSession(directory, tokens, headers, now);
    if (scope !== null && !mayUse(caller, scope)) throw forbidden(scope, caller.key.scopes);
    return { caller, directory };
  }

  /**
   * Finds the caller of a request by its Authorization header. `scope` null = the request needs no scope.
   * @throws ServiceError `unauthorized` naming the cause, `forbidden` naming the missing scope
   */
  admit(authorization: string | undefined, scope: Scope | null, now: number): Admitted {
    const directory = this.directory();
    const caller = this.callers.get(authorization ?? '') ?? this.identify(directory, authorization);
    const { expiresAt } = caller;
    const { id, scopes } = caller.key;
    if (expiresAt !== null && expiresAt <= now) throw new KeyRefusedError('expired', 'has expired', id);
    if (scope !== null && !mayUse(caller, scope)) throw forbidden(scope, scopes);
    return { caller, directory };
  }

  /**
   * Finds the caller of an API key.
   * @throws KeyRefusedError
   */
  admitKey(key: string, now: number): Admitted {
    assertForm(key);
    return this.admit(`Bearer ${key}`, null, now);
  }

  /**
   * Returns the caller of a stored key, whether or not the key has ended.
   * @throws ServiceError `unauthorized` for a key that no longer exists
   */
  callerOfKey(directory: Partition, keyId: string): Caller {
    const key = readKey(directory, keyId);
    if (!key) throw sessionEnded('has ended');
    return this.toCaller(directory, key, endOf(directory, key).expiresAt);
  }

  /**
   * Returns the id of the key that a request acts as, even if the key lacks the scope of the request. Returns undefined
   * if the key or the session is unknown or has ended, or if the request may not use its session.
   */
  keyIdOf(headers: Headers, now: number): string | undefined {
    try {
      const { authorization } = headers;
      if (authorization !== undefined) return this.identify(this.directory(), authorization).key.id;
      return this.admitRequest(headers, null, now).caller.key.id;
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }

  /** Returns the current state of the directory partition. */
  directory(): Partition {
    const directory = this.readers.current(directoryName);
    if (!directory) throw new ServiceError('unavailable', 'The service is starting.', { retryAfter: 1 });
    return directory;
  }

  private identify(directory: Partition, authorization: string | undefined): Caller {
    const text = bearer(authorization);
    // Case and spaces of the header can vary in thousands of ways. Only the usual form is cached.
    const usual = `Bearer ${text}`;
    const known = this.callers.get(usual);
    if (known) return known;
    const key = keyByHash(directory, hashKey(text));
    if (!key) throw new KeyRefusedError('unknown', 'is not known');
    return this.callers.set(usual, this.toCaller(directory, key, validUntil(directory, key)));
  }

  /**
   * Finds the caller of a session. The cookie alone is not enough, because browsers send it to all ports of a host, and
   * other sites can make a browser send it. Only a page of this service knows the value of the header X-Tidings-CSRF,
   * and browsers state in the header Sec-Fetch-Site where a request comes from. Of several tokens, the one that belongs
   * to this value counts, so a cookie that another program has set does not lock anyone out.
   */
  private callerOfSession(
    directory: Partition,
    tokens: readonly string[],
    headers: Headers,
    now: number,
  ): SessionCaller {
    assertSameOrigin(headers['sec-fetch-site']);
    let refusal: unknown;
    for (const token of tokens) {
      try {
        return this.callerOfToken(directory, token, headers['x-tidings-csrf'], now);
      } catch (error) {
        refusal ??= error;
      }
    }
    throw refusal;
  }

  private callerOfToken(directory: Partition, token: string, csrf: string | undefined, now: number): SessionCaller {
    const hash = hashSessionSecret(token);
    const caller = this.sessions.get(hash) ?? this.findSession(directory, hash);
    const { session, expiresAt } = caller;
    if (hasEnded(session, now) || (expiresAt !== null && expiresAt <= now)) throw sessionEnded('has expired');
    assertCsrf(csrf, session.csrf);
    return caller;
  }

  private findSession(directory: Partition, hash: string): SessionCaller {
    const session = readSession(directory, hash);
    const key = session && readKey(directory, session.keyId);
    if (!key) throw sessionEnded('has ended');
    if (key.revokedAt !== null || endOf(directory, key).revokedWith !== null)
      throw sessionEnded('has ended, because its API key was revoked');
    const caller = this.toCaller(directory, key, endOf(directory, key).expiresAt);
    const { organization } = caller.limited;
    const limited = { keyId: session.id, organization: `${organization} session`, tier: sessionTier };
    const notices = [...caller.notices, ...sessionNotices];
    return this.sessions.set(hash, { ...caller, limited, testLimited: limited, notices, session });
  }

  private toCaller(directory: Partition, key: KeyRecord, expiresAt: number | null): Caller {
    const organization = key.orgId ?? instanceUsage;
    const tier = tierNamed(this.tiers, tierOfUsage(directory, organization, this.instanceTier));
    const isDue = key.rotatedTo === undefined && rotateBy(key) <= Date.now();
    return {
      key,
      expiresAt,
      isTest: key.prefix === testPrefix,
      limited: { keyId: key.id, organization, tier },
      testLimited: { keyId: `${key.id} test`, organization: `${organization} test`, tier },
      notices: isDue ? ['X-Key-Rotate-By', new Date(rotateBy(key)).toISOString()] : [],
      maySee: (repoId) => this.belongs(repoId, key.orgId),
    };
  }

  private belongs(repoId: string, orgId: string | null): boolean {
    const listed = this.listings.get(repoId) ?? this.find(repoId);
    if (listed === undefined || orgId === null) return listed !== undefined;
    if (listed.orgId !== orgId) return false;
    if (!listed.claimed) return true;
    const slot = slotInside(repoId);
    const partition = this.readers.fresh(partitionName(partitionOf(slot, this.partitions)));
    return belongsToListed(this.readers.fresh(directoryName) as Partition, listed, partition);
  }

  private find(repoId: string): DirectoryRepository | undefined {
    // Texts that are not repository ids are refused before the lookup, because they can have any length.
    if (slotOfId(repoId, 'repo') === undefined) return undefined;
    const listed = readDirectoryRepository(this.readers.fresh(directoryName) as Partition, repoId);
    return listed && this.listings.set(repoId, listed);
  }
}

/**
 * Throws `notFound` if the resource does not exist or the caller may not see it. The error is the same in both cases
 * (spec part 7, rule 2).
 */
export function assertVisible(caller: Caller, repoId: string | undefined, resource: string, id: string): void {
  if (repoId === undefined || !caller.maySee(repoId)) throw notFound(resource, id);
}

/**
 * Refuses keys of organizations.
 * @param what the operation, as the beginning of a sentence
 * @throws ServiceError `forbidden` for a key of one organization
 */
export function assertInstance({ key }: Caller, what: string): void {
  if (key.orgId === null) return;
  throw new ServiceError('forbidden', `The API key belongs to one organization. ${what} needs an instance key.`);
}

function bearer(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') {
    throw new ServiceError(
      'unauthorized',
      `The request has no API key: send the header Authorization: Bearer <API_KEY>. ${newKeyRemedy}`,
    );
  }
  const match = /^Bearer +(\S+)$/i.exec(authorization);
  if (!match) throw new KeyRefusedError('malformed', 'is malformed: expected Authorization: Bearer <API_KEY>');
  const key = match[1] as string;
  assertForm(key);
  return key;
}

/** @throws KeyRefusedError for a text that cannot be a key */
function assertForm(key: string): void {
  const fault = keyFault(key);
  if (fault === 'malformed')
    throw new KeyRefusedError(fault, 'is malformed: expected rn_live_ or rn_test_, then 36 letters and digits');
  if (fault === 'checksum') throw new KeyRefusedError('mistyped', 'is mistyped: its checksum does not match');
}

/**
 * Returns the time at which a key stops being valid; null = never.
 * @throws KeyRefusedError for a key that was revoked
 */
function validUntil(directory: Partition, key: KeyRecord): number | null {
  if (key.revokedAt !== null) throw new KeyRefusedError('revoked', 'was revoked', key.id);
  const { expiresAt, revokedWith } = endOf(directory, key);
  if (revokedWith === null) return expiresAt;
  throw new KeyRefusedError('revoked', `was revoked together with the key that created it, ${revokedWith}`, key.id);
}

function sessionEnded(words: string): ServiceError {
  return new ServiceError('unauthorized', `The session ${words}. Sign in again.`);
}

/** @throws ServiceError `forbidden` for a request that does not come from a page of this service */
function assertSameOrigin(site: string | undefined): void {
  if (site === 'same-origin') return;
  const got = site === undefined ? 'nothing' : JSON.stringify(site.slice(0, 40));
  const message = `Sec-Fetch-Site: expected same-origin, got ${got}. Only a page of this service may use the cookie of a session. Other programs send an API key in the header Authorization.`;
  throw new ServiceError('forbidden', message);
}

/** @throws ServiceError `forbidden` for a request without the value that belongs to its session */
function assertCsrf(value: string | undefined, hash: string): void {
  if (value !== undefined && hasHash(value, hash)) return;
  const got = value === undefined ? 'nothing' : 'another value';
  const message = `X-Tidings-CSRF: expected the value csrf from the reply of POST /api/session, got ${got}. Sign in again.`;
  throw new ServiceError('forbidden', message);
}

/** Whether the key of a caller has a scope. */
export function mayUse({ key: { scopes } }: Caller, scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes('*');
}

/** @throws ServiceError `forbidden` naming the scope that the key of a caller lacks */
export function assertScope(caller: Caller, scope: Scope): void {
  if (!mayUse(caller, scope)) throw forbidden(scope, caller.key.scopes);
}

function forbidden(scope: Scope, held: readonly string[]): ServiceError {
  return new ServiceError('forbidden', `The API key lacks the scope ${scope}; it has ${held.join(', ') || 'none'}.`);
}
