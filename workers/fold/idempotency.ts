/**
 * Folds a write that names an Idempotency-Key: the first command of a key is carried out, later ones get its result, and one
 * with another body is refused. Decided here and not at the gateway, so that no crash in between makes a write happen twice.
 */
import type { CommandResult } from '../../src/protocol/commands.ts';
import type { CommandRecord } from '../../src/protocol/journal.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readOnce, writeOnce } from '../../src/store/tables/idempotency.ts';
import { readResult } from '../../src/store/tables/results.ts';

/** The result of a command: its own, or that of the first command of its Idempotency-Key. */
export function carryOutOnce(
  partition: Partition,
  { id, at, once }: CommandRecord,
  carryOut: () => CommandResult,
): CommandResult {
  if (!once) return carryOut();
  const { scope, fingerprint } = once;
  const first = readOnce(partition, scope, at);
  const stored = first && readResult(partition, first.commandId);
  if (!first || !stored) {
    writeOnce(partition, scope, { commandId: id, fingerprint, at });
    return { ...carryOut(), once: scope };
  }
  if (first.fingerprint !== fingerprint) {
    const message = 'The Idempotency-Key was used for another body. Use a new key for a new request.';
    return { ok: false, kind: 'unprocessable', message };
  }
  const { once: _, ...result } = stored;
  return { ...result, replayed: true };
}
