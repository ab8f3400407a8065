/**
 * Opens the LMDB environment of one partition with its tables. The partition's owner opens the environment for writing.
 * Other processes open it for reading.
 *
 * The files in `tables/` describe the tables. Only code in this folder imports lmdb.
 */
import { type Database, open, type RootDatabase } from 'lmdb';
import { Sequence } from '../foundation/sequence.ts';
import type { Changes } from './changes.ts';
import { type Gate, openGate } from './gate.ts';
import { currentGeneration, generationFolder, inodeOf, prepareGeneration, switchGeneration } from './generation.ts';
import { createRowDecoder, type Decode } from './row-decoder.ts';
import { createKeyWriter, type WriteKey } from './row-keys.ts';
import { type FoldedTable, foldedTables, nameOnDisk } from './table-registry.ts';
import { upgradeLayout } from './upgrade.ts';

/**
 * The name of a table. The table `local` contains data about this machine only. This data is not folded from the
 * journal.
 */
export type TableName = FoldedTable | 'local';
// biome-ignore lint/suspicious/noExplicitAny: keys and values are typed by the file that owns the table
type Table = Database<any, any>;

/**
 * An open partition. The table `responses` contains API replies as bytes that are ready to send. The table `local`
 * contains data about this machine only. This data is not folded from the journal.
 */
export interface Partition {
  readonly name: string;
  readonly generation: number;
  readonly folder: string;
  readonly root: RootDatabase;
  readonly tables: Readonly<Record<TableName, Table>>;
  readonly responses: Database<Buffer, string>;
  /**
   * Counts of metrics that an attempt to fold a batch has collected. They are added to the metrics when the attempt has
   * succeeded, so that an attempt that is undone counts nothing. Undefined outside such an attempt.
   */
  readonly counts?: (() => void)[];
  /**
   * What an attempt to fold a batch has changed, for live events. It is used when the attempt has succeeded. Undefined
   * outside such an attempt, and while the partition catches up.
   */
  readonly changes?: Changes | undefined;
  /** Called with the repository of each delayed event that an attempt folds. */
  readonly onReleased?: (repoId: string) => void;
  /** Called with the digest of the state after each message that an attempt folds. */
  readonly onDigest?: (seq: number, digest: number) => void;
  /**
   * Runs a write transaction and resolves once other processes can read the result. Transactions run one at a time, and
   * never while a process opens the file.
   */
  write(act: () => void): Promise<void>;
  close(): Promise<void>;
}

// Objects are encoded as plain maps without shared structures. So the same record always has the same bytes, no matter
// which process wrote it.
const tableOptions = { encoding: 'msgpack', useRecords: false, variableMapSize: true } as const;

const maxReaders = 512;
const maxDbs = 128;

/**
 * Opens the current generation of a partition for writing. Creates the partition if it does not exist. Only the owner
 * may call this function.
 */
export function openPartition(dataDir: string, name: string): Partition {
  const current = currentGeneration(dataDir, name);
  const generation = current === 0 ? prepareGeneration(dataDir, name) : current;
  const partition = openGeneration(dataDir, name, generation);
  if (current === 0) switchGeneration(dataDir, name, generation);
  return partition;
}

/** Opens a generation for writing, whether or not it is in use yet. */
export function openGeneration(dataDir: string, name: string, generation: number): Partition {
  return openGated(dataDir, name, generation, false);
}

/** Opens the current generation read-only. Returns undefined until the owner has created the partition. */
export function openReadOnly(dataDir: string, name: string): Partition | undefined {
  const generation = currentGeneration(dataDir, name);
  if (generation === 0) return undefined;
  if (inodeOf(generationFolder(dataDir, name, generation)) !== undefined)
    return openGated(dataDir, name, generation, true);
  // The folder of the generation is missing. If another generation is in use by now, that generation is opened.
  return currentGeneration(dataDir, name) === generation ? undefined : openReadOnly(dataDir, name);
}

function openGated(dataDir: string, name: string, generation: number, readOnly: boolean): Partition {
  const gate = openGate(dataDir, name, readOnly);
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

/**
 * Opens an environment without the gate, for example to verify a snapshot. No other process may write to the
 * environment while it is open.
 */
export function openFolder(name: string, generation: number, folder: string, readOnly: boolean): Partition {
  const root = open({ path: folder, readOnly, maxDbs, maxReaders, noSubdir: false, encoding: 'msgpack' });
  // Missing tables are created here in one transaction. With one commit per table, each commit would wait for the disk.
  const opened = readOnly ? openTables(root) : root.transactionSync(() => openTables(root));
  const write = (act: () => void) => root.transaction(act);
  return { name, generation, folder, root, ...opened, write, close: () => root.close() };
}

function openTables(root: RootDatabase): Pick<Partition, 'tables' | 'responses'> {
  const tables = {} as Record<TableName, Table>;
  for (const table of [...foldedTables, 'local'] as const)
    tables[table] = withFastCodecs(root.openDB({ name: nameOnDisk(table), ...tableOptions }));
  return { tables, responses: root.openDB<Buffer, string>({ name: 'responses', encoding: 'binary' }) };
}

/**
 * Returns the function that runs the write transactions of one process one after another. The gate cannot order these
 * transactions, because it does not block a process that is already inside the gate.
 */
function writerThrough(gate: Gate, root: RootDatabase): Partition['write'] {
  const writes = new Sequence();
  return (act) => writes.run(() => gate.through(() => root.transaction(act)));
}

/**
 * Replaces lmdb's functions for decoding rows and encoding keys by faster functions. The stored bytes do not change.
 */
function withFastCodecs(table: Table): Table {
  // lmdb documents `encoder` and `writeKey`, but its types do not contain them.
  const store = table as Table & { encoder: { decode: Decode }; writeKey: WriteKey };
  store.encoder.decode = createRowDecoder(store.encoder.decode.bind(store.encoder));
  store.writeKey = createKeyWriter(store.writeKey);
  return table;
}

/** A table that returns values as bytes, without decoding them. */
// biome-ignore lint/suspicious/noExplicitAny: keys are typed by the file that owns the table
export type RawTable = Database<Buffer, any>;

/** An environment whose rows can be copied, because all its tables return values as bytes. */
export interface RawPartition {
  root: RootDatabase;
  tables: ReadonlyMap<string, RawTable>;
}

/** Opens an environment so that its rows can be copied without decoding them. */
export function openRaw(folder: string, readOnly: boolean): RawPartition {
  const root = open({ path: folder, readOnly, maxDbs, maxReaders, noSubdir: false, encoding: 'msgpack' });
  const names = [...foldedTables, 'local', 'responses'];
  const tables = new Map(
    names.map((name) => [name, root.openDB<Buffer>({ name: nameOnDisk(name), encoding: 'binary' })]),
  );
  return { root, tables };
}
