/**
 * Asks a repository's host for the owner before the operator's credentials are used for the repository, and journals
 * the answer. Anyone who can sign a delivery can name any repository and any owner. Only the host knows who owns the
 * repository (`docs/architecture.md`, "Who owns a repository").
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../src/foundation/errors.ts';
import { isNumber, ulid } from '../../src/foundation/ids.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { ownerConfirmations } from '../../src/foundation/metrics.ts';
import { type PartitionName, partitionOfRepository } from '../../src/foundation/partition-names.ts';
import type { HostClient } from '../../src/host/client.ts';
import { minimiseRepository } from '../../src/intake/minimise.ts';
import type { Lane } from '../../src/journal/lane.ts';
import type { HostRepository } from '../../src/protocol/host.ts';
import type { EventRepository } from '../../src/protocol/repository.ts';
import type { OwnerAnswered } from '../../src/protocol/results.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  type DirectoryRepository,
  isFreeNumber,
  listDirectoryRepositories,
  type OrganizationRecord,
  ownerNumber,
  readDirectoryRepository,
  readOrganization,
  refusalOf,
  refusedOwner,
} from '../../src/store/tables/directory.ts';
import { readCursor } from '../../src/store/tables/meta.ts';
import { sameName } from '../../src/store/tables/repository-index.ts';
import { counted } from './counted.ts';

/** The dependencies of `Owners`. */
export interface OwnersOptions {
  logger: Logger;
  /**
   * Returns the directory partition, or undefined while it cannot be read. Another process can own the directory
   * partition.
   */
  directory: () => Partition | undefined;
  /** Returns the lane of the directory. */
  lane: () => Lane;
  /** Number of repository partitions. */
  partitions: number;
}

/** A repository as its host describes it, with a confirmed owner. */
export interface ConfirmedRepository {
  found: HostRepository;
  repository: EventRepository;
  /** When the host was asked, in milliseconds. */
  askedAt: number;
}

type Answer = OwnerAnswered['answer'];
/**
 * `Account` is an account of the host. `Known` contains the fields of an organization that are compared with the
 * account.
 */
type Account = { id: string; login: string };
type Known = Pick<OrganizationRecord, 'ownerId' | 'ownerProof' | 'login'>;

/** Minimum time until an unchanged answer of the host is journaled again, in milliseconds. */
const refreshMs = 3_600_000;
/**
 * How long the account of an installation is remembered, in milliseconds (`accountMs`), and how many accounts are
 * remembered (`maxAccounts`).
 */
const accountMs = 600_000;
const maxAccounts = 1000;
/** Maximum wait for the directory to list a repository or to fold an answer, in milliseconds. */
const foldMs = 10_000;
const pollMs = 20;

/** Thrown when the host does not confirm the owner of a repository. The credentials for the host are then not used. */
export class OwnerRefused extends ServiceError {
  constructor() {
    super('forbidden', refusedOwner);
  }
}

export class Owners {
  private readonly options: OwnersOptions;
  /** Accounts of installations. The key contains the web address of the host and the installation id. */
  private readonly accounts = new Map<string, { account: Account | undefined; at: number }>();

  /** Ids of the claimed repositories. The ids were read when the directory was at journal sequence number `seq`. */
  private claimed: { seq: number; ids: readonly string[] } = { seq: -1, ids: [] };

  constructor(options: OwnersOptions) {
    this.options = options;
  }

  /**
   * Asks the host to confirm the owner of a repository. In later requests with the same credentials, the caller must
   * use the repository name that the host returned, never a stored name.
   * @param ownerId number of the owner as stored in the repository's partition, if the caller knows it
   * @throws OwnerRefused when the host names another owner or does not show the repository
   * @throws ServiceError `unavailable` while the host does not answer or the directory cannot be read
   */
  async confirm(
    repoId: string,
    client: HostClient,
    signal: AbortSignal,
    ownerId?: string,
  ): Promise<ConfirmedRepository> {
    const { listed, organization } = await this.listing(repoId, signal);
    const askedAt = Date.now();
    const { found, answer } = await this.ask(client, listed, organization).catch((error: unknown) => {
      ownerConfirmations.inc({ outcome: 'unavailable' });
      throw error;
    });
    ownerConfirmations.inc({ outcome: answer.confirmed ? 'confirmed' : answer.cause });
    await this.journal(listed, organization, { askedAt, answer }, signal);
    if (!answer.confirmed || !found) throw new OwnerRefused();
    // The repository keeps the id under which it is stored, even if that id was derived from the repository's name.
    const repository = { ...minimiseRepository(found, organization.origin), id: repoId };
    if (ownerId !== undefined && isNumber(ownerId) && ownerId !== repository.owner.id)
      throw new ServiceError('unavailable', 'The repository is moving to another organization.', { retryAfter: 1 });
    return { found, repository, askedAt };
  }

  /**
   * Asks the host for the owner of a claimed repository after the claimant's own credentials gave no answer. The
   * request uses the installation of another organization (the contender). The answer can only refute the claim. It
   * gives the contender no rights.
   * @returns whether the host has named another owner
   */
  async refute(repoId: string, contenderId: string, client: HostClient, signal: AbortSignal): Promise<boolean> {
    const { listed, organization } = await this.listing(repoId, signal);
    const directory = this.options.directory();
    const contender = directory && readOrganization(directory, contenderId);
    if (!listed.claimed || !contender) return false;
    const askedAt = Date.now();
    try {
      await this.assertInstallation(client, contender);
    } catch (error) {
      if (error instanceof OwnerRefused) return false;
      throw error;
    }
    const answer = answerOf(await findRepository(client, listed), listed, organization);
    if (answer.confirmed || answer.ownerId === undefined) return false;
    ownerConfirmations.inc({ outcome: answer.cause });
    await this.journal(listed, organization, { askedAt, answer }, signal);
    return true;
  }

  /**
   * Journals that the host could not be asked, or that no credentials gave an answer. For a while after that, the host
   * is not asked about the repository again.
   */
  async noteSilence(repoId: string, signal: AbortSignal): Promise<void> {
    const { listed, organization } = await this.listing(repoId, signal);
    const answer = { confirmed: false, cause: 'missing' } as const;
    await this.journal(listed, organization, { askedAt: Date.now(), answer }, signal);
  }

  /** Returns the ids of those repositories of a partition that the directory lists as only claimed. */
  claimedIn(name: PartitionName): readonly string[] {
    const directory = this.options.directory();
    if (!directory) return [];
    const { seq } = readCursor(directory);
    if (seq !== this.claimed.seq) {
      const ids = listDirectoryRepositories(directory, null).flatMap(({ id, claimed }) => (claimed ? [id] : []));
      this.claimed = { seq, ids };
    }
    const { partitions } = this.options;
    return this.claimed.ids.filter((id) => partitionOfRepository(id, partitions) === name);
  }

  /** Returns the web address of a repository's host, from the directory. */
  originOf({ orgId }: DirectoryRepository): string | undefined {
    const directory = this.options.directory();
    return directory && readOrganization(directory, orgId)?.origin;
  }

  /**
   * Checks that an installation belongs to an organization, before a token is requested for the installation.
   * @throws OwnerRefused when the installation belongs to another account, or the app has no such installation
   */
  async assertInstallation(client: HostClient, organization: Known | undefined): Promise<void> {
    const { installationId } = client;
    if (installationId === undefined) return;
    const account = await this.accountOf(client, installationId);
    if (!account || !organization || refusalOf(account, organization)) throw new OwnerRefused();
  }

  private async ask(
    client: HostClient,
    listed: DirectoryRepository,
    organization: OrganizationRecord,
  ): Promise<{ found?: HostRepository; answer: Answer }> {
    try {
      await this.assertInstallation(client, organization);
    } catch (error) {
      if (error instanceof OwnerRefused) return { answer: { confirmed: false, cause: 'installation' } };
      throw error;
    }
    const found = await findRepository(client, listed);
    const answer = answerOf(found, listed, organization);
    const directory = this.options.directory();
    return { ...(found && { found }), answer: directory ? withoutOthers(directory, organization, answer) : answer };
  }

  private async accountOf(client: HostClient, installationId: string): Promise<Account | undefined> {
    const key = `${client.origin}\n${installationId}`;
    const known = this.accounts.get(key);
    if (known && Math.abs(Date.now() - known.at) < accountMs) return known.account;
    const account = await counted(client.installationAccount());
    if (this.accounts.size >= maxAccounts) this.accounts.clear();
    this.accounts.set(key, { account, at: Date.now() });
    return account;
  }

  /**
   * Returns the repository's row in the directory, and the organization of the repository. If the repository was added
   * a moment ago, the function waits for the row.
   */
  private async listing(
    repoId: string,
    signal: AbortSignal,
  ): Promise<{ listed: DirectoryRepository; organization: OrganizationRecord }> {
    const found = await this.until(signal, (directory) => {
      const listed = readDirectoryRepository(directory, repoId);
      const organization = listed && readOrganization(directory, listed.orgId);
      return organization && { listed, organization };
    });
    if (found) return found;
    throw new ServiceError('unavailable', 'The directory does not list the repository yet.', { retryAfter: 1 });
  }

  /**
   * Journals an answer, unless the last journaled answer is equal and recent. Waits until the directory has folded the
   * answer.
   */
  private async journal(
    { id: repoId, ownership, claimed, orgId }: DirectoryRepository,
    { ownerId, ownerProof, login }: OrganizationRecord,
    { askedAt, answer }: { askedAt: number; answer: Answer },
    signal: AbortSignal,
  ): Promise<void> {
    const isKnown = ownership !== undefined && isSame(ownership, answer) && askedAt - ownership.at < refreshMs;
    const isProved = !answer.confirmed || (!claimed && ownerProof === 'proved' && answer.login === login);
    if (isKnown && isProved) return;
    const { lane, logger, partitions } = this.options;
    if (!answer.confirmed && !(ownership && isSame(ownership, answer))) {
      // If the credentials do not reach a repository, the set-up is incomplete (warning). If the host names another
      // owner, the claim is false or a transfer was missed (error).
      const level = answer.cause === 'missing' ? 'warn' : 'error';
      const what = { repo: repoId, org: orgId, cause: answer.cause };
      logger[level](
        what,
        'the host does not confirm the owner of a repository: the service does not use credentials for this repository',
      );
    }
    const body: OwnerAnswered = {
      ...{ result: 'ownerAnswered', repoId, orgId, ownerId: ownerId ?? '' },
      ...{ askedAt, partitions, answer },
    };
    await lane().enqueue({ id: ulid(), at: Date.now(), kind: 'result', body });
    const isFolded = await this.until(signal, (directory) => {
      const listed = readDirectoryRepository(directory, repoId);
      return listed?.orgId !== orgId || (listed.ownership?.at ?? 0) >= askedAt || undefined;
    });
    if (!isFolded)
      throw new ServiceError('unavailable', 'The owner of the repository is being confirmed.', { retryAfter: 1 });
  }

  /** Repeats `check` until it finds something in the directory. Returns undefined after `foldMs` milliseconds. */
  private async until<T>(signal: AbortSignal, check: (directory: Partition) => T | undefined): Promise<T | undefined> {
    const deadline = performance.now() + foldMs;
    for (;;) {
      const directory = this.options.directory();
      const found = directory && check(directory);
      if (found !== undefined || performance.now() > deadline) return found;
      await pause(pollMs, undefined, { signal, ref: false });
    }
  }
}

/**
 * Finds a repository on the host by its number, or by its name if the number is unknown. Another repository can have
 * taken that name.
 */
async function findRepository(
  client: HostClient,
  { hostId, fullName }: DirectoryRepository,
): Promise<HostRepository | undefined> {
  try {
    return await counted(/^\d+$/.test(hostId) ? client.repositoryById(hostId) : client.repository(fullName));
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'notFound') return undefined;
    throw error;
  }
}

/** Converts the host's reply about a listed repository to the answer that is journaled. */
export function answerOf(
  found: HostRepository | undefined,
  { hostId, fullName: name }: Pick<DirectoryRepository, 'hostId' | 'fullName'>,
  organization: Known & Pick<OrganizationRecord, 'origin'>,
): Answer {
  const repository = found && minimiseRepository(found, organization.origin);
  // If no delivery contained the repository's number, the host is asked by name. A reply with another name is about
  // another repository.
  const isSame = isNumber(hostId) ? repository?.hostId === hostId : sameName(repository?.fullName ?? '', name);
  if (!repository || !isSame || found?.owner?.id == null) return { confirmed: false, cause: 'missing' };
  const { owner, fullName } = repository;
  const cause = refusalOf(owner, organization);
  if (cause) return { confirmed: false, cause, ownerId: owner.id, ownerLogin: owner.login };
  const number = ownerNumber(organization) === null ? { ownerId: owner.id } : {};
  return { confirmed: true, fullName, login: owner.login, ...number };
}

/**
 * Returns the answer, or a refusal if the owner number in the answer belongs to another organization. An answer
 * contains an owner number only if the organization was known by its login alone.
 */
export function withoutOthers(
  directory: Partition,
  organization: Pick<OrganizationRecord, 'id' | 'origin'>,
  answer: Answer,
): Answer {
  if (!answer.confirmed || answer.ownerId === undefined) return answer;
  const { ownerId, login: ownerLogin } = answer;
  if (isFreeNumber(directory, organization, ownerId)) return answer;
  return { confirmed: false, cause: 'owner', ownerId, ownerLogin };
}

function isSame(ownership: NonNullable<DirectoryRepository['ownership']>, answer: Answer): boolean {
  if (ownership.confirmed) return answer.confirmed && ownership.fullName === answer.fullName;
  if (answer.confirmed || ownership.cause !== answer.cause || ownership.ownerId !== answer.ownerId) return false;
  return ownership.ownerLogin === answer.ownerLogin;
}
