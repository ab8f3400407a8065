/**
 * Erasing all of a repository: its rows in every table, piece by piece, and what names it elsewhere. Which repository goes is
 * decided by whoever calls.
 */
import type { CommandResult } from '../../protocol/commands.ts';
import type { JournalRecord } from '../../protocol/journal.ts';
import type { RecordCounts } from '../../protocol/retention.ts';
import type { Partition, TableName } from '../partition.ts';
import { listDeadLetters, removeDeadLetter } from '../tables/dead-letters.ts';
import { listDelayed, removeDelayed } from '../tables/delayed.ts';
import { draftsOf } from '../tables/drafts.ts';
import { publicationsOnPages } from '../tables/hosted-notes.ts';
import { listEffects, removeEffect } from '../tables/outbox.ts';
import { removePublications, stopPublications } from '../tables/publications.ts';
import { listRanges, removeRangeCount } from '../tables/ranges.ts';
import { removeRevisions } from '../tables/revisions.ts';
import { removeSync } from '../tables/syncs.ts';

/** Tables whose keys begin with the repository's id. Whoever adds one adds it here, or its rows outlive their repository. */
const tablesByRepository = [
  'pulls',
  'pullsByMergeSha',
  'pullsByMergedAt',
  'pullsByAuthor',
  'issues',
  'issuesByClosedAt',
  'comments',
  'pushes',
  'commits',
  'tags',
  'labelChanges',
  'removedIssues',
  'comparisons',
  'hostedNotes',
  'hostedNotesByDate',
  'publicationReferences',
  'recipients',
  'publicationsByContent',
  'publicationsUnderWay',
] as const satisfies readonly TableName[];

/** Records of a whole repository, by kind. */
export function countRepository({ tables }: Partition, repoId: string): RecordCounts {
  const count = (table: keyof RecordCounts) => tables[table].getKeysCount(rowsOf(repoId));
  return {
    pulls: count('pulls'),
    issues: count('issues'),
    comments: count('comments'),
    pushes: count('pushes'),
    commits: count('commits'),
  };
}

/** Tables whose rows stay where notes on pages are kept. */
const keptTables: ReadonlySet<TableName> = new Set<TableName>(['hostedNotes', 'hostedNotesByDate']);

/** Marks a repository whose rows are to go, piece by piece: all of them, or all but those of its published notes. */
export function markErasing(partition: Partition, repoId: string, mark: true | 'keepPublished' = true): void {
  partition.tables.erasing.putSync(repoId, mark);
}

/** A repository whose rows are to go, the first by id. */
export function nextErasing(partition: Partition): string | undefined {
  for (const repoId of partition.tables.erasing.getKeys({ limit: 1 })) return repoId;
  return undefined;
}

/** Whether rows of an earlier life of this repository are still to go. */
export function isErasing(partition: Partition, repoId: string): boolean {
  return partition.tables.erasing.get(repoId) !== undefined;
}

/** Erases up to `limit` rows of a marked repository, and the mark with the last; how many it were. */
export function eraseMarked(partition: Partition, repoId: string, limit: number): number {
  const keeps = partition.tables.erasing.get(repoId) === 'keepPublished';
  const erased = eraseRepositoryRows(partition, repoId, limit, keeps);
  if (erased < limit) partition.tables.erasing.removeSync(repoId);
  return erased;
}

/** Erases up to `limit` rows of a repository; how many it were. Fewer than `limit` means that nothing is left. */
function eraseRepositoryRows(partition: Partition, repoId: string, limit: number, keeps: boolean): number {
  let left = limit;
  for (const name of tablesByRepository) {
    if (keeps && keptTables.has(name)) continue;
    const selects = keeps && name === 'publicationReferences';
    const within = { ...rowsOf(repoId), ...(!selects && { limit: left }) };
    const keys = [...partition.tables[name].getKeys(within)] as string[][];
    // The reference of a page names its version, by which a publication is deleted.
    for (const key of selects ? keys.filter(([, channel]) => channel !== 'hosted').slice(0, left) : keys) {
      partition.tables[name].removeSync(key);
      left -= 1;
    }
  }
  left -= eraseSyncs(partition, repoId, left);
  // The pages are read only when all other rows are gone: there can be many.
  const kept = keeps && left > 0 ? publicationsOnPages(partition, repoId) : undefined;
  left -= removePublications(partition, repoId, left, kept);
  return limit - left + eraseRanges(partition, repoId, left);
}

function eraseSyncs(partition: Partition, repoId: string, limit: number): number {
  const keys = [...partition.tables.syncs.getKeys({ ...rowsOf(repoId), limit })];
  for (const key of keys) removeSync(partition, key);
  return keys.length;
}

function eraseRanges(partition: Partition, repoId: string, limit: number): number {
  const { ranges, rangesByRepository, drafts } = partition.tables;
  let erased = 0;
  for (const { id, createdAt } of listRanges(partition, repoId)) {
    for (const draft of draftsOf(id)) {
      // A draft can have hundreds of texts: they go piece by piece too, and the draft with the last.
      erased += removeRevisions(partition, draft, limit - erased);
      if (erased >= limit) return erased;
      drafts.removeSync(draft);
      partition.responses.removeSync(draft);
    }
    partition.responses.removeSync(id);
    rangesByRepository.removeSync([repoId, createdAt, id]);
    ranges.removeSync(id);
    erased += 1;
    if (erased >= limit) return erased;
  }
  removeRangeCount(partition, repoId);
  return erased;
}

/**
 * Erases what names a repository and is no row of its history: a backfill, letters, what waits, effects, stored results.
 * @param claimedBy erases only what this organization delivered of what waits and of letters
 */
export function eraseTraces(partition: Partition, repoId: string, claimedBy?: string): void {
  const isTheirs = (record: JournalRecord) =>
    claimedBy === undefined || record.kind !== 'event' || record.signedBy?.org === claimedBy;
  partition.tables.backfills.removeSync(repoId);
  partition.tables.tagSyncs.removeSync(repoId);
  partition.tables.notesSettings.removeSync(repoId);
  stopPublications(partition, repoId);
  for (const { seq, index, record } of listDeadLetters(partition))
    if (namesRepository(record, repoId) && isTheirs(record)) removeDeadLetter(partition, seq, index);
  for (const event of [...listDelayed(partition)])
    if (event.record.repository.id === repoId && isTheirs(event.record)) removeDelayed(partition, event);
  for (const { number, effect } of listEffects(partition, 0, Number.MAX_SAFE_INTEGER))
    if (namesRepository(effect, repoId)) removeEffect(partition, number);
  const { results } = partition.tables;
  const ids = new Set(listRanges(partition, repoId).flatMap(({ id }) => [id, ...draftsOf(id)]));
  const isItsOwn = ({ value }: { value: CommandResult }) =>
    namesRepository(value, repoId) || (value.ok && ids.has((value.value as { id: string }).id));
  for (const { key } of [...results.getRange({})].filter(isItsOwn)) results.removeSync(key);
}

/** Whether a row holds a repository's id anywhere. Such rows are few, and what they hold is none of this file's business. */
function namesRepository(row: unknown, repoId: string): boolean {
  return JSON.stringify(row).includes(repoId);
}

function rowsOf(repoId: string) {
  return { start: [repoId], end: [repoId, '\u{10ffff}'] };
}
