/** The shapes of relays. A relay is a message from one partition to another, sent through the outbox. */
import { type Static, Type } from '@sinclair/typebox';
import { EventRepositorySchema } from './repository.ts';
import { WebhookEventRelaySchema } from './webhooks.ts';

const Instant = Type.Integer();

/** The content of a relay. The target recognizes duplicates by (source, row). */
export const RelayBodySchema = Type.Union([
  Type.Object({
    relay: Type.Literal('repositorySeen'),
    repository: EventRepositorySchema,
    seenAt: Instant,
    /**
     * The organization that claims the repository without proof. Null if the owner of the repository is proved. The
     * field is absent in records of earlier versions of Tidings.
     */
    claimedBy: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
  /**
   * The host, or a secret of the whole host, has proved who owns a repository. If the organization `refuted` still
   * claims the repository without proof, this claim ends. Everything that was stored under the claim is then erased.
   */
  Type.Object({
    relay: Type.Literal('ownerProved'),
    repoId: Type.String(),
    ownerId: Type.String(),
    /** The organization whose ownership is proved; absent in records of earlier versions of Tidings. */
    orgId: Type.Optional(Type.String()),
    refuted: Type.Union([Type.String(), Type.Null()]),
  }),
  /**
   * The directory partition does not list the repository for the organization that claims it. The claim ends, and
   * everything that was stored under the claim is erased.
   */
  Type.Object({ relay: Type.Literal('claimDropped'), repoId: Type.String(), claimedBy: Type.String() }),
  /**
   * A repository's organization was erased. Everything of the repository is erased, unless the repository belongs to
   * another organization by now.
   */
  Type.Object({
    relay: Type.Literal('repositoryErased'),
    repoId: Type.String(),
    /** The organization that the repository was listed for; absent in records of earlier versions of Tidings. */
    orgId: Type.Optional(Type.String()),
    /**
     * Number that the host gave the repository's owner; null if the repository was only claimed without proof. The
     * field is absent in records of earlier versions of Tidings.
     */
    ownerId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    /** Login of the owner under which the repository was listed; absent in records of earlier versions of Tidings. */
    login: Type.Optional(Type.String()),
    /**
     * The field is set if the repository's notes on pages are kept. Then everything that is needed to show and delete
     * these notes is kept too.
     */
    keepPublished: Type.Optional(Type.Literal(true)),
  }),
  /** The owner of a repository was renamed, so the repository's full name changes. */
  Type.Object({
    relay: Type.Literal('ownerRenamed'),
    repoId: Type.String(),
    ownerId: Type.String(),
    login: Type.String(),
    /**
     * Login of the owner before the rename, as the directory partition listed it; absent in records of earlier versions
     * of Tidings.
     */
    former: Type.Optional(Type.String()),
  }),
  /** Adds one to a counter of the repository's organization, in the month of `countedAt`. */
  Type.Object({
    relay: Type.Literal('counted'),
    repoId: Type.String(),
    /**
     * Only earlier versions of Tidings sent the counter `publishedReleases`. Those versions counted each publication as
     * a release.
     */
    counter: Type.Union([
      Type.Literal('draftsGenerated'),
      Type.Literal('publications'),
      Type.Literal('publishedReleases'),
    ]),
    countedAt: Instant,
    /** True for the first publication of a range. This publication also counts as a release. */
    isRelease: Type.Optional(Type.Literal(true)),
  }),
  WebhookEventRelaySchema,
]);
export type RelayBody = Static<typeof RelayBodySchema>;
