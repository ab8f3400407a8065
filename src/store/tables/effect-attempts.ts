/**
 * How often the carrying out of an effect was begun on this machine and not ended: what ends the process would be begun again
 * for ever. Not folded; a row that is done leaves nothing here.
 */
import type { Partition } from '../partition.ts';

/** Notes that an effect is begun, on disk before it is; how many attempts before this one did not end. */
export async function beginAttempt(partition: Partition, row: number): Promise<number> {
  const { local } = partition.tables;
  const unended: number = local.get(keyOf(row)) ?? 0;
  await partition.write(() => local.putSync(keyOf(row), unended + 1));
  return unended;
}

/** Notes that the attempt ended, however it did. */
export async function endAttempt(partition: Partition, row: number): Promise<void> {
  await partition.write(() => partition.tables.local.removeSync(keyOf(row)));
}

function keyOf(row: number): string {
  return `begun ${row}`;
}
