/**
 * What API requests carry: path, query and body of every endpoint (spec part 4). Responses follow the stored records.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ChannelNameSchema, channelNames, channelTraits } from './channels.ts';
import { scopes } from './commands.ts';
import { PublicationStateSchema } from './publications.ts';
import { refusalReasons } from './refused-deliveries.ts';
import { PersonaSchema } from './stored.ts';
import { WebhookDeliveryStatusSchema, WebhookEventSchema, webhookEvents } from './webhooks.ts';

const closed = { additionalProperties: false } as const;

/** Longest `bodyMd`, in bytes of UTF-8. */
export const maxBodyMdBytes = 1_048_576;

const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, default: 0 })),
  sort: Type.Optional(Type.Union([Type.Literal('createdAt'), Type.Literal('updatedAt'), Type.Literal('name')])),
  order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
};

export const PagingSchema = Type.Object(paging, closed);
export type Paging = Static<typeof PagingSchema>;

export const NoQuerySchema = Type.Object({}, closed);

const refusalReason = Type.Union(Object.keys(refusalReasons).map((reason) => Type.Literal(reason)));

export const ListDeliveriesQuerySchema = Type.Object(
  { outcome: Type.Optional(Type.Union([Type.Literal('refused')])), reason: Type.Optional(refusalReason), ...paging },
  closed,
);
export type ListDeliveriesQuery = Static<typeof ListDeliveriesQuerySchema>;

export const ListRangesQuerySchema = Type.Object({ repoId: Type.String({ minLength: 1 }), ...paging }, closed);
export type ListRangesQuery = Static<typeof ListRangesQuerySchema>;

export const ListDraftsQuerySchema = Type.Object(
  { releaseRangeId: Type.String({ minLength: 1 }), persona: Type.Optional(PersonaSchema), ...paging },
  closed,
);
export type ListDraftsQuery = Static<typeof ListDraftsQuerySchema>;

export const ListChangesQuerySchema = Type.Object(
  {
    limit: paging.limit,
    offset: paging.offset,
    included: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
  },
  closed,
);
export type ListChangesQuery = Static<typeof ListChangesQuerySchema>;

const tag = Type.String({ minLength: 1, maxLength: 255 });
const date = Type.String({ format: 'date' });
const pullNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const repoId = Type.String({ minLength: 1 });

/** Create Release Range, one body a type. */
export const CreateRangeBodySchemas = {
  TAG_BASED: Type.Object({ type: Type.Literal('TAG_BASED'), repoId, fromTag: tag, toTag: tag }, closed),
  DATE_BASED: Type.Object({ type: Type.Literal('DATE_BASED'), repoId, fromDate: date, toDate: date }, closed),
  PR_BASED: Type.Object(
    { type: Type.Literal('PR_BASED'), repoId, fromPrNumber: pullNumber, toPrNumber: pullNumber },
    closed,
  ),
};
export type CreateRangeBody = Static<(typeof CreateRangeBodySchemas)[keyof typeof CreateRangeBodySchemas]>;

export const GenerateDraftBodySchema = Type.Object(
  {
    persona: PersonaSchema,
    force: Type.Optional(
      Type.Boolean({ description: 'generates from what is left of a range that retention has erased changes of' }),
    ),
  },
  closed,
);
export type GenerateDraftBody = Static<typeof GenerateDraftBodySchema>;

const bodyMd = Type.String({ description: 'the whole text, at most 1 MiB' });
/** Flags that a person sets, each by itself; null takes the person's value back, so that the generated one stands again. */
const FlagEditsSchema = Type.Object(
  {
    highlights: Type.Optional(
      Type.Union([Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { maxItems: 20 }), Type.Null()]),
    ),
    contributors: Type.Optional(
      Type.Union([Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 1_000 }), Type.Null()]),
    ),
    upgradeInstructions: Type.Optional(Type.Union([Type.String({ maxLength: 65_536 }), Type.Null()])),
  },
  { ...closed, minProperties: 1 },
);

/** An edit has a text, flags or both. */
export const UpdateDraftBodySchema = Type.Object(
  { bodyMd: Type.Optional(bodyMd), flags: Type.Optional(FlagEditsSchema) },
  { ...closed, minProperties: 1 },
);
/** An edit without flags has a text. */
export const UpdateDraftTextSchema = Type.Object({ bodyMd }, closed);
export type UpdateDraftBody = Static<typeof UpdateDraftBodySchema>;

export const RestoreDraftBodySchema = Type.Object(
  { revision: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) },
  closed,
);
export type RestoreDraftBody = Static<typeof RestoreDraftBodySchema>;

export const UpdateRepositoryBodySchema = Type.Object({ selected: Type.Boolean() }, closed);
export type UpdateRepositoryBody = Static<typeof UpdateRepositoryBodySchema>;

/** `since` is the first day of what is fetched; everything without it. */
export const StartBackfillBodySchema = Type.Object({ since: Type.Optional(date) }, closed);
export type StartBackfillBody = Static<typeof StartBackfillBodySchema>;

/** What an operator's word is for: one partition, one of the things that wait; all of them where nothing is named. */
export const ApproveRetentionBodySchema = Type.Object(
  {
    partition: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
  },
  closed,
);
export type ApproveRetentionBody = Static<typeof ApproveRetentionBodySchema>;

/** Longest overlap of a rotated key or webhook secret, in hours: 30 days. */
export const mostOverlapHours = 720;

const keyScope = Type.Union([...scopes, '*' as const].map((scope) => Type.Literal(scope)));

/** A key of the instance says whose key is made: `org`, a login or an id, or `instance`. */
export const CreateKeyBodySchema = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    scopes: Type.Optional(Type.Array(keyScope, { minItems: 1, maxItems: 32, uniqueItems: true })),
    mode: Type.Optional(Type.Union([Type.Literal('live'), Type.Literal('test')])),
    expiresAt: Type.Optional(Type.String({ format: 'date-time' })),
    org: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    host: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    instance: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type CreateKeyBody = Static<typeof CreateKeyBodySchema>;

export const RotateKeyBodySchema = Type.Object(
  { overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: mostOverlapHours })) },
  closed,
);
export type RotateKeyBody = Static<typeof RotateKeyBodySchema>;

export const UpdateOrganisationBodySchema = Type.Object(
  {
    tier: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
    refuseInternalOnPublicChannels: Type.Optional(Type.Boolean()),
    keepPublishedAfterUninstall: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type UpdateOrganisationBody = Static<typeof UpdateOrganisationBodySchema>;

export const StatsQuerySchema = Type.Object({ orgId: Type.Optional(Type.String({ minLength: 1 })) }, closed);
export type StatsQuery = Static<typeof StatsQuerySchema>;

/** Without `org`, a key of the instance makes a secret of the whole host, a key of an organisation one of its own. */
export const CreateWebhookSecretBodySchema = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 100 })),
    host: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    org: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    secret: Type.Optional(Type.String({ writeOnly: true })),
  },
  closed,
);
export type CreateWebhookSecretBody = Static<typeof CreateWebhookSecretBodySchema>;

export const RotateWebhookSecretBodySchema = Type.Object(
  { overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: mostOverlapHours })) },
  closed,
);
export type RotateWebhookSecretBody = Static<typeof RotateWebhookSecretBodySchema>;

/** Publish Draft (spec part 4). `draft` is for `scm_releases` alone: a draft release on the host. */
export const PublishBodySchema = Type.Object(
  {
    draftId: Type.String({ minLength: 1 }),
    channel: ChannelNameSchema,
    draft: Type.Optional(Type.Boolean({ default: false })),
  },
  closed,
);
export type PublishBody = Static<typeof PublishBodySchema>;

/** One of `draftId` and `repoId` says whose publications. */
export const ListPublicationsQuerySchema = Type.Object(
  {
    draftId: Type.Optional(Type.String({ minLength: 1 })),
    repoId: Type.Optional(Type.String({ minLength: 1 })),
    channel: Type.Optional(ChannelNameSchema),
    status: Type.Optional(PublicationStateSchema),
    ...paging,
  },
  closed,
);
export type ListPublicationsQuery = Static<typeof ListPublicationsQuerySchema>;

const ownership = {
  repoId: Type.Optional(Type.String({ minLength: 1 })),
  /** For keys of the instance, which belong to no organisation. */
  orgId: Type.Optional(Type.String({ minLength: 1 })),
};

/** Whose connection: a repository's with `repoId`, else the organisation's. */
export const ChannelQuerySchema = Type.Object(ownership, closed);
export type ChannelQuery = Static<typeof ChannelQuerySchema>;

export const ListChannelsQuerySchema = Type.Object(
  { ...ownership, limit: paging.limit, offset: paging.offset },
  closed,
);
export type ListChannelsQuery = Static<typeof ListChannelsQuerySchema>;

/** The settings of a connection, whole, but for secrets that are to stay. */
export const PutChannelBodySchema = Type.Object(
  { settings: Type.Union(channelNames.map((name) => Type.Partial(channelTraits[name].settings, { title: name }))) },
  closed,
);

/** Longest address of a webhook endpoint, in characters. */
const mostUrl = 2048;
const endpointUrl = Type.String({ minLength: 1, maxLength: mostUrl, writeOnly: true });
const endpointEvents = Type.Array(WebhookEventSchema, {
  minItems: 1,
  maxItems: webhookEvents.length,
  uniqueItems: true,
});
const description = Type.String({ maxLength: 200 });

/** A key of the instance names the organisation. Without `events` an endpoint gets all there are. */
export const CreateWebhookEndpointBodySchema = Type.Object(
  {
    url: endpointUrl,
    events: Type.Optional(endpointEvents),
    description: Type.Optional(description),
    org: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  },
  closed,
);
export type CreateWebhookEndpointBody = Static<typeof CreateWebhookEndpointBodySchema>;

export const UpdateWebhookEndpointBodySchema = Type.Object(
  {
    url: Type.Optional(endpointUrl),
    events: Type.Optional(endpointEvents),
    description: Type.Optional(description),
    enabled: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type UpdateWebhookEndpointBody = Static<typeof UpdateWebhookEndpointBodySchema>;

/** A body that asks for nothing but the act itself. */
export const EmptyBodySchema = Type.Object({}, closed);

export const ListWebhookDeliveriesQuerySchema = Type.Object(
  { status: Type.Optional(WebhookDeliveryStatusSchema), ...paging },
  closed,
);
export type ListWebhookDeliveriesQuery = Static<typeof ListWebhookDeliveriesQuerySchema>;

/** What was made from `from` on and before `to`; of every status without one. */
export const ReplayWebhooksBodySchema = Type.Object(
  {
    from: Type.String({ format: 'date-time' }),
    to: Type.String({ format: 'date-time' }),
    status: Type.Optional(WebhookDeliveryStatusSchema),
  },
  closed,
);
export type ReplayWebhooksBody = Static<typeof ReplayWebhooksBodySchema>;
