/**
 * Webhook secrets of hosts and organisations: list, make, rotate, revoke. A text made here is in the one reply that tells of
 * it, and nowhere else.
 */
import { ServiceError } from '../foundation/errors.ts';
import { directoryName } from '../journal/subjects.ts';
import {
  type CreateWebhookSecretBody,
  CreateWebhookSecretBodySchema,
  NoQuerySchema,
  type Paging,
  PagingSchema,
  type RotateWebhookSecretBody,
  RotateWebhookSecretBodySchema,
} from '../protocol/api.ts';
import type { WebhookSecretRecord } from '../protocol/commands.ts';
import { organisationContracts } from '../protocol/contracts/organisations.ts';
import { listWebhookSecrets, webhookSecretResponse } from '../store/tables/webhook-secrets.ts';
import type { ApiReply, ApiRoute } from './handle.ts';
import { page } from './page.ts';
import { check } from './validate.ts';
import {
  createWebhookSecret,
  revokeWebhookSecret,
  rotateWebhookSecret,
  type WrittenSecret,
} from './webhook-secret-writes.ts';

/** Hours that an old text verifies after a rotation when nothing else is asked for. */
export const usualOverlapHours = 24;

const listSecrets: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/webhook-secrets',
  operation: 'listWebhookSecrets',
  contract: organisationContracts.listWebhookSecrets,
  scope: 'webhooks:read',
  query: PagingSchema,
  handle: ({ query, caller, directory }) => {
    const all = listWebhookSecrets(directory, caller.key.orgId);
    const { items, ...rest } = page(all, query, toSortable, { sort: 'createdAt', order: 'desc' });
    return { status: 200, body: { webhookSecrets: items.map(webhookSecretResponse), ...rest } };
  },
};

const createSecret: ApiRoute = {
  method: 'POST',
  path: '/api/webhook-secrets',
  operation: 'createWebhookSecret',
  contract: organisationContracts.createWebhookSecret,
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
  contract: organisationContracts.rotateWebhookSecret,
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
  contract: organisationContracts.revokeWebhookSecret,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  handle: async ({ caller, context, params: [secretId = ''] }) => ({
    status: 200,
    body: await revokeWebhookSecret(context, secretId, caller.key.orgId),
  }),
};

/** No cache on the way may keep a secret. */
function reply(status: number, { value, secret, replayed }: WrittenSecret): ApiReply {
  if (replayed) return again(status, value, secret === undefined);
  const body = secret === undefined ? value : { ...value, secret };
  return { status, body, headers: ['Cache-Control', 'no-store'] };
}

/** A repeated request is answered as the first one was, but for a text that was shown then and that nobody has any more. */
function again(status: number, value: unknown, ownText: boolean): ApiReply {
  if (ownText) return { status, body: value as object, headers: ['Cache-Control', 'no-store'] };
  const { id } = value as { id: string };
  const message = `An earlier request with this Idempotency-Key wrote ${id}, and its text was shown then. Rotate it if it is lost.`;
  throw new ServiceError('conflict', message);
}

function hasOwnText(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'secret' in body;
}

function toSortable({ id, name, createdAt, rotatedAt }: WebhookSecretRecord) {
  return { id, name, createdAt, updatedAt: rotatedAt ?? createdAt };
}

export const webhookSecretRoutes = [listSecrets, createSecret, rotateSecret, revokeSecret];
