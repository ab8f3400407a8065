/**
 * Request, reply and contract of the statistics of an organization. `api/` makes the body of the reply.
 */
import { type Static, Type } from '@sinclair/typebox';
import type { Contracts } from './contract.ts';
import { closed, count, text } from './fields.ts';

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

export const statsContracts = {
  getStats: {
    tag: 'Statistics',
    summary: 'Get the statistics of an organization in the current month',
    replies: { 200: StatsSchema },
    refusals: [404],
  },
} satisfies Contracts;
