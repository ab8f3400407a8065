/**
 * One partition's LMDB environment: its tables, how they are opened for the one writer and for readers. What a table holds
 * is the matter of the file named after it. This folder alone imports lmdb.
 */
import { type Database, open, type RootDatabase } from 'lmdb';
import { type Gate, openGate } from './gate.ts';
import { currentGeneration, generationFolder, inodeOf, prepareGeneration, switchGeneration } from './generation.ts';
import { createRowDecoder, type Decode } from './row-decoder.ts';
import { createKeyWriter, type WriteKey } from './row-keys.ts';
import { upgradeLayout } from './upgrade.ts';

/** Tables whose values are msgpack; all are folded from the journal. */
const foldedTables = [
  'meta',
  'repositories',
  'revisions',
  'pulls',
  'pullsByMergeSha',
  'pullsByMergedAt',
  'pullsByAuthor',
  'issues',
  'issuesByClosedAt',
  'commits',
  'pushes',
  'tags',
  'comments',
  'labelChanges',
  'removedIssues',
  'comparisons',
  'ranges',
  'rangesByRepository',
  'notesSettings',
  'hostedNotes',
  'hostedNotesByDate',
  'drafts',
  'draftRevisions',
  'draftTexts',
  'results',
  'deliveries',
  'deadLetters',
  'backfills',
  'tagSyncs',
  'outbox',
  'outboxKeys',
  'relays',
  'delayed',
  'delayedRepositories',
  'organisations',
  'organisationsByOwner',
  'organisationsByLogin',
  'directoryRepositories',
  'repositoriesByName',
  'repositoriesByNumber',
  'keys',
  'keysByHash',
  'keysInUse',
  'retention',
  'syncs',
  'syncsByDay',
  'erasing',
  'tiers',
  'usage',
  'once',
  'webhookSecrets',
  'webhookSecretsByOwner',
  'channels',
  'policies',
  'suppressions',
  'publications',
  'publicationsByRepository',
  'publicationsByContent',
  'publicationsUnderWay',
  'publicationReferences',
  'recipients',
  'webhookEndpoints',
  'webhookEndpointsByOrganisation',
  'webhookDeliveries',
  'webhookDeliveriesById',
  'webhookDeliveriesByTime',
  'webhookQueue',
] as const;

/** Tables of which a draft reads thousands of rows. */
const readByThousands = ['pulls', 'pullsByMergeSha', 'issues', 'commits', 'pushes'] as const;

export type TableName = (typeof foldedTables)[number] | 'local';
// biome-ignore lint/suspicious/noExplicitAny: keys and values are typed by the file that owns the table
type Table = Database<any, any>;

/** An open partition. `responses` holds ready-made bytes; `local` what belongs to this machine and is not folded. */
export interface Partition {
  readonly name: string;
  readonly generation: number;
  readonly folder: string;
  readonly root: RootDatabase;
  readonly tables: Readonly<Record<TableName, Table>>;
  readonly responses: Database<Buffer, string>;
  /** Carries out a write transaction; resolves once others can read it. One at a time, and none while a process opens the file. */
  write(act: () => void): Promise<void>;
  close(): Promise<void>;
}

/** Names of the tables that a replay of the journal must reproduce byte for byte. */
export const dumpedTables: readonly TableName[] = foldedTables;

// Plain maps, no shared structures: the same record always has the same bytes, whichever process wrote it.
const tableOptions = { encoding: 'msgpack', useRecords: false, variableMapSize: true } as const;

const maxReaders = 512;
const maxDbs = 128;

/** Opens the partition in use for writing, making it when it is new. One process may do so, its owner. */
export function openPartition(dataDir: string, name: string): Partition {
  const current = currentGeneration(dataDir, name);
  const generation = current === 0 ? prepareGeneration(dataDir, name) : current;
  const partition = openGeneration(dataDir, name, generation);
  if (current === 0) switchGeneration(dataDir, name, generation);
  return partition;
}

/** Opens a generation for writing, whether it is in use or to be. */
export function openGeneration(dataDir: string, name: string, generation: number): Partition {
  return openGated(dataDir, name, generation, false);
}

/** Opens the partition in use for reading; undefined while its owner has not made it. */
export function openReadOnly(dataDir: string, name: string): Partition | undefined {
  const generation = currentGeneration(dataDir, name);
  if (generation === 0) return undefined;
  if (inodeOf(generationFolder(dataDir, name, generation)) !== undefined)
    return openGated(dataDir, name, generation, true);
  // Its successor may have taken its place between the two looks.
  return currentGeneration(dataDir, name) === generation ? undefined : openReadOnly(dataDir, name);
}

function openGated(dataDir: string, name: string, generation: number, readOnly: boolean): Partition {
  const gate = openGate(dataDir, name);
  try {
    const folder = generationFolder(dataDir, name, generation);
    const partition = gate.through(() => {
      const opened = openFolder(name, generation, folder, readOnly);
      if (!readOnly) upgradeLayout(opened);
      return opened;
    });
    const close = async () => {
      await partition.close();
      await gate.close();
    };
    return { ...partition, write: writerThrough(gate, partition.root), close };
  } catch (error) {
    void gate.close();
    throw error;
  }
}

/** Opens an environment that nobody writes to, such as a snapshot that is to be verified. */
export function openFolder(name: string, generation: number, folder: string, readOnly: boolean): Partition {
  const root = open({ path: folder, readOnly, maxDbs, maxReaders, noSubdir: false, encoding: 'msgpack' });
  // A table that is missing is made: each by a commit of its own, with all its wait for the disk, unless all are in one.
  const opened = readOnly ? openTables(root) : root.transactionSync(() => openTables(root));
  const write = (act: () => void) => root.transaction(act);
  return { name, generation, folder, root, ...opened, write, close: () => root.close() };
}

function openTables(root: RootDatabase): Pick<Partition, 'tables' | 'responses'> {
  const tables = {} as Record<TableName, Table>;
  for (const table of [...foldedTables, 'local'] as const)
    tables[table] = root.openDB({ name: table, ...tableOptions });
  for (const table of readByThousands) quicken(tables[table]);
  return { tables, responses: root.openDB<Buffer, string>({ name: 'responses', encoding: 'binary' }) };
}

/** Whoever is inside the gate is let in again at once, so the transactions of one process wait for each other before it. */
function writerThrough(gate: Gate, root: RootDatabase): Partition['write'] {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const done = last.then(() => gate.through(() => root.transaction(act)));
    last = done.catch(() => {});
    return done;
  };
}

/** What msgpackr writes stays as it is, and so do the bytes of keys; both are come by faster. */
function quicken(table: Table): void {
  // The types of lmdb leave out the encoder and the writer of keys that its documentation has.
  const store = table as Table & { encoder: { decode: Decode }; writeKey: WriteKey };
  store.encoder.decode = createRowDecoder(store.encoder.decode.bind(store.encoder));
  store.writeKey = createKeyWriter(store.writeKey);
}

/** A table whose values are bytes, whatever they hold. */
// biome-ignore lint/suspicious/noExplicitAny: keys are typed by the file that owns the table
export type RawTable = Database<Buffer, any>;

/** An environment with all its tables as bytes, to be copied. */
export interface RawPartition {
  root: RootDatabase;
  tables: ReadonlyMap<string, RawTable>;
}

/** Opens an environment so that its rows can be copied without a look into them. */
export function openRaw(folder: string, readOnly: boolean): RawPartition {
  const root = open({ path: folder, readOnly, maxDbs, maxReaders, noSubdir: false, encoding: 'msgpack' });
  const names = [...foldedTables, 'local', 'responses'];
  const tables = new Map(names.map((name) => [name, root.openDB<Buffer>({ name, encoding: 'binary' })]));
  return { root, tables };
}
