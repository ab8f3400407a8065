/**
 * Who is asking: the API key of a request, and what it may see. Keys are remembered for one state of the directory, compared
 * on every request, so a revoked key stops at once (`docs/architecture.md` decision 13).
 */
import type { Settings } from '../../config/schema.ts';
import { type Tier, type TierSettings, tierNamed, tiersOf } from '../../config/tiers.ts';
import { hashKey, keyFault, newKeyRemedy } from '../foundation/api-key.ts';
import { notFound, ServiceError } from '../foundation/errors.ts';
import { partitionOf, slotOfId } from '../foundation/ids.ts';
import { directoryName, partitionName } from '../journal/subjects.ts';
import type { KeyRecord, Scope } from '../protocol/commands.ts';
import { belongsToListed } from '../store/belonging.ts';
import type { Partition } from '../store/partition.ts';
import type { Readers } from '../store/readers.ts';
import { type DirectoryRepository, keyByHash, readDirectoryRepository } from '../store/tables/directory.ts';
import { endOf } from '../store/tables/key-ends.ts';
import { rotateBy } from '../store/tables/keys.ts';
import { readCursor } from '../store/tables/meta.ts';
import { tierOfUsage } from '../store/tables/tiers.ts';
import { instanceUsage } from '../store/tables/usage.ts';
import type { Limited } from './limit.ts';

const testPrefix = 'rn_test_';

/** A key that was found good, and the directory as of this request. */
export interface Caller {
  readonly key: KeyRecord;
  /** When the key ends by itself or with a key that it was made by, in milliseconds; null = never. */
  readonly expiresAt: number | null;
  /** Whether everything it asks for is in test mode. */
  readonly isTest: boolean;
  readonly limited: Limited;
  /** What limits its requests in test mode, which take nothing from the others. */
  readonly testLimited: Limited;
  /** Headers about the key that each of its replies carries, as flat pairs. */
  readonly notices: readonly string[];
  /** Whether the repository belongs to the caller's organisation. */
  maySee: (repoId: string) => boolean;
}

/** A caller and the directory it was found in. */
export interface Admitted {
  caller: Caller;
  directory: Partition;
}

export class Authenticator {
  private readonly readers: Readers;
  private readonly tiers: ReadonlyMap<string, Tier>;
  private readonly instanceTier: string;
  private readonly partitions: number;
  private seq = -1;
  private readonly callers = new Map<string, Caller>();
  private readonly listings = new Map<string, DirectoryRepository | undefined>();

  constructor(readers: Readers, settings: TierSettings & Pick<Settings, 'instanceTier' | 'partitions'>) {
    this.readers = readers;
    this.partitions = settings.partitions;
    this.tiers = tiersOf(settings);
    this.instanceTier = settings.instanceTier;
  }

  /**
   * The caller of a request by its Authorization header.
   * @throws ServiceError `unauthorized` naming the cause, `forbidden` naming the missing scope
   */
  admit(authorization: string | undefined, scope: Scope, now: number): Admitted {
    const directory = this.directory();
    const caller = this.callers.get(authorization ?? '') ?? this.look(directory, authorization);
    const { expiresAt } = caller;
    const { scopes } = caller.key;
    if (expiresAt !== null && expiresAt <= now) throw unauthorized('has expired');
    if (!scopes.includes(scope) && !scopes.includes('*')) throw forbidden(scope, scopes);
    return { caller, directory };
  }

  /** Id of the valid key in an Authorization header, whatever its scopes; undefined when there is none. */
  keyIdOf(authorization: string | undefined): string | undefined {
    try {
      return this.look(this.directory(), authorization).key.id;
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }

  /** The directory as of now; what was remembered of an earlier state is dropped. */
  directory(): Partition {
    const directory = this.readers.fresh(directoryName);
    if (!directory) throw new ServiceError('unavailable', 'The service is starting.', { retryAfter: 1 });
    const { seq } = readCursor(directory);
    if (seq !== this.seq) {
      this.seq = seq;
      this.callers.clear();
      this.listings.clear();
    }
    return directory;
  }

  private look(directory: Partition, authorization: string | undefined): Caller {
    const text = bearer(authorization);
    // Of the thousands of ways to write the header one is remembered.
    const usual = `Bearer ${text}`;
    const known = this.callers.get(usual);
    if (known) return known;
    const key = keyByHash(directory, hashKey(text));
    if (!key) throw unauthorized('is not known');
    if (key.revokedAt !== null) throw unauthorized('was revoked');
    const { expiresAt, revokedWith } = endOf(directory, key);
    if (revokedWith !== null) throw unauthorized(`has ended with the key that made it, ${revokedWith}`);
    const caller = this.toCaller(directory, key, expiresAt);
    this.callers.set(usual, caller);
    return caller;
  }

  private toCaller(directory: Partition, key: KeyRecord, expiresAt: number | null): Caller {
    const organisation = key.orgId ?? instanceUsage;
    const tier = tierNamed(this.tiers, tierOfUsage(directory, organisation, this.instanceTier));
    const isDue = key.rotatedTo === undefined && rotateBy(key) <= Date.now();
    return {
      key,
      expiresAt,
      isTest: key.prefix === testPrefix,
      limited: { keyId: key.id, organisation, tier },
      testLimited: { keyId: `${key.id} test`, organisation: `${organisation} test`, tier },
      notices: isDue ? ['X-Key-Rotate-By', new Date(rotateBy(key)).toISOString()] : [],
      maySee: (repoId) => this.belongs(repoId, key.orgId),
    };
  }

  private belongs(repoId: string, orgId: string | null): boolean {
    // Whatever else stands in a request is no key to look up: it can be of any length.
    const slot = slotOfId(repoId, 'repo');
    if (slot === undefined) return false;
    let listed = this.listings.get(repoId);
    if (listed === undefined) {
      listed = readDirectoryRepository(this.readers.fresh(directoryName) as Partition, repoId);
      this.listings.set(repoId, listed);
    }
    if (listed === undefined || orgId === null) return listed !== undefined;
    if (listed.orgId !== orgId) return false;
    if (!listed.claimed) return true;
    const partition = this.readers.fresh(partitionName(partitionOf(slot, this.partitions)));
    return belongsToListed(this.readers.fresh(directoryName) as Partition, listed, partition);
  }
}

/** A 404 that does not tell whether the resource exists for somebody else (spec part 7, rule 2). */
export function assertVisible(caller: Caller, repoId: string | undefined, resource: string, id: string): void {
  if (repoId === undefined || !caller.maySee(repoId)) throw notFound(resource, id);
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
  if (fault === 'malformed') throw unauthorized('is malformed: expected rn_live_ or rn_test_ and 36 letters or digits');
  if (fault === 'checksum') throw unauthorized('is mistyped: its checksum does not match');
  return key;
}

function unauthorized(cause: string): ServiceError {
  return new ServiceError('unauthorized', `The API key ${cause}. ${newKeyRemedy}`);
}

function forbidden(scope: Scope, held: readonly string[]): ServiceError {
  return new ServiceError('forbidden', `The API key lacks the scope ${scope}; it has ${held.join(', ') || 'none'}.`);
}
