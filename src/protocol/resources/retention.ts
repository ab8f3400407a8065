/**
 * Requests, replies and contracts of the operations on retention, for operators. The operations are about the records
 * that retention would erase now, and about the erasures that wait for approval. `store/` and `api/` make the bodies of
 * replies.
 */
import { type Static, Type } from '@sinclair/typebox';
import type { Contracts } from './contract.ts';
import { closed, count, day, orgId, orNull, repoId, text, time } from './fields.ts';

/**
 * Selects the waiting erasures that an operator approves. `partition` selects the waiting erasures of one partition,
 * and `id` selects one waiting erasure. If neither field is given, all waiting erasures are selected.
 */
export const ApproveRetentionBodySchema = Type.Object(
  {
    partition: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
  },
  closed,
);
export type ApproveRetentionBody = Static<typeof ApproveRetentionBodySchema>;

const erased = { pulls: count(12), issues: count(3), comments: count(40), pushes: count(9), commits: count(31) };
const partition = text('p00');
const row = Type.Object({ repoId, fullName: text('acme/rocket'), ...erased }, closed);

export const WaitingSchema = Type.Object(
  {
    partition,
    id: text('0f3a99c1d2e4'),
    cause: Type.Union([Type.Literal('records'), Type.Literal('clock'), Type.Literal('organizations')]),
    from: Type.Optional(time),
    to: Type.Optional(time),
    before: Type.Optional(day),
    records: Type.Optional(count()),
    total: Type.Optional(count()),
    organizations: Type.Optional(Type.Array(Type.Object({ id: orgId, uninstalledAt: time }, closed))),
    shares: Type.Optional(Type.Array(Type.Object({ partition, records: count(), total: count() }, closed))),
  },
  closed,
);

export const RetentionSchema = Type.Object(
  {
    before: day,
    partitions: Type.Array(
      Type.Object(
        {
          partition,
          trustedTime: orNull(time),
          lastSweep: orNull(
            Type.Object(
              { at: time, before: Type.Optional(day), erased: Type.Optional(Type.Object(erased, closed)) },
              closed,
            ),
          ),
          waiting: Type.Array(WaitingSchema),
          total: Type.Optional(count()),
          due: Type.Optional(Type.Object(erased, closed)),
        },
        closed,
      ),
    ),
    repositories: Type.Array(Type.Composite([Type.Object({ partition }), row], closed)),
    organizations: Type.Array(
      Type.Object(
        {
          id: orgId,
          login: text('acme'),
          uninstalledAt: time,
          erasedFrom: time,
          due: Type.Boolean(),
          repositories: Type.Array(orNull(row)),
        },
        closed,
      ),
    ),
  },
  closed,
);

export const ApprovedSchema = Type.Object({ approved: Type.Array(WaitingSchema) }, closed);

export const retentionContracts = {
  showRetention: {
    tag: 'Operations',
    summary: 'Show how many records would be erased now, and the erasures that wait for approval',
    replies: { 200: RetentionSchema },
  },
  approveRetention: {
    tag: 'Operations',
    summary: 'Approve an erasure that waits for approval',
    example: {},
    body: ApproveRetentionBodySchema,
    replies: { 200: ApprovedSchema },
    refusals: [404, 409],
  },
} satisfies Contracts;
