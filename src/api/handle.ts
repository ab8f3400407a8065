/**
 * Serves one API request step by step: authenticate, limit, validate, handle, reply. The exchange
 * (`src/http/exchange.ts`) turns every failure into an error reply.
 */
import { auditActionOf, objectsInPath } from '../foundation/audit.ts';
import { invalid, ServiceError } from '../foundation/errors.ts';
import { digestOf, isKnown, toEtag } from '../foundation/etag.ts';
import { apiRequests, apiSeconds } from '../foundation/metrics.ts';
import type { TalliedSeries } from '../foundation/tallies.ts';
import type { BodyLimits, Exchange } from '../http/exchange.ts';
import type { HttpRoute } from '../http/server.ts';
import { maxBodyMdBytes } from '../protocol/limits.ts';
import type { Admitted, Caller } from './authenticate.ts';
import { parseBody } from './body.ts';
import { type ApiContext, partitionOfId } from './context.ts';
import { deprecationHeaders } from './deprecation.ts';
import { readUse } from './idempotency.ts';
import { LimitReachedError, type Taken } from './limit.ts';
import { serveMock } from './mock.ts';
import { isPage, pageLinks } from './page.ts';
import { contextReading, type PositionGate, Reading } from './positions.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './route.ts';
import type { ApiServices } from './services.ts';
import { checkQuery } from './validate.ts';

/** The parts of a route that are needed to send and count a reply. */
type Served = Pick<ApiRoute<never>, 'operation' | 'path'> & Partial<Pick<ApiRoute<never>, 'scope'>>;

const testEcho: readonly string[] = ['X-Test-Mode', 'true'];

/**
 * Maximum size of a request body, in bytes. A `bodyMd` of the maximum size fits even if every byte of it is escaped.
 */
const maxBodyBytes = maxBodyMdBytes * 6 + 1024;

/** Makes the HTTP route for an entry of the API's route table. */
export function toHttpRoute(route: ApiRoute<never>, services: ApiServices): HttpRoute {
  const succeeded = apiRequests.tally({ route: route.operation, status: '200' });
  const { method, path } = route;
  const hasBody = takesBody(route);
  const begin = (exchange: Exchange): void => {
    try {
      const admitted = admit(route, exchange, services);
      if (admitted instanceof Promise) return handleLater(route, exchange, services, admitted);
      if (!hasBody) {
        const reply = serve(route, admitted);
        if (reply instanceof Promise) void answer(route, exchange, services, reply);
        else {
          if (send(exchange, reply) === 200) succeeded.inc();
          else apiRequests.inc({ route: route.operation, status: '304' });
          observe(route, exchange);
        }
        return;
      }
      exchange.receive(
        limitsOf(services),
        ignoreChunk,
        (bytes) => void answer(route, exchange, services, run(route, admitted, exchange, services, bytes)),
      );
    } catch (error) {
      refuse(route, exchange, services, error);
    }
  };
  const handle = services.positions ? afterPositions(route, services, services.positions, begin) : begin;
  return { method, path, handle, headers: deprecationHeaders(route.contract.deprecated) };
}

function takesBody({ method }: Pick<ApiRoute<never>, 'method'>): boolean {
  return method !== 'GET' && method !== 'DELETE';
}

function limitsOf({ budget }: ApiServices): BodyLimits {
  return { maxBytes: maxBodyBytes, budget };
}

/**
 * Makes the handler of a route on a node of a cluster. A request that asks for positions begins when this node has folded
 * as far, before its key is looked up: the key may have been created on another node a moment before.
 */
function afterPositions(
  route: ApiRoute<never>,
  services: ApiServices,
  positions: PositionGate,
  begin: (exchange: Exchange) => void,
): (exchange: Exchange) => void {
  const hasBody = takesBody(route);
  return (exchange) => {
    try {
      const waiting = positions.wait(exchange);
      if (!waiting) return begin(exchange);
      if (hasBody) {
        const admitted = waiting.then(() => admit(route, exchange, services));
        return receiveWhile(route, exchange, services, admitted);
      }
      waiting.then(
        () => exchange.finished || begin(exchange),
        (error) => refuse(route, exchange, services, error),
      );
    } catch (error) {
      refuse(route, exchange, services, error);
    }
  };
}

/** Handles a request that another gateway counts. */
function handleLater(
  route: ApiRoute<never>,
  exchange: Exchange,
  services: ApiServices,
  admitted: Promise<ApiRequest<never>>,
): void {
  if (takesBody(route)) return receiveWhile(route, exchange, services, admitted);
  const reply = admitted.then((request) => serve(route, request));
  void answer(route, exchange, services, reply);
}

/**
 * Receives the body of a request that is not admitted yet. The body must be received at once, or it would be lost. It
 * is kept until the reply is made. A refusal does not wait for the body.
 */
function receiveWhile(
  route: ApiRoute<never>,
  exchange: Exchange,
  services: ApiServices,
  admitted: Promise<ApiRequest<never>>,
): void {
  const { budget } = services;
  const body = new Promise<Buffer>((resolve, reject) => {
    exchange.receive(limitsOf(services), ignoreChunk, (bytes) => {
      // The bytes are not valid after an await.
      if (budget.take(bytes.length)) resolve(Buffer.from(bytes));
      else reject(tooManyBodies());
    });
  });
  const reply = Promise.all([admitted, body]).then(([request, kept]) => run(route, request, exchange, services, kept));
  void answer(route, exchange, services, reply).then(async () => {
    const kept = await body.catch(() => undefined);
    if (kept) budget.free(kept.length);
  });
}

function tooManyBodies(): ServiceError {
  return new ServiceError('unavailable', 'The service is receiving too many request bodies at once.', {
    retryAfter: 2,
  });
}

/**
 * Parses the body and runs the handler. The body is parsed before the first await, because its bytes are not valid
 * after an await.
 */
async function run(
  route: ApiRoute<never>,
  request: ApiRequest<never>,
  exchange: Exchange,
  services: ApiServices,
  bytes: Buffer,
): Promise<ApiReply> {
  // The body can arrive long after the headers. Meanwhile a new generation may have replaced the store that was read.
  const directory = services.authenticator.directory();
  const whole = { ...request, directory, body: parseBody(exchange.headers['content-type'] ?? '', bytes) };
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

/** Sends a reply when it is ready, or the refusal that it ended with. Counts the request in the metrics. */
export async function answer(
  route: Served,
  exchange: Exchange,
  services: ApiServices,
  reply: Promise<ApiReply>,
): Promise<void> {
  try {
    const made = await reply;
    if (services.positions && !Buffer.isBuffer(made.body)) readings.get(exchange)?.renew();
    made.stream?.(exchange, () => authenticate(route.scope ?? null, exchange, services).caller);
    const status = made.stream ? made.status : send(exchange, made);
    apiRequests.inc({ route: route.operation, status: String(status) });
    observe(route, exchange);
  } catch (error) {
    refuse(route, exchange, services, error);
  }
}

/** Measures the time from the start of the request to its reply. Called right after the reply was sent. */
function observe(route: Served, exchange: Exchange): void {
  let times = timesOf.get(route);
  if (!times) {
    times = apiSeconds.tally({ route: route.operation });
    timesOf.set(route, times);
  }
  times.observe((performance.now() - exchange.startedAt) / 1000);
}

/** The reply times of each route that was requested. Routes without requests are not in the metrics. */
const timesOf = new WeakMap<Served, TalliedSeries>();

const noHeaders: readonly string[] = [];

function send(exchange: Exchange, { status, body, headers = noHeaders, etag: known }: ApiReply): number {
  const bytes = Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const reads = exchange.method === 'GET' || exchange.method === 'HEAD';
  if (reads && !Buffer.isBuffer(body) && isPage(body)) {
    exchange.extraHeaders = [...exchange.extraHeaders, 'Link', pageLinks(exchange.url, exchange.query, body)];
  }
  const etag = known ?? (reads ? toEtag(digestOf(bytes)) : undefined);
  const all = etag === undefined ? headers : [...headers, 'ETag', etag];
  const isUnchanged = reads && etag !== undefined && isKnown(exchange.headers['if-none-match'], etag);
  exchange.reply(isUnchanged ? 304 : status, 'application/json', isUnchanged ? '' : bytes, all);
  return isUnchanged ? 304 : status;
}

/** Sends a refusal. Counts the request in the metrics. */
export function refuse(route: Served, exchange: Exchange, services: ApiServices, error: unknown): void {
  const status = error instanceof ServiceError ? error.status : 500;
  if (status === 403) auditRefusal(route, exchange, services);
  apiRequests.inc({ route: route.operation, status: String(status) });
  if (status === 401) exchange.extraHeaders = ['WWW-Authenticate', 'Bearer realm="tidings"'];
  exchange.fail(error);
  observe(route, exchange);
}

/** Writes a refusal to the audit log: a request with a valid key asked for an action that the key does not permit. */
function auditRefusal(route: Served, { headers, params, requestId }: Exchange, services: ApiServices): void {
  const action = auditActionOf(route.operation);
  const by = action && services.authenticator.keyIdOf(headers, Date.now());
  if (!action || by === undefined) return;
  const objects = objectsInPath(route.path, params);
  void services.context.auditor?.write({ action, outcome: 'refused', by, requestId, objects });
}

/**
 * Converts an HTTP exchange to an API request. Authenticates the request, determines test mode, counts the request
 * towards the limits and checks the query. A request that fails authentication does not count towards any limit. Once a
 * request is counted, its reply carries the rate limit headers.
 * @returns a promise only if another gateway counts the request
 * @throws ServiceError `unauthorized`, `forbidden`, `rateLimited`, `invalid`
 */
function admit(
  route: ApiRoute<never>,
  exchange: Exchange,
  services: ApiServices,
): ApiRequest<never> | Promise<ApiRequest<never>> {
  const { headers } = exchange;
  const now = Date.now();
  const { caller, directory } = authenticate(route.scope, exchange, services, now);
  const mode = headers['x-test-mode'];
  const test = caller.isTest || mode === 'true';
  const counted = takeFromLimit(exchange, services, caller, test, now);
  if (counted === undefined) return toRequest(route, exchange, services, { caller, directory }, test);
  return counted.then(() => {
    // Meanwhile a new generation may have replaced the store that was read.
    const admitted = { caller, directory: services.authenticator.directory() };
    return toRequest(route, exchange, services, admitted, test);
  });
}

/**
 * Checks the rest of a request that was counted.
 * @throws ServiceError `invalid`
 */
function toRequest(
  route: ApiRoute<never>,
  exchange: Exchange,
  { context, usage, quotas, positions }: ApiServices,
  { caller, directory }: Admitted,
  test: boolean,
): ApiRequest<never> {
  const { headers, params } = exchange;
  const mode = headers['x-test-mode'];
  if (mode !== undefined && mode !== 'true' && mode !== 'false') {
    throw invalidTestMode(mode);
  }
  if (headers['if-match'] !== undefined && exchange.method !== 'GET' && !route.contract.conditional) {
    throw invalid(
      { 'If-Match': 'expected no If-Match header: this operation does not support If-Match' },
      'A header is invalid.',
    );
  }
  const query = exchange.query === '' ? emptyQuery(route) : checkQuery<never>(route.query, exchange.query);
  const read = positions && !test ? reading(exchange, context, positions) : context;
  const acting = route.method === 'GET' ? read : actingAs(read, caller.key.id, exchange.requestId);
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

/** What the requests under way have read, on a node of a cluster. */
const readings = new WeakMap<Exchange, Reading>();

/** Returns the context of a request whose reply names the positions that it was read from. */
function reading(exchange: Exchange, context: ApiContext, positions: PositionGate): ApiContext {
  const read = new Reading(context.readers);
  readings.set(exchange, read);
  exchange.lateHeaders = () => read.headers(positions);
  return contextReading(context, read, (id) => partitionOfId(context, id));
}

/** Returns the refusal of a header X-Test-Mode that is neither `true` nor `false`. */
export function invalidTestMode(mode: string): ServiceError {
  return invalid({ 'X-Test-Mode': `expected true or false, got ${JSON.stringify(mode.slice(0, 80))}` });
}

/**
 * Finds the caller of a request.
 * @throws ServiceError `unauthorized`, `forbidden`
 */
function authenticate(
  scope: ApiRoute<never>['scope'],
  { headers }: Exchange,
  { authenticator }: ApiServices,
  now = Date.now(),
): Admitted {
  return authenticator.admitRequest(headers, scope, now);
}

/** The checked query of each route for requests without a query. Most requests have none. */
const emptyQueries = new WeakMap<ApiRoute<never>, never>();

function emptyQuery(route: ApiRoute<never>): never {
  const known = emptyQueries.get(route);
  if (known !== undefined) return known;
  const query = Object.freeze(checkQuery<object>(route.query, '')) as never;
  emptyQueries.set(route, query);
  return query;
}

/**
 * Returns the context for the writes of a caller. The audit log names `by`, the id of the caller's key, as the author
 * of these writes.
 */
export function actingAs(context: ApiContext, by: string, requestId: string): ApiContext {
  return context.auditor ? { ...context, auditor: { ...context.auditor, by, requestId } } : context;
}

/**
 * Counts the request towards its limits. Requests in test mode, and requests with a session, have separate windows:
 * they do not use up the live limits and are not counted as usage.
 * @returns a promise only if another gateway counts the request
 * @throws ServiceError `rateLimited`
 */
export function takeFromLimit(
  exchange: Exchange,
  services: ApiServices,
  caller: Caller,
  test: boolean,
  now: number,
): Promise<void> | undefined {
  const limit = caller.session ? services.sessions.limit : services.limit;
  const limited = test ? caller.testLimited : caller.limited;
  const notices = test ? [...caller.notices, ...testEcho] : caller.notices;
  try {
    const taken = limit.take(limited, exchange.startedAt, now);
    if (taken instanceof Promise) {
      return taken.then(
        (later) => counted(exchange, services, caller, test, now, notices, later),
        (error) => refuseCounting(exchange, notices, error),
      );
    }
    counted(exchange, services, caller, test, now, notices, taken);
    return undefined;
  } catch (error) {
    return refuseCounting(exchange, notices, error);
  }
}

/** Notes that a request was counted. Its reply carries the rate limit headers from now on. */
function counted(
  exchange: Exchange,
  { usage, sessions }: ApiServices,
  caller: Caller,
  test: boolean,
  now: number,
  notices: readonly string[],
  { headers, daySince }: Taken,
): void {
  exchange.extraHeaders = notices.length > 0 ? [...headers, ...notices] : headers;
  if (caller.session) sessions.used(caller.session, now);
  if (test || caller.session) usage.touch(caller.key.id, now);
  else usage.count(caller.key.id, caller.limited.organization, daySince, now);
}

function refuseCounting(exchange: Exchange, notices: readonly string[], error: unknown): never {
  exchange.extraHeaders = [...(error instanceof LimitReachedError ? error.headers : []), ...notices];
  throw error;
}

function ignoreChunk(): void {}
