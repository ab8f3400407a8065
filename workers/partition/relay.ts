/**
 * Sends a partition's relay rows to the lanes of other partitions, one after another and in order: the target knows them by
 * the highest number it has folded, so a row must never overtake an earlier one.
 */
import { ulid } from '../../src/foundation/ids.ts';
import type { ResultBody } from '../../src/protocol/results.ts';
import { listRelays } from '../../src/store/tables/outbox.ts';
import type { OutboxOptions } from './outbox.ts';

type Relayed = Extract<ResultBody, { result: 'relayed' }>;

const mostAtOnce = 200;

/**
 * Enqueues what waits for one target; what waits for another is the next call's.
 * @param sent number of the last row by target whose outcome is on the journal already
 * @returns the outcome to journal, undefined when nothing waited
 */
export async function relay(
  { owner: { partition }, laneOf }: Pick<OutboxOptions, 'owner' | 'laneOf'>,
  sent: ReadonlyMap<string, number>,
  stopped: () => boolean,
): Promise<Relayed | undefined> {
  let last: Relayed | undefined;
  for (const { number, effect } of listRelays(partition, mostAtOnce, sent)) {
    if (stopped()) break;
    const { target, at, body } = effect;
    if (last && last.target !== target) continue;
    await laneOf(target).enqueue({ id: ulid(), at, kind: 'relay', source: partition.name, row: number, body });
    last = { result: 'relayed', target, row: number };
  }
  return last;
}
