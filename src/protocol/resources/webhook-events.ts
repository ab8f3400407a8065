/** The reply and the contract of the operation that lists the events of outgoing webhooks. */
import { Type } from '@sinclair/typebox';
import { testEvent } from '../webhooks.ts';
import type { Contracts } from './contract.ts';
import { closed, text } from './fields.ts';
import { webhookFilters } from './outgoing-webhooks.ts';
import { listOf } from './paging.ts';

export const WebhookEventTypeSchema = Type.Object(
  {
    event: text(testEvent),
    summary: text('A test of the endpoint was requested'),
    description: text('Sent when a test is requested. No endpoint has to subscribe to this event.', 'when it is sent'),
    filters: Type.Array(Type.Union(webhookFilters.map((name) => Type.Literal(name))), {
      description: 'the filters of endpoints that can stop this event',
      examples: [[]],
    }),
    schema: Type.Record(Type.String(), Type.Unknown(), {
      description: 'the JSON Schema (2020-12) of the body',
      examples: [{ type: 'object' }],
    }),
    example: Type.Record(Type.String(), Type.Unknown(), {
      description: 'a body',
      examples: [{ event: testEvent }],
    }),
  },
  closed,
);

export const webhookEventContracts = {
  listWebhookEvents: {
    tag: 'Outgoing webhooks',
    summary: 'List the events of outgoing webhooks, each with the schema and an example of its body',
    replies: { 200: listOf('webhookEvents', WebhookEventTypeSchema) },
  },
} satisfies Contracts;
