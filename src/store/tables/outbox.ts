/**
 * Effects that a fold caused and that are carried out after its commit: renders, recounts, backfills, relays to another
 * partition (`docs/architecture.md` decision 14). Rows are numbered in the order of their causes; a row goes when its outcome is folded.
 */
import type { RelayBody } from '../../protocol/relays.ts';
import type { Persona } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';
import { nextNumber } from './meta.ts';

/** What an effect does. */
export type Effect =
  | { effect: 'render'; draftId: string; rangeId: string; repoId: string; persona: Persona; ticket: string }
  | { effect: 'recount'; repoId: string }
  | { effect: 'backfill'; repoId: string; backfillId: string }
  | { effect: 'relay'; target: string; at: number; body: RelayBody };

/** An effect with its number, unique and rising within the partition. */
export interface OutboxRow {
  number: number;
  effect: Effect;
}

/** A row that is a relay. */
export type RelayRow = OutboxRow & { effect: Extract<Effect, { effect: 'relay' }> };

/** Writes an effect down. With a `key`, it takes the place of an earlier one of the same key. */
export function writeEffect(partition: Partition, effect: Effect, key?: string): number {
  const { outbox, outboxKeys } = partition.tables;
  const number = nextNumber(partition, 'outbox');
  if (key !== undefined) {
    const earlier: number | undefined = outboxKeys.get(key);
    if (earlier !== undefined) outbox.removeSync(earlier);
    outboxKeys.putSync(key, number);
  }
  outbox.putSync(number, { number, effect, ...(key !== undefined && { key }) });
  return number;
}

/** Removes an effect whose outcome is folded; false when it had gone or been replaced. */
export function removeEffect(partition: Partition, number: number): boolean {
  const { outbox, outboxKeys } = partition.tables;
  const row: (OutboxRow & { key?: string }) | undefined = outbox.get(number);
  if (!row) return false;
  if (row.key !== undefined) outboxKeys.removeSync(row.key);
  outbox.removeSync(number);
  return true;
}

/** Removes the relays to `target` up to number `last`: they are on its journal. */
export function removeRelays(partition: Partition, target: string, last: number): void {
  for (const { number, effect } of listRelays(partition, Number.MAX_SAFE_INTEGER)) {
    if (number > last) return;
    if (effect.target === target) removeEffect(partition, number);
  }
}

/** Effects in order of their causes, from number `after` + 1 on. */
export function listEffects(partition: Partition, after: number, limit: number): OutboxRow[] {
  const rows = partition.tables.outbox.getRange({ start: after + 1, end: Number.MAX_VALUE, limit });
  return [...rows].map((row) => row.value as OutboxRow);
}

/** Whether an effect is still there: its outcome is not folded, and no other took its place. */
export function hasEffect(partition: Partition, number: number): boolean {
  return partition.tables.outbox.doesExist(number);
}

/** Up to `limit` relays in order of their causes, without those that `sent` names as the last of their target or before it. */
export function listRelays(
  partition: Partition,
  limit: number,
  sent: ReadonlyMap<string, number> = new Map(),
): RelayRow[] {
  const found: RelayRow[] = [];
  for (const { value: row } of partition.tables.outbox.getRange({ start: 1, end: Number.MAX_VALUE })) {
    if (isRelay(row) && row.number > (sent.get(row.effect.target) ?? 0)) found.push(row);
    if (found.length === limit) break;
  }
  return found;
}

function isRelay(row: OutboxRow): row is RelayRow {
  return row.effect.effect === 'relay';
}

export function countEffects(partition: Partition): number {
  return partition.tables.outbox.getKeysCount({ start: 0, end: Number.MAX_VALUE });
}

/** Number of the last row of `source` that was relayed here; 0 for none. */
export function readRelayed(partition: Partition, source: string): number {
  return partition.tables.relays.get(source) ?? 0;
}

export function writeRelayed(partition: Partition, source: string, row: number): void {
  partition.tables.relays.putSync(source, row);
}
