/**
 * Maps each Idempotency-Key, within its scope, to the first command that was sent with this key (`docs/architecture.md`
 * decision 21). A row is removed together with the result of its command.
 */
import type { Partition } from '../partition.ts';

/** How long an Idempotency-Key is kept, in milliseconds. */
export const onceKeepingMs = 86_400_000;

/** The first command that was sent with an Idempotency-Key. */
export interface OnceRecord {
  commandId: string;
  fingerprint: string;
  at: number;
}

/**
 * Returns the command that is stored for a scope; undefined if the command is older than `onceKeepingMs` at time `at`.
 */
export function readOnce(partition: Partition, scope: string, at: number): OnceRecord | undefined {
  const record: OnceRecord | undefined = partition.tables.once.get(scope);
  return record && at < record.at + onceKeepingMs ? record : undefined;
}

export function writeOnce(partition: Partition, scope: string, record: OnceRecord): void {
  partition.tables.once.putSync(scope, record);
}

/** Removes the row of a scope if the row contains the given command. A newer command can have replaced the row. */
export function removeOnce(partition: Partition, scope: string, commandId: string): void {
  const record: OnceRecord | undefined = partition.tables.once.get(scope);
  if (record?.commandId === commandId) partition.tables.once.removeSync(scope);
}
