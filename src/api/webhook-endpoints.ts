/**
 * Handles the endpoints of outgoing webhooks: list, get, create, update, rotate, delete, test. A secret is shown in one
 * reply only. `webhook-deliveries.ts` handles the deliveries to endpoints.
 */
import { invalid, notFound, ServiceError } from '../foundation/errors.ts';
import { toEtag } from '../foundation/etag.ts';
import { newId, slotOfId } from '../foundation/ids.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { usualOverlapHours } from '../protocol/limits.ts';
import { EmptyBodySchema, NoQuerySchema } from '../protocol/resources/fields.ts';
import { type Paging, PagingSchema } from '../protocol/resources/paging.ts';
import {
  type CreateWebhookEndpointBody,
  CreateWebhookEndpointBodySchema,
  type UpdateWebhookEndpointBody,
  UpdateWebhookEndpointBodySchema,
  webhookEndpointContracts,
} from '../protocol/resources/webhook-endpoints.ts';
import { type RotateWebhookSecretBody, RotateWebhookSecretBodySchema } from '../protocol/resources/webhook-secrets.ts';
import type { WebhookEndpointRecord } from '../protocol/webhooks.ts';
import { ambiguousLogin, organizationByLogin, readOrganization, sameLogin } from '../store/tables/directory.ts';
import {
  listWebhookEndpoints,
  readWebhookEndpoint,
  webhookEndpointDigest,
  webhookEndpointResponse,
} from '../store/tables/webhook-endpoints.ts';
import { changedReply, readIfMatch } from './conditional.ts';
import { runCommand } from './context.ts';
import { page } from './page.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './route.ts';
import { check } from './validate.ts';
import {
  assertRepositories,
  assertTarget,
  changedAddress,
  createWebhookEndpoint,
  rotateWebhookEndpoint,
  type WrittenEndpoint,
} from './webhook-endpoint-writes.ts';

const hourMs = 3_600_000;

const list: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/webhook-endpoints',
  operation: 'listWebhookEndpoints',
  contract: webhookEndpointContracts.listWebhookEndpoints,
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
  contract: webhookEndpointContracts.getWebhookEndpoint,
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
  contract: webhookEndpointContracts.createWebhookEndpoint,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  checkBody: checkCreation,
  once: { home: () => directoryName, reply: shownBefore },
  handle: async (request) => {
    const { context, directory, once } = request;
    const { url, events, description, org, ...filters } = checkCreation(request.body);
    const orgId = organizationFor(request, org);
    assertRepositories(directory, orgId, filters);
    const wanted = { orgId, url: assertTarget(context, url), events, description, ...filters };
    const made = await createWebhookEndpoint(context, wanted, once);
    return shownOnce(201, made, ['Location', `/api/webhook-endpoints/${made.value.id}`]);
  },
};

const update: ApiRoute = {
  method: 'PATCH',
  path: '/api/webhook-endpoints/:endpointId',
  operation: 'updateWebhookEndpoint',
  contract: webhookEndpointContracts.updateWebhookEndpoint,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  checkBody: checkUpdate,
  handle: async (request) => {
    const endpoint = visibleEndpoint(request);
    const ifMatch = readIfMatch(request.headers['if-match']);
    const { url, description, ...rest } = checkUpdate(request.body);
    assertRepositories(request.directory, endpoint.orgId, rest, endpoint.repositories);
    const command = {
      name: 'updateWebhookEndpoint',
      endpointId: endpoint.id,
      ...rest,
      ...changedAddress(request.context, endpoint, url),
      ...(description !== undefined && { description: description.toWellFormed() }),
      ...(ifMatch && { ifMatch }),
    } as const;
    return changedReply(await runCommand<object>(request.context, directoryName, command));
  },
};

const rotate: ApiRoute = {
  method: 'POST',
  path: '/api/webhook-endpoints/:endpointId/rotate',
  operation: 'rotateWebhookEndpointSecret',
  contract: webhookEndpointContracts.rotateWebhookEndpointSecret,
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
  contract: webhookEndpointContracts.deleteWebhookEndpoint,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  handle: async (request) => {
    const command = { name: 'deleteWebhookEndpoint', endpointId: visibleEndpoint(request).id } as const;
    return { status: 200, body: await runCommand<object>(request.context, directoryName, command) };
  },
};

const test: ApiRoute = {
  method: 'POST',
  path: '/api/webhook-endpoints/:endpointId/test',
  operation: 'testWebhookEndpoint',
  contract: webhookEndpointContracts.testWebhookEndpoint,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  checkBody: checkNothing,
  once: { home: () => directoryName, reply: tested },
  handle: async (request) => {
    const { id: endpointId } = visibleEndpoint(request);
    checkNothing(request.body);
    const command = { name: 'testWebhookEndpoint', endpointId, eventId: newId('evt', 0) } as const;
    return tested(await runCommand(request.context, directoryName, command, request.once));
  },
};

/**
 * Returns the endpoint that the path of a request names.
 * @throws ServiceError `notFound` when the endpoint does not exist, or belongs to another organization
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

/** Checks that a body is an empty object. */
export function checkNothing(body: unknown): void {
  check(EmptyBodySchema, body, 'body');
}

/**
 * Returns the id of the endpoint's organization: the caller's organization or, for an instance key, the organization
 * that the request names.
 * @throws ServiceError `notFound`; `invalid` when a request with an instance key names no organization; `conflict` when
 *   several organizations have the requested login
 */
function organizationFor({ caller, directory, context }: ApiRequest, org: string | undefined): string {
  const own = caller.key.orgId;
  if (org === undefined && own === null) throw invalid({ org: 'expected the login or id of an organization' });
  if (org === undefined) return own as string;
  const bearer = own === null ? undefined : readOrganization(directory, own);
  if (bearer && sameLogin(bearer.login, org)) return bearer.id;
  const origin = bearer?.origin ?? context.settings.hostOrigin;
  const isId = slotOfId(org, 'org') !== undefined;
  const clash = own === null && !isId ? ambiguousLogin(directory, org, origin) : undefined;
  if (clash) throw clash;
  const named = isId ? readOrganization(directory, org) : organizationByLogin(directory, origin, org);
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

/** Makes the reply that shows a secret. Caches must not store this reply. */
function shownOnce(status: number, { value, secret, replayed }: WrittenEndpoint, more: string[] = []): ApiReply {
  if (replayed) return shownBefore(value);
  return { status, body: { ...value, secret }, headers: [...more, 'Cache-Control', 'no-store'] };
}

/**
 * Refuses a repeated request. The first reply cannot be sent again, because the service cannot show the secret again.
 */
function shownBefore(value: unknown): never {
  const { id } = value as { id: string };
  const message = `The reply to an earlier request with this Idempotency-Key showed the secret of ${id}. If you lost the secret, rotate it.`;
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
