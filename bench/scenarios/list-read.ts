/**
 * list-read: measures the processor time and the rate of reading a list of 50 ranges, compared with a bare server that
 * sends the same bytes. The service reads, sorts and writes the list for each request.
 */
import { compareReads } from '../reads.ts';
import { makeRanges, startSampleService } from '../sample-draft.ts';
import type { Scenario } from '../scenario.ts';

const items = 50;

export const listRead: Scenario = {
  name: 'list-read',
  question: `How much processor time does reading a list of ${items} ranges cost, and how many are read per second?`,
  run: async (context) => {
    const service = await startSampleService(context);
    const path = await makeRanges(service, items);
    return [await compareReads(context, service, { label: 'list-read', subject: `a list of ${items} ranges`, path })];
  },
};
