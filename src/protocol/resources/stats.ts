/**
 * Requests, replies and contracts of the statistics of an organization, in the current month and per week. `api/` makes
 * the body of the reply.
 */
import { type Static, Type } from '@sinclair/typebox';
import type { Contracts } from './contract.ts';
import { closed, count, orNull, text } from './fields.ts';

export const StatsQuerySchema = Type.Object({ orgId: Type.Optional(Type.String({ minLength: 1 })) }, closed);
export type StatsQuery = Static<typeof StatsQuerySchema>;

export const StatsSchema = Type.Object(
  {
    currentMonth: Type.String({ pattern: '^\\d{4}-\\d{2}$', examples: ['2026-11'] }),
    activeRepos: count(4),
    draftsGenerated: count(31),
    publishedReleases: count(2),
    publications: count(5),
    apiCalls: count(15_201),
    billingTier: text('standard'),
    usagePercentage: Type.Number({ minimum: 0, examples: [5.07] }),
  },
  closed,
);

/** Number of weeks that a reply has at most. */
const maxWeeks = 52;
export const defaultWeeks = 26;

export const WeeklyStatsQuerySchema = Type.Object(
  {
    orgId: Type.Optional(Type.String({ minLength: 1 })),
    repoId: Type.Optional(Type.String({ minLength: 1 })),
    weeks: Type.Optional(Type.Integer({ minimum: 1, maximum: maxWeeks, default: defaultWeeks })),
  },
  closed,
);
export type WeeklyStatsQuery = Static<typeof WeeklyStatsQuerySchema>;

export const WeeklyStatsSchema = Type.Object(
  {
    weeks: Type.Array(
      Type.Object(
        {
          from: Type.String({ format: 'date', description: 'Monday of the week, in UTC', examples: ['2026-11-23'] }),
          merged: Type.Integer({ minimum: 0, description: 'merged pull requests', examples: [12] }),
          withoutLabels: Type.Integer({
            minimum: 0,
            description: 'merged pull requests that have no label',
            examples: [3],
          }),
          published: Type.Integer({
            minimum: 0,
            description: 'pull requests that were published in the week for the first time, in notes of any kind',
            examples: [9],
          }),
          medianHours: orNull(
            Type.Number({
              minimum: 0,
              description:
                'median time from merge to publication of those, within five percent; null if there are none',
              examples: [30.5],
            }),
          ),
        },
        closed,
      ),
      { maxItems: maxWeeks, description: 'oldest first. The last one is the current week' },
    ),
  },
  closed,
);

export const statsContracts = {
  getStats: {
    tag: 'Statistics',
    summary: 'Get the statistics of an organization in the current month',
    replies: { 200: StatsSchema },
    refusals: [404],
  },
  getWeeklyStats: {
    tag: 'Statistics',
    summary: 'Get merges, labels and times to publication per week',
    replies: { 200: WeeklyStatsSchema },
    refusals: [404],
  },
} satisfies Contracts;
