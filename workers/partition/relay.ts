/**
 * Sends a partition's relay rows to the lanes of other partitions, one after another and in order: the target knows them by
 * the highest number it has folded, so a row must never overtake an earlier one.
 */
import { ulid } from '../../src/ids.ts';
import type { ResultBody } from '../../src/protocol/journal.ts';
import { listEffects } from '../../src/store/outbox.ts';
import type { OutboxOptions } from './outbox.ts';

const mostAtOnce = 200;

/**
 * Enqueues what waits for one target; what waits for another is the next call's.
 * @returns the outcome to journal, undefined when nothing waited
 */
export async function relay(
  { partition, laneOf }: Pick<OutboxOptions, 'partition' | 'laneOf'>,
  stopped: () => boolean,
): Promise<ResultBody | undefined> {
  let last: Extract<ResultBody, { result: 'relayed' }> | undefined;
  for (const { number, effect } of listEffects(partition, 0, mostAtOnce)) {
    if (stopped()) break;
    if (effect.effect !== 'relay' || (last && last.target !== effect.target)) continue;
    const { target, at, body } = effect;
    await laneOf(target).enqueue({ id: ulid(), at, kind: 'relay', source: partition.name, row: number, body });
    last = { result: 'relayed', target, row: number };
  }
  return last;
}
