/**
 * Requests, replies and contracts of the operations on deliveries to webhook endpoints. `store/` makes the
 * bodies of replies.
 */
import { type Static, Type } from '@sinclair/typebox';
import { WebhookDeliveryStatusSchema } from '../webhooks.ts';
import type { Contracts } from './contract.ts';
import { closed, count, deliveryId, EmptyBodySchema, endpointId, orNull, text, time } from './fields.ts';
import { listOf, paging } from './paging.ts';

export const ListWebhookDeliveriesQuerySchema = Type.Object(
  { status: Type.Optional(WebhookDeliveryStatusSchema), ...paging },
  closed,
);
export type ListWebhookDeliveriesQuery = Static<typeof ListWebhookDeliveriesQuerySchema>;

/**
 * Selects deliveries created at `from` or later and before `to`. Without `status`, deliveries of every status are
 * selected.
 */
export const ReplayWebhooksBodySchema = Type.Object(
  {
    from: Type.String({ format: 'date-time' }),
    to: Type.String({ format: 'date-time' }),
    status: Type.Optional(WebhookDeliveryStatusSchema),
  },
  closed,
);
export type ReplayWebhooksBody = Static<typeof ReplayWebhooksBodySchema>;

const attempt = Type.Object(
  {
    at: time,
    ms: count(84),
    status: orNull(Type.Integer({ examples: [503], description: 'status of the reply' })),
    error: orNull(text('The receiver answered 503.')),
    response: orNull(text('try later', 'beginning of the body of the reply')),
  },
  closed,
);

export const WebhookDeliverySchema = Type.Object(
  {
    id: deliveryId,
    endpointId,
    eventId: text('evt_00wn60bwmsdmmshz0v9bhyrkddrx', 'id of the event; all attempts send it in the header webhook-id'),
    event: text('draft.generated'),
    status: WebhookDeliveryStatusSchema,
    payload: Type.Object(
      { event: text('draft.generated'), timestamp: time, data: Type.Record(Type.String(), Type.Unknown()) },
      closed,
    ),
    attemptCount: count(1),
    attempts: Type.Array(attempt, { description: 'the newest twenty' }),
    nextAttemptAt: orNull({
      ...time,
      description: 'time of the next attempt; if it is in the past, the delivery waits for its turn',
    }),
    createdAt: time,
  },
  closed,
);

export const ReplayedSchema = Type.Object({ endpointId, replayed: count(12) }, closed);

export const webhookDeliveryContracts = {
  listWebhookDeliveries: {
    tag: 'Outgoing webhooks',
    summary: 'List the deliveries to a webhook endpoint, with their attempts',
    replies: { 200: listOf('deliveries', WebhookDeliverySchema) },
  },
  getWebhookDelivery: {
    tag: 'Outgoing webhooks',
    summary: 'Get one delivery to a webhook endpoint',
    replies: { 200: WebhookDeliverySchema },
  },
  resendWebhookDelivery: {
    tag: 'Outgoing webhooks',
    summary: 'Send a delivery again, or send a waiting delivery now',
    example: {},
    body: EmptyBodySchema,
    replies: { 200: WebhookDeliverySchema },
    refusals: [409],
  },
  replayWebhookDeliveries: {
    tag: 'Outgoing webhooks',
    summary: 'Send the deliveries of a period again',
    example: { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', status: 'failed' },
    body: ReplayWebhooksBodySchema,
    replies: { 200: ReplayedSchema },
    refusals: [409],
  },
} satisfies Contracts;
