/**
 * Which command an Idempotency-Key led to, by the scope of the key (`docs/architecture.md` decision 21). A row goes with the
 * result of its command.
 */
import type { Partition } from '../partition.ts';

/** How long an Idempotency-Key is known, in milliseconds. */
export const onceKeepingMs = 86_400_000;

/** The first command of an Idempotency-Key. */
export interface OnceRecord {
  commandId: string;
  fingerprint: string;
  at: number;
}

/** The command of a scope, when it is known at time `at`. */
export function readOnce(partition: Partition, scope: string, at: number): OnceRecord | undefined {
  const record: OnceRecord | undefined = partition.tables.once.get(scope);
  return record && at < record.at + onceKeepingMs ? record : undefined;
}

export function writeOnce(partition: Partition, scope: string, record: OnceRecord): void {
  partition.tables.once.putSync(scope, record);
}

/** Removes a scope's row if it still leads to this command. */
export function removeOnce(partition: Partition, scope: string, commandId: string): void {
  const record: OnceRecord | undefined = partition.tables.once.get(scope);
  if (record?.commandId === commandId) partition.tables.once.removeSync(scope);
}
