/**
 * Endpoints of outgoing webhooks: list, get, make, change, rotate, delete, test. A secret is in the one reply that tells of
 * it, and nowhere else; what was sent is another file's matter.
 */
import { invalid, notFound, ServiceError } from '../foundation/errors.ts';
import { toEtag } from '../foundation/etag.ts';
import { newId, slotOfId } from '../foundation/ids.ts';
import { directoryName } from '../journal/subjects.ts';
import {
  type CreateWebhookEndpointBody,
  CreateWebhookEndpointBodySchema,
  EmptyBodySchema,
  NoQuerySchema,
  type Paging,
  PagingSchema,
  type RotateWebhookSecretBody,
  RotateWebhookSecretBodySchema,
  type UpdateWebhookEndpointBody,
  UpdateWebhookEndpointBodySchema,
} from '../protocol/api.ts';
import { webhookContracts } from '../protocol/contracts/webhooks.ts';
import type { WebhookEndpointRecord } from '../protocol/webhooks.ts';
import { ambiguousLogin, organisationByLogin, readOrganisation, sameLogin } from '../store/tables/directory.ts';
import {
  listWebhookEndpoints,
  readWebhookEndpoint,
  webhookEndpointDigest,
  webhookEndpointResponse,
} from '../store/tables/webhook-endpoints.ts';
import { changedReply, readIfMatch } from './conditional.ts';
import { carryOut } from './context.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './handle.ts';
import { page } from './page.ts';
import { check } from './validate.ts';
import {
  assertTarget,
  changedAddress,
  createWebhookEndpoint,
  rotateWebhookEndpoint,
  type WrittenEndpoint,
} from './webhook-endpoint-writes.ts';
import { usualOverlapHours } from './webhook-secrets.ts';

const hourMs = 3_600_000;

const list: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/webhook-endpoints',
  operation: 'listWebhookEndpoints',
  contract: webhookContracts.listWebhookEndpoints,
  scope: 'webhooks:read',
  query: PagingSchema,
  handle: ({ query, caller, directory }) => {
    const all = listWebhookEndpoints(directory, caller.key.orgId);
    const { items, ...rest } = page(all, query, toSortable, { sort: 'createdAt', order: 'desc' });
    return { status: 200, body: { webhookEndpoints: items.map(webhookEndpointResponse), ...rest } };
  },
};

const get: ApiRoute = {
  method: 'GET',
  path: '/api/webhook-endpoints/:endpointId',
  operation: 'getWebhookEndpoint',
  contract: webhookContracts.getWebhookEndpoint,
  scope: 'webhooks:read',
  query: NoQuerySchema,
  handle: (request) => {
    const endpoint = visibleEndpoint(request);
    const etag = toEtag(webhookEndpointDigest(endpoint));
    return { status: 200, body: webhookEndpointResponse(endpoint), etag };
  },
};

const create: ApiRoute = {
  method: 'POST',
  path: '/api/webhook-endpoints',
  operation: 'createWebhookEndpoint',
  contract: webhookContracts.createWebhookEndpoint,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  checkBody: checkCreation,
  once: { home: () => directoryName, reply: shownBefore },
  handle: async (request) => {
    const { context, once } = request;
    const { url, events, description, org } = checkCreation(request.body);
    const wanted = { orgId: organisationFor(request, org), url: assertTarget(context, url), events, description };
    const made = await createWebhookEndpoint(context, wanted, once);
    return shownOnce(201, made, ['Location', `/api/webhook-endpoints/${made.value.id}`]);
  },
};

const update: ApiRoute = {
  method: 'PATCH',
  path: '/api/webhook-endpoints/:endpointId',
  operation: 'updateWebhookEndpoint',
  contract: webhookContracts.updateWebhookEndpoint,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  checkBody: checkUpdate,
  handle: async (request) => {
    const endpoint = visibleEndpoint(request);
    const ifMatch = readIfMatch(request.headers['if-match']);
    const { url, description, ...rest } = checkUpdate(request.body);
    const command = {
      name: 'updateWebhookEndpoint',
      endpointId: endpoint.id,
      ...rest,
      ...changedAddress(request.context, endpoint, url),
      ...(description !== undefined && { description: description.toWellFormed() }),
      ...(ifMatch && { ifMatch }),
    } as const;
    return changedReply(await carryOut<object>(request.context, directoryName, command));
  },
};

const rotate: ApiRoute = {
  method: 'POST',
  path: '/api/webhook-endpoints/:endpointId/rotate',
  operation: 'rotateWebhookEndpointSecret',
  contract: webhookContracts.rotateWebhookEndpointSecret,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  checkBody: checkRotation,
  once: { home: () => directoryName, reply: shownBefore },
  handle: async (request) => {
    const endpoint = visibleEndpoint(request);
    const { overlapHours = usualOverlapHours } = checkRotation(request.body);
    const overlapMs = overlapHours * hourMs;
    return shownOnce(200, await rotateWebhookEndpoint(request.context, endpoint, overlapMs, request.once));
  },
};

const remove: ApiRoute = {
  method: 'DELETE',
  path: '/api/webhook-endpoints/:endpointId',
  operation: 'deleteWebhookEndpoint',
  contract: webhookContracts.deleteWebhookEndpoint,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  handle: async (request) => {
    const command = { name: 'deleteWebhookEndpoint', endpointId: visibleEndpoint(request).id } as const;
    return { status: 200, body: await carryOut<object>(request.context, directoryName, command) };
  },
};

const test: ApiRoute = {
  method: 'POST',
  path: '/api/webhook-endpoints/:endpointId/test',
  operation: 'testWebhookEndpoint',
  contract: webhookContracts.testWebhookEndpoint,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  checkBody: checkNothing,
  once: { home: () => directoryName, reply: tested },
  handle: async (request) => {
    const { id: endpointId } = visibleEndpoint(request);
    checkNothing(request.body);
    const command = { name: 'testWebhookEndpoint', endpointId, eventId: newId('evt', 0) } as const;
    return tested(await carryOut(request.context, directoryName, command, request.once));
  },
};

/**
 * The endpoint that a path names.
 * @throws ServiceError `notFound` when there is none, or it is another organisation's
 */
export function visibleEndpoint({
  caller,
  directory,
  params: [endpointId = ''],
}: Pick<ApiRequest, 'caller' | 'directory' | 'params'>): WebhookEndpointRecord {
  const endpoint = slotOfId(endpointId, 'ep') === undefined ? undefined : readWebhookEndpoint(directory, endpointId);
  const { orgId } = caller.key;
  if (!endpoint || (orgId !== null && endpoint.orgId !== orgId)) throw notFound('Webhook endpoint', endpointId);
  return endpoint;
}

/** Checks a body that holds nothing. */
export function checkNothing(body: unknown): void {
  check(EmptyBodySchema, body, 'body');
}

/** Whose endpoint is wanted: the caller's organisation, or the one that a key of the instance names. */
function organisationFor({ caller, directory, context }: ApiRequest, org: string | undefined): string {
  const own = caller.key.orgId;
  if (org === undefined && own === null) throw invalid({ org: 'expected the login or id of an organization' });
  if (org === undefined) return own as string;
  const bearer = own === null ? undefined : readOrganisation(directory, own);
  if (bearer && sameLogin(bearer.login, org)) return bearer.id;
  const origin = bearer?.origin ?? context.settings.hostOrigin;
  const isId = slotOfId(org, 'org') !== undefined;
  const clash = own === null && !isId ? ambiguousLogin(directory, org, origin) : undefined;
  if (clash) throw clash;
  const named = isId ? readOrganisation(directory, org) : organisationByLogin(directory, origin, org);
  if (!named || (own !== null && named.id !== own)) throw notFound('Organization', org);
  return named.id;
}

function checkCreation(body: unknown): CreateWebhookEndpointBody {
  return check<CreateWebhookEndpointBody>(CreateWebhookEndpointBodySchema, body, 'body');
}

function checkUpdate(body: unknown): UpdateWebhookEndpointBody {
  return check<UpdateWebhookEndpointBody>(UpdateWebhookEndpointBodySchema, body, 'body');
}

function checkRotation(body: unknown): RotateWebhookSecretBody {
  return check<RotateWebhookSecretBody>(RotateWebhookSecretBodySchema, body, 'body');
}

/** No cache on the way may keep a secret. */
function shownOnce(status: number, { value, secret, replayed }: WrittenEndpoint, more: string[] = []): ApiReply {
  if (replayed) return shownBefore(value);
  return { status, body: { ...value, secret }, headers: [...more, 'Cache-Control', 'no-store'] };
}

/** A repeated request cannot be answered as the first one was: nobody has the secret any more. */
function shownBefore(value: unknown): never {
  const { id } = value as { id: string };
  const message = `An earlier request with this Idempotency-Key wrote ${id}, and its secret was shown then. Rotate it if it is lost.`;
  throw new ServiceError('conflict', message);
}

function tested(value: unknown): ApiReply {
  const { id, endpointId } = value as { id: string; endpointId: string };
  const location = `/api/webhook-endpoints/${endpointId}/deliveries/${id}`;
  return { status: 201, body: value as object, headers: ['Location', location] };
}

function toSortable({ id, description, createdAt, updatedAt }: WebhookEndpointRecord) {
  return { id, name: description, createdAt, updatedAt };
}

export const webhookEndpointRoutes = [list, get, create, update, rotate, remove, test];
