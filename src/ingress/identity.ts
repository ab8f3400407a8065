/**
 * Finds which repository and owner a payload is about where it lacks the host's numbers, so that payloads with and without them
 * are of one repository and one organization (`docs/architecture.md` decision 12).
 */
import { isNumber, nameAsNumber } from '../foundation/ids.ts';
import type { Minimised } from '../intake/events.ts';
import type { EventBody, InstallationBody } from '../protocol/events.ts';
import type { EventRepository } from '../protocol/repository.ts';
import type { Partition } from '../store/partition.ts';
import {
  organisationByLogin,
  organisationOfOwner,
  ownerNumber,
  readDirectoryRepository,
  readOrganisation,
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

/** Whose secret signed: null for a secret of the whole host, which alone may tell a number of a known repository. */
type SignedBy = string | null;

/** How long a repository counts that was admitted, and not delayed, although the directory does not list it yet, in milliseconds. */
const pendingMs = 60_000;
/** Maximum of repositories that are remembered. Beyond it those that have expired are forgotten, then the oldest. */
const mostPending = 10_000;

interface Pending extends RepositoryIdentity {
  ownerId: string;
  at: number;
}

export class Identities {
  private readonly read: () => Partition | undefined;
  private readonly pendingMs: number;
  /** Repositories that were admitted and are not listed so yet, by origin, signer and name. */
  private readonly pending = new Map<string, Pending>();

  /**
   * @param read the directory as of now; undefined while it cannot be read
   * @param maxDelayMs longest time that an admitted delivery waits before it is folded
   */
  constructor(read: () => Partition | undefined, maxDelayMs: number) {
    this.read = read;
    this.pendingMs = pendingMs + maxDelayMs;
  }

  /** The events of a payload, with the repository and owner that they are about. */
  resolve({ repository: told, bodies }: Minimised, signedBy: SignedBy, now: number): Minimised & { isListed: boolean } {
    const directory = this.read();
    const owner = directory ? ownerOf(directory, told, signedBy) : told.owner;
    const repository = owner === told.owner ? told : { ...told, owner };
    const { id, hostId, isListed } = isNumber(repository.hostId)
      ? this.numbered(directory, repository, signedBy, now)
      : this.unnumbered(directory, repository, { bodies, signedBy, now });
    // The directory lists a renamed repository under its former name for a while.
    const isRename = formerNames(bodies).length > 0;
    const isSame = id === repository.id && hostId === repository.hostId;
    return {
      repository: isSame ? repository : { ...repository, id, hostId },
      bodies,
      isListed: isListed && !isRename,
    };
  }

  /** The repositories of an installation, of which the host names all numbers. */
  resolveInstalled(body: InstallationBody, signedBy: SignedBy): InstallationBody {
    const directory = this.read();
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

  /** Remembers the repository of a delivery that is admitted, until the directory lists it. */
  remember({ id, hostId, origin, fullName, owner }: EventRepository, signedBy: SignedBy, now: number): void {
    if (this.pending.size >= mostPending) this.sweep(now);
    this.pending.set(keyOf(origin, signedBy, fullName), { id, hostId, ownerId: owner.id, at: now });
  }

  private sweep(now: number): void {
    for (const [key, { at }] of this.pending) if (this.isOver(at, now)) this.pending.delete(key);
    const [oldest] = this.pending.keys();
    if (this.pending.size >= mostPending && oldest !== undefined) this.pending.delete(oldest);
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

  /** By its name, or by its former one where this payload tells of the rename. */
  private unnumbered(
    directory: Partition | undefined,
    repository: EventRepository,
    { bodies, signedBy, now }: { bodies: readonly EventBody[]; signedBy: SignedBy; now: number },
  ): FoundIdentity {
    const { origin, fullName, owner } = repository;
    const organisationOf = (login: string) => {
      const of = sameLogin(login, owner.login) ? owner : { id: nameAsNumber(login), login };
      return directory && (signedBy ?? organisationOfOwner(directory, origin, of, true)?.id);
    };
    const orgId = organisationOf(owner.login);
    for (const name of [fullName, ...formerNames(bodies)]) {
      const waiting = this.waiting(directory, { ...repository, fullName: name }, signedBy, now);
      if (waiting) return { id: waiting.id, hostId: waiting.hostId, isListed: false };
      for (const each of new Set([orgId, organisationOf(name.split('/')[0] as string)])) {
        const named = directory && repositoryOf(directory, origin, name, each);
        if (named && !(signedBy === null && named.claimed))
          return { id: named.id, hostId: named.hostId, isListed: true };
      }
    }
    return identityOfName(directory, origin, fullName, orgId);
  }

  /** What was admitted under this name and is not listed so yet. */
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
 * The owner, with the number of the organization that bears the login. A number that an organization merely claims is not its
 * own yet; and under its own secret an organization speaks for itself alone.
 */
function ownerOf(
  directory: Partition,
  { origin, owner }: EventRepository,
  signedBy: SignedBy,
): EventRepository['owner'] {
  if (isNumber(owner.id)) return owner;
  const organisation =
    signedBy === null ? organisationByLogin(directory, origin, owner.login) : readOrganisation(directory, signedBy);
  const number = organisation && ownerNumber(organisation);
  if (!organisation || number == null || !sameLogin(organisation.login, owner.login)) return owner;
  return signedBy === null && organisation.ownerProof === 'claimed' ? owner : { ...owner, id: number };
}

/** The identity of a repository that a payload names with a number. */
function identityOf(
  directory: Partition,
  repository: Pick<EventRepository, 'id' | 'origin' | 'hostId' | 'fullName' | 'owner'>,
  signedBy: SignedBy,
): FoundIdentity {
  return signedBy === null ? identityOfProof(directory, repository) : claimedIdentity(directory, repository, signedBy);
}

/**
 * The identity of a repository that an organization names with a number under its own secret. One of its own that is known by this
 * name alone goes on; it does not adopt the number, which may be another one's.
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

/** Whether two owners of one login are known to be different ones: the login changed hands. */
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
