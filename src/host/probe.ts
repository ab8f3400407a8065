/**
 * Probes a host of the settings: whether it replies, its kind and version, and whether it accepts the credentials.
 * Credentials are sent only to an address whose first reply shows a host of the expected kind.
 */
import { type Host, usualApiUrl } from '../../config/hosts.ts';
import { Credentials } from './credentials.ts';
import { exchange, type HttpAnswer } from './exchange.ts';

type Kind = Host['kind'];

/** The kind and version that an API reports. github.com reports no version. */
export interface Recognised {
  kind: Kind;
  version: string | undefined;
}

/** The result of probing a host. */
export type HostCheck =
  /** The address gave no reply. `reason` is the code of the error, or its message if the error has no code. */
  | { found: 'nothing'; reason: string }
  /** The API address replies, but the reply does not come from a known kind of host. */
  | { found: 'unknown'; status: number }
  /** The address belongs to a host whose kind differs from the kind in the settings. */
  | { found: 'otherKind'; is: Recognised }
  | { found: 'host'; is: Recognised; token: TokenCheck | undefined; app: AppCheck | undefined };

/** The result of checking a token with the host. `scopes` is undefined when the host does not list them. */
export type TokenCheck =
  | { state: 'taken'; scopes: readonly string[] | undefined }
  | { state: 'refused'; status: number }
  /** For Gitea: the token lacks some of the required scopes. */
  | { state: 'lacking'; missing: readonly string[] }
  | Unchecked;

/** The host neither took nor refused a credential. `reason` is the status of its reply, or as in `HostCheck`. */
interface Unchecked {
  state: 'unknown';
  reason: string;
}

/** The result of checking an app with the host. `mayWrite` is true if it may write the contents of repositories. */
export type AppCheck =
  | { state: 'taken'; slug: string; missing: readonly string[]; mayWrite: boolean }
  | { state: 'refused'; reason: string }
  | Unchecked;

const timeoutMs = 5000;
const names: Record<Kind, string> = { github: 'GitHub', gitea: 'Gitea or Forgejo' };

/** Returns the display name of a kind of host. */
export function nameOfKind(kind: Kind): string {
  return names[kind];
}

/** Returns the display name of a recognized host, with its version. */
export function nameOf({ kind, version }: Recognised): string {
  return version === undefined ? names[kind] : `${names[kind]} ${version}`;
}

/** Probes a host with several requests, one after another. Each request has a timeout of five seconds. */
export async function checkHost(host: Host, signal?: AbortSignal): Promise<HostCheck> {
  const get = (url: string, authorization?: string): Promise<HttpAnswer> => {
    const headers = { accept: 'application/json', 'user-agent': 'tidings', ...(authorization && { authorization }) };
    return exchange({ url, method: 'GET', headers, timeoutMs, signal });
  };
  let answer: HttpAnswer;
  try {
    answer = await get(host.apiUrl + pathOf(host.kind));
  } catch (error) {
    return { found: 'nothing', reason: reasonOf(error) };
  }
  const is = recognise(host.kind, answer);
  if (is) {
    const token = await checkToken(host, get).catch(toUnchecked);
    return { found: 'host', is, token, app: await checkApp(host, get).catch(toUnchecked) };
  }
  const other: Kind = host.kind === 'github' ? 'gitea' : 'github';
  const second = await get(usualApiUrl(host.origin, other) + pathOf(other)).catch(() => undefined);
  const isOther = second && recognise(other, second);
  return isOther ? { found: 'otherKind', is: isOther } : { found: 'unknown', status: answer.status };
}

function pathOf(kind: Kind): string {
  return kind === 'github' ? '/meta' : '/version';
}

/**
 * Recognizes the kind and version of a host from a reply. GitHub marks every reply, even a refusal, with one of its own
 * headers. A Gitea server can be configured to show its version only to users who are signed in.
 */
function recognise(kind: Kind, { status, headers, text }: HttpAnswer): Recognised | undefined {
  const body = parse(text);
  if (kind === 'github') {
    const isMarked = headers.has('x-github-request-id') || headers.has('x-github-media-type');
    if (!isMarked && !('verifiable_password_authentication' in body)) return undefined;
    return { kind, version: textOf(body.installed_version) };
  }
  const version = textOf(body.version);
  if (status === 200 && version !== undefined) return { kind, version };
  const isClosed = [401, 403].includes(status) && /\/api\/swagger$/.test(textOf(body.url) ?? '');
  return isClosed ? { kind, version: undefined } : undefined;
}

type Get = (url: string, authorization?: string) => Promise<HttpAnswer>;

async function checkToken(host: Host, get: Get): Promise<TokenCheck | undefined> {
  if (host.token === undefined) return undefined;
  const authorization = new Credentials(host, undefined).tokenAuthorization();
  if (host.kind === 'gitea') return checkGiteaToken(host.apiUrl, (url) => get(url, authorization));
  // GitHub does not count this request towards the rate limit. An enterprise server without rate limits replies 404 to
  // a valid token.
  const { status, headers } = await get(`${host.apiUrl}/rate_limit`, authorization);
  if (status !== 200 && status !== 404) return notTaken(status);
  const scopes = headers.get('x-oauth-scopes');
  return { state: 'taken', scopes: scopes?.split(',').flatMap((each) => each.trim() || []) };
}

async function checkGiteaToken(apiUrl: string, get: (url: string) => Promise<HttpAnswer>): Promise<TokenCheck> {
  const reads = { 'read:repository': '/repos/search?limit=1', 'read:issue': '/repos/issues/search?limit=1' };
  const missing: string[] = [];
  for (const [scope, path] of Object.entries(reads)) {
    const { status } = await get(apiUrl + path);
    if (status === 403) missing.push(scope);
    else if (status !== 200) return notTaken(status);
  }
  return missing.length > 0 ? { state: 'lacking', missing } : { state: 'taken', scopes: undefined };
}

/** Returns the result for a status other than success. A host that is overloaded does not refuse the token. */
function notTaken(status: number): TokenCheck {
  return status === 401 || status === 403 ? { state: 'refused', status } : { state: 'unknown', reason: String(status) };
}

function toUnchecked(error: unknown): Unchecked {
  return { state: 'unknown', reason: reasonOf(error) };
}

/** Permissions that an app's installation must have, so that the service can read from a host. */
const neededPermissions = ['contents', 'issues', 'metadata', 'pull_requests'];

async function checkApp(host: Host, get: Get): Promise<AppCheck | undefined> {
  if (host.app === undefined) return undefined;
  let authorization: string | undefined;
  try {
    authorization = new Credentials(host, undefined).appAuthorization();
  } catch (error) {
    return { state: 'refused', reason: reasonOf(error) };
  }
  const { status, text } = await get(`${host.apiUrl}/app`, authorization);
  // The reply to an unknown number of an app is 404.
  if ([401, 403, 404].includes(status)) return { state: 'refused', reason: `the host answers ${status}` };
  if (status !== 200) return { state: 'unknown', reason: String(status) };
  const { slug, permissions } = parse(text) as { slug?: unknown; permissions?: Record<string, unknown> };
  const missing = neededPermissions.filter((name) => permissions && permissions[name] === undefined);
  return { state: 'taken', slug: textOf(slug) ?? '', missing, mayWrite: permissions?.contents === 'write' };
}

/**
 * Returns the reason why no reply arrived. The reason is in the cause of the error, because the message of the error is
 * only `fetch failed`.
 */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  return cause?.code ?? cause?.message ?? message;
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Returns a value that the host sent, but only if it is a short and plain text, since it is shown to people. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.:/+ -]{1,200}$/.test(value) ? value : undefined;
}
