/**
 * `tidings dead-letters list|replay`: lists the records that the fold could not process, and enqueues them again. An
 * operator replays a record after fixing the cause of its failure.
 */
import type { ApiContext } from '../api/context.ts';
import {
  allDeadLetters,
  deadLetterResponse,
  outcomesOf,
  type PlacedLetter,
  replayDeadLetters,
} from '../api/dead-letters.ts';
import { withService } from './connection.ts';
import { exitCodes } from './exit.ts';
import { printJson } from './json.ts';
import { printLines } from './print.ts';
import type { deadLettersEntry } from './table/operation.ts';
import { type Runs, UsageError } from './usage.ts';

export const deadLetterActions: Runs<typeof deadLettersEntry> = {
  list: ({ json }) => withService((context) => list(context, json)),
  replay: async (_, place) => {
    if (place.length > 0 && !/^\S+ \d+\/\d+$/.test(place.join(' ')))
      throw new UsageError('Expected PARTITION SEQ/INDEX, as printed by: tidings dead-letters list');
    return withService((context) => replay(context, place.join(' ')));
  },
};

async function list(context: ApiContext, json = false): Promise<number> {
  const found = allDeadLetters(context);
  if (json) return printJson({ deadLetters: found.map(deadLetterResponse), total: found.length });
  const lines = found.map((each) => {
    const { at, subject, error } = deadLetterResponse(each);
    return `${placeOf(each)}  ${at}  ${subject}: ${error}`;
  });
  printLines(lines, 'There are no dead letters.');
  return 0;
}

function placeOf({ partition, letter: { seq, index } }: PlacedLetter): string {
  return `${partition} ${seq}/${index}`;
}

async function replay(context: ApiContext, place: string): Promise<number> {
  const wanted = allDeadLetters(context).filter((each) => place === '' || placeOf(each) === place);
  if (place !== '' && wanted.length === 0) throw new UsageError(`There is no dead letter ${place}.`);
  const outcomes = await outcomesOf(context, wanted, await replayDeadLetters(context, wanted));
  const failed = outcomes.filter(({ outcome }) => outcome === 'failed');
  const pending = outcomes.filter(({ outcome }) => outcome === 'pending').length;
  const lines = failed.map(
    ({ partition, seq, index, error }) => `${partition} ${seq}/${index}  failed again: ${error}`,
  );
  const counts = [`${outcomes.length - failed.length - pending} applied`, `${failed.length} failed again`];
  if (pending > 0) counts.push(`${pending} not tried yet; look at the list later`);
  printLines([...lines, `Dead letters: ${counts.join(', ')}.`]);
  return failed.length > 0 ? exitCodes.failed : exitCodes.done;
}
