/**
 * Lists dead letters, the records that the fold could not process, and enqueues them again. Only instance keys may use
 * these operations, because dead letters concern all organizations. An operator replays a record after fixing the cause
 * of its failure.
 */
import { invalid, notFound } from '../foundation/errors.ts';
import { ulid } from '../foundation/ids.ts';
import { type PartitionName, partitionNames } from '../foundation/partition-names.ts';
import type { JournalRecord } from '../protocol/journal.ts';
import {
  deadLetterContracts,
  type ListDeadLettersQuery,
  ListDeadLettersQuerySchema,
  maxErrorLength,
  type ReplayDeadLettersBody,
  ReplayDeadLettersBodySchemas,
  type ReplayOutcome,
} from '../protocol/resources/dead-letters.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import type { Partition } from '../store/partition.ts';
import {
  attemptsOf,
  countDeadLetters,
  type DeadLetter,
  deadLettersAfter,
  listDeadLetters,
  pageOfDeadLetters,
  readDeadLetter,
} from '../store/tables/dead-letters.ts';
import { readCursor } from '../store/tables/meta.ts';
import { assertInstance } from './authenticate.ts';
import type { ApiContext } from './context.ts';
import { placeOf } from './page.ts';
import type { ApiRoute } from './route.ts';
import { check } from './validate.ts';

/** A dead letter, and the partition that has it. */
export interface PlacedLetter {
  partition: PartitionName;
  letter: DeadLetter;
}

/** Position of a dead letter. */
export interface LetterPlace {
  partition: string;
  seq: number;
  index: number;
}

/** A dead letter whose record was enqueued again, and the position of the new record. */
interface Enqueued extends LetterPlace {
  partition: PartitionName;
  replaySeq: number;
}

/** Maximum number of dead letters that one request enqueues. */
const maxReplayed = 1000;
/** Number of dead letters that are enqueued at the same time. They share batches of the journal. */
const together = 100;
/** How long a request waits until the records that it enqueued are folded, in milliseconds. */
const outcomeMs = 5000;
/** Maximum interval between two reads of the store during this wait, in milliseconds. A signal can be lost. */
const pollMs = 250;

const listLetters: ApiRoute<ListDeadLettersQuery> = {
  method: 'GET',
  path: '/api/dead-letters',
  operation: 'listDeadLetters',
  contract: deadLetterContracts.listDeadLetters,
  scope: 'repos:read',
  query: ListDeadLettersQuerySchema,
  handle: ({ query, caller, context }) => {
    assertInstance(caller, 'The list of dead letters');
    const { limit = 20, offset = 0 } = query;
    const { letters, total } = pageOfAll(context, offset, limit);
    const place = placeOf(offset, letters.length, total);
    return { status: 200, body: { deadLetters: letters.map(deadLetterResponse), ...place } };
  },
};

const replayLetters: ApiRoute = {
  method: 'POST',
  path: '/api/dead-letters',
  operation: 'replayDeadLetters',
  contract: deadLetterContracts.replayDeadLetters,
  scope: 'repos:write',
  query: NoQuerySchema,
  checkBody,
  handle: async ({ body, caller, context }) => {
    assertInstance(caller, 'Replaying dead letters');
    const wanted = checkBody(body);
    const { letters, nextCursor } =
      'all' in wanted ? lettersFrom(context, wanted) : { letters: [letterAt(context, wanted)], nextCursor: null };
    const enqueued = await replayDeadLetters(context, letters);
    return { status: 200, body: { replayed: await outcomesOf(context, letters, enqueued), nextCursor } };
  },
};

function checkBody(body: unknown): ReplayDeadLettersBody {
  const isAll = typeof body === 'object' && body !== null && 'all' in body;
  return check<ReplayDeadLettersBody>(ReplayDeadLettersBodySchemas[isAll ? 'all' : 'one'], body, 'body');
}

/** Returns the partitions that can be read now, in the order of their names. */
function openPartitions({ readers, settings }: ApiContext): [PartitionName, Partition][] {
  return partitionNames(settings.partitions).flatMap((name) => {
    const partition = readers.fresh(name);
    return partition ? [[name, partition]] : [];
  });
}

/** Returns one page of the dead letters: by partition, and the newest of a partition first. */
function pageOfAll(context: ApiContext, offset: number, limit: number): { letters: PlacedLetter[]; total: number } {
  const letters: PlacedLetter[] = [];
  let total = 0;
  for (const [name, partition] of openPartitions(context)) {
    const skipped = Math.max(0, offset - total);
    const count = countDeadLetters(partition);
    if (skipped < count && letters.length < limit)
      for (const letter of pageOfDeadLetters(partition, skipped, limit - letters.length))
        letters.push({ partition: name, letter });
    total += count;
  }
  return { letters, total };
}

/** @throws ServiceError `notFound` if one of the places has no dead letter */
function letterAt(context: ApiContext, { partition: name, seq, index }: LetterPlace): PlacedLetter {
  const found = openPartitions(context).find(([each]) => each === name);
  const letter = found && readDeadLetter(found[1], seq, index);
  if (!found || !letter) throw notFound('Dead letter', `${name} ${seq}/${index}`);
  return { partition: found[0], letter };
}

/**
 * Returns the next dead letters to replay in the order of the journal, and the cursor that continues after them. The
 * cursor has the id of a record that was made when the first request came. Dead letters of later records are left out.
 * So a record that fails again is not replayed for ever by a client that follows the cursors.
 */
function lettersFrom(
  context: ApiContext,
  { cursor, error }: { cursor?: string; error?: string },
): { letters: PlacedLetter[]; nextCursor: string | null } {
  const after = cursor === undefined ? undefined : placeInCursor(cursor);
  const until = after?.until ?? ulid();
  const letters: PlacedLetter[] = [];
  for (const [name, partition] of openPartitions(context)) {
    if (after && name < after.partition) continue;
    for (const letter of deadLettersAfter(partition, name === after?.partition ? after : undefined)) {
      if (letter.record?.id > until || (error !== undefined && shownError(letter) !== error)) continue;
      const last = letters.at(-1);
      if (letters.length === maxReplayed && last)
        return { letters, nextCursor: `${until} ${last.partition} ${last.letter.seq}/${last.letter.index}` };
      letters.push({ partition: name, letter });
    }
  }
  return { letters, nextCursor: null };
}

function placeInCursor(cursor: string): LetterPlace & { until: string } {
  const [, until, partition, seq, index] = /^([0-9a-z]{26}) (\w{1,64}) (\d{1,15})\/(\d{1,15})$/.exec(cursor) ?? [];
  if (until === undefined || partition === undefined)
    throw invalid({ cursor: 'expected the nextCursor of an earlier reply' });
  return { until, partition, seq: Number(seq), index: Number(index) };
}

/** Returns the dead letters of all partitions, in the order of the journal. */
export function allDeadLetters(context: ApiContext): PlacedLetter[] {
  return openPartitions(context).flatMap(([name, partition]) =>
    listDeadLetters(partition).map((letter) => ({ partition: name, letter })),
  );
}

/**
 * Enqueues the records of dead letters again, and writes the audit log. A dead letter is removed when its record is
 * folded. Until then it is listed, and enqueuing it once more does nothing. If a record cannot be enqueued, the audit log
 * has those that were.
 * @returns the positions of the dead letters
 */
export async function replayDeadLetters(context: ApiContext, letters: readonly PlacedLetter[]): Promise<Enqueued[]> {
  const places: Enqueued[] = [];
  const enqueue = async ({ partition, letter: { seq, index, record } }: PlacedLetter): Promise<Enqueued> => {
    const replay = { ...again(record), id: ulid(), replayed: { seq, index } };
    const { seq: replaySeq } = await context.laneOf(partition).enqueue(replay);
    context.reading?.wrote(partition, replaySeq);
    return { partition, seq, index, replaySeq };
  };
  let failure: PromiseRejectedResult | undefined;
  for (let at = 0; at < letters.length && !failure; at += together) {
    // Records of one partition are enqueued in the order of these calls.
    const ended = await Promise.allSettled(letters.slice(at, at + together).map(enqueue));
    for (const each of ended) {
      if (each.status === 'fulfilled') places.push(each.value);
      else failure ??= each;
    }
  }
  await audited(context, places);
  if (failure) throw failure.reason;
  return places;
}

/**
 * Waits until the records of a replay are folded, and returns the outcome of each. A record that fails again keeps its
 * dead letter, with one more attempt. An event that waits behind delayed events of its repository counts as applied.
 */
export async function outcomesOf(
  context: ApiContext,
  letters: readonly PlacedLetter[],
  enqueued: readonly Enqueued[],
): Promise<(LetterPlace & { outcome: ReplayOutcome; error: string | null })[]> {
  const last = new Map<PartitionName, number>();
  for (const { partition, replaySeq } of enqueued) last.set(partition, Math.max(replaySeq, last.get(partition) ?? 0));
  const deadline = performance.now() + outcomeMs;
  await Promise.all([...last].map(([name, seq]) => whenFolded(context, name, seq, deadline)));
  const open = new Map(openPartitions(context));
  return enqueued.map(({ partition: name, seq, index, replaySeq }, i) => {
    const place = { partition: name, seq, index };
    const partition = open.get(name);
    if (!partition || readCursor(partition).seq < replaySeq) return { ...place, outcome: 'pending', error: null };
    const left = readDeadLetter(partition, seq, index);
    if (!left) return { ...place, outcome: 'applied', error: null };
    const isTried = attemptsOf(left) > attemptsOf(letters[i]?.letter);
    return isTried
      ? { ...place, outcome: 'failed', error: shownError(left) }
      : { ...place, outcome: 'pending', error: null };
  });
}

/** Waits until a partition has folded a message of the journal, or until the deadline. */
async function whenFolded(context: ApiContext, name: PartitionName, seq: number, deadline: number): Promise<void> {
  for (;;) {
    const partition = context.readers.fresh(name);
    const left = deadline - performance.now();
    if (left <= 0 || (partition && readCursor(partition).seq >= seq)) return;
    await context.signals.wait(name, seq, Math.min(pollMs, left));
  }
}

async function audited({ auditor }: ApiContext, places: readonly LetterPlace[]): Promise<void> {
  const [only] = places;
  if (!auditor || !only) return;
  const { partition, seq, index } = only;
  const objects = { count: places.length, ...(places.length === 1 && { partition, seq, index }) };
  const { by, requestId } = auditor;
  const about = { action: 'replayDeadLetters', outcome: 'done', objects, by } as const;
  await auditor.write({ ...about, ...(requestId !== undefined && { requestId }) });
}

/**
 * Returns the record to enqueue for a replay. The record gets the current time and no delay. A record of the kind
 * `relay` is not changed, because it must keep the time of the event that caused the relay.
 */
function again(record: JournalRecord): JournalRecord {
  if (record.kind === 'relay') return record;
  if (record.kind !== 'event') return { ...record, at: Date.now() };
  const { due: _, ...event } = record;
  return { ...event, at: Date.now() };
}

/** Makes the part of a reply that describes a dead letter. It has nothing of the record except what it is about. */
export function deadLetterResponse({ partition, letter }: PlacedLetter) {
  const { seq, index, at, record } = letter;
  const time = new Date(at).toISOString();
  return {
    ...{ partition, seq, index, at: time },
    repository: repositoryOf(record),
    subject: subjectOf(record),
    error: shownError(letter),
    attempts: attemptsOf(letter),
  };
}

function shownError({ error }: DeadLetter): string {
  return error.slice(0, maxErrorLength);
}

/** Returns the name of the repository of a record. The record may lack required fields. */
function repositoryOf(record: JournalRecord): string | null {
  const isNamed = record?.kind === 'event' || record?.kind === 'backfilled';
  const name: unknown = isNamed ? record.repository?.fullName : undefined;
  return typeof name === 'string' ? name : null;
}

/** Describes a record in the list. The record may be from a later version of Tidings, or lack required fields. */
function subjectOf(record: JournalRecord): string {
  switch (record?.kind) {
    case 'event':
      return named`${record.body?.event} of ${record.repository?.fullName}, delivery ${record.delivery}`;
    case 'installation':
      return named`installation ${record.body?.action} of ${record.body?.owner?.login}, delivery ${record.delivery}`;
    case 'backfilled':
      return named`page of ${record.repository?.fullName}`;
    case 'command':
      return named`command ${record.command?.name}`;
    case 'relay':
      return named`relay ${record.body?.relay} from ${record.source}`;
    default:
      return named`${record?.kind}`;
  }
}

/** Fills a text with words, and with `unknown` for words that are missing. */
function named(texts: TemplateStringsArray, ...words: (string | undefined)[]): string {
  return String.raw({ raw: texts }, ...words.map((word) => word ?? 'unknown'));
}

export const deadLetterRoutes = [listLetters, replayLetters];
