/**
 * Reorders deliveries and folds them without a service. Tests use these functions to check that the captured data does
 * not depend on the order of the deliveries.
 */
import type { TestContext } from 'node:test';
import { ulid } from '../../src/foundation/ids.ts';
import { toEvents } from '../../src/intake/events.ts';
import type { EventRecord } from '../../src/protocol/journal.ts';
import { dumpRepository } from '../../src/store/dump.ts';
import type { Partition } from '../../src/store/partition.ts';
import { foldBatch } from '../../workers/partition/batch.ts';
import { openTestPartition, toMessages } from './partition.ts';

/** A delivery in the form that files of recorded deliveries use. */
export interface StreamedDelivery {
  event: string;
  delivery: string;
  body: object;
}

type Order = <T>(list: readonly T[], random: () => number) => T[];

/** Reverses each group of 50 consecutive deliveries. */
const reversedInWindows: Order = (list) => {
  const windows = Array.from({ length: Math.ceil(list.length / 50) }, (_, i) => list.slice(i * 50, (i + 1) * 50));
  return windows.flatMap((window) => window.reverse());
};

/** Moves one delivery in a hundred to a random position. */
const shuffled: Order = (list, random) => {
  const moved = [...list];
  for (let i = 0; i < list.length; i++) {
    if (random() >= 0.01) continue;
    const [one] = moved.splice(i, 1);
    if (one !== undefined) moved.splice(Math.floor(random() * moved.length), 0, one);
  }
  return moved;
};

/** Repeats one delivery in a hundred at a random position. */
const duplicated: Order = (list, random) => {
  const more = [...list];
  for (const one of list) if (random() < 0.01) more.splice(Math.floor(random() * more.length), 0, one);
  return more;
};

export const orders: Readonly<Record<string, Order>> = {
  'in order': (list) => [...list],
  'one in a hundred moved': shuffled,
  'one in a hundred repeated': duplicated,
  'reversed in windows of fifty': reversedInWindows,
  'from the last to the first': (list) => [...list].reverse(),
};

/**
 * Returns the captured data of the only repository in a stream. The deliveries are folded in the order of the list. The
 * first delivery is received at the time `now`.
 */
export async function capturedOf(t: TestContext, stream: readonly StreamedDelivery[], now: number): Promise<string> {
  const partition = await foldOrder(t, stream, now);
  const [repoId = ''] = [...partition.tables.repositories.getKeys({})] as string[];
  return [...dumpRepository(partition, repoId)].join('');
}

/** Folds a stream of deliveries into a new partition. */
export async function foldOrder(t: TestContext, stream: readonly StreamedDelivery[], now: number): Promise<Partition> {
  const partition = openTestPartition(t);
  const records = stream.flatMap((delivery, i) => toRecords(delivery, now + i));
  const batches = Array.from({ length: Math.ceil(records.length / 64) }, (_, i) => records.slice(i * 64, (i + 1) * 64));
  await foldBatch(partition, toMessages(batches));
  return partition;
}

function toRecords({ event, delivery, body }: StreamedDelivery, now: number): EventRecord[] {
  const minimised = toEvents(event, body, 'https://github.com', now);
  if (!minimised) return [];
  const { repository, bodies } = minimised;
  return bodies.map((each, part) => ({
    id: ulid(now),
    at: now,
    kind: 'event',
    delivery,
    source: '',
    part,
    repository,
    body: each,
  }));
}
