/**
 * Lists dead letters, the records that the fold could not process, and enqueues them again. Only instance keys may use
 * these operations, because dead letters concern all organizations. An operator replays a record after fixing the cause
 * of its failure.
 */
import { notFound } from '../foundation/errors.ts';
import { ulid } from '../foundation/ids.ts';
import { type PartitionName, partitionNames } from '../foundation/partition-names.ts';
import type { JournalRecord } from '../protocol/journal.ts';
import {
  deadLetterContracts,
  type ReplayDeadLettersBody,
  ReplayDeadLettersBodySchemas,
} from '../protocol/resources/dead-letters.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import { type Paging, PagingSchema } from '../protocol/resources/paging.ts';
import { type DeadLetter, listDeadLetters } from '../store/tables/dead-letters.ts';
import { assertInstance } from './authenticate.ts';
import type { ApiContext } from './context.ts';
import { page } from './page.ts';
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

/** Maximum number of dead letters that one request enqueues. */
const maxReplayed = 1000;
/** Number of dead letters that are enqueued at the same time. They share batches of the journal. */
const together = 100;
/** Maximum length of an error in a reply, in characters. */
const maxErrorLength = 1000;

const listLetters: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/dead-letters',
  operation: 'listDeadLetters',
  contract: deadLetterContracts.listDeadLetters,
  scope: 'repos:read',
  query: PagingSchema,
  handle: ({ query, caller, context }) => {
    assertInstance(caller, 'The list of dead letters');
    const { items, ...rest } = page(allDeadLetters(context), query, toSortable, { sort: 'createdAt', order: 'desc' });
    return { status: 200, body: { deadLetters: items.map(deadLetterResponse), ...rest } };
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
    const all = allDeadLetters(context);
    const found = 'all' in wanted ? all : all.filter((each) => isAt(each, wanted));
    if (!('all' in wanted) && found.length === 0)
      throw notFound('Dead letter', `${wanted.partition} ${wanted.seq}/${wanted.index}`);
    const replayed = await replayDeadLetters(context, found.slice(0, maxReplayed));
    return { status: 200, body: { replayed, remaining: found.length - replayed.length } };
  },
};

function checkBody(body: unknown): ReplayDeadLettersBody {
  const isAll = typeof body === 'object' && body !== null && 'all' in body;
  return check<ReplayDeadLettersBody>(ReplayDeadLettersBodySchemas[isAll ? 'all' : 'one'], body, 'body');
}

function isAt({ partition, letter }: PlacedLetter, place: LetterPlace): boolean {
  return partition === place.partition && letter.seq === place.seq && letter.index === place.index;
}

/** Returns the dead letters of all partitions, in the order of the journal. */
export function allDeadLetters({ readers, settings }: ApiContext): PlacedLetter[] {
  return partitionNames(settings.partitions).flatMap((name) => {
    const partition = readers.fresh(name);
    return partition ? listDeadLetters(partition).map((letter) => ({ partition: name, letter })) : [];
  });
}

/**
 * Enqueues the records of dead letters again, and writes the audit log. A dead letter is removed when its record is
 * folded. Until then it is listed, and enqueuing it once more does nothing.
 * @returns the positions of the dead letters
 */
export async function replayDeadLetters(context: ApiContext, letters: readonly PlacedLetter[]): Promise<LetterPlace[]> {
  for (let at = 0; at < letters.length; at += together) {
    // Records of one partition are enqueued in the order of these calls.
    await Promise.all(
      letters
        .slice(at, at + together)
        .map(({ partition, letter: { seq, index, record } }) =>
          context.laneOf(partition).enqueue({ ...again(record), id: ulid(), replayed: { seq, index } }),
        ),
    );
  }
  const places = letters.map(({ partition, letter: { seq, index } }) => ({ partition, seq, index }));
  await audited(context, places);
  return places;
}

async function audited({ auditor }: ApiContext, places: readonly LetterPlace[]): Promise<void> {
  const [only] = places;
  if (!auditor || !only) return;
  const objects = { count: places.length, ...(places.length === 1 && { ...only }) };
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
  const { seq, index, at, record, error } = letter;
  const time = new Date(at).toISOString();
  return { partition, seq, index, at: time, subject: subjectOf(record), error: error.slice(0, maxErrorLength) };
}

/** Describes a record in the list. The record may be from a later version of Tidings, or lack required fields. */
function subjectOf(record: JournalRecord): string {
  switch (record.kind) {
    case 'event':
      return `${record.body?.event} of ${record.repository?.fullName}, delivery ${record.delivery}`;
    case 'installation':
      return `installation ${record.body?.action} of ${record.body?.owner?.login}, delivery ${record.delivery}`;
    case 'backfilled':
      return `page of ${record.repository?.fullName}`;
    case 'command':
      return `command ${record.command?.name}`;
    case 'relay':
      return `relay ${record.body?.relay} from ${record.source}`;
    default:
      return record.kind;
  }
}

function toSortable({ partition, letter: { seq, index, at } }: PlacedLetter) {
  const digits = (number: number) => String(number).padStart(16, '0');
  return { id: `${partition} ${digits(seq)}/${digits(index)}`, name: partition, createdAt: at, updatedAt: at };
}

export const deadLetterRoutes = [listLetters, replayLetters];
