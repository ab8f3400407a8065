/**
 * Folds a write that has an Idempotency-Key. The first command with a key is carried out. A later command with the same
 * key and body returns the result of the first command. A later command with the same key and another body is refused.
 * The decision is made in the fold, not in the gateway, so that a crash of the gateway cannot lead to a second write.
 */
import type { CommandResult } from '../../src/protocol/commands.ts';
import type { CommandRecord } from '../../src/protocol/journal.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readOnce, writeOnce } from '../../src/store/tables/idempotency.ts';
import { readResult } from '../../src/store/tables/results.ts';

/**
 * Runs a command and returns the result. If an earlier command had the same Idempotency-Key, returns the result of the
 * earlier command, and runs nothing.
 */
export function runOnce(
  partition: Partition,
  { id, at, once }: CommandRecord,
  run: () => CommandResult,
): CommandResult {
  if (!once) return run();
  const { scope, fingerprint } = once;
  const first = readOnce(partition, scope, at);
  const stored = first && readResult(partition, first.commandId);
  if (!first || !stored) {
    writeOnce(partition, scope, { commandId: id, fingerprint, at });
    return { ...run(), once: scope };
  }
  if (first.fingerprint !== fingerprint) {
    const message =
      'The Idempotency-Key was already used with a different body. Use a new Idempotency-Key for a new request.';
    return { ok: false, kind: 'unprocessable', message };
  }
  const { once: _, ...result } = stored;
  return { ...result, replayed: true };
}
