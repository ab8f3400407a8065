/**
 * Outcomes of effects that left through the outbox: renders, recounts, relays, publications, webhook attempts. Shapes only.
 */
import { type Static, Type } from '@sinclair/typebox';
import { PublicationSendingSchema, PublishedSchema, PublishFailedSchema } from './publications.ts';
import { DraftFlagsSchema, ResolutionSchema } from './stored.ts';
import { WebhookAttemptedSchema } from './webhooks.ts';

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
    }),
  ),
});
/** The relay has put all rows up to `row` on the lane of `target`. */
export const RelayedResultSchema = Type.Object({
  result: Type.Literal('relayed'),
  target: Type.String(),
  row: Type.Integer(),
});
export const ResultBodySchema = Type.Union([
  RenderResultSchema,
  RenderFailureSchema,
  RecountResultSchema,
  RelayedResultSchema,
  PublicationSendingSchema,
  PublishedSchema,
  PublishFailedSchema,
  WebhookAttemptedSchema,
]);
export type ResultBody = Static<typeof ResultBodySchema>;
