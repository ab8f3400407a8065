/**
 * Finds the repository and the owner of payloads that lack the host's numeric ids ("numbers" in this file). Some
 * payloads about a repository have numbers, and others have none. Both kinds are assigned to the same repository and
 * organization (`docs/architecture.md` decision 12).
 */
import { isNumber, nameAsNumber } from '../foundation/ids.ts';
import type { Minimised } from '../intake/events.ts';
import type { EventBody, InstallationBody } from '../protocol/events.ts';
import type { EventRepository } from '../protocol/repository.ts';
import type { Partition } from '../store/partition.ts';
import {
  organizationByLogin,
  organizationOfOwner,
  ownerNumber,
  readDirectoryRepository,
  readOrganization,
  sameLogin,
} from '../store/tables/directory.ts';
import { sameName } from '../store/tables/repository-index.ts';
import {
  type FoundIdentity,
  identityOfName,
  identityOfProof,
  idOfNumber,
  type RepositoryIdentity,
  repositoryOf,
} from '../store/tables/repository-names.ts';

/**
 * The organization whose own secret signed a delivery; null for a secret of the whole host. Only a signature with a
 * secret of the whole host proves that the numeric ids in a payload are true.
 */
type SignedBy = string | null;

/**
 * Time for which an admitted repository is remembered, in milliseconds. The constructor adds the maximum delay of a
 * delivery to this time. Once the directory partition lists the repository, the remembered entry is not used any more.
 */
const pendingMs = 60_000;
/**
 * Maximum number of remembered repositories. When it is reached, expired entries are removed first, then the oldest
 * entry.
 */
const maxPending = 10_000;
/** Maximum number of remembered repositories that are checked when the directory has changed. */
const maxPruned = 1000;

interface Pending extends RepositoryIdentity {
  ownerId: string;
  at: number;
}

export class Identities {
  private readonly pendingMs: number;
  /**
   * Repositories that were admitted but that the directory does not list yet. Each key consists of origin, signer and
   * name.
   */
  private readonly pending = new Map<string, Pending>();

  /** @param maxDelayMs maximum time that an admitted delivery waits before it is folded */
  constructor(maxDelayMs: number) {
    this.pendingMs = pendingMs + maxDelayMs;
  }

  /**
   * Replaces the ids of the payload's repository and owner if the service already knows them under other ids. Ids of an
   * unknown repository or owner do not change.
   * @param directory the state of the directory partition with which the whole delivery is checked; undefined while this
   *   partition cannot be read
   */
  resolve(
    directory: Partition | undefined,
    { repository: reported, bodies }: Minimised,
    signedBy: SignedBy,
    now: number,
  ): Minimised & { isListed: boolean } {
    const owner = directory ? ownerOf(directory, reported, signedBy) : reported.owner;
    const repository = owner === reported.owner ? reported : { ...reported, owner };
    const { id, hostId, isListed } = isNumber(repository.hostId)
      ? this.numbered(directory, repository, signedBy, now)
      : this.unnumbered(directory, repository, { bodies, signedBy, now });
    // The directory lists the repository under its former name until the fold has processed the rename.
    const isRename = formerNames(bodies).length > 0;
    const isSame = id === repository.id && hostId === repository.hostId;
    return {
      repository: isSame ? repository : { ...repository, id, hostId },
      bodies,
      isListed: isListed && !isRename,
    };
  }

  /**
   * Replaces ids of repositories in the delivery of an installation. If the service already knows a repository under
   * another id, the known id replaces the id in the delivery. Payloads of installations always contain the numbers that
   * the host gave to the repositories.
   */
  resolveInstalled(directory: Partition | undefined, body: InstallationBody, signedBy: SignedBy): InstallationBody {
    if (!directory) return body;
    const { origin, owner } = body;
    const identified = (added: InstallationBody['added']) =>
      added.map((each) => {
        const repository = { ...each, origin, owner };
        const { id, hostId } = identityOf(directory, repository, signedBy);
        return id === each.id ? each : { ...each, id, hostId };
      });
    return { ...body, added: identified(body.added), removed: identified(body.removed) };
  }

  /** Remembers the repository of an admitted delivery until the directory lists it. */
  remember({ id, hostId, origin, fullName, owner }: EventRepository, signedBy: SignedBy, now: number): void {
    if (this.pending.size >= maxPending) this.sweep(now);
    this.pending.set(keyOf(origin, signedBy, fullName), { id, hostId, ownerId: owner.id, at: now });
  }

  /**
   * Removes remembered repositories that the directory lists by now. With several gateways, the next delivery may reach
   * another one, and a name that has passed to a new repository must not lead to the former one. Only the oldest
   * repositories are checked, to bound the time.
   */
  prune(directory: Partition): void {
    let left = maxPruned;
    for (const [key, { id, hostId }] of this.pending) {
      left -= 1;
      if (left < 0) return;
      const listed = readDirectoryRepository(directory, id);
      if (listed?.hostId === hostId && sameName(listed.fullName, key.slice(key.lastIndexOf('\n') + 1)))
        this.pending.delete(key);
    }
  }

  private sweep(now: number): void {
    for (const [key, { at }] of this.pending) if (this.isOver(at, now)) this.pending.delete(key);
    const [oldest] = this.pending.keys();
    if (this.pending.size >= maxPending && oldest !== undefined) this.pending.delete(oldest);
  }

  private isOver(at: number, now: number): boolean {
    return Math.abs(now - at) > this.pendingMs;
  }

  private numbered(
    directory: Partition | undefined,
    repository: EventRepository,
    signedBy: SignedBy,
    now: number,
  ): FoundIdentity {
    const { id, hostId } = repository;
    const waiting = this.waiting(directory, repository, signedBy, now);
    if (waiting && (waiting.hostId === hostId || !isNumber(waiting.hostId))) {
      const isKnown = directory && isListed(directory, idOfNumber(directory, id), signedBy);
      if (!isKnown) return { id: waiting.id, hostId: signedBy === null ? hostId : waiting.hostId, isListed: false };
    }
    if (!directory) return { id, hostId, isListed: false };
    return identityOf(directory, repository, signedBy);
  }

  /**
   * Finds a repository by its name. If the payload reports a rename of the repository, its former name is also tried.
   */
  private unnumbered(
    directory: Partition | undefined,
    repository: EventRepository,
    { bodies, signedBy, now }: { bodies: readonly EventBody[]; signedBy: SignedBy; now: number },
  ): FoundIdentity {
    const { origin, fullName, owner } = repository;
    const organizationOf = (login: string) => {
      const of = sameLogin(login, owner.login) ? owner : { id: nameAsNumber(login), login };
      return directory && (signedBy ?? organizationOfOwner(directory, origin, of, true)?.id);
    };
    const orgId = organizationOf(owner.login);
    for (const name of [fullName, ...formerNames(bodies)]) {
      const waiting = this.waiting(directory, { ...repository, fullName: name }, signedBy, now);
      if (waiting) return { id: waiting.id, hostId: waiting.hostId, isListed: false };
      for (const each of new Set([orgId, organizationOf(name.split('/')[0] as string)])) {
        const named = directory && repositoryOf(directory, origin, name, each);
        if (named && !(signedBy === null && named.claimed))
          return { id: named.id, hostId: named.hostId, isListed: true };
      }
    }
    return identityOfName(directory, origin, fullName, orgId);
  }

  /** Returns the repository that was admitted under this name, if the directory does not list this name yet. */
  private waiting(
    directory: Partition | undefined,
    { origin, fullName, owner }: EventRepository,
    signedBy: SignedBy,
    now: number,
  ): Pending | undefined {
    if (this.pending.size === 0) return undefined;
    const key = keyOf(origin, signedBy, fullName);
    const pending = this.pending.get(key);
    if (!pending) return undefined;
    const listed = directory && readDirectoryRepository(directory, pending.id);
    const isListed = listed?.hostId === pending.hostId && sameName(listed.fullName, fullName);
    if (!isListed && !this.isOver(pending.at, now))
      return isOtherOwner(pending.ownerId, owner.id) ? undefined : pending;
    this.pending.delete(key);
    return undefined;
  }
}

/**
 * Returns the owner of a repository. If the payload lacks the owner's number, the function adds the number of the
 * organization with the owner's login. The secret that signed the delivery determines which organization is considered:
 * - a secret of the whole host: any organization on this host whose number is proved
 * - an organization's own secret: only this organization, even if its number is not proved
 */
function ownerOf(
  directory: Partition,
  { origin, owner }: EventRepository,
  signedBy: SignedBy,
): EventRepository['owner'] {
  if (isNumber(owner.id)) return owner;
  const organization =
    signedBy === null ? organizationByLogin(directory, origin, owner.login) : readOrganization(directory, signedBy);
  const number = organization && ownerNumber(organization);
  if (!organization || number == null || !sameLogin(organization.login, owner.login)) return owner;
  return signedBy === null && organization.ownerProof === 'claimed' ? owner : { ...owner, id: number };
}

/** Returns the identity of a repository whose number is in the payload. */
function identityOf(
  directory: Partition,
  repository: Pick<EventRepository, 'id' | 'origin' | 'hostId' | 'fullName' | 'owner'>,
  signedBy: SignedBy,
): FoundIdentity {
  return signedBy === null ? identityOfProof(directory, repository) : claimedIdentity(directory, repository, signedBy);
}

/**
 * Returns the identity of a repository whose number was in a delivery signed with an organization's own secret. If no
 * repository with this number is known, the organization may have a repository with the same name and without a number.
 * Then the event belongs to that repository. The number is not stored for that repository, because the number is not
 * proved and may belong to another repository.
 */
function claimedIdentity(
  directory: Partition,
  { id: computed, origin, hostId, fullName }: Pick<EventRepository, 'id' | 'origin' | 'hostId' | 'fullName'>,
  orgId: string,
): FoundIdentity {
  const id = idOfNumber(directory, computed);
  if (readDirectoryRepository(directory, id)) return { id, hostId, isListed: true };
  const named = repositoryOf(directory, origin, fullName, orgId);
  const isOwn = named?.orgId === orgId && !isNumber(named.hostId);
  return isOwn ? { id: named.id, hostId: named.hostId, isListed: true } : { id, hostId, isListed: false };
}

/**
 * Whether two owners with the same login are known to be different accounts. This happens when a login passes from one
 * account to another.
 */
function isOtherOwner(a: string, b: string): boolean {
  return isNumber(a) && isNumber(b) && a !== b;
}

function isListed(directory: Partition, id: string, signedBy: SignedBy): boolean {
  const listed = readDirectoryRepository(directory, id);
  return listed !== undefined && (signedBy !== null || !listed.claimed);
}

function formerNames(bodies: readonly EventBody[]): string[] {
  return bodies.flatMap((body) => (body.event === 'repository' && body.formerName !== null ? [body.formerName] : []));
}

function keyOf(origin: string, signedBy: SignedBy, fullName: string): string {
  return `${origin}\n${signedBy ?? ''}\n${fullName.toLowerCase()}`;
}
