/**
 * Stored results of commands, by command id; the gateway reads one after the `folded` signal. Ids begin with their time,
 * so old results are a range of keys.
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

/** Removes up to `limit` results of commands whose id sorts before `beforeId`, with the Idempotency-Keys that led to them. */
export function removeResultsBefore(partition: Partition, beforeId: string, limit: number): number {
  const rows = [...partition.tables.results.getRange({ end: beforeId, limit })];
  for (const { key, value } of rows) {
    const { once } = value as CommandResult;
    if (once !== undefined) removeOnce(partition, once, key);
    partition.tables.results.removeSync(key);
  }
  return rows.length;
}
