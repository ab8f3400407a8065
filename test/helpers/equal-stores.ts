/**
 * Compares the stores of a partition in several data directories. All nodes that have folded the same records must have
 * the same bytes in all tables except `local`, which contains data about one machine only.
 */
import assert from 'node:assert/strict';
import { currentGeneration, generationFolder } from '../../src/store/generation.ts';
import { openRaw, type RawPartition } from '../../src/store/partition.ts';
import { nameOnDisk } from '../../src/store/table-registry.ts';

/** The rows that were compared, and the first differences. */
export interface Comparison {
  rows: number;
  differences: string[];
}

const maxDifferences = 20;

/**
 * Asserts that a partition has the same bytes in each data directory. The processes that fold into the stores may go on
 * running, but must have folded the same records. Returns the number of rows.
 */
export async function assertEqualStores(
  partition: string,
  [first = '', ...others]: readonly string[],
): Promise<number> {
  let rows = 0;
  for (const other of others) {
    const compared = await compareStores(partition, first, other);
    assert.deepEqual(compared.differences, [], `${partition} differs between ${first} and ${other}`);
    rows = compared.rows;
  }
  return rows;
}

/** Compares the current generations of a partition in two data directories, in the order of the keys. */
export async function compareStores(partition: string, left: string, right: string): Promise<Comparison> {
  const [a, b] = [openCurrent(left, partition), openCurrent(right, partition)];
  try {
    const compared: Comparison = { rows: 0, differences: [] };
    const names = [...a.tables.keys()].filter((name) => name !== 'local');
    for (const name of names) compareTables(name, rowsOf(a, name), rowsOf(b, name), compared);
    return compared;
  } finally {
    await a.root.close();
    await b.root.close();
  }
}

function openCurrent(dataDir: string, partition: string): RawPartition {
  const generation = currentGeneration(dataDir, partition);
  assert.ok(generation > 0, `${dataDir} has no partition ${partition}`);
  return openRaw(generationFolder(dataDir, partition, generation), true);
}

/** Walks through two tables side by side. A row that only one of them has does not hide the rows after it. */
function compareTables(table: string, left: Rows, right: Rows, compared: Comparison): void {
  let [a, b] = [left.next().value, right.next().value];
  const report = ({ key }: Row, what: string): void =>
    void compared.differences.push(`${table} ${JSON.stringify(key.toString('latin1'))} ${what}`);
  while ((a || b) && compared.differences.length < maxDifferences) {
    compared.rows += 1;
    const order = a && b ? Buffer.compare(a.key, b.key) : a ? -1 : 1;
    if (a && b && order === 0 && !a.value.equals(b.value)) report(a, 'has other bytes');
    if (a && order < 0) report(a, 'is missing in the second store');
    if (b && order > 0) report(b, 'is missing in the first store');
    if (order <= 0) a = left.next().value;
    if (order >= 0) b = right.next().value;
  }
}

type Rows = Generator<Row, undefined>;

interface Row {
  key: Buffer;
  value: Buffer;
}

function* rowsOf({ root }: RawPartition, name: string): Rows {
  const options = { name: nameOnDisk(name), encoding: 'binary', keyEncoding: 'binary' } as const;
  const table = root.openDB<Buffer, Buffer>(options);
  for (const { key, value } of table.getRange({})) yield { key, value };
}
