/**
 * A view of a partition that folds many records with few reads and writes. Most events of a batch concern the same
 * repositories and counters. The view reads each of these rows from the store once, holds it in memory, and writes it
 * once.
 *
 * A view exists for one attempt to fold a batch. If the attempt is undone, the view is dropped with it, so it never
 * contains a row that the store does not have.
 */
import type { Partition, TableName } from './partition.ts';

/** Tables with rows that many events of a batch read or replace. Their keys are texts or numbers. */
const heldTables = ['meta', 'repositories', 'revisions', 'erasing', 'retention', 'outbox', 'outboxKeys'] as const;

type Key = string | number;
type Table = Partition['tables'][TableName];

export class BatchView {
  /**
   * The partition as the fold of the batch sees it. The held tables provide `get`, `putSync` and `removeSync` only. All
   * other methods throw, because they would read rows of the store that are not written back yet.
   */
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

/** Holds the rows of one table that the batch has read or changed. */
class HeldTable {
  private readonly table: Table;
  /** The value is undefined if the store has no such row, or if the row is removed. */
  private readonly rows = new Map<Key, unknown>();
  private readonly changed = new Set<Key>();

  constructor(table: Table) {
    this.table = table;
  }

  /** Returns a row. All callers share the object, so the object is frozen. */
  get(key: Key): unknown {
    const held = this.rows.get(key);
    if (held !== undefined || this.rows.has(key)) return held;
    const value: unknown = this.table.get(key);
    this.rows.set(key, Object.freeze(value));
    return value;
  }

  putSync(key: Key, value: unknown): boolean {
    this.rows.set(key, Object.freeze(value));
    this.changed.add(key);
    return true;
  }

  removeSync(key: Key): boolean {
    return this.putSync(key, undefined);
  }

  getRange(): never {
    throw new Error('a table that is held in memory cannot be read by range');
  }

  getKeys(): never {
    return this.getRange();
  }

  getKeysCount(): never {
    return this.getRange();
  }

  flush(): void {
    for (const key of this.changed) {
      const value = this.rows.get(key);
      if (value === undefined) this.table.removeSync(key);
      else this.table.putSync(key, value);
    }
    this.changed.clear();
    this.rows.clear();
  }
}
