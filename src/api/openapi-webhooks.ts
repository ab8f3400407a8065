/**
 * The `webhooks` section of the OpenAPI document: what the service sends to endpoints, and what a receiver answers.
 */
import type { TSchema } from '@sinclair/typebox';
import { outgoingWebhooks } from '../protocol/contracts/outgoing.ts';
import { exampleOf, type JsonSchema } from './json-schema.ts';
import { webhookHeaders } from './openapi-headers.ts';

const signatureHeaders = [
  {
    name: 'webhook-id',
    description: 'Id of the event. It stays the same over all attempts.',
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
 * The webhooks by event.
 * @param toSchema writes the shape of a body
 */
export function webhooksSection(toSchema: (schema: TSchema) => JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(outgoingWebhooks).map(([event, { summary, body }]) => [
      event,
      {
        post: {
          operationId: operationIdOf(event),
          tags: ['Outgoing webhooks'],
          summary,
          description: 'The service sends it to each endpoint that asks for the event.',
          security: [],
          parameters: webhookHeaders(signatureHeaders),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: toSchema(body), example: exampleOf(body) } },
          },
          responses: {
            '2XX': { description: 'The receiver has the event.' },
            '4XX': { description: 'The service tries again later. 410 disables the endpoint.' },
          },
        },
      },
    ]),
  );
}

/** `draft.generated` becomes `onDraftGenerated`. */
function operationIdOf(event: string): string {
  return `on${event.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
}
