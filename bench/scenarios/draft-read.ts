/**
 * draft-read: measures the processor time and the rate of reading a draft, compared with a bare server that sends the
 * same bytes. The difference is the cost of authentication, limits and the store.
 */
import { compareReads } from '../reads.ts';
import { makeDraft, startSampleService } from '../sample-draft.ts';
import type { Scenario } from '../scenario.ts';

export const draftRead: Scenario = {
  name: 'draft-read',
  question: 'How much processor time does reading a draft cost, and how many are read per second?',
  run: async (context) => {
    const service = await startSampleService(context);
    return [
      await compareReads(context, service, {
        label: 'draft-read',
        subject: 'a draft',
        path: await makeDraft(service),
        cpu: { line: { atMost: 1.7 } },
        rate: { line: { atLeast: 0.6 }, stretch: 0.75 },
      }),
    ];
  },
};
