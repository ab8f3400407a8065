/** Answers requests about a test host itself, about a token or about an app, as GitHub and Gitea do. */
import type { Reply } from './app.ts';
import type { HostKind } from './lists.ts';
import type { TestHostOptions } from './server.ts';

/** The token scope that Gitea requires for each path. */
const giteaScopes: Record<string, string> = {
  '/repos/search': 'read:repository',
  '/repos/issues/search': 'read:issue',
};

/** Whether a path asks about the host itself or about the credentials, in the API of GitHub or Gitea. */
export function isAboutHost(url: string): boolean {
  return /^\/api\/v[13]\/(meta|version|rate_limit|app|repos\/search|repos\/issues\/search)(\?|$)/.test(url);
}

/**
 * Returns the answer to a request about the host itself or the credentials; undefined for any other request.
 * @param lets true when the host accepts the credentials
 */
export function aboutHost(
  kind: HostKind,
  path: string,
  authorization: string | undefined,
  lets: boolean,
  { scopes, app }: TestHostOptions,
): (Reply & { headers?: Record<string, string> }) | undefined {
  const refused = { status: 401, body: { message: 'Bad credentials' } };
  if (kind === 'github') {
    if (path === '/meta') return { status: 200, body: { verifiable_password_authentication: false } };
    if (path === '/app' && app) return app.self(authorization);
    if (path !== '/rate_limit') return undefined;
    if (!lets) return refused;
    return { status: 200, body: { resources: {} }, headers: scopes ? { 'x-oauth-scopes': scopes.join(', ') } : {} };
  }
  if (path === '/version') return { status: 200, body: { version: '1.26.0' } };
  const wanted = giteaScopes[path];
  if (wanted === undefined) return undefined;
  if (!lets) return refused;
  if (scopes && !scopes.includes(wanted)) {
    const message = `token does not have at least one of required scope(s), required=[${wanted}]`;
    return { status: 403, body: { message } };
  }
  return { status: 200, body: [] };
}
