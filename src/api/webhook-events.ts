/**
 * Lists the events of outgoing webhooks. Schemas and examples are made from the shapes that the `webhooks` section of the
 * OpenAPI document is made from.
 */
import { outgoingWebhooks } from '../protocol/resources/outgoing-webhooks.ts';
import { type Paging, PagingSchema } from '../protocol/resources/paging.ts';
import { webhookEventContracts } from '../protocol/resources/webhook-events.ts';
import { exampleOf, type JsonSchema, SchemaWriter } from './json-schema.ts';
import { page } from './page.ts';
import type { ApiRoute } from './route.ts';

/** Makes schemas without references, so that a client can use each schema alone. */
const schemas = new SchemaWriter({});

/** All events, each with the complete schema and an example of its body. */
export const webhookEventTypes: readonly Readonly<{ event: string; schema: JsonSchema }>[] = Object.entries(
  outgoingWebhooks,
).map(([event, { summary, description, filters, body }]) => ({
  ...{ event, summary, description, filters },
  schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schemas.whole(body) },
  example: exampleOf(body),
}));

const listWebhookEvents: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/webhook-events',
  operation: 'listWebhookEvents',
  contract: webhookEventContracts.listWebhookEvents,
  scope: 'webhooks:read',
  query: PagingSchema,
  handle: ({ query }) => {
    const sortable = ({ event }: { event: string }) => ({ id: event, name: event, createdAt: 0, updatedAt: 0 });
    const { items, ...rest } = page(webhookEventTypes, query, sortable, { sort: 'name', order: 'asc' });
    return { status: 200, body: { webhookEvents: items, ...rest } };
  },
};

export const webhookEventRoutes = [listWebhookEvents];
