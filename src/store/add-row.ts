/** Writes a row only if its table has no row with the same key. */
import type { Partition, TableName } from './partition.ts';

const options = { noOverwrite: true };

/**
 * Writes a row unless the table has a row with the same key. Returns whether the row was written. A single call is
 * cheaper than a lookup followed by a write.
 */
export function addRow(table: Partition['tables'][TableName], key: unknown, value: unknown): boolean {
  // lmdb returns whether the row was written, but its types do not say so.
  return table.putSync(key, value, options) as unknown as boolean;
}
