/**
 * Stored results of commands, by command id. The gateway reads the result of a command after the `folded` signal. A
 * command id begins with the time of its creation. So all results before a given time form one range of keys.
 */
import type { CommandResult } from '../../protocol/commands.ts';
import type { Partition } from '../partition.ts';
import { removeOnce } from './idempotency.ts';

export function readResult(partition: Partition, commandId: string): CommandResult | undefined {
  return partition.tables.results.get(commandId);
}

export function writeResult(partition: Partition, commandId: string, result: CommandResult): void {
  partition.tables.results.putSync(commandId, result);
}

/**
 * Removes the results of up to `limit` commands. The ids of these commands are lower than `beforeId` in sort order.
 * Also removes the Idempotency-Keys of these commands. Returns how many results were removed.
 */
export function removeResultsBefore(partition: Partition, beforeId: string, limit: number): number {
  const rows = [...partition.tables.results.getRange({ end: beforeId, limit })];
  for (const { key, value } of rows) {
    const { once } = value as CommandResult;
    if (once !== undefined) removeOnce(partition, once, key);
    partition.tables.results.removeSync(key);
  }
  return rows.length;
}
