/**
 * Outcomes of effects that left through the outbox: renders, recounts, relays, publications, webhook attempts. Shapes only.
 */
import { type Static, Type } from '@sinclair/typebox';
import { PublicationSendingSchema, PublishedSchema, PublishFailedSchema } from './publications.ts';
import { DraftFlagsSchema, ResolutionSchema } from './stored.ts';
import { WebhookAttemptedSchema } from './webhooks.ts';

/**
 * Why the host does not confirm an owner: it shows no such repository, names another owner, calls the owner otherwise than the
 * operator does, or has another account behind the installation.
 */
export const RefusalCauseSchema = Type.Union([
  Type.Literal('missing'),
  Type.Literal('owner'),
  Type.Literal('login'),
  Type.Literal('installation'),
]);
export type RefusalCause = Static<typeof RefusalCauseSchema>;

/** What became of a render task. */
export const RenderResultSchema = Type.Object({
  result: Type.Literal('rendered'),
  draftId: Type.String(),
  ticket: Type.String(),
  row: Type.Integer(),
  /** Journal sequence the render had read up to. */
  inputSeq: Type.Integer(),
  bodyMd: Type.String(),
  flags: DraftFlagsSchema,
});
export const RenderFailureSchema = Type.Object({
  result: Type.Literal('renderFailed'),
  draftId: Type.String(),
  ticket: Type.String(),
  row: Type.Integer(),
  error: Type.String(),
});
/** Fresh counts of a repository's ranges; `row` is the outbox row it answers. */
export const RecountResultSchema = Type.Object({
  result: Type.Literal('recounted'),
  repoId: Type.String(),
  row: Type.Integer(),
  counts: Type.Array(
    Type.Object({
      rangeId: Type.String(),
      prCount: Type.Integer(),
      issueCount: Type.Integer(),
      resolution: ResolutionSchema,
      /** Commits without a pull request; absent in records of earlier versions. */
      commitCount: Type.Optional(Type.Integer()),
    }),
  ),
});
/** The relay has put all rows up to `row` on the lane of `target`. */
export const RelayedResultSchema = Type.Object({
  result: Type.Literal('relayed'),
  target: Type.String(),
  row: Type.Integer(),
});
/**
 * What the host answered to the question who owns a repository, asked at `askedAt`. The answer counts for the organization
 * and the owner's number that it was compared with.
 */
export const OwnerAnsweredSchema = Type.Object({
  result: Type.Literal('ownerAnswered'),
  repoId: Type.String(),
  orgId: Type.String(),
  ownerId: Type.String({ description: 'number of the owner on the host, as stored' }),
  askedAt: Type.Integer(),
  /** How many partitions of repositories there are. */
  partitions: Type.Integer(),
  answer: Type.Union([
    Type.Object({
      confirmed: Type.Literal(true),
      fullName: Type.String(),
      login: Type.String(),
      /** Number of the owner, for an organization that was known by its login alone. */
      ownerId: Type.Optional(Type.String()),
    }),
    Type.Object({
      confirmed: Type.Literal(false),
      cause: RefusalCauseSchema,
      /** Number of the owner that the host names instead. */
      ownerId: Type.Optional(Type.String()),
      /** Its login; absent in records of earlier versions. */
      ownerLogin: Type.Optional(Type.String()),
    }),
  ]),
});
export type OwnerAnswered = Static<typeof OwnerAnsweredSchema>;
export const ResultBodySchema = Type.Union([
  RenderResultSchema,
  RenderFailureSchema,
  RecountResultSchema,
  RelayedResultSchema,
  PublicationSendingSchema,
  PublishedSchema,
  PublishFailedSchema,
  WebhookAttemptedSchema,
  OwnerAnsweredSchema,
]);
export type ResultBody = Static<typeof ResultBodySchema>;
