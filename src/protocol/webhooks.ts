/**
 * The shapes of outgoing webhooks (spec part 6): events and their data, endpoints of organizations, and deliveries with
 * their attempts. `store/` keeps them, and `workers/webhooks/` sends the deliveries.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ChannelNameSchema } from './channels.ts';
import { OutdatedReasonSchema } from './outdated.ts';
import { AssumedSchema, PersonaSchema, ResolutionSchema, ShownBoundsSchema } from './stored.ts';

const Instant = Type.Integer();
const orNull = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

/** Events that endpoints can subscribe to. */
export const webhookEvents = [
  'draft.generated',
  'draft.published',
  'draft.outdated',
  'range.created',
  'range.changed',
  'publication.failed',
  'backfill.completed',
  'repository.connected',
  'repository.disconnected',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];
export const WebhookEventSchema = Type.Union(webhookEvents.map((event) => Type.Literal(event)));

/** The event of a test. Every endpoint can receive it, and no endpoint subscribes to it. */
export const testEvent = 'endpoint.test';

/**
 * Whether the fold of a record sends the event of its outcome to webhook endpoints. The field is absent in records of
 * earlier versions of Tidings. These versions did not have the event, so a replay of their records must not write a
 * relay that shifts the numbers of the outbox.
 */
export const reports = Type.Optional(Type.Literal(true));

const draft = { draftId: Type.String(), persona: PersonaSchema, releaseRangeId: Type.String() };

/** The parts of a range that a recount can change. */
const counted = Type.Object({
  prCount: Type.Integer(),
  issueCount: Type.Integer(),
  resolution: ResolutionSchema,
  assumed: AssumedSchema,
});

/**
 * Why a repository was connected or disconnected:
 * - `delivery`: its first signed delivery arrived;
 * - `installation`: the app was installed or removed;
 * - `selection`: the app's selection of repositories changed;
 * - `request`: a person changed it with the API or the command line;
 * - `transfer`: the repository has another owner now.
 */
export const ConnectionCauseSchema = Type.Union([
  Type.Literal('delivery'),
  Type.Literal('installation'),
  Type.Literal('selection'),
  Type.Literal('request'),
  Type.Literal('transfer'),
]);
export type ConnectionCause = Static<typeof ConnectionCauseSchema>;

const connection = Type.Object({ repoId: Type.String(), fullName: Type.String(), cause: ConnectionCauseSchema });

/**
 * `data` of each event: ids, names of repositories and tags, numbers, links, and error texts of the service. It contains
 * no texts that people wrote.
 */
export const webhookData = {
  'draft.generated': Type.Object(draft),
  'draft.published': Type.Object({
    ...draft,
    publicationId: Type.String(),
    channel: Type.String(),
    /** Address of the published item; null if the receiver returns no address. */
    url: orNull(Type.String()),
  }),
  'draft.outdated': Type.Object({
    ...draft,
    /** Why generating the draft would give another text now, as the draft shows it. */
    because: Type.Array(OutdatedReasonSchema),
  }),
  'range.created': Type.Object({
    releaseRangeId: Type.String(),
    repoId: Type.String(),
    ...ShownBoundsSchema.properties,
    /** Address of the host's comparison; set only for ranges between tags. */
    compareUrl: Type.Optional(Type.String()),
    prCount: Type.Integer(),
    issueCount: Type.Integer(),
  }),
  'range.changed': Type.Object({
    releaseRangeId: Type.String(),
    repoId: Type.String(),
    ...ShownBoundsSchema.properties,
    before: counted,
    after: counted,
  }),
  'publication.failed': Type.Object({
    ...draft,
    repoId: Type.String(),
    publicationId: Type.String(),
    channel: Type.String(),
    /** Why the last attempt failed, as the publication shows it. */
    error: Type.String(),
    /** Whether the message may have arrived although the publication failed. */
    outcomeUnknown: Type.Boolean(),
    attempts: Type.Integer(),
    /** The newer publication of the same draft because of which this one was given up; null in all other cases. */
    replacedBy: orNull(Type.String()),
  }),
  'backfill.completed': Type.Object({
    repoId: Type.String(),
    backfillId: Type.String(),
    status: Type.Union([Type.Literal('completed'), Type.Literal('failed'), Type.Literal('cancelled')]),
    /** The first day that was read; null if the whole history was read. */
    since: orNull(Type.String()),
    /** Number of items that were read, by kind. */
    counts: Type.Record(Type.String(), Type.Integer()),
    error: orNull(Type.String()),
  }),
  'repository.connected': connection,
  'repository.disconnected': connection,
} as const satisfies Record<WebhookEvent, ReturnType<typeof Type.Object>>;

/** The data of each event, by its name. */
export type WebhookData = { [Event in WebhookEvent]: Static<(typeof webhookData)[Event]> };

/**
 * The relay of an event from a repository's partition to the directory partition. Endpoints of the repository's
 * organization may subscribe to the event.
 */
export const WebhookEventRelaySchema = Type.Object({
  relay: Type.Literal('webhookEvent'),
  repoId: Type.String(),
  event: WebhookEventSchema,
  happenedAt: Instant,
  data: Type.Union(webhookEvents.map((event) => webhookData[event])),
});

/**
 * The reason why an endpoint receives nothing. `user`: a person disabled the endpoint. `gone`: the endpoint answered
 * 410. `failing`: all attempts failed for days.
 */
export const DisabledReasonSchema = Type.Union([Type.Literal('user'), Type.Literal('gone'), Type.Literal('failing')]);
export type DisabledReason = Static<typeof DisabledReasonSchema>;

/**
 * Filters of an endpoint. A filter stops only events that have its field: `personas` does not stop `range.created`. An
 * absent or empty filter stops nothing. Rows contain no empty filters. `repositories` are ids.
 */
const filters = {
  personas: Type.Optional(Type.Array(PersonaSchema)),
  channels: Type.Optional(Type.Array(ChannelNameSchema)),
  repositories: Type.Optional(Type.Array(Type.String())),
};
const WebhookFiltersSchema = Type.Object(filters);
export type WebhookFilters = Static<typeof WebhookFiltersSchema>;

/** The query of an endpoint's address, in sealed form. The keyed digest shows whether two queries are equal. */
const SealedQuerySchema = Type.Object({ sealed: Type.String(), digest: Type.String() });

/**
 * An endpoint as stored. Its secret is sealed. `previous` holds former secrets. For a while after a rotation, requests
 * are signed with these secrets too.
 */
export const WebhookEndpointRecordSchema = Type.Object({
  id: Type.String(),
  orgId: Type.String(),
  /**
   * The address without its query. Earlier versions of Tidings stored the query here in plain text. Such a query is
   * sealed after the next start.
   */
  url: Type.String(),
  query: Type.Optional(SealedQuerySchema),
  description: Type.String(),
  events: Type.Array(WebhookEventSchema),
  ...filters,
  /** Why and when the endpoint was disabled; null while it is enabled. */
  disabled: Type.Union([Type.Object({ reason: DisabledReasonSchema, at: Instant }), Type.Null()]),
  sealed: Type.String(),
  previous: Type.Array(Type.Object({ sealed: Type.String(), until: Instant })),
  /** Time of the first failure since the last success. */
  failingSince: orNull(Instant),
  createdAt: Instant,
  updatedAt: Instant,
});
export type WebhookEndpointRecord = Static<typeof WebhookEndpointRecordSchema>;

/** One attempt to deliver: the receiver's reply, or the reason why there was no reply. */
export const WebhookAttemptSchema = Type.Object({
  at: Instant,
  ms: Type.Integer(),
  status: orNull(Type.Integer()),
  error: orNull(Type.String()),
  /** The first part of the reply's body. */
  response: orNull(Type.String()),
});
export type WebhookAttempt = Static<typeof WebhookAttemptSchema>;

/**
 * `skipped`: the delivery was not sent because the endpoint was disabled. It can still be sent by a replay or a resend.
 */
export const WebhookDeliveryStatusSchema = Type.Union([
  Type.Literal('pending'),
  Type.Literal('delivered'),
  Type.Literal('failed'),
  Type.Literal('skipped'),
]);
export type WebhookDeliveryStatus = Static<typeof WebhookDeliveryStatusSchema>;

/** An event for one endpoint. */
export interface WebhookDelivery {
  id: string;
  endpointId: string;
  /** Position of the event in the order of all events. */
  number: number;
  /** Value of the header `webhook-id`, which is the same for every endpoint, attempt and replay. */
  eventId: string;
  event: string;
  /** The body of the request. */
  body: string;
  status: WebhookDeliveryStatus;
  /** When the delivery is sent next, in milliseconds; null if it is not sent again. */
  dueAt: number | null;
  /**
   * Number of attempts since the delivery was put into the queue. A resend sets the number to 0, so the retry schedule
   * starts again.
   */
  tries: number;
  /** Number of all attempts. Only the newest attempts are kept in `attempts`. */
  attemptCount: number;
  attempts: WebhookAttempt[];
  createdAt: number;
}

/** Commands of the directory partition about endpoints. */
export const webhookCommands = [
  Type.Object({
    name: Type.Literal('createWebhookEndpoint'),
    endpoint: WebhookEndpointRecordSchema,
    /**
     * Maximum number of endpoints per organization; 0 = no maximum. The field is absent in records of earlier versions
     * of Tidings.
     */
    most: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  Type.Object({
    name: Type.Literal('updateWebhookEndpoint'),
    endpointId: Type.String(),
    /**
     * The new address without its query. The query of the new address is in `query`. If `query` is missing, the new
     * address has no query.
     */
    url: Type.Optional(Type.String()),
    query: Type.Optional(SealedQuerySchema),
    description: Type.Optional(Type.String()),
    events: Type.Optional(Type.Array(WebhookEventSchema)),
    ...filters,
    enabled: Type.Optional(Type.Boolean()),
    /** The command is accepted only if the endpoint's current digest is one of these digests. */
    ifMatch: Type.Optional(Type.Array(Type.String())),
  }),
  Type.Object({
    name: Type.Literal('rotateWebhookEndpointSecret'),
    endpointId: Type.String(),
    sealed: Type.String(),
    overlapMs: Type.Integer(),
  }),
  /**
   * Replaces addresses whose query an earlier version of Tidings stored in plain text. Each new address applies only if
   * the endpoint has not changed since `updatedAt`.
   */
  Type.Object({
    name: Type.Literal('sealWebhookAddresses'),
    addresses: Type.Array(
      Type.Object({
        endpointId: Type.String(),
        updatedAt: Instant,
        url: Type.String(),
        query: Type.Optional(SealedQuerySchema),
      }),
    ),
  }),
  Type.Object({ name: Type.Literal('deleteWebhookEndpoint'), endpointId: Type.String() }),
  Type.Object({ name: Type.Literal('testWebhookEndpoint'), endpointId: Type.String(), eventId: Type.String() }),
  Type.Object({
    name: Type.Literal('resendWebhookDelivery'),
    endpointId: Type.String(),
    deliveryId: Type.String(),
  }),
  Type.Object({
    name: Type.Literal('replayWebhookDeliveries'),
    endpointId: Type.String(),
    from: Instant,
    to: Instant,
    status: Type.Union([WebhookDeliveryStatusSchema, Type.Null()]),
  }),
] as const;
export type WebhookCommand = Static<(typeof webhookCommands)[number]>;

/** The outcome of an attempt. `number` is the position of the attempt among all attempts of the delivery. */
export const WebhookAttemptedSchema = Type.Object({
  result: Type.Literal('webhookAttempted'),
  endpointId: Type.String(),
  deliveryId: Type.String(),
  number: Type.Integer(),
  attempt: WebhookAttemptSchema,
  outcome: Type.Union([Type.Literal('delivered'), Type.Literal('failed'), Type.Literal('gone')]),
  /** When the delivery is tried again, in milliseconds; null if it is not tried again. */
  retryAt: orNull(Instant),
});
export type WebhookAttempted = Static<typeof WebhookAttemptedSchema>;
