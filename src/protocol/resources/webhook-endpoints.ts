/**
 * Requests, replies and contracts of the operations on endpoints of outgoing webhooks. `store/` makes the
 * bodies of replies.
 */
import { type Static, Type } from '@sinclair/typebox';
import { ChannelNameSchema } from '../channels.ts';
import { channelNames } from '../names.ts';
import { PersonaSchema } from '../stored.ts';
import { DisabledReasonSchema, WebhookEventSchema, webhookEvents } from '../webhooks.ts';
import type { Contracts } from './contract.ts';
import { closed, EmptyBodySchema, endpointId, orgId, orNull, repoId, text, time } from './fields.ts';
import { listOf } from './paging.ts';
import { WebhookDeliverySchema } from './webhook-deliveries.ts';
import { RotateWebhookSecretBodySchema } from './webhook-secrets.ts';

/** Maximum length of a webhook endpoint's address, in characters. */
const maxUrl = 2048;
const endpointUrl = Type.String({ minLength: 1, maxLength: maxUrl, writeOnly: true });
const endpointEvents = Type.Array(WebhookEventSchema, {
  minItems: 1,
  maxItems: webhookEvents.length,
  uniqueItems: true,
});
const description = Type.String({ maxLength: 200 });

/** Maximum number of repositories in a filter. */
const maxRepositories = 100;
/** Filters in a request. An empty filter stops no event. */
const givenFilters = {
  personas: Type.Optional(
    Type.Array(PersonaSchema, {
      maxItems: PersonaSchema.anyOf.length,
      uniqueItems: true,
      description: 'sends events of drafts and publications only for these personas',
    }),
  ),
  channels: Type.Optional(
    Type.Array(ChannelNameSchema, {
      maxItems: channelNames.length,
      uniqueItems: true,
      description: 'sends events of publications only for these channels',
    }),
  ),
  repositories: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: maxRepositories,
      uniqueItems: true,
      description: 'sends events only of these repositories (ids)',
    }),
  ),
};

/**
 * The body of the request that creates an endpoint. A request with an instance key must name the organization. Without
 * `events`, the endpoint receives all events.
 */
export const CreateWebhookEndpointBodySchema = Type.Object(
  {
    url: endpointUrl,
    events: Type.Optional(endpointEvents),
    ...givenFilters,
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
    ...givenFilters,
    description: Type.Optional(description),
    enabled: Type.Optional(Type.Boolean()),
  },
  closed,
);
export type UpdateWebhookEndpointBody = Static<typeof UpdateWebhookEndpointBodySchema>;

const endpoint = {
  id: endpointId,
  orgId,
  url: text(
    'https://hooks.acme.example/tidings',
    'address of the endpoint; `?…` at the end means that the query is not shown',
  ),
  description: text('chat bot'),
  events: Type.Array(WebhookEventSchema, { examples: [['draft.published']] }),
  personas: Type.Optional(
    Type.Array(PersonaSchema, { description: 'filter by persona; absent if there is none', examples: [['customer']] }),
  ),
  channels: Type.Optional(
    Type.Array(ChannelNameSchema, {
      description: 'filter by channel; absent if there is none',
      examples: [['workspace_chat']],
    }),
  ),
  repositories: Type.Optional(
    Type.Array(Type.String(), {
      description: 'filter by the id of a repository; absent if there is none',
      examples: [repoId.examples],
    }),
  ),
  enabled: Type.Boolean({ examples: [true] }),
  disabledReason: orNull(DisabledReasonSchema),
  disabledAt: orNull(time),
  failingSince: orNull({ ...time, description: 'time of the first failure since the last success' }),
  overlapEndsAt: orNull({
    ...time,
    description: 'until this time, deliveries are signed with both the current and the former secret',
  }),
  createdAt: time,
  updatedAt: time,
};

export const WebhookEndpointSchema = Type.Object(endpoint, closed);

export const NewWebhookEndpointSchema = Type.Object(
  { ...endpoint, secret: text('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', 'shown in this reply only') },
  closed,
);

export const DeletedWebhookEndpointSchema = Type.Object({ id: endpointId, deletedAt: time }, closed);

export const webhookEndpointContracts = {
  listWebhookEndpoints: {
    tag: 'Outgoing webhooks',
    summary: 'List webhook endpoints, without their secrets',
    replies: { 200: listOf('webhookEndpoints', WebhookEndpointSchema) },
  },
  createWebhookEndpoint: {
    tag: 'Outgoing webhooks',
    summary: 'Create a webhook endpoint; its secret is shown in this reply only',
    example: { url: 'https://hooks.acme.example/tidings', events: ['draft.published'], org: 'acme' },
    body: CreateWebhookEndpointBodySchema,
    replies: { 201: NewWebhookEndpointSchema },
    refusals: [404],
  },
  getWebhookEndpoint: {
    tag: 'Outgoing webhooks',
    summary: 'Get a webhook endpoint, without its secret',
    replies: { 200: WebhookEndpointSchema },
  },
  updateWebhookEndpoint: {
    tag: 'Outgoing webhooks',
    summary: 'Change, disable or enable a webhook endpoint',
    example: { enabled: true },
    body: UpdateWebhookEndpointBodySchema,
    replies: { 200: WebhookEndpointSchema },
    conditional: true,
  },
  rotateWebhookEndpointSecret: {
    tag: 'Outgoing webhooks',
    summary: 'Replace the secret of a webhook endpoint; during the overlap, deliveries are signed with both secrets',
    example: { overlapHours: 24 },
    body: RotateWebhookSecretBodySchema,
    replies: { 200: NewWebhookEndpointSchema },
  },
  deleteWebhookEndpoint: {
    tag: 'Outgoing webhooks',
    summary: 'Delete a webhook endpoint and its deliveries',
    replies: { 200: DeletedWebhookEndpointSchema },
  },
  testWebhookEndpoint: {
    tag: 'Outgoing webhooks',
    summary: 'Send a test event to a webhook endpoint',
    example: {},
    body: EmptyBodySchema,
    replies: { 201: WebhookDeliverySchema },
    refusals: [409],
  },
} satisfies Contracts;
