/**
 * Handles API keys: list, get, create, rotate, revoke (spec part 5). An organization's key sees only the keys of that
 * organization. A key cannot create a key with more scopes or with a later expiry than its own. It cannot revoke a key
 * that has more scopes.
 */
import { invalid, notFound, ServiceError } from '../foundation/errors.ts';
import { slotOfId } from '../foundation/ids.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { scopes as allScopes, type KeyRecord } from '../protocol/commands.ts';
import { usualOverlapHours } from '../protocol/limits.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import {
  type CreateKeyBody,
  CreateKeyBodySchema,
  keyContracts,
  type RotateKeyBody,
  RotateKeyBodySchema,
} from '../protocol/resources/keys.ts';
import { type Paging, PagingSchema } from '../protocol/resources/paging.ts';
import { listKeys, organizationByLogin, readKey, readOrganization } from '../store/tables/directory.ts';
import { rotatedFault } from '../store/tables/key-ends.ts';
import { keyReply } from '../store/tables/keys.ts';
import type { Caller } from './authenticate.ts';
import { createKey, revokeKey, rotateKey, type WrittenKey } from './key-writes.ts';
import { page } from './page.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './route.ts';
import { check } from './validate.ts';
import { knownHost } from './webhook-secret-writes.ts';

const hourMs = 3_600_000;

const list: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/keys',
  operation: 'listKeys',
  contract: keyContracts.listKeys,
  scope: 'keys:read',
  query: PagingSchema,
  handle: ({ query, caller, directory }) => {
    const all = listKeys(directory).filter((key) => isVisible(caller, key));
    const { items, ...rest } = page(all, query, toSortable, { sort: 'createdAt', order: 'desc' });
    const now = Date.now();
    return { status: 200, body: { keys: items.map((key) => keyReply(directory, key, now)), ...rest } };
  },
};

const get: ApiRoute = {
  method: 'GET',
  path: '/api/keys/:keyId',
  operation: 'getKey',
  contract: keyContracts.getKey,
  scope: 'keys:read',
  query: NoQuerySchema,
  handle: (request) => ({
    status: 200,
    body: keyReply(request.directory, visibleKey(request), Date.now()),
  }),
};

const create: ApiRoute = {
  method: 'POST',
  path: '/api/keys',
  operation: 'createKey',
  contract: keyContracts.createKey,
  scope: 'keys:write',
  query: NoQuerySchema,
  checkBody,
  once: { home: () => directoryName, reply: shownBefore },
  handle: async (request) => {
    const { caller, context, directory, once } = request;
    const body = checkBody(request.body);
    const org = organizationFor(request, body);
    const scopes = body.scopes ?? (caller.key.scopes.includes('*') ? [...allScopes] : caller.key.scopes);
    assertHeld(caller, scopes);
    assertCurrent(caller);
    const expiresAt = expiryOf(body.expiresAt, caller.expiresAt);
    const origin = readOrganization(directory, org ?? '')?.origin ?? knownHost(context.settings, body.host);
    const wanted = {
      name: body.name.toWellFormed(),
      scopes,
      mode: body.mode ?? 'live',
      expiresAt,
      org,
      origin,
    } as const;
    return shownOnce(await createKey(context, { ...wanted, createdBy: caller.key.id }, once));
  },
};

const rotate: ApiRoute = {
  method: 'POST',
  path: '/api/keys/:keyId/rotate',
  operation: 'rotateKey',
  contract: keyContracts.rotateKey,
  scope: 'keys:write',
  query: NoQuerySchema,
  checkBody: checkRotation,
  once: { home: () => directoryName, reply: shownBefore },
  handle: async (request) => {
    const { caller, context, once } = request;
    const key = visibleKey(request);
    const { overlapHours = usualOverlapHours } = checkRotation(request.body);
    assertHeld(caller, key.scopes);
    if (caller.key.id !== key.id) assertCurrent(caller);
    return shownOnce(
      await rotateKey(context, key, { overlapMs: overlapHours * hourMs, createdBy: caller.key.id }, once),
    );
  },
};

const revoke: ApiRoute = {
  method: 'DELETE',
  path: '/api/keys/:keyId',
  operation: 'revokeKey',
  contract: keyContracts.revokeKey,
  scope: 'keys:write',
  query: NoQuerySchema,
  handle: async (request) => {
    const { id, scopes } = visibleKey(request);
    assertHeld(request.caller, scopes.includes('*') ? allScopes : scopes);
    return { status: 200, body: await revokeKey(request.context, id) };
  },
};

function checkBody(body: unknown): CreateKeyBody {
  return check<CreateKeyBody>(CreateKeyBodySchema, body, 'body');
}

function checkRotation(body: unknown): RotateKeyBody {
  return check<RotateKeyBody>(RotateKeyBodySchema, body, 'body');
}

function isVisible({ key: { orgId } }: Caller, key: KeyRecord): boolean {
  return orgId === null || key.orgId === orgId;
}

function visibleKey({ caller, directory, params: [keyId = ''] }: ApiRequest): KeyRecord {
  const key = slotOfId(keyId, 'key') === undefined ? undefined : readKey(directory, keyId);
  if (!key || !isVisible(caller, key)) throw notFound('API key', keyId);
  return key;
}

/**
 * Returns the login or id of the organization that the new key belongs to; null for an instance key.
 * @throws ServiceError `forbidden` when an organization's key would create an instance key
 * @throws ServiceError `notFound` when an organization's key would create a key of another organization
 * @throws ServiceError `invalid` when the body is ambiguous or names no valid organization
 */
function organizationFor({ caller, directory, context }: ApiRequest, { org, instance }: CreateKeyBody): string | null {
  const { orgId } = caller.key;
  if (orgId === null) {
    if ((org === undefined) === (instance !== true)) {
      throw invalid({ org: 'expected either org (the login or id of an organization) or instance: true' });
    }
    if (org !== undefined && !/^[^\s/]+$/.test(org)) {
      throw invalid({ org: `expected a login or an id, got ${JSON.stringify(org)}` });
    }
    return org ?? null;
  }
  if (instance) throw new ServiceError('forbidden', 'Only an instance key can create instance keys.');
  const own = readOrganization(directory, orgId);
  const named = organizationByLogin(directory, own?.origin ?? context.settings.hostOrigin, org ?? '')?.id;
  if (org !== undefined && org !== orgId && named !== orgId) throw notFound('Organization', org);
  return orgId;
}

/**
 * Returns the time at which a new key expires. If the request names no time, the new key expires together with the
 * caller's key. Refuses a time after the expiry of the caller's key.
 */
function expiryOf(asked: string | undefined, makerEnds: number | null): number | null {
  if (asked === undefined) return makerEnds;
  const expiresAt = Date.parse(asked);
  if (expiresAt <= Date.now()) throw invalid({ expiresAt: `expected a time in the future, got "${asked}"` });
  if (makerEnds !== null && expiresAt > makerEnds) {
    const latest = new Date(makerEnds).toISOString();
    throw invalid({ expiresAt: `expected a time no later than ${latest}, when your own key expires, got "${asked}"` });
  }
  return expiresAt;
}

/**
 * Refuses a caller whose key was rotated and is in its overlap period. Without this check, the caller could create a
 * further key that stays valid after the overlap period.
 */
function assertCurrent({ key: { rotatedTo } }: Caller): void {
  if (rotatedTo !== undefined) throw new ServiceError('forbidden', rotatedFault(rotatedTo));
}

/** Refuses scopes that the caller does not have. The caller may not create or revoke a key with such scopes. */
function assertHeld({ key }: Caller, wanted: readonly string[]): void {
  if (key.scopes.includes('*')) return;
  const missing = wanted.filter((scope) => !key.scopes.includes(scope));
  if (missing.length === 0) return;
  const held = key.scopes.join(', ') || 'none';
  throw new ServiceError('forbidden', `The API key lacks the scope ${missing.join(', ')}; it has ${held}.`);
}

/** Makes the reply that shows a new key. Caches must not store this reply. */
function shownOnce({ value, key, replayed }: WrittenKey): ApiReply {
  if (replayed) return shownBefore(value);
  const headers = ['Location', `/api/keys/${value.id}`, 'Cache-Control', 'no-store'];
  return { status: 201, body: { ...value, key }, headers };
}

/**
 * Refuses a repeated request. The reply to the first request contained the key. The service stores only the hash of a
 * key, so it cannot send this reply again.
 */
function shownBefore(value: unknown): never {
  const { id } = value as { id: string };
  const message = `An earlier request with this Idempotency-Key created ${id} and showed the key. If you lost the key, revoke it and create another.`;
  throw new ServiceError('conflict', message);
}

function toSortable({ id, name, createdAt, revokedAt }: KeyRecord) {
  return { id, name, createdAt, updatedAt: revokedAt ?? createdAt };
}

export const keyRoutes = [list, get, create, rotate, revoke];
