/**
 * Effects of folded records: renders, recounts, checks of drafts, acts of automation, backfills, and relays to another
 * partition. Effects are carried out after the commit (`docs/architecture.md` decision 14). Rows are numbered in the
 * order in which they are written. A row is removed once the outcome of its effect is folded.
 */
import type { RelayBody } from '../../protocol/relays.ts';
import type { Persona } from '../../protocol/stored.ts';
import type { Partition } from '../partition.ts';
import { nextNumber } from './meta.ts';

/** An effect. The field `effect` contains its kind. The other fields contain the ids and data that the effect needs. */
export type Effect =
  | { effect: 'render'; draftId: string; rangeId: string; repoId: string; persona: Persona; ticket: string }
  | { effect: 'recount'; repoId: string }
  | { effect: 'outdated'; repoId: string }
  | { effect: 'automate'; repoId: string }
  | { effect: 'backfill'; repoId: string; backfillId: string }
  | { effect: 'relay'; target: string; at: number; body: RelayBody };

/** An effect with its number. Numbers are unique and increase within a partition. */
export interface OutboxRow {
  number: number;
  effect: Effect;
}

/** An outbox row whose effect is a relay. */
export type RelayRow = OutboxRow & { effect: Extract<Effect, { effect: 'relay' }> };

/** Stores an effect and returns its number. The new effect replaces an earlier effect with the same `key`. */
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

/** Removes an effect whose outcome is folded. Returns false if the effect was already removed or replaced. */
export function removeEffect(partition: Partition, number: number): boolean {
  const { outbox, outboxKeys } = partition.tables;
  const row: (OutboxRow & { key?: string }) | undefined = outbox.get(number);
  if (!row) return false;
  if (row.key !== undefined) outboxKeys.removeSync(row.key);
  outbox.removeSync(number);
  return true;
}

/** Removes the relays to the partition `target` up to number `last`, because the journal of `target` contains them. */
export function removeRelays(partition: Partition, target: string, last: number): void {
  for (const { number, effect } of listRelays(partition, Number.MAX_SAFE_INTEGER)) {
    if (number > last) return;
    if (effect.target === target) removeEffect(partition, number);
  }
}

/** Returns up to `limit` effects in the order of their numbers, starting after number `after`. */
export function listEffects(partition: Partition, after: number, limit: number): OutboxRow[] {
  const rows = partition.tables.outbox.getRange({ start: after + 1, end: Number.MAX_VALUE, limit });
  return [...rows].map((row) => row.value as OutboxRow);
}

/** Whether an effect still waits: its outcome is not folded, and no other effect has replaced it. */
export function hasEffect(partition: Partition, number: number): boolean {
  return partition.tables.outbox.doesExist(number);
}

/** Whether an effect with this key waits. */
export function hasEffectOf(partition: Partition, key: string): boolean {
  return partition.tables.outboxKeys.doesExist(key);
}

/**
 * Returns up to `limit` relays in the order of their numbers. Relays that were already sent are left out.
 * @param sent maps a target partition to the number of the last relay that was sent to this partition
 */
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

/**
 * Returns the outbox number of the last relay that this partition has received from the partition `source`; 0 if there
 * was none.
 */
export function readRelayed(partition: Partition, source: string): number {
  return partition.tables.relays.get(source) ?? 0;
}

export function writeRelayed(partition: Partition, source: string, row: number): void {
  partition.tables.relays.putSync(source, row);
}
