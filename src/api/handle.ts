/**
 * One API request, step by step: authenticate, limit, validate, handler, reply. Every failure leaves through the exchange's
 * error exit.
 */
import type { TObject } from '@sinclair/typebox';
import { invalid, ServiceError } from '../errors.ts';
import { digestOf, toEtag } from '../etag.ts';
import type { BodyBudget } from '../http/budget.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HttpRoute, Method } from '../http/server.ts';
import { apiRequests } from '../metrics.ts';
import { maxBodyMdBytes } from '../protocol/api.ts';
import type { Scope } from '../protocol/commands.ts';
import type { Partition } from '../store/partition.ts';
import type { Authenticator, Caller } from './authenticate.ts';
import { isKnown } from './conditional.ts';
import type { ApiContext } from './context.ts';
import type { ApiLimit } from './limit.ts';
import { checkQuery } from './validate.ts';

/** A request whose caller is known and whose query is checked. `body` is parsed JSON, not yet checked. */
export interface ApiRequest<Query = Record<string, never>> {
  context: ApiContext;
  caller: Caller;
  directory: Partition;
  params: readonly string[];
  headers: Readonly<Record<string, string>>;
  query: Query;
  body: unknown;
}

/** A reply: ready JSON bytes, or a value to encode. Headers are flat pairs. */
export interface ApiReply {
  status: number;
  body: Buffer | object;
  headers?: readonly string[];
  /** Validator of the body; a GET without one gets that of its bytes. */
  etag?: string;
}

/** One line of the route table. */
export interface ApiRoute<Query = Record<string, never>> {
  method: Method;
  path: string;
  operation: string;
  scope: Scope;
  query: TObject;
  handle(request: ApiRequest<Query>): ApiReply | Promise<ApiReply>;
}

/** What all routes are served with. */
export interface ApiServices {
  context: ApiContext;
  authenticator: Authenticator;
  limit: ApiLimit;
  budget: BodyBudget;
}

/** Largest request body: a `bodyMd` of full size whose every byte is escaped. */
const maxBodyBytes = maxBodyMdBytes * 6 + 1024;

/** Makes the HTTP route of a line of the table. */
export function toHttpRoute(route: ApiRoute<never>, services: ApiServices): HttpRoute {
  const succeeded = apiRequests.labels(route.operation, '200');
  const { method, path } = route;
  const handle = (exchange: Exchange): void => {
    try {
      const request = admit(route, exchange, services);
      if (method === 'GET' || method === 'DELETE') {
        const reply = route.handle(request);
        if (reply instanceof Promise) void answer(route, exchange, reply);
        else {
          if (send(exchange, reply) === 200) succeeded.inc();
          else apiRequests.inc({ route: route.operation, status: '304' });
        }
        return;
      }
      const limits = { maxBytes: maxBodyBytes, budget: services.budget };
      exchange.receive(
        limits,
        ignoreChunk,
        (bytes) => void answer(route, exchange, run(route, request, exchange, bytes)),
      );
    } catch (error) {
      refuse(route, exchange, error);
    }
  };
  return { method, path, handle };
}

/** Authenticate, limit, validate the query. */
function admit(route: ApiRoute<never>, exchange: Exchange, services: ApiServices): ApiRequest<never> {
  const { authenticator, limit, context } = services;
  const now = Date.now();
  const { caller, directory } = authenticator.admit(exchange.headers.authorization, route.scope, now);
  const organisation = caller.key.orgId ?? 'instance';
  try {
    exchange.extraHeaders = limit.take(caller.key.id, organisation, exchange.startedAt, now);
  } catch (error) {
    exchange.extraHeaders = limit.headersAfter(caller.key.id, organisation, exchange.startedAt, now);
    throw error;
  }
  const query = checkQuery<never>(route.query, exchange.query);
  const { params, headers } = exchange;
  return { context, caller, directory, params, headers, query, body: undefined };
}

/** Parses the body before the first await, as its bytes are gone after it, and runs the handler. */
async function run(
  route: ApiRoute<never>,
  request: ApiRequest<never>,
  exchange: Exchange,
  bytes: Buffer,
): Promise<ApiReply> {
  return route.handle({ ...request, body: parseBody(exchange, bytes) });
}

async function answer(route: ApiRoute<never>, exchange: Exchange, reply: Promise<ApiReply>): Promise<void> {
  try {
    const status = send(exchange, await reply);
    apiRequests.inc({ route: route.operation, status: String(status) });
  } catch (error) {
    refuse(route, exchange, error);
  }
}

function send(exchange: Exchange, { status, body, headers = [], ...reply }: ApiReply): number {
  const bytes = Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const reads = exchange.method === 'GET';
  const etag = reply.etag ?? (reads ? toEtag(digestOf(bytes)) : undefined);
  const all = etag === undefined ? headers : [...headers, 'ETag', etag];
  const known = reads && etag !== undefined && isKnown(exchange.headers['if-none-match'], etag);
  exchange.reply(known ? 304 : status, 'application/json', known ? '' : bytes, all);
  return known ? 304 : status;
}

function refuse(route: ApiRoute<never>, exchange: Exchange, error: unknown): void {
  const status = error instanceof ServiceError ? error.status : 500;
  apiRequests.inc({ route: route.operation, status: String(status) });
  if (status === 401) exchange.extraHeaders = ['WWW-Authenticate', 'Bearer realm="tidings"'];
  exchange.fail(error);
}

function ignoreChunk(): void {}

function parseBody(exchange: Exchange, bytes: Buffer): unknown {
  const type = exchange.headers['content-type'] ?? '';
  if (bytes.length === 0) throw invalid({ body: 'expected a JSON object, got nothing' });
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new ServiceError(
      'unsupportedMediaType',
      `The Content-Type must be application/json, got ${type || 'nothing'}.`,
    );
  }
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalid({ body: `expected a JSON object, got ${bytes.length} bytes that are not JSON` });
  }
}
