/**
 * Makes the `webhooks` section of the OpenAPI document: the events that the service sends to endpoints, and the replies
 * that it expects from them.
 */
import type { TSchema } from '@sinclair/typebox';
import { outgoingWebhooks } from '../protocol/resources/outgoing-webhooks.ts';
import { exampleOf, type JsonSchema } from './json-schema.ts';
import { webhookHeaders } from './openapi-headers.ts';

const signatureHeaders = [
  {
    name: 'webhook-id',
    description: 'Id of the event. It is the same in all attempts.',
    example: 'evt_00wn60bwmsdmmshz0v9bhyrkddrx',
  },
  {
    name: 'webhook-timestamp',
    description: 'Time of this attempt, in seconds since 1970.',
    example: '1772442000',
  },
  {
    name: 'webhook-signature',
    description: 'Signatures of Standard Webhooks 1.0.0.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
];

/**
 * Describes all outgoing webhooks, by event.
 * @param toSchema converts the shape of a body to JSON Schema
 */
export function webhooksSection(toSchema: (schema: TSchema) => JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(outgoingWebhooks).map(([event, { summary, description, body }]) => [
      event,
      {
        post: {
          operationId: operationIdOf(event),
          tags: ['Outgoing webhooks'],
          summary,
          description,
          security: [],
          parameters: webhookHeaders(signatureHeaders),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: toSchema(body), example: exampleOf(body) } },
          },
          responses: {
            '2XX': { description: 'The receiver has accepted the event.' },
            '4XX': { description: 'The service sends the event again later. The status 410 disables the endpoint.' },
          },
        },
      },
    ]),
  );
}

/** Makes the operation id of an event: `draft.generated` becomes `onDraftGenerated`. */
function operationIdOf(event: string): string {
  return `on${event.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
}
