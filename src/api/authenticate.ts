/**
 * Authenticates requests by their API key and decides what a key may see. Keys are cached until the directory partition
 * changes. Every request checks whether this partition has changed, so a revoked key stops working immediately
 * (`docs/architecture.md` decision 13).
 */
import type { Settings } from '../../config/schema.ts';
import { type Tier, type TierSettings, tierNamed, tiersOf } from '../../config/tiers.ts';
import { hashKey, keyFault, newKeyRemedy } from '../foundation/api-key.ts';
import { notFound, ServiceError } from '../foundation/errors.ts';
import { partitionOf, slotInside, slotOfId } from '../foundation/ids.ts';
import { directoryName, partitionName } from '../foundation/partition-names.ts';
import type { KeyRecord, Scope } from '../protocol/commands.ts';
import { belongsToListed } from '../store/belonging.ts';
import type { Partition } from '../store/partition.ts';
import type { Readers } from '../store/readers.ts';
import { Remembered } from '../store/remembered.ts';
import { type DirectoryRepository, keyByHash, readDirectoryRepository } from '../store/tables/directory.ts';
import { endOf } from '../store/tables/key-ends.ts';
import { rotateBy } from '../store/tables/keys.ts';
import { tierOfUsage } from '../store/tables/tiers.ts';
import { instanceUsage } from '../store/tables/usage.ts';
import type { Limited } from './limit.ts';

const testPrefix = 'rn_test_';

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
   * Headers about the key, such as the date by which it must be rotated. They are sent with every reply. The headers
   * are a flat list of names and values.
   */
  readonly notices: readonly string[];
  /**
   * Whether the caller may see the repository. For a key of an organization, the repository must belong to this
   * organization. For an instance key, the repository must exist.
   */
  maySee: (repoId: string) => boolean;
}

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
  private readonly listings: Remembered<DirectoryRepository>;

  constructor(readers: Readers, settings: TierSettings & Pick<Settings, 'instanceTier' | 'partitions'>) {
    this.readers = readers;
    this.callers = new Remembered(readers, directoryName);
    this.listings = new Remembered(readers, directoryName);
    this.partitions = settings.partitions;
    this.tiers = tiersOf(settings);
    this.instanceTier = settings.instanceTier;
  }

  /**
   * Finds the caller of a request by its Authorization header.
   * @throws ServiceError `unauthorized` naming the cause, `forbidden` naming the missing scope
   */
  admit(authorization: string | undefined, scope: Scope, now: number): Admitted {
    const directory = this.directory();
    const caller = this.callers.get(authorization ?? '') ?? this.identify(directory, authorization);
    const { expiresAt } = caller;
    const { scopes } = caller.key;
    if (expiresAt !== null && expiresAt <= now) throw unauthorized('has expired');
    if (!mayUse(caller, scope)) throw forbidden(scope, scopes);
    return { caller, directory };
  }

  /**
   * Returns the id of the key in an Authorization header, even if the key lacks the scope of the request. Returns
   * undefined if the key is unknown or revoked.
   */
  keyIdOf(authorization: string | undefined): string | undefined {
    try {
      return this.identify(this.directory(), authorization).key.id;
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
    if (!key) throw unauthorized('is not known');
    if (key.revokedAt !== null) throw unauthorized('was revoked');
    const { expiresAt, revokedWith } = endOf(directory, key);
    if (revokedWith !== null) throw unauthorized(`was revoked together with the key that created it, ${revokedWith}`);
    return this.callers.set(usual, this.toCaller(directory, key, expiresAt));
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
  if (!match) throw unauthorized('is malformed: expected Authorization: Bearer <API_KEY>');
  const key = match[1] as string;
  const fault = keyFault(key);
  if (fault === 'malformed')
    throw unauthorized('is malformed: expected rn_live_ or rn_test_, then 36 letters and digits');
  if (fault === 'checksum') throw unauthorized('is mistyped: its checksum does not match');
  return key;
}

function unauthorized(cause: string): ServiceError {
  return new ServiceError('unauthorized', `The API key ${cause}. ${newKeyRemedy}`);
}

/** Whether the key of a caller has a scope. */
export function mayUse({ key: { scopes } }: Caller, scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes('*');
}

function forbidden(scope: Scope, held: readonly string[]): ServiceError {
  return new ServiceError('forbidden', `The API key lacks the scope ${scope}; it has ${held.join(', ') || 'none'}.`);
}
