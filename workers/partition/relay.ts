/**
 * Sends a partition's relay rows to the lanes of other partitions, one at a time and in order. The target ignores rows
 * up to the highest number that it has folded, so a row must never overtake an earlier row.
 */
import { ulid } from '../../src/foundation/ids.ts';
import type { ResultBody } from '../../src/protocol/results.ts';
import { listRelays } from '../../src/store/tables/outbox.ts';
import type { OutboxOptions } from './outbox.ts';

type Relayed = Extract<ResultBody, { result: 'relayed' }>;

const maxPerRound = 200;

/**
 * Enqueues the waiting rows of one target partition. Rows of other targets wait for the next call.
 * @param sent for each target, the number of the last row whose outcome is already in the journal
 * @returns the outcome to journal, or undefined if no row was waiting
 */
export async function relay(
  { owner: { partition }, laneOf }: Pick<OutboxOptions, 'owner' | 'laneOf'>,
  sent: ReadonlyMap<string, number>,
  stopped: () => boolean,
): Promise<Relayed | undefined> {
  let last: Relayed | undefined;
  for (const { number, effect } of listRelays(partition, maxPerRound, sent)) {
    if (stopped()) break;
    const { target, at, body } = effect;
    if (last && last.target !== target) continue;
    await laneOf(target).enqueue({ id: ulid(), at, kind: 'relay', source: partition.name, row: number, body });
    last = { result: 'relayed', target, row: number };
  }
  return last;
}
