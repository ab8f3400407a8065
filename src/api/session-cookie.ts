/**
 * Reads and writes the cookie of a session, and decides which cookie a browser gets. A browser that uses https gets
 * `__Host-tidings`: no page of another host can set it, and it is never sent unencrypted. A browser on the same machine
 * that uses plain http gets `tidings`. All other browsers on plain http are refused, because others could read their
 * key and cookie on the way.
 */
import { ServiceError } from '../foundation/errors.ts';
import { isSessionSecret } from '../foundation/session-secret.ts';
import { contains, toBlockList } from '../http/client-address.ts';
import { sessionMaxMs } from '../protocol/sessions.ts';

const secureName = '__Host-tidings';
const localName = 'tidings';
type CookieName = typeof secureName | typeof localName;

type Headers = Readonly<Record<string, string>>;

const loopback = toBlockList(['127.0.0.0/8', '::1']);
/** Networks in which a container can see the gateway of its own network. */
const containerNetworks = toBlockList(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fe80::/10']);
const loopbackHost = /^(localhost|[\w-]+\.localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;
/** Maximum number of tokens per cookie name that a request can have. */
const maxTokens = 4;
/** Headers by which proxies describe a request. A request with one of them does not come from a browser directly. */
const proxyHeaders = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded', 'via', 'x-real-ip'];

const refusal =
  'A browser can sign in only over https, or at http://127.0.0.1 or http://localhost on the machine of the service; for a container, publish its port there, such as -p 127.0.0.1:8080:8080. Set TIDINGS_PUBLIC_URL to the https address of the service and open that address, or use a proxy with TLS and name it in TIDINGS_TRUSTED_PROXIES.';

/** Whether the host of an address, with or without a port, is this machine. */
export function isLoopbackHost(host: string): boolean {
  return loopbackHost.test(host);
}

/**
 * Returns the tokens in the cookies of a request, those of https first. The cookie of plain http counts only if the
 * request names the service by a loopback host. There can be several tokens, because a program on another port of the
 * same host can set cookies of the same name with a longer path.
 */
export function sessionTokens({ cookie = '', host = '' }: Headers): string[] {
  return [...tokensIn(cookie, secureName), ...(isLoopbackHost(host) ? tokensIn(cookie, localName) : [])];
}

/**
 * Returns the last values of a cookie that have the form of a token. The cookie of this service has the shortest path,
 * and browsers send such a cookie last.
 */
function tokensIn(cookies: string, name: CookieName): string[] {
  const values = pairsIn(cookies).filter((pair) => pair.startsWith(`${name}=`));
  const tokens = values.map((pair) => pair.slice(name.length + 1)).filter(isSessionSecret);
  return [...new Set(tokens)].slice(-maxTokens);
}

function pairsIn(cookies: string): string[] {
  return cookies.split(';').map((pair) => pair.trim());
}

/** Decides which cookie a browser gets. */
export class CookieChoice {
  private readonly isPublicHttps: boolean;
  private readonly proxies: ReturnType<typeof toBlockList>;

  constructor({ publicUrl, trustedProxies }: { publicUrl: string; trustedProxies: readonly string[] }) {
    this.isPublicHttps = /^https:/i.test(publicUrl);
    this.proxies = toBlockList(trustedProxies);
  }

  /**
   * Returns the name of the cookie for a browser that signs in. The header Origin decides if it is present, because
   * only the browser knows the address in its address bar. Without it, the proxy and the settings decide.
   * @param peer the address of the connection
   * @throws ServiceError `forbidden` for plain http from another machine
   */
  nameFor(peer: string, headers: Headers): CookieName {
    const { origin } = headers;
    if (origin !== undefined && /^https:\/\//i.test(origin)) return secureName;
    const isForwarded = contains(this.proxies, peer);
    if (origin === undefined && isForwarded && lastOf(headers['x-forwarded-proto']) === 'https') return secureName;
    if (isLocal(peer, headers)) return localName;
    if (origin === undefined && this.isPublicHttps) return secureName;
    throw new ServiceError('forbidden', refusal);
  }
}

/**
 * Whether a browser on this machine uses plain http. A container sees such a browser behind the gateway of its network,
 * so a private address counts, too, if the browser states a loopback address in the header Origin. Only the browser
 * sets this header, so it is at the loopback address of its own machine, from which the port was published.
 */
function isLocal(peer: string, headers: Headers): boolean {
  const { host = '', origin } = headers;
  const isDirect = proxyHeaders.every((name) => headers[name] === undefined);
  const isLocalOrigin = origin === undefined || /^http:\/\/(.+)$/i.exec(origin)?.[1] === host;
  if (!isDirect || !isLocalOrigin || !isLoopbackHost(host)) return false;
  return contains(loopback, peer) || (origin !== undefined && contains(containerNetworks, peer));
}

/** Returns the header that sets the cookie of a session. */
export function setCookie(name: CookieName, token: string): string {
  return cookie(name, token, sessionMaxMs / 1000);
}

/**
 * Returns the headers that remove the cookies of sessions that a request has, as a flat list of names and values.
 * @param kept the cookie that is not removed, because the reply sets it
 */
export function clearCookies({ cookie: sent = '' }: Headers, kept?: CookieName): string[] {
  const names = ([secureName, localName] as const).filter((name) => name !== kept);
  return names
    .filter((name) => pairsIn(sent).some((pair) => pair.startsWith(`${name}=`)))
    .flatMap((name) => ['Set-Cookie', cookie(name, '', 0)]);
}

function cookie(name: CookieName, value: string, maxAge: number): string {
  const attributes = ['Path=/', `Max-Age=${maxAge}`, 'HttpOnly', 'SameSite=Strict'];
  if (name === secureName) attributes.push('Secure');
  return `${name}=${value}; ${attributes.join('; ')}`;
}

function lastOf(list: string | undefined): string | undefined {
  return list?.split(',').at(-1)?.trim().toLowerCase();
}
