/**
 * What the operations for operators promise.
 */
import { ApproveRetentionBodySchema } from '../api.ts';
import { listOf } from '../replies/fields.ts';
import { ApprovedSchema, DeliverySchema, deliveriesBesides, RetentionSchema } from '../replies/operations.ts';
import type { Contracts } from './contract.ts';

export const operatorContracts = {
  listDeliveries: {
    tag: 'Operations',
    summary: 'List the webhook deliveries that were refused',
    replies: { 200: listOf('deliveries', DeliverySchema, deliveriesBesides) },
  },
  showRetention: {
    tag: 'Operations',
    summary: 'Show what retention would erase now, and what waits for a word',
    replies: { 200: RetentionSchema },
  },
  approveRetention: {
    tag: 'Operations',
    summary: 'Let erasing go on that waits for a word',
    example: {},
    body: ApproveRetentionBodySchema,
    replies: { 200: ApprovedSchema },
    refusals: [404, 409],
  },
} satisfies Contracts;
