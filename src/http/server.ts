/**
 * Runs the HTTP server. It checks the framing of a request before the handler runs, replies even on unknown paths, and
 * finishes requests in flight when it stops. Only the files of this folder use uWebSockets.js.
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
  /** Address of the page that explains refusals of this route. */
  help?: string;
  /** Headers of all replies of this route, as a flat list of names and values. */
  headers?: readonly string[];
}

/** Options of a server. */
export interface ServerOptions {
  /** Whether other processes of this service listen on the same port. The kernel spreads connections over them. */
  sharesPort?: boolean;
  /** Origins whose web pages may read the server's replies, or `*`. */
  corsOrigins?: readonly string[];
  /** Address of the page that explains refusals of unknown paths, and of routes without `help`. */
  help?: string;
}

/** Thrown when the server cannot listen on its address. Restarting the process would not help. */
class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** A listening server. */
export interface HttpServer {
  readonly port: number;
  /** Stops accepting connections, waits up to `ms` milliseconds for requests in flight, then closes all connections. */
  stop(ms: number): Promise<void>;
}

/**
 * Starts a server.
 * @param port 0 = any free port
 * @throws ListenError when the server cannot listen on the address
 */
export async function startServer(
  host: string,
  port: number,
  routes: readonly HttpRoute[],
  logger: Logger,
  { corsOrigins = [], help = '', sharesPort = false }: ServerOptions = {},
): Promise<HttpServer> {
  withoutBanner();
  const app = App();
  const flight = new Flight();
  const serve: Serve = (parameters, handle, own = {}, method = undefined) => {
    const about = { flight, logger, corsOrigins, help: own.help ?? help, headers: own.headers ?? [] };
    return handler(parameters, method, handle, about);
  };
  for (const route of routes) register(app, route, serve);
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map((route) => route.method);
    const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    app.options(
      path,
      serve(0, (exchange) => replyToOptions(exchange, allowed)),
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
  const socket = await listen(app, host, port, sharesPort ? sharedPort : exclusivePort);
  let stopped: Promise<void> | undefined;
  if (!socket) throw new ListenError(`Cannot listen on ${host}:${port}: the address is in use or not allowed.`);
  return {
    port: us_socket_local_port(socket as never),
    // A second call does not close the socket again, because uWebSockets.js ends the process when a closed socket is
    // closed.
    stop: (ms) => {
      stopped ??= stop(app, socket, flight, ms);
      return stopped;
    },
  };
}

/**
 * Removes the header `uWebSockets: 20` from every reply of this thread. The package's types lack this function. The
 * parser's own refusals (400, 431, 505) are constants of the binary, so their HTML still contains the name of the
 * library.
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

/**
 * Options of the listening socket. With `exclusivePort`, a second process cannot listen on the port. With `sharedPort`,
 * the library sets SO_REUSEPORT: further processes may listen on the port if they set this option too and run as the
 * same user. Linux refuses processes of other users, so another user of the machine cannot take a part of the
 * connections. The library never shares a port that the system chose (port 0). The package's types lack these options.
 */
const [sharedPort, exclusivePort] = [0, 1];

function listen(app: TemplatedApp, host: string, port: number, option: number): Promise<us_listen_socket | false> {
  type Listen = (host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void) => void;
  return new Promise((resolve) => (app.listen as unknown as Listen).call(app, host, port, option, resolve));
}

/** Counts the exchanges that have no reply yet, and waits for these exchanges when the server stops. */
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

/** The fields of a route that apply to all replies of the route. */
type About = Pick<HttpRoute, 'help' | 'headers'>;
/** `method` is the method of the request; undefined for a handler of all methods. */
type Serve = (
  parameters: number,
  handle: Handler,
  own?: About,
  method?: string,
) => (response: HttpResponse, request: HttpRequest) => void;

function register(app: TemplatedApp, route: HttpRoute, serve: Serve): void {
  const { method, path } = route;
  const handle = (of: string) => serve(path.split(':').length - 1, route.handle, route, of);
  if (method === 'GET') app.get(path, handle('GET')).head(path, handle('HEAD'));
  else if (method === 'POST') app.post(path, handle(method));
  else if (method === 'PATCH') app.patch(path, handle(method));
  else if (method === 'PUT') app.put(path, handle(method));
  else app.del(path, handle(method));
}

function handler(
  parameters: number,
  method: string | undefined,
  handle: Handler,
  {
    flight,
    logger,
    corsOrigins,
    help,
    headers,
  }: Required<Pick<ServerOptions, 'corsOrigins'> & About> & {
    flight: Flight;
    logger: Logger;
  },
) {
  const options = { parameters, method, logger, onDone: () => flight.land() };
  return (response: HttpResponse, request: HttpRequest): void => {
    flight.take();
    const exchange = new Exchange(response, request, options);
    exchange.help = help;
    if (exchange.framing.ambiguous) return exchange.close();
    const { origin } = exchange.headers;
    exchange.commonHeaders = corsOrigins.length > 0 ? [...corsHeaders(corsOrigins, origin), ...headers] : headers;
    exchange.guard(() => handle(exchange));
  };
}

function refuseMethod(exchange: Exchange, allowed: string): void {
  exchange.extraHeaders = ['Allow', allowed];
  exchange.fail(new ServiceError('methodNotAllowed', `${exchange.method} is not allowed here; allowed: ${allowed}.`));
}

/**
 * Replies to OPTIONS with the methods of a path. The reply to a page of an allowed origin also lists the headers that
 * the page may send.
 */
function replyToOptions(exchange: Exchange, allowed: string): void {
  const isPreflight = exchange.commonHeaders[0] === 'Access-Control-Allow-Origin';
  exchange.reply(204, '', '', ['Allow', allowed, ...(isPreflight ? preflightHeaders(allowed) : [])]);
}
