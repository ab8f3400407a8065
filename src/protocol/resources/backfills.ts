/**
 * Requests, replies and contracts of the operations on backfills. `store/` makes the bodies of replies.
 */
import { type Static, Type } from '@sinclair/typebox';
import type { Contracts } from './contract.ts';
import { backfillId, closed, count, day, orNull, repoId, text, time } from './fields.ts';

/** `since` is the first day whose items are fetched. Without `since`, everything is fetched. */
export const StartBackfillBodySchema = Type.Object({ since: Type.Optional(Type.String({ format: 'date' })) }, closed);
export type StartBackfillBody = Static<typeof StartBackfillBodySchema>;

export const BackfillSchema = Type.Object(
  {
    id: backfillId,
    repoId,
    state: Type.Union(['running', 'waiting', 'completed', 'failed', 'cancelled'].map((state) => Type.Literal(state))),
    phase: orNull(text('pulls', 'kind of data that the backfill is reading; null after the end of the backfill')),
    percent: Type.Integer({ minimum: 0, maximum: 100, examples: [40] }),
    since: orNull(day),
    counts: Type.Record(Type.String(), count(), {
      description: 'number of items read, by kind',
      examples: [{ pulls: 120 }],
    }),
    waits: Type.Object({ count: count(0), seconds: count(0), until: orNull(time) }, closed),
    error: Type.Optional(Type.String({ description: 'why the backfill failed or waits' })),
    startedAt: time,
    updatedAt: time,
    finishedAt: orNull(time),
  },
  closed,
);

export const backfillContracts = {
  startBackfill: {
    tag: 'Repositories',
    summary: 'Fetch the older history of a repository from its host',
    example: { since: '2026-01-01' },
    body: StartBackfillBodySchema,
    replies: { 202: BackfillSchema },
  },
  getBackfill: {
    tag: 'Repositories',
    summary: 'Get the progress of the newest backfill of a repository',
    replies: { 200: BackfillSchema },
  },
  cancelBackfill: {
    tag: 'Repositories',
    summary: 'Cancel the running backfill of a repository',
    replies: { 200: BackfillSchema },
    refusals: [409],
  },
} satisfies Contracts;
