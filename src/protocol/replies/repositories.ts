/**
 * Replies about repositories, their tags and their backfills. Shapes only; `store/` makes the bodies.
 */

import { Type } from '@sinclair/typebox';
import { closed, count, day, orgId, orNull, repoId, text, time } from './fields.ts';

export const RepositorySchema = Type.Object(
  {
    id: repoId,
    orgId,
    scmRepoId: Type.Optional(
      Type.Integer({ description: 'number on its host; left out while the host has sent none', examples: [1001] }),
    ),
    fullName: text('acme/rocket'),
    defaultBranch: orNull(text('main')),
    state: Type.Union([Type.Literal('connected'), Type.Literal('unselected'), Type.Literal('disconnected')], {
      description: 'whether its events are taken',
    }),
    createdAt: time,
    ownerConfirmed: Type.Boolean({
      description:
        'whether the host has confirmed that the repository belongs to its organization; the service uses its credentials for no other',
      examples: [true],
    }),
    ownerUnconfirmedReason: orNull(
      Type.String({
        description: 'why it is not confirmed; null where it is',
        examples: ['The host has not been asked yet.'],
      }),
    ),
  },
  closed,
);

export const TagSchema = Type.Object(
  { name: text('v1.1.0'), sha: text('c41', 'hash of the commit'), date: time },
  closed,
);

export const BackfillSchema = Type.Object(
  {
    id: text('bf_mt01m7yce69yvkj4vwe6pref0e56'),
    repoId,
    state: Type.Union(['running', 'waiting', 'completed', 'failed', 'cancelled'].map((state) => Type.Literal(state))),
    phase: orNull(text('pulls', 'what is being read; null when it has ended')),
    percent: Type.Integer({ minimum: 0, maximum: 100, examples: [40] }),
    since: orNull(day),
    counts: Type.Record(Type.String(), count(), { description: 'what was read, by kind', examples: [{ pulls: 120 }] }),
    waits: Type.Object({ count: count(0), seconds: count(0), until: orNull(time) }, closed),
    error: Type.Optional(Type.String({ description: 'why it ended, or waits' })),
    startedAt: time,
    updatedAt: time,
    finishedAt: orNull(time),
  },
  closed,
);
