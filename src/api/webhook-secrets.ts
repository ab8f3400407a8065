/**
 * Handles the webhook secrets of hosts and organizations: list, create, rotate, revoke. A secret that the service
 * generates is shown in one reply only.
 */
import { hostsOf } from '../../config/hosts.ts';
import { ServiceError } from '../foundation/errors.ts';
import { directoryName } from '../foundation/partition-names.ts';
import type { WebhookSecretRecord } from '../protocol/commands.ts';
import { usualOverlapHours } from '../protocol/limits.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import { type Paging, PagingSchema } from '../protocol/resources/paging.ts';
import {
  type CreateWebhookSecretBody,
  CreateWebhookSecretBodySchema,
  type RotateWebhookSecretBody,
  RotateWebhookSecretBodySchema,
  webhookSecretContracts,
} from '../protocol/resources/webhook-secrets.ts';
import { unusedSecrets } from '../store/tables/host-apps.ts';
import { listWebhookSecrets, webhookSecretResponse } from '../store/tables/webhook-secrets.ts';
import { page } from './page.ts';
import type { ApiReply, ApiRoute } from './route.ts';
import { check } from './validate.ts';
import {
  createWebhookSecret,
  revokeWebhookSecret,
  rotateWebhookSecret,
  type WrittenSecret,
} from './webhook-secret-writes.ts';

const listSecrets: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/webhook-secrets',
  operation: 'listWebhookSecrets',
  contract: webhookSecretContracts.listWebhookSecrets,
  scope: 'webhooks:read',
  query: PagingSchema,
  handle: ({ query, caller, context, directory }) => {
    const all = listWebhookSecrets(directory, caller.key.orgId);
    const { items, ...rest } = page(all, query, toSortable, { sort: 'createdAt', order: 'desc' });
    const unused = unusedSecrets(directory, hostsOf(context.settings));
    const webhookSecrets = items.map((secret) => ({
      ...webhookSecretResponse(secret),
      ...(unused.has(secret.id) && { unused: true }),
    }));
    return { status: 200, body: { webhookSecrets, ...rest } };
  },
};

const createSecret: ApiRoute = {
  method: 'POST',
  path: '/api/webhook-secrets',
  operation: 'createWebhookSecret',
  contract: webhookSecretContracts.createWebhookSecret,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  checkBody: (body) => check(CreateWebhookSecretBodySchema, body, 'body'),
  once: { home: () => directoryName, reply: (value, { body }) => again(201, value, hasOwnText(body)) },
  handle: async ({ body, caller, context, once }) => {
    const {
      name = '',
      host,
      org,
      secret,
    } = check<CreateWebhookSecretBody>(CreateWebhookSecretBodySchema, body, 'body');
    const wanted = { name: name.toWellFormed(), host, org, secret, only: caller.key.orgId };
    return reply(201, await createWebhookSecret(context, wanted, once));
  },
};

const rotateSecret: ApiRoute = {
  method: 'POST',
  path: '/api/webhook-secrets/:secretId/rotate',
  operation: 'rotateWebhookSecret',
  contract: webhookSecretContracts.rotateWebhookSecret,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  checkBody: (body) => check(RotateWebhookSecretBodySchema, body, 'body'),
  once: { home: () => directoryName, reply: (value) => again(200, value, false) },
  handle: async ({ body, caller, context, once, params: [secretId = ''] }) => {
    const { overlapHours } = check<RotateWebhookSecretBody>(RotateWebhookSecretBodySchema, body, 'body');
    const hours = overlapHours ?? usualOverlapHours;
    return reply(200, await rotateWebhookSecret(context, secretId, hours, caller.key.orgId, once));
  },
};

const revokeSecret: ApiRoute = {
  method: 'DELETE',
  path: '/api/webhook-secrets/:secretId',
  operation: 'revokeWebhookSecret',
  contract: webhookSecretContracts.revokeWebhookSecret,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  handle: async ({ caller, context, params: [secretId = ''] }) => ({
    status: 200,
    body: await revokeWebhookSecret(context, secretId, caller.key.orgId),
  }),
};

/** Makes the reply that shows a secret. Caches must not store this reply. */
function reply(status: number, { value, secret, replayed }: WrittenSecret): ApiReply {
  if (replayed) return again(status, value, secret === undefined);
  const body = secret === undefined ? value : { ...value, secret };
  return { status, body, headers: ['Cache-Control', 'no-store'] };
}

/**
 * Replies to a repeated request. If the first reply showed a generated secret, the request is refused, because the
 * service cannot show the secret again. Any other first reply is sent again.
 */
function again(status: number, value: unknown, ownText: boolean): ApiReply {
  if (ownText) return { status, body: value as object, headers: ['Cache-Control', 'no-store'] };
  const { id } = value as { id: string };
  const message = `The reply to an earlier request with this Idempotency-Key showed the secret of ${id}. If you lost the secret, rotate it.`;
  throw new ServiceError('conflict', message);
}

function hasOwnText(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'secret' in body;
}

function toSortable({ id, name, createdAt, rotatedAt }: WebhookSecretRecord) {
  return { id, name, createdAt, updatedAt: rotatedAt ?? createdAt };
}

export const webhookSecretRoutes = [listSecrets, createSecret, rotateSecret, revokeSecret];
