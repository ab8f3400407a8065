/**
 * The HTTP server: routes to handlers, framing guard before every handler, an answer for every path, and a stop that lets
 * what is in flight finish. The only users of uWebSockets.js are this folder's files.
 */
import * as library from 'uWebSockets.js';
import {
  App,
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  type us_listen_socket,
  us_listen_socket_close,
  us_socket_local_port,
} from 'uWebSockets.js';
import { notFound, ServiceError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/logger.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import { Exchange } from './exchange.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
export type Handler = (exchange: Exchange) => void | Promise<void>;

/** A path with `:name` parameters and its handler for one method. */
export interface HttpRoute {
  method: Method;
  path: string;
  handle: Handler;
  /** Where its refusals are explained. */
  help?: string;
  /** What all its replies carry, as flat pairs. */
  headers?: readonly string[];
}

/** What a server does besides its routes. */
export interface ServerOptions {
  /** Origins whose pages may read replies, or `*`. */
  corsOrigins?: readonly string[];
  /** Where refusals are explained that belong to no route with a place of its own. */
  help?: string;
}

/** The address of a server cannot be listened on: another start would not change that. */
class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** A listening server. */
export interface HttpServer {
  readonly port: number;
  /** Stops accepting, waits up to `ms` for what is in flight, closes. */
  stop(ms: number): Promise<void>;
}

/**
 * Starts a server.
 * @param port 0 takes a free one
 * @throws ListenError when the address cannot be listened on
 */
export async function startServer(
  host: string,
  port: number,
  routes: readonly HttpRoute[],
  logger: Logger,
  { corsOrigins = [], help = '' }: ServerOptions = {},
): Promise<HttpServer> {
  withoutBanner();
  const app = App();
  const flight = new Flight();
  const serve: Serve = (parameters, handle, own = {}) =>
    handler(parameters, handle, { flight, logger, corsOrigins, help: own.help ?? help, headers: own.headers ?? [] });
  for (const route of routes) register(app, route, serve);
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map((route) => route.method);
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    app.options(
      path,
      serve(0, (exchange) => tellOptions(exchange, allowed)),
    );
    app.any(
      path,
      serve(0, (exchange) => refuseMethod(exchange, allowed)),
    );
  }
  app.any(
    '/*',
    serve(0, (exchange) => exchange.fail(notFound('Path', exchange.url))),
  );
  const socket = await listenAlone(app, host, port);
  let stopped: Promise<void> | undefined;
  if (!socket) throw new ListenError(`Cannot listen on ${host}:${port}: the address is in use or not allowed.`);
  return {
    port: us_socket_local_port(socket as never),
    // Once only: closing a socket that is closed ends the process.
    stop: (ms) => {
      stopped ??= stop(app, socket, flight, ms);
      return stopped;
    },
  };
}

/**
 * Drops the header `uWebSockets: 20` from every reply of this thread. The switch is missing in the package's types. The
 * parser's own refusals (400, 431, 505) are constants of the binary and keep the library's name in their HTML.
 */
function withoutBanner(): void {
  const { default: native } = library as unknown as { default: { _cfg(key: 'silent'): void } };
  native._cfg('silent');
}

async function stop(app: TemplatedApp, socket: us_listen_socket, flight: Flight, ms: number): Promise<void> {
  us_listen_socket_close(socket);
  await flight.landed(ms);
  app.close();
}

/** Without this option the kernel lets a second process share the port in silence. Missing in the package's types. */
const exclusivePort = 1;

function listenAlone(app: TemplatedApp, host: string, port: number): Promise<us_listen_socket | false> {
  type Listen = (host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void) => void;
  return new Promise((resolve) => (app.listen as unknown as Listen).call(app, host, port, exclusivePort, resolve));
}

/** Counts exchanges that have no reply yet. */
class Flight {
  private count = 0;
  private wake: (() => void) | undefined;

  take(): void {
    this.count += 1;
  }

  land(): void {
    this.count -= 1;
    if (this.count === 0) this.wake?.();
  }

  landed(ms: number): Promise<void> {
    if (this.count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** What a route says of itself. */
type About = Pick<HttpRoute, 'help' | 'headers'>;
type Serve = (
  parameters: number,
  handle: Handler,
  own?: About,
) => (response: HttpResponse, request: HttpRequest) => void;

function register(app: TemplatedApp, route: HttpRoute, serve: Serve): void {
  const handle = serve(route.path.split(':').length - 1, route.handle, route);
  if (route.method === 'GET') app.get(route.path, handle).head(route.path, handle);
  else if (route.method === 'POST') app.post(route.path, handle);
  else if (route.method === 'PATCH') app.patch(route.path, handle);
  else if (route.method === 'PUT') app.put(route.path, handle);
  else app.del(route.path, handle);
}

function handler(
  parameters: number,
  handle: Handler,
  { flight, logger, corsOrigins, help, headers }: Required<ServerOptions & About> & { flight: Flight; logger: Logger },
) {
  return (response: HttpResponse, request: HttpRequest): void => {
    flight.take();
    const exchange = new Exchange(response, request, parameters, logger, () => flight.land());
    exchange.help = help;
    if (exchange.framing.ambiguous) return exchange.close();
    const { origin } = exchange.headers;
    exchange.standingHeaders = corsOrigins.length > 0 ? [...corsHeaders(corsOrigins, origin), ...headers] : headers;
    exchange.guard(() => handle(exchange));
  };
}

function refuseMethod(exchange: Exchange, allowed: string): void {
  exchange.extraHeaders = ['Allow', allowed];
  exchange.fail(new ServiceError('methodNotAllowed', `${exchange.method} is not allowed here; allowed: ${allowed}.`));
}

/** What a path can do, and, to a page of an allowed origin, what it may send. */
function tellOptions(exchange: Exchange, allowed: string): void {
  const isPreflight = exchange.standingHeaders[0] === 'Access-Control-Allow-Origin';
  exchange.reply(204, '', '', ['Allow', allowed, ...(isPreflight ? preflightHeaders(allowed) : [])]);
}
