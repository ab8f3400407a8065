/**
 * The shapes of the outcomes of effects: renders, recounts, evaluations of automation rules, relays, publications,
 * webhook attempts, checks of pull requests, and the host's answers to the question who owns a repository.
 */
import { type Static, Type } from '@sinclair/typebox';
import { AutomatedSchema } from './automation.ts';
import { AbsentChangeSchema } from './conflicts.ts';
import { NoteCheckedSchema } from './note-checks.ts';
import { DraftFactsSchema, DraftVerdictSchema } from './outdated.ts';
import { PublicationSendingSchema, PublishedSchema, PublishFailedSchema } from './publications.ts';
import { AssumedSchema, DraftFlagsSchema, OpenEndsSchema, ReachedBoundsSchema, ResolutionSchema } from './stored.ts';
import { reports, WebhookAttemptedSchema } from './webhooks.ts';

/**
 * Why the host does not confirm an owner:
 * - `missing`: the host shows no such repository;
 * - `owner`: the host names another owner;
 * - `login`: the owner's login on the host is not the login that the operator entered;
 * - `installation`: the installation belongs to another account.
 */
export const RefusalCauseSchema = Type.Union([
  Type.Literal('missing'),
  Type.Literal('owner'),
  Type.Literal('login'),
  Type.Literal('installation'),
]);
export type RefusalCause = Static<typeof RefusalCauseSchema>;

/** The outcome of a render. */
export const RenderResultSchema = Type.Object({
  result: Type.Literal('rendered'),
  draftId: Type.String(),
  ticket: Type.String(),
  row: Type.Integer(),
  /** Sequence number of the last journal record that was folded when the render read the partition. */
  inputSeq: Type.Integer(),
  bodyMd: Type.String(),
  flags: DraftFlagsSchema,
  /**
   * Why the text does not contain changes that the earlier draft or a person's edit of it names. The field is absent
   * in records of earlier versions of Tidings, which did not report conflicts.
   */
  absent: Type.Optional(Type.Array(AbsentChangeSchema)),
  /** What the text was made from; absent in records of earlier versions of Tidings. */
  facts: Type.Optional(DraftFactsSchema),
});
export const RenderFailureSchema = Type.Object({
  result: Type.Literal('renderFailed'),
  draftId: Type.String(),
  ticket: Type.String(),
  row: Type.Integer(),
  error: Type.String(),
});
/** New counts of a repository's ranges; `row` is the outbox row of the recount. */
export const RecountResultSchema = Type.Object({
  result: Type.Literal('recounted'),
  repoId: Type.String(),
  row: Type.Integer(),
  reports,
  /**
   * Whether the fold requests a check of the repository's drafts. Absent in records of earlier versions of Tidings,
   * which did not check drafts: a replay must not shift the numbers of the outbox.
   */
  checks: Type.Optional(Type.Literal(true)),
  counts: Type.Array(
    Type.Object({
      rangeId: Type.String(),
      prCount: Type.Integer(),
      issueCount: Type.Integer(),
      resolution: ResolutionSchema,
      assumed: AssumedSchema,
      /** Number of commits without a pull request; absent in records of earlier versions of Tidings. */
      commitCount: Type.Optional(Type.Integer()),
      openEnds: Type.Optional(OpenEndsSchema),
      becomes: Type.Optional(ReachedBoundsSchema),
    }),
  ),
});
/**
 * The drafts of a repository whose verdict differs from the stored one; `row` is the outbox row of the check. Drafts
 * that were being generated are listed too.
 */
export const CheckResultSchema = Type.Object({
  result: Type.Literal('checked'),
  repoId: Type.String(),
  row: Type.Integer(),
  drafts: Type.Array(DraftVerdictSchema),
});
/** All relays to the partition `target`, up to and including outbox row `row`, are in the journal of `target`. */
export const RelayedResultSchema = Type.Object({
  result: Type.Literal('relayed'),
  target: Type.String(),
  row: Type.Integer(),
});
/**
 * The host's answer to the question who owns a repository. `askedAt` is the time of the question. The answer was
 * compared with the organization `orgId` and the owner's number `ownerId`. The answer is not valid for another
 * organization or another number.
 */
export const OwnerAnsweredSchema = Type.Object({
  result: Type.Literal('ownerAnswered'),
  repoId: Type.String(),
  orgId: Type.String(),
  ownerId: Type.String({ description: 'number of the owner on the host, as stored' }),
  askedAt: Type.Integer(),
  /** Number of repository partitions. */
  partitions: Type.Integer(),
  answer: Type.Union([
    Type.Object({
      confirmed: Type.Literal(true),
      fullName: Type.String(),
      login: Type.String(),
      /** Number of the owner on the host; set if the organization was known by its login only. */
      ownerId: Type.Optional(Type.String()),
    }),
    Type.Object({
      confirmed: Type.Literal(false),
      cause: RefusalCauseSchema,
      /** Number of an owner on the host. The host names this owner instead of the expected owner. */
      ownerId: Type.Optional(Type.String()),
      /**
       * Login of an owner on the host. The host names this owner instead of the expected owner. Absent in records of
       * earlier versions of Tidings.
       */
      ownerLogin: Type.Optional(Type.String()),
    }),
  ]),
});
export type OwnerAnswered = Static<typeof OwnerAnsweredSchema>;
export const ResultBodySchema = Type.Union([
  RenderResultSchema,
  RenderFailureSchema,
  RecountResultSchema,
  CheckResultSchema,
  AutomatedSchema,
  RelayedResultSchema,
  PublicationSendingSchema,
  PublishedSchema,
  PublishFailedSchema,
  WebhookAttemptedSchema,
  OwnerAnsweredSchema,
  NoteCheckedSchema,
]);
export type ResultBody = Static<typeof ResultBodySchema>;
