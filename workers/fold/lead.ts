/**
 * Folds the records that decide who leads a partition and by which rules it is folded, and drops records of former
 * leads (`docs/architecture.md` decisions 33, 35 and 46).
 */
import type { ClaimRecord, FoldVersionRecord, JournalRecord } from '../../src/protocol/journal.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  readDigest,
  readFoldVersion,
  readLead,
  writeDigest,
  writeFoldVersion,
  writeLead,
} from '../../src/store/tables/lead.ts';

/**
 * The highest version of fold rules that this program knows. Version 1 keeps a digest of the state, and keeps the counts
 * of a sweep whose record is folded twice. A change of the fold that would give another result for the same records needs a new version: the old rules stay in force until the
 * journal raises the version.
 */
export const foldVersion = 1;

/** Thrown when a partition contains or receives something that only a newer version of Tidings can fold. */
export class NewerFoldError extends Error {}

/** Makes the process of a claim the lead, if the claim has a higher term than the current lead. */
export function foldClaim(partition: Partition, { term, life, node }: ClaimRecord): void {
  if (term > termOf(partition)) writeLead(partition, { term, life, node });
}

/**
 * Raises the version of the fold rules. A lower or equal version changes nothing.
 * @throws NewerFoldError if this program does not know the version
 */
export function foldVersionRecord(partition: Partition, { version }: FoldVersionRecord): void {
  if (version > foldVersion) throw new NewerFoldError(newerVersion(partition.name, version));
  if (version <= readFoldVersion(partition)) return;
  writeFoldVersion(partition, version);
  if (readDigest(partition) === undefined) writeDigest(partition, 0);
}

/**
 * Checks that this program knows the rules by which a partition was folded.
 * @throws NewerFoldError if a newer version of Tidings has folded the partition
 */
export function requireKnownVersion(partition: Partition): void {
  const version = readFoldVersion(partition);
  if (version > foldVersion) throw new NewerFoldError(newerVersion(partition.name, version));
}

/**
 * Whether a record was enqueued by a lead that another lead has replaced. Claims are compared by `foldClaim`. The replay
 * of a dead letter is the decision of a person, so it is folded under any lead.
 */
export function isOfFormerLead(partition: Partition, { kind, term, replayed }: JournalRecord): boolean {
  return term !== undefined && kind !== 'claim' && replayed === undefined && term !== termOf(partition);
}

function termOf(partition: Partition): number {
  return readLead(partition)?.term ?? 0;
}

function newerVersion(name: string, version: number): string {
  return `Partition ${name} is folded by rules of version ${version}. This version of Tidings knows the rules up to version ${foldVersion}. Install a newer version of Tidings on this node.`;
}
