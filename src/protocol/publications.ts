/**
 * The shapes of publications: the stored record, the commands that create, resend and delete a publication, and the
 * results that its publisher journals. `workers/fold/publications.ts` folds the commands, and `workers/publish/` sends
 * the publications.
 */
import { type Static, Type } from '@sinclair/typebox';
import { automatic } from './automation.ts';
import { ChannelNameSchema, ConnectionSchema } from './channels.ts';
import { PublicationWarningSchema } from './conflicts.ts';
import { HostedPageSchema } from './hosted.ts';
import { PersonaSchema } from './stored.ts';
import { reports } from './webhooks.ts';

/**
 * Name of the Git trailer in commits that the service makes. The trailer holds the id of the publication. Commits with
 * this trailer are left out of notes.
 */
export const publicationTrailer = 'Tidings-Publication';

/**
 * Text of a pull request that the service makes when it publishes: this sentence, in lines that no host wraps, a marker
 * and the trailer. A host can copy the text into the message of the merged commit.
 */
export const publicationPullLines = [
  'Tidings publishes these release notes by pull request.',
  'A later revision of the notes updates it while it is open.',
] as const;

/** Name of the hidden comment in the text of such a pull request. The comment contains the branch of the pull request. */
export const publicationPullMarker = 'tidings:notes';

const Instant = Type.Integer();
const NullableInstant = Type.Union([Instant, Type.Null()]);
const NullableString = Type.Union([Type.String(), Type.Null()]);

/**
 * Path of the page for the draft's persona, relative to the page of the version. The field is absent for customer
 * drafts and in records of earlier versions of Tidings. The sender of the command makes the path, since the address of
 * an internal page contains a secret.
 */
const personaPath = Type.Optional(Type.String());

/**
 * `pending`: no attempt has begun. `processing`: an attempt has begun, and more attempts may follow. `completed` and
 * `failed`: no more attempts follow, unless a person requests the publication again.
 */
export const publicationStates = ['pending', 'processing', 'completed', 'failed'] as const;
export const PublicationStateSchema = Type.Union(publicationStates.map((state) => Type.Literal(state)));

/** One attempt. `error` null = the attempt is under way, or it succeeded. */
export const AttemptSchema = Type.Object({ at: Instant, endedAt: NullableInstant, error: NullableString });

export const PublicationRecordSchema = Type.Object({
  id: Type.String(),
  repoId: Type.String(),
  draftId: Type.String(),
  /** Revision of the draft whose content is published. */
  revision: Type.Integer(),
  rangeId: Type.String(),
  persona: PersonaSchema,
  channel: ChannelNameSchema,
  asDraft: Type.Boolean(),
  connection: ConnectionSchema,
  /** Address of the repository's public pages; null if the address must not be shown. */
  pagesUrl: NullableString,
  personaPath,
  status: PublicationStateSchema,
  /**
   * The attempt under way. `by` is the worker run that makes the attempt. `recipients` holds digests of the recipients,
   * if the attempt writes to each recipient separately.
   */
  sending: Type.Union([
    Type.Object({ attempt: Type.Integer(), by: Type.String(), recipients: Type.Optional(Type.Array(Type.String())) }),
    Type.Null(),
  ]),
  /**
   * `attempted` counts all attempts of the publication. `tries` counts the attempts since a person last requested it.
   */
  attempted: Type.Integer(),
  tries: Type.Integer(),
  /** The newest attempts. */
  attempts: Type.Array(AttemptSchema),
  nextAttemptAt: NullableInstant,
  error: NullableString,
  /** True if the publication may have arrived, and the receiver offers no way to check this. */
  outcomeUnknown: Type.Boolean(),
  url: NullableString,
  counts: Type.Record(Type.String(), Type.Integer()),
  /** Warnings about the published text; absent if there are none. */
  warnings: Type.Optional(Type.Array(PublicationWarningSchema)),
  createdAt: Instant,
  updatedAt: Instant,
  /** When the publication was last completed. */
  publishedAt: NullableInstant,
});
export type PublicationRecord = Static<typeof PublicationRecordSchema>;

/** Commands of a repository's partition about publications. */
export const PublicationCommandSchemas = [
  Type.Object({
    name: Type.Literal('publish'),
    publicationId: Type.String(),
    draftId: Type.String(),
    revision: Type.Integer(),
    channel: ChannelNameSchema,
    asDraft: Type.Boolean(),
    connection: ConnectionSchema,
    pagesUrl: NullableString,
    personaPath,
    /**
     * Whether the caller asked to refuse a draft with conflicts. The field is absent in records of earlier versions of
     * Tidings. Those publications have no warnings.
     */
    strict: Type.Optional(Type.Boolean()),
    reports,
    ...automatic,
  }),
  /** Sends a publication again, through the channel's current connection. */
  Type.Object({
    name: Type.Literal('resendPublication'),
    publicationId: Type.String(),
    connection: ConnectionSchema,
    pagesUrl: NullableString,
    personaPath,
    reports,
  }),
  Type.Object({ name: Type.Literal('deletePublication'), publicationId: Type.String() }),
] as const;

/**
 * An attempt begins. The attempt sends nothing before this record is in the journal. Once this record is in the
 * journal, the message may have been sent. `by` is the worker run that makes the attempt.
 */
export const PublicationSendingSchema = Type.Object({
  result: Type.Literal('publicationSending'),
  publicationId: Type.String(),
  attempt: Type.Integer(),
  by: Type.String(),
  recipients: Type.Optional(Type.Array(Type.String())),
});

/**
 * `taken` holds digests of the recipients that certainly have the message. `free` holds digests of the recipients that
 * certainly do not have the message. It is unknown whether the other recipients have the message.
 */
const reached = Type.Optional(Type.Object({ taken: Type.Array(Type.String()), free: Type.Array(Type.String()) }));

/**
 * An attempt succeeded. `page` is the note that the channel `hosted` puts on a page. If `countsRanges` is set, all
 * publications of a range count as one release. The flag is absent in records of earlier versions of Tidings, which
 * counted each publication as a release.
 */
export const PublishedSchema = Type.Object({
  result: Type.Literal('published'),
  publicationId: Type.String(),
  attempt: Type.Integer(),
  url: NullableString,
  reference: NullableString,
  counts: Type.Record(Type.String(), Type.Integer()),
  page: Type.Optional(HostedPageSchema),
  countsRanges: Type.Optional(Type.Literal(true)),
  reached,
});

/**
 * An attempt failed. `attempt` is 0 if the publication failed before an attempt began. `retryAt` is null if the
 * publication is not tried again.
 */
export const PublishFailedSchema = Type.Object({
  result: Type.Literal('publishFailed'),
  publicationId: Type.String(),
  attempt: Type.Integer(),
  error: Type.String(),
  retryAt: NullableInstant,
  unknown: Type.Boolean(),
  reports,
  reached,
});
