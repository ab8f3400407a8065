/**
 * Asks a repository's host who owns it before the operator's credentials are used for it, and journals the answer. Whoever can
 * sign a delivery can name any repository and any owner; the host alone knows which of them belong together
 * (`docs/architecture.md`, "Who owns a repository").
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../src/foundation/errors.ts';
import { isNumber, partitionOf, slotOfId, ulid } from '../../src/foundation/ids.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { ownerConfirmations } from '../../src/foundation/metrics.ts';
import type { HostClient } from '../../src/host/client.ts';
import { minimiseRepository } from '../../src/intake/minimise.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { type PartitionName, partitionName } from '../../src/journal/subjects.ts';
import type { HostRepository } from '../../src/protocol/host.ts';
import type { EventRepository } from '../../src/protocol/repository.ts';
import type { OwnerAnswered } from '../../src/protocol/results.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  type DirectoryRepository,
  isFreeNumber,
  listDirectoryRepositories,
  type OrganisationRecord,
  ownerNumber,
  readDirectoryRepository,
  readOrganisation,
  refusalOf,
  refusedOwner,
} from '../../src/store/tables/directory.ts';
import { readCursor } from '../../src/store/tables/meta.ts';
import { sameName } from '../../src/store/tables/repository-index.ts';
import { counted } from './counted.ts';

/** What asking takes. */
export interface OwnersOptions {
  logger: Logger;
  /** The directory as of now, whoever owns it; undefined while it cannot be read. */
  directory: () => Partition | undefined;
  /** The lane of the directory. */
  lane: () => Lane;
  /** How many partitions of repositories there are. */
  partitions: number;
}

/** A repository as its host has it, the owner confirmed. */
export interface ConfirmedRepository {
  found: HostRepository;
  repository: EventRepository;
  /** When the host was asked, in milliseconds. */
  askedAt: number;
}

type Answer = OwnerAnswered['answer'];
/** An account of the host, and an organization as the directory knows it. */
type Account = { id: string; login: string };
type Known = Pick<OrganisationRecord, 'ownerId' | 'ownerProof' | 'login'>;

/** An answer that says what the last one said is journalled again when that is this old, in milliseconds. */
const refreshMs = 3_600_000;
/** How long the account behind an installation is remembered, in milliseconds, and how many of them are. */
const accountMs = 600_000;
const mostAccounts = 1000;
/** Longest wait for the directory to list a repository or to fold an answer, in milliseconds. */
const foldMs = 10_000;
const lookMs = 20;

/** The host does not confirm who owns a repository: its credentials are not used. */
export class OwnerRefused extends ServiceError {
  constructor() {
    super('forbidden', refusedOwner);
  }
}

export class Owners {
  private readonly options: OwnersOptions;
  /** Accounts behind installations, by client's host and installation. */
  private readonly accounts = new Map<string, { account: Account | undefined; at: number }>();

  /** Claimed repositories, as of directory sequence `seq`. */
  private claimed: { seq: number; ids: readonly string[] } = { seq: -1, ids: [] };

  constructor(options: OwnersOptions) {
    this.options = options;
  }

  /**
   * The repository as its host has it now. What is done with the credentials after this is done under the name that the host
   * gives here, never under a stored one.
   * @param ownerId number of the owner as the repository's partition has it, where the caller knows it
   * @throws OwnerRefused when the host names another owner, or shows no such repository
   * @throws ServiceError `unavailable` while the host does not answer or the directory cannot be read
   */
  async confirm(
    repoId: string,
    client: HostClient,
    signal: AbortSignal,
    ownerId?: string,
  ): Promise<ConfirmedRepository> {
    const { listed, organisation } = await this.listing(repoId, signal);
    const askedAt = Date.now();
    const { found, answer } = await this.ask(client, listed, organisation).catch((error: unknown) => {
      ownerConfirmations.inc({ outcome: 'unavailable' });
      throw error;
    });
    ownerConfirmations.inc({ outcome: answer.confirmed ? 'confirmed' : answer.cause });
    await this.journal(listed, organisation, { askedAt, answer }, signal);
    if (!answer.confirmed || !found) throw new OwnerRefused();
    // One that was known by its name first keeps its id.
    const repository = { ...minimiseRepository(found, organisation.origin), id: repoId };
    if (ownerId !== undefined && isNumber(ownerId) && ownerId !== repository.owner.id)
      throw new ServiceError('unavailable', 'The repository is moving to another organization.', { retryAfter: 1 });
    return { found, repository, askedAt };
  }

  /**
   * Asks with the installation of another organization who owns what is merely claimed, where the claimant's own credentials do
   * not tell. The answer counts against the claim alone: it opens nothing.
   * @returns whether the host has named another owner
   */
  async refute(repoId: string, contenderId: string, client: HostClient, signal: AbortSignal): Promise<boolean> {
    const { listed, organisation } = await this.listing(repoId, signal);
    const directory = this.options.directory();
    const contender = directory && readOrganisation(directory, contenderId);
    if (!listed.claimed || !contender) return false;
    const askedAt = Date.now();
    try {
      await this.assertInstallation(client, contender);
    } catch (error) {
      if (error instanceof OwnerRefused) return false;
      throw error;
    }
    const answer = answerOf(await findRepository(client, listed), listed, organisation);
    if (answer.confirmed || answer.ownerId === undefined) return false;
    ownerConfirmations.inc({ outcome: answer.cause });
    await this.journal(listed, organisation, { askedAt, answer }, signal);
    return true;
  }

  /** Notes that the host could not be asked, or that nobody's credentials told: it is left alone for a while. */
  async noteSilence(repoId: string, signal: AbortSignal): Promise<void> {
    const { listed, organisation } = await this.listing(repoId, signal);
    const answer = { confirmed: false, cause: 'missing' } as const;
    await this.journal(listed, organisation, { askedAt: Date.now(), answer }, signal);
  }

  /** Repositories of a partition that organizations only claim, as the directory lists them. */
  claimedIn(name: PartitionName): readonly string[] {
    const directory = this.options.directory();
    if (!directory) return [];
    const { seq } = readCursor(directory);
    if (seq !== this.claimed.seq) {
      const ids = listDirectoryRepositories(directory, null).flatMap(({ id, claimed }) => (claimed ? [id] : []));
      this.claimed = { seq, ids };
    }
    const { partitions } = this.options;
    return this.claimed.ids.filter((id) => partitionName(partitionOf(slotOfId(id) as number, partitions)) === name);
  }

  /** Web address of the host of a repository, as the directory has it. */
  originOf({ orgId }: DirectoryRepository): string | undefined {
    const directory = this.options.directory();
    return directory && readOrganisation(directory, orgId)?.origin;
  }

  /**
   * Checks that an installation belongs to an organization, before a token of it is made.
   * @throws OwnerRefused when it is another account's, or the app has no such installation
   */
  async assertInstallation(client: HostClient, organisation: Known | undefined): Promise<void> {
    const { installationId } = client;
    if (installationId === undefined) return;
    const account = await this.accountOf(client, installationId);
    if (!account || !organisation || refusalOf(account, organisation)) throw new OwnerRefused();
  }

  private async ask(
    client: HostClient,
    listed: DirectoryRepository,
    organisation: OrganisationRecord,
  ): Promise<{ found?: HostRepository; answer: Answer }> {
    try {
      await this.assertInstallation(client, organisation);
    } catch (error) {
      if (error instanceof OwnerRefused) return { answer: { confirmed: false, cause: 'installation' } };
      throw error;
    }
    const found = await findRepository(client, listed);
    const answer = answerOf(found, listed, organisation);
    const directory = this.options.directory();
    return { ...(found && { found }), answer: directory ? withoutOthers(directory, organisation, answer) : answer };
  }

  private async accountOf(client: HostClient, installationId: string): Promise<Account | undefined> {
    const key = `${client.origin}\n${installationId}`;
    const known = this.accounts.get(key);
    if (known && Math.abs(Date.now() - known.at) < accountMs) return known.account;
    const account = await counted(client.installationAccount());
    if (this.accounts.size >= mostAccounts) this.accounts.clear();
    this.accounts.set(key, { account, at: Date.now() });
    return account;
  }

  /** The repository as the directory lists it; one that was met a moment ago is waited for. */
  private async listing(
    repoId: string,
    signal: AbortSignal,
  ): Promise<{ listed: DirectoryRepository; organisation: OrganisationRecord }> {
    const found = await this.until(signal, (directory) => {
      const listed = readDirectoryRepository(directory, repoId);
      const organisation = listed && readOrganisation(directory, listed.orgId);
      return organisation && { listed, organisation };
    });
    if (found) return found;
    throw new ServiceError('unavailable', 'The directory does not list the repository yet.', { retryAfter: 1 });
  }

  /** Journals an answer that is news, or old news, and waits until the directory has it. */
  private async journal(
    { id: repoId, ownership, claimed, orgId }: DirectoryRepository,
    { ownerId, ownerProof, login }: OrganisationRecord,
    { askedAt, answer }: { askedAt: number; answer: Answer },
    signal: AbortSignal,
  ): Promise<void> {
    const isKnown = ownership !== undefined && isSame(ownership, answer) && askedAt - ownership.at < refreshMs;
    const isProved = !answer.confirmed || (!claimed && ownerProof === 'proved' && answer.login === login);
    if (isKnown && isProved) return;
    const { lane, logger, partitions } = this.options;
    if (!answer.confirmed && !(ownership && isSame(ownership, answer))) {
      // Credentials that do not reach a repository are a set-up; another owner is a false claim or a transfer that was missed.
      const level = answer.cause === 'missing' ? 'warn' : 'error';
      const what = { repo: repoId, org: orgId, cause: answer.cause };
      logger[level](what, 'the host does not confirm the owner of a repository: credentials are not used for it');
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

  /** What `look` finds in the directory, as soon as it finds something; undefined when that takes too long. */
  private async until<T>(signal: AbortSignal, look: (directory: Partition) => T | undefined): Promise<T | undefined> {
    const deadline = performance.now() + foldMs;
    for (;;) {
      const directory = this.options.directory();
      const found = directory && look(directory);
      if (found !== undefined || performance.now() > deadline) return found;
      await pause(lookMs, undefined, { signal, ref: false });
    }
  }
}

/** By the host's number where there is one: a name can have been taken by another repository. */
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

/** What the host's answer says of a listed repository. */
export function answerOf(
  found: HostRepository | undefined,
  { hostId, fullName: name }: Pick<DirectoryRepository, 'hostId' | 'fullName'>,
  organisation: Known & Pick<OrganisationRecord, 'origin'>,
): Answer {
  const repository = found && minimiseRepository(found, organisation.origin);
  // Where no delivery had a number, the host is asked by name; another name is an answer about another repository.
  const isSame = isNumber(hostId) ? repository?.hostId === hostId : sameName(repository?.fullName ?? '', name);
  if (!repository || !isSame || found?.owner?.id == null) return { confirmed: false, cause: 'missing' };
  const { owner, fullName } = repository;
  const cause = refusalOf(owner, organisation);
  if (cause) return { confirmed: false, cause, ownerId: owner.id, ownerLogin: owner.login };
  const number = ownerNumber(organisation) === null ? { ownerId: owner.id } : {};
  return { confirmed: true, fullName, login: owner.login, ...number };
}

/** An answer as it counts: a number that another organization has is not that of one which is known by its login alone. */
export function withoutOthers(
  directory: Partition,
  organisation: Pick<OrganisationRecord, 'id' | 'origin'>,
  answer: Answer,
): Answer {
  if (!answer.confirmed || answer.ownerId === undefined) return answer;
  const { ownerId, login: ownerLogin } = answer;
  if (isFreeNumber(directory, organisation, ownerId)) return answer;
  return { confirmed: false, cause: 'owner', ownerId, ownerLogin };
}

function isSame(ownership: NonNullable<DirectoryRepository['ownership']>, answer: Answer): boolean {
  if (ownership.confirmed) return answer.confirmed && ownership.fullName === answer.fullName;
  if (answer.confirmed || ownership.cause !== answer.cause || ownership.ownerId !== answer.ownerId) return false;
  return ownership.ownerLogin === answer.ownerLogin;
}
