/**
 * Checks that the service has folded every acknowledged delivery exactly once, and no other.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { partitionNames } from '../src/foundation/partition-names.ts';
import { Readers } from '../src/store/readers.ts';
import { deliveryKey, isFolded } from '../src/store/tables/deliveries.ts';
import { deliveryId } from './deliveries.ts';
import type { BenchService } from './service.ts';

/** More partitions than an instance has. Partitions that do not exist are skipped. */
const mostPartitions = 64;

/** Number of deliveries, the last ones with a 202 reply, that must be folded before a run counts as finished. */
const lastDeliveries = 1024;
const foldedMs = 120_000;
const checkMs = 20;

/** Deliveries of the load, by the name of the run in their ids. */
export interface SentDeliveries {
  run: string;
  /** Numbers of the deliveries with a 202 reply. */
  acknowledged: Iterable<number>;
  /** Numbers of the deliveries that the service must not accept. */
  forged?: Iterable<number>;
}

/**
 * Searches the partitions for the deliveries. Call it when everything is folded.
 * @returns one line per kind of fault, and the number of deliveries that were searched for
 */
export async function foldFaults(
  service: BenchService,
  sent: readonly SentDeliveries[],
): Promise<{ faults: string[]; checked: number }> {
  const readers = new Readers(service.settings.dataDir);
  const copies = copiesIn(readers);
  let [checked, missing, twice, forged] = [0, 0, 0, 0];
  for (const { run, acknowledged, forged: refused = [] } of sent) {
    for (const number of acknowledged) {
      checked += 1;
      const found = copies(run, number);
      if (found === 0) missing += 1;
      if (found > 1) twice += 1;
    }
    for (const number of refused) if (copies(run, number) > 0) forged += 1;
  }
  await readers.close();
  const metrics = await service.metrics();
  const repeated = metrics.sum('tidings_duplicates_total', 'layer="delivery"');
  const deadLetters = metrics.sum('tidings_fold_dead_letters_total');
  const faults = [
    ...(missing > 0 ? [`${missing} of ${checked} deliveries with a 202 were not folded`] : []),
    ...(twice > 0 ? [`${twice} of ${checked} deliveries with a 202 were folded more than once`] : []),
    ...(forged > 0 ? [`${forged} deliveries with a wrong signature were folded`] : []),
    ...(repeated > 0 ? [`${repeated} deliveries were written to the journal twice`] : []),
    ...(deadLetters > 0 ? [`${deadLetters} deliveries became dead letters`] : []),
  ];
  return { faults, checked };
}

/**
 * Waits until the last deliveries with a 202 reply are folded. Each partition folds in the order of the journal, so the
 * others then are folded too. The check reads the partitions and costs the service nothing; its metrics would cost all
 * its processes some milliseconds per check.
 * @throws Error when that takes longer than two minutes
 */
export async function waitUntilFolded(service: BenchService, run: string, acknowledged: Uint32Array): Promise<void> {
  const deadline = performance.now() + foldedMs;
  const last = [...acknowledged.subarray(-lastDeliveries)];
  const readers = new Readers(service.settings.dataDir);
  try {
    for (;;) {
      const copies = copiesIn(readers);
      const missing = last.filter((number) => copies(run, number) === 0).length;
      if (missing === 0) return;
      if (performance.now() > deadline) throw new Error(`${missing} deliveries were not folded in two minutes`);
      await pause(checkMs);
    }
  } finally {
    await readers.close();
  }
}

/** Returns a function that counts the partitions that contain a delivery, by their state at this moment. */
function copiesIn(readers: Readers): (run: string, number: number) => number {
  const partitions = partitionNames(mostPartitions).flatMap((name) => readers.fresh(name) ?? []);
  return (run, number) => {
    const key = deliveryKey(deliveryId(run, number), 'pull_request', '', 0);
    return partitions.filter((partition) => isFolded(partition, key)).length;
  };
}
