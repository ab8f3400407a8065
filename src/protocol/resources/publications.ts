/**
 * Requests, replies and contracts of the operations on publications. `store/` and `api/` make the bodies of
 * replies.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ChannelNameSchema } from '../channels.ts';
import { PublicationWarningSchema } from '../conflicts.ts';
import { PublicationOutdatedReasonSchema } from '../outdated.ts';
import { PublicationStateSchema } from '../publications.ts';
import type { Contracts } from './contract.ts';
import { closed, count, draftId, EmptyBodySchema, orNull, publicationId, text, time } from './fields.ts';
import { listOf, nextCursor, paging } from './paging.ts';

/**
 * The body of Publish Draft (spec part 4). If `draft` is true, the channel `scm_releases` creates the release on the
 * host as a draft. `draft` is for this channel only.
 */
export const PublishBodySchema = Type.Object(
  {
    draftId: Type.String({ minLength: 1 }),
    channel: ChannelNameSchema,
    draft: Type.Optional(Type.Boolean({ default: false })),
    strict: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'returns a 409 if the draft is outdated or has conflicts. The setting `strictPublishing` has the same effect',
      }),
    ),
  },
  closed,
);
export type PublishBody = Static<typeof PublishBodySchema>;

/** Without `draftId` and `repoId`, the publications of all repositories are listed. */
export const ListPublicationsQuerySchema = Type.Object(
  {
    draftId: Type.Optional(Type.String({ minLength: 1 })),
    repoId: Type.Optional(Type.String({ minLength: 1 })),
    channel: Type.Optional(ChannelNameSchema),
    status: Type.Optional(PublicationStateSchema),
    ...paging,
    cursor: Type.Optional(Type.String({ minLength: 1 })),
  },
  closed,
);
export type ListPublicationsQuery = Static<typeof ListPublicationsQuerySchema>;

const warnings = Type.Array(PublicationWarningSchema, {
  description: 'reasons to look at the published text again: it was outdated, or it had conflicts. At most 100',
});

/** A publication (spec part 2), with its attempts. */
export const PublicationSchema = Type.Object(
  {
    id: publicationId,
    status: PublicationStateSchema,
    url: orNull(text('https://github.com/acme/rocket/releases/tag/v1.1.0', 'location of the published item')),
    publishedAt: orNull(time),
    draftId,
    revision: Type.Integer({ minimum: 1, description: 'revision of the draft that is published', examples: [2] }),
    channel: ChannelNameSchema,
    draft: Type.Boolean({ description: 'whether the publication is a draft release on the host', examples: [false] }),
    error: orNull(text('The receiver answered 404.', 'why the last attempt failed')),
    outcomeUnknown: Type.Boolean({
      description: 'true if the publication may have arrived and the receiver offers no way to check',
      examples: [false],
    }),
    attempts: Type.Array(
      Type.Object({ at: time, endedAt: orNull(time), error: orNull(text('The receiver answered 503.')) }, closed),
      { description: 'the newest twenty' },
    ),
    nextAttemptAt: orNull(time),
    counts: Type.Record(Type.String(), count(), {
      description: 'counts that the channel reports',
      examples: [{ accepted: 12, rejected: 0 }],
    }),
    warnings,
    outdated: Type.Boolean({
      description: 'whether the draft is outdated, or was generated again with another text',
      examples: [false],
    }),
    outdatedBecause: Type.Array(PublicationOutdatedReasonSchema, { examples: [[]] }),
    createdAt: time,
    updatedAt: time,
  },
  closed,
);

export const DeletedPublicationSchema = Type.Object(
  {
    id: publicationId,
    deletedAt: time,
    message: text(
      'Anything already published to the channel workspace_chat stays there.',
      'states what was removed, or what remains',
    ),
  },
  closed,
);

export const PayloadSchema = Type.Object(
  {
    channel: ChannelNameSchema,
    payload: Type.Unknown({
      description: 'payload in the format of the channel',
      examples: [{ text: 'Rocket v1.1.0' }],
    }),
    provisionalVersion: Type.Union([Type.String(), Type.Null()], {
      description:
        'name that stands in for the version in the payload, because the range has no tag yet: the suggested version, ' +
        'or `Unreleased` without one. A publication to this channel is refused until the tag has arrived. null if the ' +
        'payload is exactly what would be sent now',
      examples: [null],
    }),
    warnings,
  },
  closed,
);

export const publicationContracts = {
  publishDraft: {
    tag: 'Publishing',
    summary: 'Publish a draft to a channel',
    example: { draftId: 'draft_mt37dtrf1ttssyjd67vpedqfsfqc', channel: 'hosted' },
    body: PublishBodySchema,
    replies: { 201: PublicationSchema },
    refusals: [404],
  },
  previewPublication: {
    tag: 'Publishing',
    summary: 'Get the payload that a publication would send to a channel',
    example: { draftId: 'draft_mt37dtrf1ttssyjd67vpedqfsfqc', channel: 'hosted' },
    body: PublishBodySchema,
    replies: { 200: PayloadSchema },
    refusals: [404, 409],
  },
  listPublications: {
    tag: 'Publishing',
    summary: 'List the publications of a draft, of a repository or of all repositories',
    replies: {
      200: listOf('publications', PublicationSchema, { nextCursor: nextCursor('pub_mt01m7yce69yvkj4vwe6pref0e56') }),
    },
    refusals: [404],
  },
  getPublication: { tag: 'Publishing', summary: 'Get a publication', replies: { 200: PublicationSchema } },
  resendPublication: {
    tag: 'Publishing',
    summary: 'Send a publication again',
    example: {},
    body: EmptyBodySchema,
    replies: { 201: PublicationSchema },
  },
  deletePublication: {
    tag: 'Publishing',
    summary: 'Delete a publication, and its page if it has one',
    replies: { 200: DeletedPublicationSchema },
    refusals: [409],
  },
} satisfies Contracts;
