/**
 * Decides whether a delivery may change the stored repository, may replace the repository, or must be refused. A
 * delivery that was signed with an organization's own secret is a claim. A claim never changes anything that is proved.
 * Once another owner of the repository is proved, everything that was stored under the claim is erased.
 */
import { isNumber } from '../../src/foundation/ids.ts';
import type { EventRecord } from '../../src/protocol/journal.ts';
import type { RelayBody } from '../../src/protocol/relays.ts';
import type { RepositoryRecord } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { sameLogin } from '../../src/store/tables/directory.ts';
import { readRepository, writeRepository } from '../../src/store/tables/repositories.ts';
import { finishErasing, giveUpRepository } from './sweep.ts';

/**
 * The repository of a record, and the organization whose secret signed the record. Data that was read from the host
 * counts as proved.
 */
export type Signed = Pick<EventRecord, 'repository' | 'signedBy'>;

/**
 * The verdict on a record:
 * - `continues`: the record belongs to the stored incarnation of the repository.
 * - `restarts`: the record ends the stored incarnation and begins a new one.
 * - `refused`: the record must not be folded.
 */
export type Verdict = 'continues' | 'restarts' | 'refused';

/** Decides whether a record may change the stored repository. */
export function judgeClaim(before: RepositoryRecord | undefined, { repository, signedBy }: Signed): Verdict {
  // Records of earlier versions of Tidings do not state who signed them. They are folded as those versions folded them.
  if (!before || signedBy === undefined) return 'continues';
  const { owner, claimedBy } = before;
  if (signedBy === null && claimedBy === undefined) return 'continues';
  const hasSameLogin = sameLogin(owner.login, repository.owner.login);
  // A stored owner without a number matches an owner with any number and the same login.
  const hasSameNumber = owner.id === repository.owner.id || (hasSameLogin && !isNumber(owner.id));
  if (signedBy === null) return hasSameNumber && hasSameLogin ? 'continues' : 'restarts';
  if (claimedBy === signedBy.org) return 'continues';
  if (claimedBy !== undefined) return signedBy.supersedes === claimedBy ? 'restarts' : 'refused';
  // If the signing organization has not proved its owner number, the logins must also be equal.
  return hasSameNumber && (signedBy.proved || hasSameLogin) ? 'continues' : 'refused';
}

/**
 * Folds the proof of who owns a repository. If the proved owner's organization has claimed the repository, this claim
 * becomes proved. The claim of any other organization ends, and everything that was stored under that claim is erased.
 * The function compares organizations and not owner numbers, because two organizations may have claimed the same owner
 * number.
 */
export function foldProof(
  partition: Partition,
  { repoId, ownerId, orgId, refuted }: Extract<RelayBody, { relay: 'ownerProved' }>,
): void {
  const known = readRepository(partition, repoId);
  if (known?.claimedBy === undefined) return;
  if (orgId !== undefined && known.claimedBy !== orgId) dropClaim(partition, { repoId, claimedBy: known.claimedBy });
  else if (refuted === null) {
    if (known.owner.id === ownerId || !isNumber(known.owner.id)) writeRepository(partition, withoutClaim(known));
  } else dropClaim(partition, { repoId, claimedBy: refuted });
}

/**
 * Ends an organization's claim and erases everything that was stored under the claim. Dead letters and delayed events
 * from deliveries of other signers are kept.
 */
export function dropClaim(
  partition: Partition,
  { repoId, claimedBy }: Pick<Extract<RelayBody, { relay: 'claimDropped' }>, 'repoId' | 'claimedBy'>,
): void {
  const known = readRepository(partition, repoId);
  if (known?.claimedBy !== claimedBy) return;
  giveUpRepository(partition, repoId, claimedBy);
  // The rows are erased immediately. The directory may already list another organization as the owner, and that
  // organization could read the rows under the repository's id.
  finishErasing(partition, repoId);
}

/** Returns the repository without its claim, so that its owner counts as proved. */
export function withoutClaim({ claimedBy: _, ...proved }: RepositoryRecord): RepositoryRecord {
  return proved;
}
