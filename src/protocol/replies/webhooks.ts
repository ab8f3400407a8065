/**
 * Replies of the webhook receiver, and about outgoing webhooks: endpoints, deliveries, attempts. Shapes only; `ingress/` and
 * `store/` make the bodies.
 */

import { Type } from '@sinclair/typebox';
import { DisabledReasonSchema, WebhookDeliveryStatusSchema, WebhookEventSchema } from '../webhooks.ts';
import { closed, count, deliveryId, endpointId, orgId, orNull, text, time } from './fields.ts';

export const QueuedSchema = Type.Object(
  { status: Type.Literal('queued'), delivery: text('9b5f4522-1775-4c3b-804b-580a7044b6d8') },
  closed,
);

export const ProcessedSchema = Type.Object(
  { status: Type.Literal('processed'), reason: text('the delivery was processed before') },
  closed,
);

const endpoint = {
  id: endpointId,
  orgId,
  url: text('https://hooks.acme.example/tidings', '`?…` at its end stands for a query, which is not shown'),
  description: text('chat bot'),
  events: Type.Array(WebhookEventSchema, { examples: [['draft.published']] }),
  enabled: Type.Boolean({ examples: [true] }),
  disabledReason: orNull(DisabledReasonSchema),
  disabledAt: orNull(time),
  failingSince: orNull({ ...time, description: 'the first failure since the last success' }),
  overlapEndsAt: orNull({ ...time, description: 'until when an old secret signs beside the new one' }),
  createdAt: time,
  updatedAt: time,
};

export const WebhookEndpointSchema = Type.Object(endpoint, closed);

export const NewWebhookEndpointSchema = Type.Object(
  { ...endpoint, secret: text('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', 'in this reply alone') },
  closed,
);

export const DeletedWebhookEndpointSchema = Type.Object({ id: endpointId, deletedAt: time }, closed);

const attempt = Type.Object(
  {
    at: time,
    ms: count(84),
    status: orNull(Type.Integer({ examples: [503], description: 'what the receiver answered' })),
    error: orNull(text('The receiver answered 503.')),
    response: orNull(text('try later', 'the beginning of its body')),
  },
  closed,
);

export const WebhookDeliverySchema = Type.Object(
  {
    id: deliveryId,
    endpointId,
    eventId: text('evt_00wn60bwmsdmmshz0v9bhyrkddrx', 'webhook-id of every attempt'),
    event: text('draft.generated'),
    status: WebhookDeliveryStatusSchema,
    payload: Type.Object(
      { event: text('draft.generated'), timestamp: time, data: Type.Record(Type.String(), Type.Unknown()) },
      closed,
    ),
    attemptCount: count(1),
    attempts: Type.Array(attempt, { description: 'the newest twenty' }),
    nextAttemptAt: orNull({ ...time, description: 'a time that is over means: as soon as it is its turn' }),
    createdAt: time,
  },
  closed,
);

export const ReplayedSchema = Type.Object({ endpointId, replayed: count(12) }, closed);
