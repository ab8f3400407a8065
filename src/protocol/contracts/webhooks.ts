/**
 * What the operations on outgoing webhooks promise: endpoints and deliveries.
 */
import {
  CreateWebhookEndpointBodySchema,
  EmptyBodySchema,
  ReplayWebhooksBodySchema,
  RotateWebhookSecretBodySchema,
  UpdateWebhookEndpointBodySchema,
} from '../api.ts';
import { listOf } from '../replies/fields.ts';
import {
  DeletedWebhookEndpointSchema,
  NewWebhookEndpointSchema,
  ReplayedSchema,
  WebhookDeliverySchema,
  WebhookEndpointSchema,
} from '../replies/webhooks.ts';
import type { Contracts } from './contract.ts';

export const webhookContracts = {
  listWebhookEndpoints: {
    tag: 'Outgoing webhooks',
    summary: 'List webhook endpoints, without their secrets',
    replies: { 200: listOf('webhookEndpoints', WebhookEndpointSchema) },
  },
  createWebhookEndpoint: {
    tag: 'Outgoing webhooks',
    summary: 'Make a webhook endpoint; its secret is shown in this reply alone',
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
    summary: 'Change a webhook endpoint, switch it off or on',
    example: { enabled: true },
    body: UpdateWebhookEndpointBodySchema,
    replies: { 200: WebhookEndpointSchema },
    conditional: true,
  },
  rotateWebhookEndpointSecret: {
    tag: 'Outgoing webhooks',
    summary: 'Make a new secret for a webhook endpoint; both sign during the overlap',
    example: { overlapHours: 24 },
    body: RotateWebhookSecretBodySchema,
    replies: { 200: NewWebhookEndpointSchema },
  },
  deleteWebhookEndpoint: {
    tag: 'Outgoing webhooks',
    summary: 'Delete a webhook endpoint and what was sent to it',
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
  listWebhookDeliveries: {
    tag: 'Outgoing webhooks',
    summary: 'List what was sent to a webhook endpoint, with every attempt',
    replies: { 200: listOf('deliveries', WebhookDeliverySchema) },
  },
  getWebhookDelivery: {
    tag: 'Outgoing webhooks',
    summary: 'Get one delivery to a webhook endpoint',
    replies: { 200: WebhookDeliverySchema },
  },
  resendWebhookDelivery: {
    tag: 'Outgoing webhooks',
    summary: 'Send a delivery again, or now',
    example: {},
    body: EmptyBodySchema,
    replies: { 200: WebhookDeliverySchema },
    refusals: [409],
  },
  replayWebhookDeliveries: {
    tag: 'Outgoing webhooks',
    summary: 'Send again what was made in a range of time',
    example: { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z', status: 'failed' },
    body: ReplayWebhooksBodySchema,
    replies: { 200: ReplayedSchema },
    refusals: [409],
  },
} satisfies Contracts;
