/**
 * Looks at a host of the settings: whether it answers, what it is, and what its credentials are taken for. Credentials are sent
 * only to an address that has answered as a host of its kind before.
 */
import { type Host, usualApiUrl } from '../../config/hosts.ts';
import { Credentials } from './credentials.ts';
import { exchange, type HttpAnswer } from './exchange.ts';

type Kind = Host['kind'];

/** What an API answered as. `version` is not told by github.com. */
export interface Recognised {
  kind: Kind;
  version: string | undefined;
}

/** What a host was found to be. */
export type HostLook =
  /** No answer came; `reason` is what the system said. */
  | { found: 'nothing'; reason: string }
  /** Something else answers where the API should be. */
  | { found: 'unknown'; status: number }
  /** A host of another kind than the settings say. */
  | { found: 'otherKind'; is: Recognised }
  | { found: 'host'; is: Recognised; token: TokenLook | undefined; app: AppLook | undefined };

/** What the host says of a token. `scopes` are undefined where it does not list them. */
export type TokenLook =
  | { state: 'taken'; scopes: readonly string[] | undefined }
  | { state: 'refused'; status: number }
  /** Gitea: scopes that reading needs and the token does not have. */
  | { state: 'lacking'; missing: readonly string[] };

/** What the host says of an app. */
export type AppLook =
  | { state: 'taken'; slug: string; missing: readonly string[] }
  | { state: 'refused'; reason: string };

const timeoutMs = 5000;
const names: Record<Kind, string> = { github: 'GitHub', gitea: 'Gitea or Forgejo' };

/** What a kind of host is called. */
export function nameOfKind(kind: Kind): string {
  return names[kind];
}

/** What a host that answered is called. */
export function nameOf({ kind, version }: Recognised): string {
  return version === undefined ? names[kind] : `${names[kind]} ${version}`;
}

/** Looks at a host, one request after the other, none of which waits longer than five seconds. */
export async function lookAtHost(host: Host, signal?: AbortSignal): Promise<HostLook> {
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
  if (is) return { found: 'host', is, token: await lookAtToken(host, get), app: await lookAtApp(host, get) };
  const other: Kind = host.kind === 'github' ? 'gitea' : 'github';
  const second = await get(usualApiUrl(host.origin, other) + pathOf(other)).catch(() => undefined);
  const isOther = second && recognise(other, second);
  return isOther ? { found: 'otherKind', is: isOther } : { found: 'unknown', status: answer.status };
}

function pathOf(kind: Kind): string {
  return kind === 'github' ? '/meta' : '/version';
}

/** GitHub marks every reply, refusals too. Gitea may keep its version for those who are signed in. */
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

async function lookAtToken(host: Host, get: Get): Promise<TokenLook | undefined> {
  if (host.token === undefined) return undefined;
  const authorization = new Credentials(host, undefined).tokenAuthorization();
  if (host.kind === 'gitea') return lookAtGiteaToken(host.apiUrl, (url) => get(url, authorization));
  // Costs nothing of the limit. An enterprise server without limits answers 404, as one that took the token.
  const { status, headers } = await get(`${host.apiUrl}/rate_limit`, authorization);
  if (status !== 200 && status !== 404) return { state: 'refused', status };
  const scopes = headers.get('x-oauth-scopes');
  return { state: 'taken', scopes: scopes?.split(',').flatMap((each) => each.trim() || []) };
}

async function lookAtGiteaToken(apiUrl: string, get: (url: string) => Promise<HttpAnswer>): Promise<TokenLook> {
  const reads = { 'read:repository': '/repos/search?limit=1', 'read:issue': '/repos/issues/search?limit=1' };
  const missing: string[] = [];
  for (const [scope, path] of Object.entries(reads)) {
    const { status } = await get(apiUrl + path);
    if (status === 403) missing.push(scope);
    else if (status !== 200) return { state: 'refused', status };
  }
  return missing.length > 0 ? { state: 'lacking', missing } : { state: 'taken', scopes: undefined };
}

/** What the service reads with an installation of the app. */
const neededPermissions = ['contents', 'issues', 'metadata', 'pull_requests'];

async function lookAtApp(host: Host, get: Get): Promise<AppLook | undefined> {
  if (host.app === undefined) return undefined;
  try {
    const { status, text } = await get(`${host.apiUrl}/app`, new Credentials(host, undefined).appAuthorization());
    if (status !== 200) return { state: 'refused', reason: `the host answers ${status}` };
    const { slug, permissions } = parse(text) as { slug?: unknown; permissions?: Record<string, unknown> };
    const missing = neededPermissions.filter((name) => permissions && permissions[name] === undefined);
    return { state: 'taken', slug: textOf(slug) ?? '', missing };
  } catch (error) {
    return { state: 'refused', reason: reasonOf(error) };
  }
}

/** Why no answer came: `fetch failed` says nothing, its cause does. */
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

/** Texts of the host are shown to people: short plain ones only. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w.:/+ -]{1,200}$/.test(value) ? value : undefined;
}
