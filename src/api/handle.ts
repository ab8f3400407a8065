/**
 * One API request, step by step: authenticate, limit, validate, handler, reply. Every failure leaves through the exchange's
 * error exit.
 */
import type { TObject } from '@sinclair/typebox';
import { auditActionOf, objectsInPath } from '../foundation/audit.ts';
import { ServiceError } from '../foundation/errors.ts';
import { digestOf, isKnown, toEtag } from '../foundation/etag.ts';
import { apiRequests, apiSeconds } from '../foundation/metrics.ts';
import type { BodyBudget } from '../http/budget.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HttpRoute, Method } from '../http/server.ts';
import { maxBodyMdBytes } from '../protocol/api.ts';
import type { Scope } from '../protocol/commands.ts';
import type { Contract } from '../protocol/contracts/contract.ts';
import type { Partition } from '../store/partition.ts';
import { admit } from './admit.ts';
import type { Authenticator, Caller } from './authenticate.ts';
import { parseBody } from './body.ts';
import type { ApiContext, Use } from './context.ts';
import { deprecationHeaders } from './deprecation.ts';
import { type OnceGuard, type Repeatable, readUse } from './idempotency.ts';
import type { ApiLimit } from './limit.ts';
import { serveMock } from './mock.ts';
import { isPage, pageLinks } from './page.ts';
import type { Quotas } from './quotas.ts';
import type { UsageMeter } from './usage.ts';

/** A request whose caller is known and whose query is checked. `body` is parsed JSON, not yet checked. */
export interface ApiRequest<Query = Record<string, never>> {
  context: ApiContext;
  caller: Caller;
  directory: Partition;
  params: readonly string[];
  headers: Readonly<Record<string, string>>;
  query: Query;
  body: unknown;
  /** Nothing may be written, and a made-up reply is sent. */
  test: boolean;
  /** The Idempotency-Key of the request; the command that is its effect takes it along. */
  once: Use | undefined;
  usage: UsageMeter;
  quotas: Quotas;
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
  /** What it takes and answers besides; the OpenAPI document is made of it. */
  contract: Contract;
  scope: Scope;
  query: TObject;
  /** The part of the handler's checks that the body alone decides, for test mode. */
  checkBody?: (body: unknown) => unknown;
  /** How the route's write is made safe to repeat; without it an Idempotency-Key is only checked. */
  once?: Repeatable;
  handle(request: ApiRequest<Query>): ApiReply | Promise<ApiReply>;
}

/** What all routes are served with. */
export interface ApiServices {
  context: ApiContext;
  authenticator: Authenticator;
  limit: ApiLimit;
  usage: UsageMeter;
  quotas: Quotas;
  once: OnceGuard;
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
        const reply = serve(route, request);
        if (reply instanceof Promise) void answer(route, exchange, services, reply);
        else {
          if (send(exchange, reply) === 200) succeeded.inc();
          else apiRequests.inc({ route: route.operation, status: '304' });
          observe(route, exchange);
        }
        return;
      }
      const limits = { maxBytes: maxBodyBytes, budget: services.budget };
      exchange.receive(
        limits,
        ignoreChunk,
        (bytes) => void answer(route, exchange, services, run(route, request, exchange, services, bytes)),
      );
    } catch (error) {
      refuse(route, exchange, services, error);
    }
  };
  return { method, path, handle, headers: deprecationHeaders(route.contract.deprecated) };
}

/** Parses the body before the first await, as its bytes are gone after it, and runs the handler. */
async function run(
  route: ApiRoute<never>,
  request: ApiRequest<never>,
  exchange: Exchange,
  services: ApiServices,
  bytes: Buffer,
): Promise<ApiReply> {
  const whole = { ...request, body: parseBody(exchange.headers['content-type'] ?? '', bytes) };
  const use = readUse(route, whole, bytes);
  if (!use || !route.once) return serve(route, whole);
  try {
    return await services.once.run(use, whole, route.once, async () => route.handle({ ...whole, once: use }));
  } finally {
    if (use.replayed) exchange.extraHeaders = [...exchange.extraHeaders, 'Idempotent-Replayed', 'true'];
  }
}

function serve(route: ApiRoute<never>, request: ApiRequest<never>): ApiReply | Promise<ApiReply> {
  return request.test ? serveMock(route, request) : route.handle(request);
}

async function answer(
  route: ApiRoute<never>,
  exchange: Exchange,
  services: ApiServices,
  reply: Promise<ApiReply>,
): Promise<void> {
  try {
    const status = send(exchange, await reply);
    apiRequests.inc({ route: route.operation, status: String(status) });
    observe(route, exchange);
  } catch (error) {
    refuse(route, exchange, services, error);
  }
}

/** Measures the time to a reply that has just been sent. */
function observe(route: ApiRoute<never>, exchange: Exchange): void {
  apiSeconds.observe({ route: route.operation }, (performance.now() - exchange.startedAt) / 1000);
}

function send(exchange: Exchange, { status, body, headers = [], ...reply }: ApiReply): number {
  const bytes = Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const reads = exchange.method === 'GET' || exchange.method === 'HEAD';
  if (reads && !Buffer.isBuffer(body) && isPage(body)) {
    exchange.extraHeaders = [...exchange.extraHeaders, 'Link', pageLinks(exchange.url, exchange.query, body)];
  }
  const etag = reply.etag ?? (reads ? toEtag(digestOf(bytes)) : undefined);
  const all = etag === undefined ? headers : [...headers, 'ETag', etag];
  const known = reads && etag !== undefined && isKnown(exchange.headers['if-none-match'], etag);
  exchange.reply(known ? 304 : status, 'application/json', known ? '' : bytes, all);
  return known ? 304 : status;
}

function refuse(route: ApiRoute<never>, exchange: Exchange, services: ApiServices, error: unknown): void {
  const status = error instanceof ServiceError ? error.status : 500;
  if (status === 403) auditRefusal(route, exchange, services);
  apiRequests.inc({ route: route.operation, status: String(status) });
  if (status === 401) exchange.extraHeaders = ['WWW-Authenticate', 'Bearer realm="tidings"'];
  exchange.fail(error);
  observe(route, exchange);
}

/** Writes to the audit log what a valid key asked for without being allowed to. */
function auditRefusal(route: ApiRoute<never>, { headers, params, requestId }: Exchange, services: ApiServices): void {
  const action = auditActionOf(route.operation);
  const by = action && services.authenticator.keyIdOf(headers.authorization);
  if (!action || by === undefined) return;
  const objects = objectsInPath(route.path, params);
  void services.context.auditor?.write({ action, outcome: 'refused', by, requestId, objects });
}

function ignoreChunk(): void {}
