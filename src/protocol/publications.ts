/**
 * Publications: the record of one, the commands that make, repeat and remove it, and what its publisher journals on the way.
 * Shapes only; `workers/fold/publications.ts` folds them, `workers/publish/` carries them out.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ChannelNameSchema, ConnectionSchema } from './channels.ts';
import { HostedPageSchema } from './hosted.ts';
import { PersonaSchema } from './stored.ts';

/** Git trailer of commits that the service makes, with the id of their publication: by it they are known and left out of notes. */
export const publicationTrailer = 'Tidings-Publication';

const Instant = Type.Integer();
const NullableInstant = Type.Union([Instant, Type.Null()]);
const NullableString = Type.Union([Type.String(), Type.Null()]);

/**
 * Where the page of the draft's persona is below its version's page. Customers' drafts have none, nor have records of earlier
 * versions. The sender of the command makes it, since an internal page has a secret in its address.
 */
const personaPath = Type.Optional(Type.String());

/**
 * `pending`: no attempt was begun. `processing`: one was; others may follow. `completed` and `failed` are the ends, until a
 * person asks for more.
 */
export const publicationStates = ['pending', 'processing', 'completed', 'failed'] as const;
export const PublicationStateSchema = Type.Union(publicationStates.map((state) => Type.Literal(state)));

/** One attempt; `error` null = it is under way, or it succeeded. */
export const AttemptSchema = Type.Object({ at: Instant, endedAt: NullableInstant, error: NullableString });

export const PublicationRecordSchema = Type.Object({
  id: Type.String(),
  repoId: Type.String(),
  draftId: Type.String(),
  /** Revision of the draft whose text is published. */
  revision: Type.Integer(),
  rangeId: Type.String(),
  persona: PersonaSchema,
  channel: ChannelNameSchema,
  asDraft: Type.Boolean(),
  connection: ConnectionSchema,
  /** Address of the repository's public pages; null where nobody may know it. */
  pagesUrl: NullableString,
  personaPath,
  status: PublicationStateSchema,
  /** The attempt under way, the life of the worker that makes it, and digests of those it writes to one by one. */
  sending: Type.Union([
    Type.Object({ attempt: Type.Integer(), by: Type.String(), recipients: Type.Optional(Type.Array(Type.String())) }),
    Type.Null(),
  ]),
  /** Attempts ever begun, and those since a person last asked for it. */
  attempted: Type.Integer(),
  tries: Type.Integer(),
  /** The newest ones. */
  attempts: Type.Array(AttemptSchema),
  nextAttemptAt: NullableInstant,
  error: NullableString,
  /** It may have arrived, and the receiver cannot be asked. */
  outcomeUnknown: Type.Boolean(),
  url: NullableString,
  counts: Type.Record(Type.String(), Type.Integer()),
  createdAt: Instant,
  updatedAt: Instant,
  /** When it was last completed. */
  publishedAt: NullableInstant,
});
export type PublicationRecord = Static<typeof PublicationRecordSchema>;

/** Commands of a repository's partition about publications. `by` is what a stored result is told apart by. */
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
  }),
  /** Sends a publication once more, through the connection of now. */
  Type.Object({
    name: Type.Literal('resendPublication'),
    publicationId: Type.String(),
    connection: ConnectionSchema,
    pagesUrl: NullableString,
    personaPath,
  }),
  Type.Object({ name: Type.Literal('deletePublication'), publicationId: Type.String() }),
] as const;

/** An attempt begins: nothing has left yet, and from here on anything may. */
export const PublicationSendingSchema = Type.Object({
  result: Type.Literal('publicationSending'),
  publicationId: Type.String(),
  attempt: Type.Integer(),
  by: Type.String(),
  recipients: Type.Optional(Type.Array(Type.String())),
});

/** Digests of those who have it now, and of those who certainly have not; of the others it is not known. */
const reached = Type.Optional(Type.Object({ taken: Type.Array(Type.String()), free: Type.Array(Type.String()) }));

/**
 * An attempt arrived. `page` is what the channel `hosted` puts on a page. `countsRanges`: a range counts as one release, however
 * often it is published; absent in records of earlier versions, where each publication counts as one.
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

/** An attempt failed; `attempt` 0 = before one was begun. `retryAt` null = for good. */
export const PublishFailedSchema = Type.Object({
  result: Type.Literal('publishFailed'),
  publicationId: Type.String(),
  attempt: Type.Integer(),
  error: Type.String(),
  retryAt: NullableInstant,
  unknown: Type.Boolean(),
  reached,
});
