/** Requests, replies and contracts of the operations on dead letters. `api/` makes the bodies of replies. */
import { type Static, Type } from '@sinclair/typebox';
import type { Contracts } from './contract.ts';
import { closed, orNull, text, time } from './fields.ts';
import { listOf, paging } from './paging.ts';

const place = {
  partition: text('p00'),
  seq: Type.Integer({ minimum: 0, examples: [4711], description: 'sequence number of the message in the journal' }),
  index: Type.Integer({ minimum: 0, examples: [0], description: 'position of the record in the message' }),
};

const errorExample = 'MDB_BAD_VALSIZE: Unsupported size of key';

const DeadLetterSchema = Type.Object(
  {
    ...place,
    at: { ...time, description: 'time of the record, or of its last replay' },
    repository: orNull(text('acme/rocket', 'repository that the record names; null if it names none')),
    subject: text(
      'pull_request of acme/rocket, delivery 9b5f4522-1775-4c3b-804b-580a7044b6d8',
      'what the record is about',
    ),
    error: text(errorExample, 'why the record could not be processed, at most 1,000 characters'),
    attempts: Type.Integer({ minimum: 1, examples: [1], description: 'how often the record was tried' }),
  },
  closed,
);

export const ListDeadLettersQuerySchema = Type.Object({ limit: paging.limit, offset: paging.offset }, closed);
export type ListDeadLettersQuery = Static<typeof ListDeadLettersQuerySchema>;

const partition = Type.String({ minLength: 1, maxLength: 64 });
const position = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Maximum length of an error in a reply, in characters. */
export const maxErrorLength = 1000;

/**
 * Bodies of Replay Dead Letters: the place of one, or all, or all with one error. The cursor continues an earlier
 * request for all.
 */
export const ReplayDeadLettersBodySchemas = {
  one: Type.Object({ partition, seq: position, index: position }, closed),
  all: Type.Object(
    {
      all: Type.Literal(true),
      error: Type.Optional(
        Type.String({
          maxLength: maxErrorLength,
          description: 'replays only those that the list shows with this error',
        }),
      ),
      cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    },
    closed,
  ),
};
export type ReplayDeadLettersBody = Static<
  (typeof ReplayDeadLettersBodySchemas)[keyof typeof ReplayDeadLettersBodySchemas]
>;

/** Outcome of a replay at the time of the reply. */
const replayOutcomes = ['applied', 'failed', 'pending'] as const;
export type ReplayOutcome = (typeof replayOutcomes)[number];

const ReplayedLettersSchema = Type.Object(
  {
    replayed: Type.Array(
      Type.Object(
        {
          ...place,
          outcome: Type.Union(
            replayOutcomes.map((outcome) => Type.Literal(outcome)),
            {
              examples: ['applied'],
              description:
                '`applied`: the record was processed, or waits until earlier events of its repository are due; `failed`: it failed again; `pending`: it was not tried yet, so look at the list later',
            },
          ),
          error: orNull(text(errorExample, 'why it failed again; null for another outcome')),
        },
        closed,
      ),
      { description: 'the records that were enqueued again' },
    ),
    nextCursor: orNull(
      text(
        '01m7yce69yvkj4vwe6pref0e56 p00 4711/0',
        'the `cursor` for the request that continues, because one request enqueues at most 1,000; null if no dead letters are left',
      ),
    ),
  },
  closed,
);

export const deadLetterContracts = {
  listDeadLetters: {
    tag: 'Operations',
    summary: 'List the records that could not be processed',
    replies: { 200: listOf('deadLetters', DeadLetterSchema) },
  },
  replayDeadLetters: {
    tag: 'Operations',
    summary: 'Process records again that could not be processed: one, or all',
    example: { all: true },
    body: Type.Union(Object.values(ReplayDeadLettersBodySchemas)),
    replies: { 200: ReplayedLettersSchema },
    refusals: [404],
  },
} satisfies Contracts;
