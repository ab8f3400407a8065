/**
 * Counts, for each effect, the attempts that began on this machine but never ended. Without this count, an effect that
 * kills the process would be tried again without end. The count is not folded from the journal. The count is removed
 * when an attempt ends.
 */
import type { Partition } from '../partition.ts';

/**
 * Stores on disk that an attempt to carry out an effect begins. Returns how many earlier attempts never ended.
 * @param row the outbox row of the effect
 */
export async function beginAttempt(partition: Partition, row: number): Promise<number> {
  const { local } = partition.tables;
  const unended: number = local.get(keyOf(row)) ?? 0;
  await partition.write(() => local.putSync(keyOf(row), unended + 1));
  return unended;
}

/** Removes the count of an effect after an attempt has ended with any outcome. */
export async function endAttempt(partition: Partition, row: number): Promise<void> {
  await partition.write(() => partition.tables.local.removeSync(keyOf(row)));
}

function keyOf(row: number): string {
  return `begun ${row}`;
}
