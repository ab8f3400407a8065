/**
 * Decides what becomes of a repository's stored life when a delivery arrives: what one organization merely claims under its
 * own secret never changes what is proved, and yields to proof with everything that it brought.
 */
import { isNumber } from '../../src/foundation/ids.ts';
import type { EventRecord } from '../../src/protocol/journal.ts';
import type { RelayBody } from '../../src/protocol/relays.ts';
import type { RepositoryRecord } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import { sameLogin } from '../../src/store/tables/directory.ts';
import { readRepository, writeRepository } from '../../src/store/tables/repositories.ts';
import { finishErasing, giveUpRepository } from './sweep.ts';

/** A record of a repository, and whose secret signed it; what the host itself was asked for counts as proved. */
export type Signed = Pick<EventRecord, 'repository' | 'signedBy'>;

/** Whether a record goes on with the life that is stored, ends it and begins another, or is not to be folded at all. */
export type Verdict = 'goesOn' | 'beginsAnew' | 'refused';

/** Judges a record against the stored repository. */
export function judgeClaim(before: RepositoryRecord | undefined, { repository, signedBy }: Signed): Verdict {
  // Records of earlier versions do not say who signed them: they fold as they did then.
  if (!before || signedBy === undefined) return 'goesOn';
  const { owner, claimedBy } = before;
  if (signedBy === null && claimedBy === undefined) return 'goesOn';
  const hasSameLogin = sameLogin(owner.login, repository.owner.login);
  // What was told without a number agrees with any number of an owner of that login.
  const hasSameNumber = owner.id === repository.owner.id || (hasSameLogin && !isNumber(owner.id));
  if (signedBy === null) return hasSameNumber && hasSameLogin ? 'goesOn' : 'beginsAnew';
  if (claimedBy === signedBy.org) return 'goesOn';
  if (claimedBy !== undefined) return signedBy.supersedes === claimedBy ? 'beginsAnew' : 'refused';
  // An organization whose number is itself only claimed must be called as the owner is, too.
  return hasSameNumber && (signedBy.proved || hasSameLogin) ? 'goesOn' : 'refused';
}

/**
 * Folds the proof of who owns a repository: a claim of the owner is proved, any other ends with what it brought. The number alone
 * does not tell them apart: the other one can have claimed it as well.
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

/** Ends what an organization claims, with what it brought. What others have told, and waits, is theirs and stays. */
export function dropClaim(
  partition: Partition,
  { repoId, claimedBy }: Pick<Extract<RelayBody, { relay: 'claimDropped' }>, 'repoId' | 'claimedBy'>,
): void {
  const known = readRepository(partition, repoId);
  if (known?.claimedBy !== claimedBy) return;
  giveUpRepository(partition, repoId, claimedBy);
  // At once: whoever is listed as the owner by now may read what has the repository's id.
  finishErasing(partition, repoId);
}

/** The same repository with its owner proved. */
export function withoutClaim({ claimedBy: _, ...proved }: RepositoryRecord): RepositoryRecord {
  return proved;
}
