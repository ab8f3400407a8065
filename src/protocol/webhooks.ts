/**
 * Outgoing webhooks (spec part 6): the events and what they tell, endpoints of organisations, deliveries with their attempts.
 * Shapes only; `store/` keeps them, `workers/webhooks/` sends them.
 */
import { type Static, Type } from '@sinclair/typebox';
import { PersonaSchema, RangeBoundsSchema } from './stored.ts';

const Instant = Type.Integer();
const orNull = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: T) =>
  Type.Union([schema, Type.Null()]);

/** What endpoints can be told of. */
export const webhookEvents = ['draft.generated', 'draft.published', 'range.created'] as const;
export type WebhookEvent = (typeof webhookEvents)[number];
export const WebhookEventSchema = Type.Union(webhookEvents.map((event) => Type.Literal(event)));

/** The event of a test, which every endpoint gets and none subscribes to. */
export const testEvent = 'endpoint.test';

const draft = { draftId: Type.String(), persona: PersonaSchema, releaseRangeId: Type.String() };

/** `data` of each event: ids, names of tags, numbers and links, nothing of what people wrote. */
export const webhookData = {
  'draft.generated': Type.Object(draft),
  'draft.published': Type.Object({
    ...draft,
    publicationId: Type.String(),
    channel: Type.String(),
    /** Null where the receiver names no location. */
    url: orNull(Type.String()),
  }),
  'range.created': Type.Object({
    releaseRangeId: Type.String(),
    repoId: Type.String(),
    ...RangeBoundsSchema.properties,
    /** Of ranges between tags. */
    compareUrl: Type.Optional(Type.String()),
    prCount: Type.Integer(),
    issueCount: Type.Integer(),
  }),
} as const satisfies Record<WebhookEvent, ReturnType<typeof Type.Object>>;

/** What an event tells, by its name. */
export type WebhookData = { [Event in WebhookEvent]: Static<(typeof webhookData)[Event]> };

/** Something happened in a repository's partition that endpoints of its organisation may want to know. */
export const WebhookEventRelaySchema = Type.Object({
  relay: Type.Literal('webhookEvent'),
  repoId: Type.String(),
  event: WebhookEventSchema,
  happenedAt: Instant,
  data: Type.Union([webhookData['draft.published'], webhookData['draft.generated'], webhookData['range.created']]),
});

/** Why an endpoint gets nothing: a person switched it off, it answered 410, or it did nothing but fail for days. */
export const DisabledReasonSchema = Type.Union([Type.Literal('user'), Type.Literal('gone'), Type.Literal('failing')]);
export type DisabledReason = Static<typeof DisabledReasonSchema>;

/** The sealed query of an address; its keyed digest tells whether another one is the same. */
const SealedQuerySchema = Type.Object({ sealed: Type.String(), digest: Type.String() });

/** An endpoint as stored; its secret is sealed. `previous` holds the texts that a rotation left to sign for a while. */
export const WebhookEndpointRecordSchema = Type.Object({
  id: Type.String(),
  orgId: Type.String(),
  /** Without its query. What earlier versions wrote has it in clear until the next start. */
  url: Type.String(),
  query: Type.Optional(SealedQuerySchema),
  description: Type.String(),
  events: Type.Array(WebhookEventSchema),
  /** Null while it is enabled. */
  disabled: Type.Union([Type.Object({ reason: DisabledReasonSchema, at: Instant }), Type.Null()]),
  sealed: Type.String(),
  previous: Type.Array(Type.Object({ sealed: Type.String(), until: Instant })),
  /** The first failure since the last success. */
  failingSince: orNull(Instant),
  createdAt: Instant,
  updatedAt: Instant,
});
export type WebhookEndpointRecord = Static<typeof WebhookEndpointRecordSchema>;

/** One attempt to deliver: what the receiver answered, or why it did not. */
export const WebhookAttemptSchema = Type.Object({
  at: Instant,
  ms: Type.Integer(),
  status: orNull(Type.Integer()),
  error: orNull(Type.String()),
  /** The first part of the reply's body. */
  response: orNull(Type.String()),
});
export type WebhookAttempt = Static<typeof WebhookAttemptSchema>;

/** `skipped`: the endpoint was disabled; a replay or a person can still send it. */
export const WebhookDeliveryStatusSchema = Type.Union([
  Type.Literal('pending'),
  Type.Literal('delivered'),
  Type.Literal('failed'),
  Type.Literal('skipped'),
]);
export type WebhookDeliveryStatus = Static<typeof WebhookDeliveryStatusSchema>;

/** An event on its way to one endpoint. */
export interface WebhookDelivery {
  id: string;
  endpointId: string;
  /** Place in the order of events. */
  number: number;
  /** `webhook-id`: the same for every endpoint, attempt and replay. */
  eventId: string;
  event: string;
  /** The request's body. */
  body: string;
  status: WebhookDeliveryStatus;
  /** When it is sent next, in milliseconds; null when it is not. */
  dueAt: number | null;
  /** Attempts since it was put into the queue; the schedule starts anew when it is sent again. */
  tries: number;
  /** All attempts so far, of which the newest are kept. */
  attemptCount: number;
  attempts: WebhookAttempt[];
  createdAt: number;
}

/** Commands of the directory about endpoints. */
export const webhookCommands = [
  Type.Object({
    name: Type.Literal('createWebhookEndpoint'),
    endpoint: WebhookEndpointRecordSchema,
    /** How many an organisation may have; 0 = no maximum, absent in records of earlier versions. */
    most: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  Type.Object({
    name: Type.Literal('updateWebhookEndpoint'),
    endpointId: Type.String(),
    /** Comes with the query that goes with it; absent beside a `url` = none. */
    url: Type.Optional(Type.String()),
    query: Type.Optional(SealedQuerySchema),
    description: Type.Optional(Type.String()),
    events: Type.Optional(Type.Array(WebhookEventSchema)),
    enabled: Type.Optional(Type.Boolean()),
    /** Digests of which the endpoint must have one. */
    ifMatch: Type.Optional(Type.Array(Type.String())),
  }),
  Type.Object({
    name: Type.Literal('rotateWebhookEndpointSecret'),
    endpointId: Type.String(),
    sealed: Type.String(),
    overlapMs: Type.Integer(),
  }),
  /** Addresses with queries that an earlier version kept in clear, where they are still as they were at `updatedAt`. */
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

/** What an attempt ended in; `number` is its place among all attempts of the delivery. */
export const WebhookAttemptedSchema = Type.Object({
  result: Type.Literal('webhookAttempted'),
  endpointId: Type.String(),
  deliveryId: Type.String(),
  number: Type.Integer(),
  attempt: WebhookAttemptSchema,
  outcome: Type.Union([Type.Literal('delivered'), Type.Literal('failed'), Type.Literal('gone')]),
  /** When it is tried again; null for the last attempt. */
  retryAt: orNull(Instant),
});
export type WebhookAttempted = Static<typeof WebhookAttemptedSchema>;
