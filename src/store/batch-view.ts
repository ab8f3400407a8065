/**
 * A view of a partition that folds many records with few reads and writes. Most events of a batch concern the same
 * repositories, counters, pull requests and issues. The view reads each of these rows from the store once, holds it in
 * memory, and writes it once.
 *
 * A view exists for one attempt to fold a batch. If the attempt is undone, the view is dropped with it, so it never
 * contains a row that the store does not have.
 */
import { addRow } from './add-row.ts';
import type { Partition, TableName } from './partition.ts';

/** Tables with rows that many events of a batch read or replace. */
const heldTables = [
  'meta',
  'repositories',
  'revisions',
  'erasing',
  'retention',
  'outbox',
  'outboxKeys',
  'pulls',
  'issues',
  'removedIssues',
  'syncs',
  'branchHeads',
  'weeks',
] as const;

type Part = string | number;
type Key = Part | readonly Part[];
type Table = Partition['tables'][TableName];

export class BatchView {
  /** The partition as the fold of the batch sees it. */
  readonly partition: Partition;
  private readonly held: readonly HeldTable[];

  constructor(partition: Partition) {
    const tables: Record<TableName, Table> = { ...partition.tables };
    this.held = heldTables.map((name) => {
      const table = new HeldTable(partition.tables[name]);
      tables[name] = table as unknown as Table;
      return table;
    });
    this.partition = { ...partition, tables };
  }

  /** Writes all changed rows to the store, and forgets all rows. */
  flush(): void {
    for (const table of this.held) table.flush();
  }
}

interface Row {
  readonly key: Key;
  /** Undefined if the store has no such row, or if the row is removed. */
  value: unknown;
  isChanged: boolean;
}

/** Rows by the parts of their keys: one level of maps per part. All keys of a table that begin alike have equal lengths. */
type Tree = Map<Part, Tree | Row>;

/** Holds the rows of one table that the batch has read or changed. */
class HeldTable {
  private readonly table: Table;
  private readonly tree: Tree = new Map();
  private changed: Row[] = [];

  constructor(table: Table) {
    this.table = table;
  }

  /** Returns a row. All callers share the object, so none of them may change it. */
  get(key: Key): unknown {
    const row = this.held(key) ?? this.hold(key, this.table.get(key));
    return row.value;
  }

  /** Writes a row. With `noOverwrite`, nothing is written and false is returned if the table has a row with this key. */
  putSync(key: Key, value: unknown, { noOverwrite = false } = {}): boolean {
    const held = this.held(key);
    if (noOverwrite && held?.value !== undefined) return false;
    if (noOverwrite && !held) return this.add(key, value);
    this.change(held ?? this.hold(key, undefined), value);
    return true;
  }

  removeSync(key: Key): boolean {
    return this.putSync(key, undefined);
  }

  doesExist(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  getRange(range: object): unknown {
    this.write();
    return this.table.getRange(range);
  }

  getKeys(range: object): unknown {
    this.write();
    return this.table.getKeys(range);
  }

  getKeysCount(range: object): number {
    this.write();
    return this.table.getKeysCount(range);
  }

  flush(): void {
    this.write();
    this.tree.clear();
  }

  /** Writes the changed rows to the store. */
  private write(): void {
    for (const row of this.changed) {
      row.isChanged = false;
      if (row.value === undefined) this.table.removeSync(row.key);
      else this.table.putSync(row.key, row.value);
    }
    this.changed = [];
  }

  /** Writes a row to the store at once, because only the store knows whether there is a row with this key. */
  private add(key: Key, value: unknown): boolean {
    const added = addRow(this.table, key, value);
    if (added) this.hold(key, value);
    return added;
  }

  private change(row: Row, value: unknown): void {
    if (!row.isChanged) this.changed.push(row);
    row.isChanged = true;
    row.value = value;
  }

  private held(key: Key): Row | undefined {
    if (typeof key !== 'object') return this.tree.get(key) as Row | undefined;
    let node: Tree | Row | undefined = this.tree;
    for (const part of key) {
      node = (node as Tree).get(part);
      if (node === undefined) return undefined;
    }
    return node as Row;
  }

  private hold(key: Key, value: unknown): Row {
    const row: Row = { key, value, isChanged: false };
    const parts = typeof key === 'object' ? key : [key];
    let tree = this.tree;
    for (const part of parts.slice(0, -1)) {
      const next = (tree.get(part) as Tree | undefined) ?? new Map();
      tree.set(part, next);
      tree = next;
    }
    tree.set(parts[parts.length - 1] as Part, row);
    return row;
  }
}
