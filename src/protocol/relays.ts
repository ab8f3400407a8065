/**
 * What one partition tells another through the outbox. Shapes only.
 */
import { type Static, Type } from '@sinclair/typebox';
import { EventRepositorySchema } from './repository.ts';
import { WebhookEventRelaySchema } from './webhooks.ts';

const Instant = Type.Integer();

/** What one partition tells another; deduped at the target by (source, row). */
export const RelayBodySchema = Type.Union([
  Type.Object({
    relay: Type.Literal('repositorySeen'),
    repository: EventRepositorySchema,
    seenAt: Instant,
    /** Organization that claims it and has not proved it, null for one that is proved; absent in records of earlier versions. */
    claimedBy: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
  /** The host or a secret of the whole host has proved who owns a repository. A claim of `refuted` on it ends, with what it brought. */
  Type.Object({
    relay: Type.Literal('ownerProved'),
    repoId: Type.String(),
    ownerId: Type.String(),
    /** The organization that is proved; absent in records of earlier versions. */
    orgId: Type.Optional(Type.String()),
    refuted: Type.Union([Type.String(), Type.Null()]),
  }),
  /** The directory does not list a repository for the organization that claims it: the claim ends, with what it brought. */
  Type.Object({ relay: Type.Literal('claimDropped'), repoId: Type.String(), claimedBy: Type.String() }),
  /** The organisation of a repository was erased: everything of it goes, unless it is another one's by now. */
  Type.Object({
    relay: Type.Literal('repositoryErased'),
    repoId: Type.String(),
    /** The organization that it was listed for; absent in records of earlier versions. */
    orgId: Type.Optional(Type.String()),
    /** Number of its owner, null where it was merely claimed; absent in records of earlier versions. */
    ownerId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    /** Login under which it was listed; absent in records of earlier versions. */
    login: Type.Optional(Type.String()),
    /** Its notes on pages stay, and what it takes to show and to delete them. */
    keepPublished: Type.Optional(Type.Literal(true)),
  }),
  /** The owner of a repository was renamed: its name changes with it. */
  Type.Object({
    relay: Type.Literal('ownerRenamed'),
    repoId: Type.String(),
    ownerId: Type.String(),
    login: Type.String(),
    /** Login under which the directory listed it; absent in records of earlier versions. */
    former: Type.Optional(Type.String()),
  }),
  /** Something to count for the organisation of a repository, in the month of `countedAt`. */
  Type.Object({
    relay: Type.Literal('counted'),
    repoId: Type.String(),
    /** `publishedReleases` is told by earlier versions alone, which counted each publication as a release. */
    counter: Type.Union([
      Type.Literal('draftsGenerated'),
      Type.Literal('publications'),
      Type.Literal('publishedReleases'),
    ]),
    countedAt: Instant,
    /** A publication that is the first one of its range: it counts as a release too. */
    isRelease: Type.Optional(Type.Literal(true)),
  }),
  WebhookEventRelaySchema,
]);
export type RelayBody = Static<typeof RelayBodySchema>;
