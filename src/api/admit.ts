/**
 * What every API request passes before its handler: authentication, test mode, the limits, its query. What is refused by the
 * first of these spends nobody's quota.
 */
import { invalid } from '../foundation/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Caller } from './authenticate.ts';
import type { ApiContext } from './context.ts';
import type { ApiRequest, ApiRoute, ApiServices } from './handle.ts';
import { checkQuery } from './validate.ts';

const testEcho: readonly string[] = ['X-Test-Mode', 'true'];

/**
 * The request of an exchange; from here on its reply carries the limit's headers.
 * @throws ServiceError `unauthorized`, `forbidden`, `rateLimited`, `invalid`
 */
export function admit(route: ApiRoute<never>, exchange: Exchange, services: ApiServices): ApiRequest<never> {
  const { authenticator, context, usage, quotas } = services;
  const { headers, params } = exchange;
  const now = Date.now();
  const { caller, directory } = authenticator.admit(headers.authorization, route.scope, now);
  const mode = headers['x-test-mode'];
  const test = caller.isTest || mode === 'true';
  takeFromLimit(exchange, services, caller, test, now);
  if (mode !== undefined && mode !== 'true' && mode !== 'false') {
    throw invalid({ 'X-Test-Mode': `expected true or false, got ${JSON.stringify(mode.slice(0, 80))}` });
  }
  if (headers['if-match'] !== undefined && exchange.method !== 'GET' && !route.contract.conditional) {
    throw invalid({ 'If-Match': 'expected none: this operation cannot be made conditional' }, 'A header is invalid.');
  }
  const query = checkQuery<never>(route.query, exchange.query);
  const acting = route.method === 'GET' ? context : actingAs(context, caller.key.id, exchange.requestId);
  return {
    context: acting,
    caller,
    directory,
    params,
    headers,
    query,
    body: undefined,
    test,
    once: undefined,
    usage,
    quotas,
  };
}

/** The context of a write, which the audit log ascribes to the key. */
function actingAs(context: ApiContext, by: string, requestId: string): ApiContext {
  return context.auditor ? { ...context, auditor: { ...context.auditor, by, requestId } } : context;
}

/** Requests in test mode have windows of their own: they take nothing of what live ones may use, and are counted nowhere. */
function takeFromLimit(exchange: Exchange, services: ApiServices, caller: Caller, test: boolean, now: number): void {
  const { limit, usage } = services;
  const limited = test ? caller.testLimited : caller.limited;
  const notices = test ? [...caller.notices, ...testEcho] : caller.notices;
  try {
    const { headers, daySince } = limit.take(limited, exchange.startedAt, now);
    exchange.extraHeaders = notices.length > 0 ? [...headers, ...notices] : headers;
    if (test) usage.touch(caller.key.id, now);
    else usage.count(caller.key.id, limited.organisation, daySince, now);
  } catch (error) {
    exchange.extraHeaders = [...limit.headers(limited, exchange.startedAt, now), ...notices];
    throw error;
  }
}
