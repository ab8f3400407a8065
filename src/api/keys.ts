/**
 * API keys: list, get, make, rotate, revoke (spec part 5). A key of an organisation sees the keys of its organisation alone,
 * makes none that may do what it may not or that outlives it, and ends none that may do more.
 */
import { invalid, notFound, ServiceError } from '../foundation/errors.ts';
import { slotOfId } from '../foundation/ids.ts';
import { directoryName } from '../journal/subjects.ts';
import {
  type CreateKeyBody,
  CreateKeyBodySchema,
  NoQuerySchema,
  type Paging,
  PagingSchema,
  type RotateKeyBody,
  RotateKeyBodySchema,
} from '../protocol/api.ts';
import { scopes as allScopes, type KeyRecord } from '../protocol/commands.ts';
import { organisationContracts } from '../protocol/contracts/organisations.ts';
import { listKeys, organisationByLogin, readKey, readOrganisation } from '../store/tables/directory.ts';
import { rotatedFault } from '../store/tables/key-ends.ts';
import { keyReply } from '../store/tables/keys.ts';
import type { Caller } from './authenticate.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './handle.ts';
import { createKey, revokeKey, rotateKey, type WrittenKey } from './key-writes.ts';
import { page } from './page.ts';
import { check } from './validate.ts';
import { knownHost } from './webhook-secret-writes.ts';
import { usualOverlapHours } from './webhook-secrets.ts';

const hourMs = 3_600_000;

const list: ApiRoute<Paging> = {
  method: 'GET',
  path: '/api/keys',
  operation: 'listKeys',
  contract: organisationContracts.listKeys,
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
  contract: organisationContracts.getKey,
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
  contract: organisationContracts.createKey,
  scope: 'keys:write',
  query: NoQuerySchema,
  checkBody,
  once: { home: () => directoryName, reply: shownBefore },
  handle: async (request) => {
    const { caller, context, directory, once } = request;
    const body = checkBody(request.body);
    const org = organisationFor(request, body);
    const scopes = body.scopes ?? (caller.key.scopes.includes('*') ? [...allScopes] : caller.key.scopes);
    assertHeld(caller, scopes);
    assertCurrent(caller);
    const expiresAt = expiryOf(body.expiresAt, caller.expiresAt);
    const origin = readOrganisation(directory, org ?? '')?.origin ?? knownHost(context.settings, body.host);
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
  contract: organisationContracts.rotateKey,
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
  contract: organisationContracts.revokeKey,
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

/** Whose key is wanted: a login or id, null for the instance. What is not the caller's own is not found. */
function organisationFor({ caller, directory, context }: ApiRequest, { org, instance }: CreateKeyBody): string | null {
  const { orgId } = caller.key;
  if (orgId === null) {
    if ((org === undefined) === (instance !== true)) {
      throw invalid({ org: 'expected either the login or id of an organization, or instance: true' });
    }
    if (org !== undefined && !/^[^\s/]+$/.test(org)) {
      throw invalid({ org: `expected a login or an id, got ${JSON.stringify(org)}` });
    }
    return org ?? null;
  }
  if (instance) throw new ServiceError('forbidden', 'Only a key of the instance makes keys of the instance.');
  const own = readOrganisation(directory, orgId);
  const named = organisationByLogin(directory, own?.origin ?? context.settings.hostOrigin, org ?? '')?.id;
  if (org !== undefined && org !== orgId && named !== orgId) throw notFound('Organization', org);
  return orgId;
}

/** When a new key ends: no later than the key that makes it. */
function expiryOf(asked: string | undefined, makerEnds: number | null): number | null {
  if (asked === undefined) return makerEnds;
  const expiresAt = Date.parse(asked);
  if (expiresAt <= Date.now()) throw invalid({ expiresAt: `expected a time to come, got "${asked}"` });
  if (makerEnds !== null && expiresAt > makerEnds) {
    const latest = new Date(makerEnds).toISOString();
    throw invalid({ expiresAt: `expected a time up to ${latest}, when the asking key expires, got "${asked}"` });
  }
  return expiresAt;
}

/** A key that goes on for an overlap alone makes nothing that its successor would keep alive. */
function assertCurrent({ key: { rotatedTo } }: Caller): void {
  if (rotatedTo !== undefined) throw new ServiceError('forbidden', rotatedFault(rotatedTo));
}

/** A key must not be a way to scopes that the caller does not have, nor end a key that has them. */
function assertHeld({ key }: Caller, wanted: readonly string[]): void {
  if (key.scopes.includes('*')) return;
  const missing = wanted.filter((scope) => !key.scopes.includes(scope));
  if (missing.length === 0) return;
  const held = key.scopes.join(', ') || 'none';
  throw new ServiceError('forbidden', `The API key lacks the scope ${missing.join(', ')}; it has ${held}.`);
}

/** No cache on the way may keep a key. */
function shownOnce({ value, key, replayed }: WrittenKey): ApiReply {
  if (replayed) return shownBefore(value);
  const headers = ['Location', `/api/keys/${value.id}`, 'Cache-Control', 'no-store'];
  return { status: 201, body: { ...value, key }, headers };
}

/** A repeated request cannot be answered as the first one was: nobody has the key any more. */
function shownBefore(value: unknown): never {
  const { id } = value as { id: string };
  const message = `An earlier request with this Idempotency-Key made ${id}, and its key was shown then. Revoke it and make another if it is lost.`;
  throw new ServiceError('conflict', message);
}

function toSortable({ id, name, createdAt, revokedAt }: KeyRecord) {
  return { id, name, createdAt, updatedAt: revokedAt ?? createdAt };
}

export const keyRoutes = [list, get, create, rotate, revoke];
