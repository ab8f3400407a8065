/**
 * What the webhook receiver promises. It takes no key, and is no operation of the route table.
 */
import { ProcessedSchema, QueuedSchema } from '../replies/webhooks.ts';

export const receiver = {
  summary: 'Receive a signed delivery of a source-code host',
  headers: [
    { name: 'X-Hub-Signature-256', example: `sha256=${'0'.repeat(64)}` },
    { name: 'X-Scm-Event', example: 'pull_request' },
    { name: 'X-Scm-Delivery', example: '9b5f4522-1775-4c3b-804b-580a7044b6d8' },
  ],
  example: { zen: 'Keep it simple.' },
  replies: { 200: ProcessedSchema, 202: QueuedSchema },
  refusals: [400, 401, 403, 413, 415, 429, 500],
} as const;
