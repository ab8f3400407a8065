/**
 * Calls operations of the API inside a command, without HTTP. The call has the rights of an instance key, unless the
 * command names an organization.
 */
import { type ApiContext, readPartition } from '../api/context.ts';
import { Quotas } from '../api/quotas.ts';
import type { ApiRequest, ApiRoute } from '../api/route.ts';
import { directoryName } from '../foundation/partition-names.ts';

/** The parameters of a call. */
export interface Call {
  /** Organization of the key that makes the call. Without this field, or with null, an instance key makes the call. */
  orgId?: string | null;
  query?: Record<string, string | number>;
  params?: readonly string[];
  body?: object;
}

/**
 * Calls an operation and returns the body of its reply. A list has all its items on one page.
 * @param routes the routes that contain the operation. A command imports only these, because loading all routes takes
 *   longer than the call.
 * @param operation name of an API operation, such as `listKeys`
 * @throws ServiceError the failure that a client would get
 */
export async function call<T extends object>(
  context: ApiContext,
  routes: readonly ApiRoute<never>[],
  operation: string,
  wanted: Call = {},
): Promise<T> {
  const { orgId = null, query = {}, params = [], body: sent } = wanted;
  const route = routes.find((each) => each.operation === operation) as ApiRoute<never>;
  const directory = readPartition(context, directoryName);
  const caller = { key: { orgId, scopes: ['*'] }, expiresAt: null, isTest: false, maySee: () => true };
  const paging = 'limit' in route.query.properties ? { limit: Number.MAX_SAFE_INTEGER } : {};
  const request = { context, directory, caller, params, query: { ...paging, ...query }, body: sent, test: false };
  const { body } = await route.handle({ ...request, quotas: new Quotas() } as unknown as ApiRequest<never>);
  return Buffer.isBuffer(body) ? JSON.parse(body.toString()) : (body as T);
}

/**
 * Returns the items of a list that cursors continue.
 * @param routes the routes that contain the operation
 * @param list name of the field that contains the items
 * @param limit maximum number of items
 */
export async function callAll<T>(
  context: ApiContext,
  routes: readonly ApiRoute<never>[],
  operation: string,
  list: string,
  { query, ...wanted }: Call,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<T[]> {
  const found: T[] = [];
  for (let at: { cursor?: string } | undefined = {}; at !== undefined && found.length < limit; ) {
    const page: Record<string, unknown> = await call(context, routes, operation, {
      ...wanted,
      query: { ...query, ...at, limit: limit - found.length },
    });
    found.push(...(page[list] as T[]));
    at = typeof page.nextCursor === 'string' ? { cursor: page.nextCursor } : undefined;
  }
  return found;
}
