/**
 * Makes the sample history. The history contains about half a year of webhook deliveries of an invented repository. The
 * deliveries are ready to be signed and sent. The same seed gives the same bytes. Another seed gives other people,
 * dates, numbers and hashes for the same changes.
 */

import { createRandom } from './random.ts';
import type { Delivery } from './recording.ts';
import { createSchedule } from './schedule.ts';
import { playTimeline } from './timeline.ts';

export type { Delivery } from './recording.ts';
export { sampleRepository } from './repository.ts';

/** Returns every delivery of the sample repository, oldest first. */
export function sampleHistory(seed = 2026): Delivery[] {
  const random = createRandom(seed);
  return playTimeline(random, createSchedule(random));
}
