/**
 * Serves the operations on sessions. A browser signs in with an API key or a sign-in code and gets a cookie and a
 * second secret, `csrf`. The cookie is shared by all ports of a host name; a page keeps `csrf` where only pages of the
 * same scheme, host and port can read it (`docs/architecture.md`, "Sessions").
 */
import { invalid, ServiceError } from '../foundation/errors.ts';
import { newId } from '../foundation/ids.ts';
import { sessionsStarted } from '../foundation/metrics.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { hasHash, hashSessionSecret, newSessionSecret } from '../foundation/session-secret.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HttpRoute } from '../http/server.ts';
import { type CreateSessionBody, CreateSessionBodySchema, type Session } from '../protocol/resources/sessions.ts';
import { isUsable, type SessionRecord, sessionExpiry, sessionMaxMs } from '../protocol/sessions.ts';
import { readKey } from '../store/tables/directory.ts';
import { readSession, readSignInCode } from '../store/tables/sessions.ts';
import type { Admitted, Caller, SessionCaller } from './authenticate.ts';
import { parseBody } from './body.ts';
import { readPartition, runCommand } from './context.ts';
import { actingAs, answer, invalidTestMode, refuse, takeFromLimit } from './handle.ts';
import type { ApiReply } from './route.ts';
import type { ApiServices } from './services.ts';
import { clearCookies, sessionTokens, setCookie } from './session-cookie.ts';
import {
  createSessionOperation,
  endSessionOperation,
  endSessionsOperation,
  getSessionOperation,
  type SessionOperation,
} from './session-operations.ts';
import { type SignInFault, SignInRefusedError } from './sessions.ts';
import { check } from './validate.ts';

const maxBodyBytes = 4096;
const noStore = ['Cache-Control', 'no-store'];

/** The HTTP route of an operation, and where the document describes it. */
type SessionRoute = HttpRoute & { tag: string; operation: string };

/** Makes the HTTP routes of the operations on sessions. */
export function sessionRoutes(services: ApiServices): SessionRoute[] {
  return [
    toRoute(createSessionOperation, services, signIn),
    toRoute(getSessionOperation, services, async (exchange) => show(exchange, await ofSession(services, exchange))),
    toRoute(endSessionOperation, services, async (exchange) =>
      signOut(exchange, services, await ofSession(services, exchange)),
    ),
    toRoute(endSessionsOperation, services, async (exchange) =>
      signOutAll(exchange, services, await admit(services, exchange)),
    ),
  ];
}

function toRoute(
  operation: SessionOperation,
  services: ApiServices,
  serve: (exchange: Exchange, services: ApiServices) => ApiReply | Promise<ApiReply>,
): SessionRoute {
  const { method, path, contract } = operation;
  const handle = (exchange: Exchange): void => {
    try {
      assertLive(operation, exchange);
      // A sign-in needs the address of the connection, which is not known any more after a wait.
      const waiting = operation === createSessionOperation ? undefined : services.positions?.wait(exchange);
      const made = waiting ? waiting.then(() => serve(exchange, services)) : serve(exchange, services);
      void answer(operation, exchange, services, withPosition(exchange, services, made));
    } catch (error) {
      refuse(operation, exchange, services, error);
    }
  };
  return { method, path, handle, tag: contract.tag, operation: operation.operation };
}

/** Makes the reply name the position of the directory, which contains the sessions, on a node of a cluster. */
async function withPosition(
  exchange: Exchange,
  { positions }: ApiServices,
  reply: ApiReply | Promise<ApiReply>,
): Promise<ApiReply> {
  const made = await reply;
  if (positions) exchange.lateHeaders = () => positions.headersOf([directoryName]);
  return made;
}

/** @throws ServiceError `forbidden` for a request in test mode, because these operations have none, or `invalid` */
function assertLive({ operation }: SessionOperation, { headers }: Exchange): void {
  const mode = headers['x-test-mode'];
  if (mode === undefined || mode === 'false') return;
  if (mode !== 'true') throw invalidTestMode(mode);
  throw new ServiceError('forbidden', `The operation ${operation} has no test mode.`);
}

/**
 * Finds the caller of a request and counts the request.
 * @throws ServiceError `unauthorized`, `forbidden`, `rateLimited`
 */
async function admit(services: ApiServices, exchange: Exchange): Promise<Admitted> {
  const now = Date.now();
  const admitted = services.authenticator.admitRequest(exchange.headers, null, now);
  await takeFromLimit(exchange, services, admitted.caller, admitted.caller.isTest, now);
  return admitted;
}

async function ofSession(services: ApiServices, exchange: Exchange): Promise<SessionCaller> {
  const { caller } = await admit(services, exchange);
  if (caller.session) return caller as SessionCaller;
  throw new ServiceError('unauthorized', 'The request has an API key, but this operation needs a session. Sign in.');
}

function show({ headers }: Exchange, caller: SessionCaller): ApiReply {
  return { status: 200, body: toSession(caller, caller.session, headers['x-tidings-csrf'] ?? ''), headers: noStore };
}

async function signOut(exchange: Exchange, services: ApiServices, { key, session }: SessionCaller): Promise<ApiReply> {
  const context = actingAs(services.context, key.id, exchange.requestId);
  const command = { name: 'endSession', sessionId: session.id, token: session.token } as const;
  const { endedAt, ...rest } = await runCommand<{ id: string; endedAt: number }>(context, directoryName, command);
  return ended(exchange, { ...rest, endedAt: iso(endedAt) });
}

async function signOutAll(exchange: Exchange, services: ApiServices, { caller }: Admitted): Promise<ApiReply> {
  const { id: keyId } = caller.key;
  const context = actingAs(services.context, keyId, exchange.requestId);
  const value = await runCommand<{ endedSessions: number; endedAt: number }>(context, directoryName, {
    name: 'endSessions',
    keyId,
  });
  return ended(exchange, { keyId, endedSessions: value.endedSessions, endedAt: iso(value.endedAt) });
}

function ended({ headers }: Exchange, body: object): ApiReply {
  return { status: 200, body, headers: clearCookies(headers) };
}

/**
 * Signs a browser in. The checks that need only the headers run first, because the address of the connection is known
 * only then.
 */
function signIn(exchange: Exchange, services: ApiServices): Promise<ApiReply> {
  const { sessions, budget } = services;
  try {
    const { headers } = exchange;
    const peer = exchange.peerAddress();
    refusing('cross_site', () => assertOwnPage(headers['sec-fetch-site']));
    const counted = refusing('limited', () =>
      sessions.signIns.take(peer, headers['x-forwarded-for'], exchange.startedAt),
    )?.catch((error: unknown) => {
      throw asRefusal('limited', error);
    });
    // The reply waits for the count, unless the next check refuses the sign-in first.
    counted?.catch(() => {});
    const cookie = refusing('insecure', () => sessions.cookies.nameFor(peer, headers));
    return new Promise((resolve, reject) => {
      counted?.catch((error: unknown) => {
        sessions.refused(error, exchange.requestId);
        reject(error);
      });
      const onBody = (bytes: Buffer): void => {
        // The body is parsed or copied before the first await, because its bytes are not valid after an await.
        const kept = counted && Buffer.from(bytes);
        const started = kept ? counted.then(() => start(exchange, services, kept)) : start(exchange, services, bytes);
        started.then(({ token, ...reply }) => {
          resolve({
            ...reply,
            headers: [...noStore, 'Set-Cookie', setCookie(cookie, token), ...clearCookies(headers, cookie)],
          });
        }, reject);
      };
      const onRefusal = (error: ServiceError): void => sessions.refused(error, exchange.requestId);
      exchange.receive({ maxBytes: maxBodyBytes, budget, onRefusal }, () => {}, onBody);
    });
  } catch (error) {
    sessions.refused(error, exchange.requestId);
    throw error;
  }
}

/**
 * A page of another site must not sign the browser in with a key of its own. Browsers without this header cannot send
 * JSON to another site without its permission, and the service gives none.
 */
function assertOwnPage(site: string | undefined): void {
  if (site === undefined || site === 'same-origin') return;
  const message = `Sec-Fetch-Site: expected same-origin, got ${JSON.stringify(site.slice(0, 40))}. Only a page of this service can sign a browser in.`;
  throw new ServiceError('forbidden', message);
}

async function start(exchange: Exchange, services: ApiServices, bytes: Buffer): Promise<ApiReply & { token: string }> {
  const { authenticator, context, sessions } = services;
  const { headers, requestId } = exchange;
  let keyId: string | undefined;
  let code: string | undefined;
  try {
    const body = checkBody(parseBody(headers['content-type'] ?? '', bytes));
    code = body.code === undefined ? undefined : hashSessionSecret(body.code);
    keyId =
      code === undefined ? authenticator.admitKey(body.key ?? '', Date.now()).caller.key.id : keyOf(services, code);
    const [token, csrf] = [newSessionSecret(), newSessionSecret()];
    const session = { id: newId('ses', 0), keyId, token: hashSessionSecret(token), csrf: hashSessionSecret(csrf) };
    const replaces = replacedSession(services, headers, keyId);
    const { createdAt } = await runCommand<{ createdAt: number }>(actingAs(context, keyId, requestId), directoryName, {
      name: 'createSession',
      session,
      ...(code !== undefined && { code }),
      ...(replaces !== undefined && { replaces }),
    });
    sessionsStarted.inc({ by: code === undefined ? 'key' : 'code' });
    const caller = authenticator.callerOfKey(readPartition(context, directoryName), keyId);
    return { status: 200, body: toSession(caller, { createdAt, renewedAt: createdAt }, csrf), token };
  } catch (error) {
    sessions.refused(atFold(error, code), requestId, keyId);
    throw error;
  }
}

/**
 * Returns the token hash of the session that a sign-in replaces. The cookie alone is not enough, because a program on
 * another port of the same host receives it: the session must have the same key, or the request its second secret.
 */
function replacedSession({ context }: ApiServices, headers: Exchange['headers'], keyId: string): string | undefined {
  const directory = readPartition(context, directoryName);
  const csrf = headers['x-tidings-csrf'] ?? '';
  return sessionTokens(headers)
    .map(hashSessionSecret)
    .find((hash) => {
      const session = readSession(directory, hash);
      return session && (session.keyId === keyId || hasHash(csrf, session.csrf));
    });
}

/** @throws ServiceError `invalid` for a body that does not have exactly one of the fields `key` and `code` */
function checkBody(body: unknown): CreateSessionBody {
  const fields = typeof body === 'object' && body !== null ? body : {};
  if ('key' in fields === 'code' in fields) {
    throw invalid({ body: `expected either key or code, got ${'key' in fields ? 'both' : 'none of them'}` });
  }
  return check<CreateSessionBody>(CreateSessionBodySchema, body, 'body');
}

/**
 * Names the reason of a refusal by the fold: a code that a concurrent request has used, or a key that was revoked
 * meanwhile.
 */
function atFold(error: unknown, code: string | undefined): unknown {
  if (!(error instanceof ServiceError) || error.kind !== 'unauthorized' || error.constructor !== ServiceError)
    return error;
  return new SignInRefusedError(code === undefined ? 'revoked' : 'code', error);
}

/** @throws SignInRefusedError for a code that is not known */
function keyOf({ context }: ApiServices, code: string): string {
  const directory = readPartition(context, directoryName);
  const known = readSignInCode(directory, code);
  if (known && isUsable(known, Date.now()) && readKey(directory, known.keyId)) return known.keyId;
  const message =
    'The sign-in code is not known, has expired or was used before. Sign in with an API key, or run tidings dashboard where the service runs.';
  throw new SignInRefusedError('code', new ServiceError('unauthorized', message));
}

function refusing<T>(fault: SignInFault, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw asRefusal(fault, error);
  }
}

function asRefusal(fault: SignInFault, error: unknown): unknown {
  return error instanceof ServiceError ? new SignInRefusedError(fault, error) : error;
}

function toSession(
  { key, expiresAt: keyEnds, isTest }: Caller,
  session: Pick<SessionRecord, 'createdAt' | 'renewedAt'>,
  csrf: string,
): Session {
  const { id, name, prefix, last4, orgId, scopes } = key;
  const last = keyEnds ?? Number.POSITIVE_INFINITY;
  return {
    csrf,
    expiresAt: iso(Math.min(sessionExpiry(session), last)),
    endsAt: iso(Math.min(session.createdAt + sessionMaxMs, last)),
    key: { id, name, prefix, last4, orgId, scopes, testMode: isTest } as Session['key'],
  };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
