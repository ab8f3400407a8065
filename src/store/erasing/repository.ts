/**
 * Erases a whole repository. The rows of the repository in every table are erased piece by piece. Rows that are not
 * part of the repository's history but name the repository are also erased. The caller decides which repository is
 * erased.
 */
import type { CommandResult } from '../../protocol/commands.ts';
import type { JournalRecord } from '../../protocol/journal.ts';
import type { RecordCounts } from '../../protocol/retention.ts';
import type { Partition, TableName } from '../partition.ts';
import { type TablesErasedWith, tablesWhere } from '../table-registry.ts';
import { listDeadLetters, removeDeadLetter } from '../tables/dead-letters.ts';
import { listDelayed, removeDelayed } from '../tables/delayed.ts';
import { removeFacts } from '../tables/draft-facts.ts';
import { draftsOf } from '../tables/drafts.ts';
import { publicationsOnPages } from '../tables/hosted-notes.ts';
import { listEffects, removeEffect } from '../tables/outbox.ts';
import { removePublications, stopPublications } from '../tables/publications.ts';
import { listRanges, removeRangeCount } from '../tables/ranges.ts';
import { removeRevisions } from '../tables/revisions.ts';
import { removeSync } from '../tables/syncs.ts';

/** Tables whose keys begin with the repository's id. */
const tablesByRepository = tablesWhere(({ erasedWith }) => erasedWith === 'repositoryRows');

/** Counts the records of a whole repository, by kind. */
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

/** Tables whose rows are not erased if the published notes of the repository are kept. */
const keptTables: ReadonlySet<TableName> = new Set<TableName>(
  tablesWhere((traits) => 'keptWithNotes' in traits && traits.keptWithNotes === true),
);

/**
 * Marks a repository, so that its rows are erased piece by piece. With the mark `true`, all rows are erased. With the
 * mark `keepPublished`, the rows of the published notes are kept.
 */
export function markErasing(partition: Partition, repoId: string, mark: true | 'keepPublished' = true): void {
  partition.tables.erasing.putSync(repoId, mark);
}

/** Returns the id of the first repository, in the order of ids, that is marked for erasure. */
export function nextErasing(partition: Partition): string | undefined {
  for (const repoId of partition.tables.erasing.getKeys({ limit: 1 })) return repoId;
  return undefined;
}

/** Whether this repository was marked for erasure and still has rows that must be erased. */
export function isErasing(partition: Partition, repoId: string): boolean {
  return partition.tables.erasing.get(repoId) !== undefined;
}

/**
 * Erases up to `limit` rows of a repository that is marked for erasure. Removes the mark together with the last row.
 * Returns how many rows were erased.
 */
export function eraseMarked(partition: Partition, repoId: string, limit: number): number {
  const keeps = partition.tables.erasing.get(repoId) === 'keepPublished';
  const erased = eraseRepositoryRows(partition, repoId, limit, keeps);
  if (erased < limit) partition.tables.erasing.removeSync(repoId);
  return erased;
}

/**
 * Erases up to `limit` rows of a repository. Returns how many rows were erased; a number below `limit` means that no
 * row is left.
 */
function eraseRepositoryRows(partition: Partition, repoId: string, limit: number, keeps: boolean): number {
  let left = limit;
  for (const name of tablesByRepository) {
    if (keeps && keptTables.has(name)) continue;
    const selects = keeps && name === 'publicationReferences';
    const within = { ...rowsOf(repoId), ...(!selects && { limit: left }) };
    const keys = [...partition.tables[name].getKeys(within)] as string[][];
    // References to publications on pages (channel `hosted`) are kept. A reference contains the version, which is
    // needed to delete the publication later.
    for (const key of selects ? keys.filter(([, channel]) => channel !== 'hosted').slice(0, left) : keys) {
      partition.tables[name].removeSync(key);
      left -= 1;
    }
  }
  for (const erase of new Set(Object.values(pieceErasers))) left -= erase(partition, repoId, left, keeps);
  return limit - left;
}

function eraseSyncs(partition: Partition, repoId: string, limit: number): number {
  const keys = [...partition.tables.syncs.getKeys({ ...rowsOf(repoId), limit })];
  for (const key of keys) removeSync(partition, key);
  return keys.length;
}

function erasePublications(partition: Partition, repoId: string, limit: number, keeps: boolean): number {
  // Reading the publications of all pages can be slow. So the publications are read only if the erased rows of other
  // tables have not used up the limit.
  const kept = keeps && limit > 0 ? publicationsOnPages(partition, repoId) : undefined;
  return removePublications(partition, repoId, limit, kept);
}

function eraseRanges(partition: Partition, repoId: string, limit: number): number {
  const { ranges, rangesByRepository, drafts } = partition.tables;
  let erased = 0;
  for (const { id, createdAt } of listRanges(partition, repoId)) {
    for (const draft of draftsOf(id)) {
      // A draft can have hundreds of texts, so the texts are erased in pieces, like other rows. The draft itself is
      // erased together with its last text.
      erased += removeRevisions(partition, draft, limit - erased);
      if (erased >= limit) return erased;
      drafts.removeSync(draft);
      removeFacts(partition, draft);
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
 * Erases the rows that name a repository without belonging to its history. These rows are the repository's backfill,
 * dead letters, delayed events, effects and stored results.
 * @param claimedBy id of an organization; if given, dead letters and delayed events from deliveries of other signers
 *   are kept
 */
export function eraseTraces(partition: Partition, repoId: string, claimedBy?: string): void {
  const isTheirs = (record: JournalRecord) =>
    claimedBy === undefined || record.kind !== 'event' || record.signedBy?.org === claimedBy;
  stopPublications(partition, repoId);
  for (const erase of new Set(Object.values(traceErasers))) erase(partition, repoId, isTheirs);
}

function eraseDeadLetters(partition: Partition, repoId: string, isTheirs: (record: JournalRecord) => boolean): void {
  for (const { seq, index, record } of listDeadLetters(partition))
    if (namesRepository(record, repoId) && isTheirs(record)) removeDeadLetter(partition, seq, index);
}

function eraseDelayed(partition: Partition, repoId: string, isTheirs: (record: JournalRecord) => boolean): void {
  for (const event of [...listDelayed(partition)])
    if (event.record.repository.id === repoId && isTheirs(event.record)) removeDelayed(partition, event);
}

function eraseEffects(partition: Partition, repoId: string): void {
  for (const { number, effect } of listEffects(partition, 0, Number.MAX_SAFE_INTEGER))
    if (namesRepository(effect, repoId)) removeEffect(partition, number);
}

function eraseResults(partition: Partition, repoId: string): void {
  const { results } = partition.tables;
  const ids = new Set(listRanges(partition, repoId).flatMap(({ id }) => [id, ...draftsOf(id)]));
  const isItsOwn = ({ value }: { value: CommandResult }) =>
    namesRepository(value, repoId) || (value.ok && ids.has((value.value as { id: string }).id));
  for (const { key } of [...results.getRange({})].filter(isItsOwn)) results.removeSync(key);
}

/**
 * Whether a row contains a repository's id anywhere. The whole row is searched as text, because its structure is not
 * known here.
 */
function namesRepository(row: unknown, repoId: string): boolean {
  return JSON.stringify(row).includes(repoId);
}

function rowsOf(repoId: string) {
  return { start: [repoId], end: [repoId, '\u{10ffff}'] };
}

/** Erases up to `limit` rows and returns how many were erased. */
type PieceEraser = (partition: Partition, repoId: string, limit: number, keeps: boolean) => number;

/**
 * Maps each history table that is missing in `tablesByRepository` to the function that erases the table. The functions
 * are listed in the order of execution. One function can erase several tables.
 */
const pieceErasers = {
  syncs: eraseSyncs,
  syncsByDay: eraseSyncs,
  publications: erasePublications,
  publicationsByRepository: erasePublications,
  publicationsByState: erasePublications,
  ranges: eraseRanges,
  rangesByRepository: eraseRanges,
  drafts: eraseRanges,
  draftRevisions: eraseRanges,
  draftTexts: eraseRanges,
  draftFacts: eraseRanges,
} satisfies Partial<Record<TablesErasedWith<'repository'>, PieceEraser>>;

/**
 * Tables that other functions erase. `removeRepository` erases `repositories` and `revisions`. `eraseMarked` erases a
 * repository's row in `erasing` together with the last of the repository's other rows.
 */
type ErasedElsewhere = 'repositories' | 'revisions' | 'erasing';

type TraceEraser = (partition: Partition, repoId: string, isTheirs: (record: JournalRecord) => boolean) => void;

const removeRow =
  (table: 'backfills' | 'tagSyncs' | 'notesSettings'): TraceEraser =>
  ({ tables }, repoId) =>
    void tables[table].removeSync(repoId);

/**
 * The functions that erase tables together with the repository, in the order of execution. The tables in `pieceErasers`
 * and in `ErasedElsewhere` are erased by other functions. The compiler reports an error if this list lacks one of the
 * other tables that the registry marks as erased with the repository.
 */
const traceErasers: Readonly<
  Record<Exclude<TablesErasedWith<'repository'>, keyof typeof pieceErasers | ErasedElsewhere>, TraceEraser>
> = {
  backfills: removeRow('backfills'),
  tagSyncs: removeRow('tagSyncs'),
  notesSettings: removeRow('notesSettings'),
  deadLetters: eraseDeadLetters,
  delayed: eraseDelayed,
  delayedRepositories: eraseDelayed,
  outbox: eraseEffects,
  outboxKeys: eraseEffects,
  results: eraseResults,
};
