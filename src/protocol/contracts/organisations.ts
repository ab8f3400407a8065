/**
 * What the operations on organisations promise: statistics, API keys, tiers and policy, webhook secrets.
 */
import {
  CreateKeyBodySchema,
  CreateWebhookSecretBodySchema,
  RotateKeyBodySchema,
  RotateWebhookSecretBodySchema,
  UpdateOrganisationBodySchema,
} from '../api.ts';
import { listOf } from '../replies/fields.ts';
import {
  KeySchema,
  NewKeySchema,
  NewWebhookSecretSchema,
  OrganizationSchema,
  RevokedKeySchema,
  RevokedSchema,
  StatsSchema,
  WebhookSecretSchema,
} from '../replies/organisations.ts';
import type { Contracts } from './contract.ts';

export const organisationContracts = {
  getStats: {
    tag: 'Statistics',
    summary: 'Get the statistics of an organization in the current month',
    replies: { 200: StatsSchema },
    refusals: [404],
  },
  listKeys: { tag: 'Keys', summary: 'List API keys', replies: { 200: listOf('keys', KeySchema) } },
  getKey: { tag: 'Keys', summary: 'Get an API key, without the key itself', replies: { 200: KeySchema } },
  createKey: {
    tag: 'Keys',
    summary: 'Make an API key; it is shown in this reply alone',
    example: { name: 'ci', org: 'acme', scopes: ['repos:read', 'drafts:read'] },
    body: CreateKeyBodySchema,
    replies: { 201: NewKeySchema },
    refusals: [404],
  },
  rotateKey: {
    tag: 'Keys',
    summary: 'Make a key that takes the place of another one',
    example: { overlapHours: 24 },
    body: RotateKeyBodySchema,
    replies: { 201: NewKeySchema },
  },
  revokeKey: {
    tag: 'Keys',
    summary: 'Revoke an API key; the keys that it made end with it',
    replies: { 200: RevokedKeySchema },
    refusals: [409],
  },
  listOrganisations: {
    tag: 'Organizations',
    summary: 'List organizations and their tiers',
    replies: { 200: listOf('organizations', OrganizationSchema) },
  },
  getOrganisation: {
    tag: 'Organizations',
    summary: 'Get an organization',
    replies: { 200: OrganizationSchema },
  },
  updateOrganisation: {
    tag: 'Organizations',
    summary: 'Give an organization a tier of limits, or say what it allows of publishing',
    example: { tier: 'unlimited' },
    body: UpdateOrganisationBodySchema,
    replies: { 200: OrganizationSchema },
    conditional: true,
  },
  listWebhookSecrets: {
    tag: 'Organizations',
    summary: 'List webhook secrets, without their texts',
    replies: { 200: listOf('webhookSecrets', WebhookSecretSchema) },
  },
  createWebhookSecret: {
    tag: 'Organizations',
    summary: 'Make a webhook secret; a text made here is shown in this reply alone',
    example: { org: 'acme', name: 'hooks of acme' },
    body: CreateWebhookSecretBodySchema,
    replies: { 201: NewWebhookSecretSchema },
    refusals: [404],
  },
  rotateWebhookSecret: {
    tag: 'Organizations',
    summary: 'Make a new text for a webhook secret',
    example: { overlapHours: 24 },
    body: RotateWebhookSecretBodySchema,
    replies: { 200: NewWebhookSecretSchema },
  },
  revokeWebhookSecret: {
    tag: 'Organizations',
    summary: 'Revoke a webhook secret',
    replies: { 200: RevokedSchema },
  },
} satisfies Contracts;
