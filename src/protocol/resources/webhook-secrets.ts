/**
 * Requests, replies and contracts of the operations on webhook secrets, which verify deliveries of hosts.
 * `store/` makes the bodies of replies.
 */
import { type Static, Type } from '@sinclair/typebox';
import { maxOverlapHours } from '../limits.ts';
import type { Contracts } from './contract.ts';
import { closed, orgId, orNull, secretId, text, time } from './fields.ts';
import { listOf } from './paging.ts';

/**
 * The body of the request that creates a webhook secret. Without `org`, an instance key creates a secret of the whole
 * host, and an organization's key creates a secret of its own organization.
 */
export const CreateWebhookSecretBodySchema = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 100 })),
    host: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    org: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    secret: Type.Optional(Type.String({ writeOnly: true })),
  },
  closed,
);
export type CreateWebhookSecretBody = Static<typeof CreateWebhookSecretBodySchema>;

export const RotateWebhookSecretBodySchema = Type.Object(
  { overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: maxOverlapHours })) },
  closed,
);
export type RotateWebhookSecretBody = Static<typeof RotateWebhookSecretBodySchema>;

const secret = {
  id: secretId,
  name: text('hooks of acme'),
  host: text('https://github.com'),
  orgId: orNull(orgId),
  createdAt: time,
  rotatedAt: orNull(time),
  overlapEndsAt: orNull(time),
};

export const WebhookSecretSchema = Type.Object(
  {
    ...secret,
    unused: Type.Optional(
      Type.Literal(true, {
        description:
          'present if the secret belongs to a stored app that is not used. The secret verifies no deliveries then',
      }),
    ),
  },
  closed,
);

export const NewWebhookSecretSchema = Type.Object(
  { ...secret, secret: Type.Optional(text('3f1c0a…', 'the generated value, shown in this reply only')) },
  closed,
);

export const RevokedSchema = Type.Object({ id: secretId, revokedAt: time }, closed);

export const webhookSecretContracts = {
  listWebhookSecrets: {
    tag: 'Organizations',
    summary: 'List webhook secrets, without their values',
    replies: { 200: listOf('webhookSecrets', WebhookSecretSchema) },
  },
  createWebhookSecret: {
    tag: 'Organizations',
    summary: 'Create a webhook secret; a generated value is shown in this reply only',
    example: { org: 'acme', name: 'hooks of acme' },
    body: CreateWebhookSecretBodySchema,
    replies: { 201: NewWebhookSecretSchema },
    refusals: [404],
  },
  rotateWebhookSecret: {
    tag: 'Organizations',
    summary: 'Replace the value of a webhook secret',
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
