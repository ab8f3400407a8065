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
  'syncs',
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

/** Holds the rows of one table that the batch has read or changed. */
class HeldTable {
  private readonly table: Table;
  private readonly rows = new Map<Part, Row>();

  constructor(table: Table) {
    this.table = table;
  }

  /** Returns a row. All callers share the object, so none of them may change it. */
  get(key: Key): unknown {
    const id = idOf(key);
    const held = this.rows.get(id);
    if (held) return held.value;
    const value: unknown = this.table.get(key);
    this.rows.set(id, { key, value, isChanged: false });
    return value;
  }

  /** Writes a row. With `noOverwrite`, nothing is written and false is returned if the table has a row with this key. */
  putSync(key: Key, value: unknown, { noOverwrite = false } = {}): boolean {
    const id = idOf(key);
    const held = this.rows.get(id);
    if (noOverwrite && held?.value !== undefined) return false;
    if (noOverwrite && !held) return this.add(id, key, value);
    if (held) {
      held.value = value;
      held.isChanged = true;
    } else this.rows.set(id, { key, value, isChanged: true });
    return true;
  }

  /** Writes a row to the store at once, because only the store knows whether there is a row with this key. */
  private add(id: Part, key: Key, value: unknown): boolean {
    const added = addRow(this.table, key, value);
    if (added) this.rows.set(id, { key, value, isChanged: false });
    return added;
  }

  removeSync(key: Key): boolean {
    return this.putSync(key, undefined);
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

  doesExist(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  flush(): void {
    this.write();
    this.rows.clear();
  }

  /** Writes the changed rows to the store. */
  private write(): void {
    for (const row of this.rows.values()) {
      if (!row.isChanged) continue;
      row.isChanged = false;
      if (row.value === undefined) this.table.removeSync(row.key);
      else this.table.putSync(row.key, row.value);
    }
  }
}

/** Returns a text or number that is different for each key of a table. */
function idOf(key: Key): Part {
  return typeof key === 'object' ? key.join('\n') : key;
}
