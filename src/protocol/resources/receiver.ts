/**
 * The replies and the contract of the webhook receiver. `ingress/` makes the bodies of replies. The receiver needs no
 * API key and is not in the route table.
 */
import { Type } from '@sinclair/typebox';
import { closed, text } from './fields.ts';

export const QueuedSchema = Type.Object(
  { status: Type.Literal('queued'), delivery: text('9b5f4522-1775-4c3b-804b-580a7044b6d8') },
  closed,
);

export const ProcessedSchema = Type.Object(
  { status: Type.Literal('processed'), reason: text('the delivery was processed before') },
  closed,
);

export const receiver = {
  summary: 'Receive a signed delivery from a source-code host',
  headers: [
    {
      name: 'X-Hub-Signature-256',
      description: '`sha256=` followed by the HMAC-SHA256 of the raw body, with the webhook secret as the key.',
      example: `sha256=${'0'.repeat(64)}`,
    },
    { name: 'X-Scm-Event', description: 'Name of the event.', example: 'pull_request' },
    { name: 'X-Scm-Delivery', description: 'Id of the delivery.', example: '9b5f4522-1775-4c3b-804b-580a7044b6d8' },
  ],
  example: { zen: 'Keep it simple.' },
  replies: { 200: ProcessedSchema, 202: QueuedSchema },
  refusals: [400, 401, 403, 413, 415, 429, 500],
} as const;
