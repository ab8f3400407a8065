/**
 * Lists the source code hosts in the settings, and checks one of them on request. Only instance keys may use these
 * operations, because the settings belong to the operator. Only hosts in the settings are contacted. Replies contain no
 * credentials.
 */
import { type Host, hostOrigins, hostsOf } from '../../config/hosts.ts';
import { invalid } from '../foundation/errors.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { ask } from '../journal/query.ts';
import type { CheckedHost, CheckHostTask, CredentialCheck, HostChecksTask } from '../protocol/host-checks.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import { type CheckHostBody, CheckHostBodySchema, hostContracts } from '../protocol/resources/hosts.ts';
import type { Partition } from '../store/partition.ts';
import { appInForce, installUrlOf, readHostApp, unusedApps } from '../store/tables/host-apps.ts';
import { listWebhookSecrets } from '../store/tables/webhook-secrets.ts';
import { assertInstance } from './authenticate.ts';
import type { ApiContext } from './context.ts';
import type { ApiRoute } from './route.ts';
import { check } from './validate.ts';

/** How long the list waits for the newest checks, in milliseconds. Without an answer, the list has none. */
const checksMs = 1000;

const listHosts: ApiRoute = {
  method: 'GET',
  path: '/api/hosts',
  operation: 'listHosts',
  contract: hostContracts.listHosts,
  scope: 'repos:read',
  query: NoQuerySchema,
  handle: async ({ caller, context, directory }) => {
    assertInstance(caller, 'The list of hosts');
    const { settings } = context;
    const known = hostsOf(settings);
    const unused = unusedApps(directory, known);
    const secrets = listWebhookSecrets(directory, null).filter(
      ({ id }) => !unused.some(({ app }) => app.secretId === id),
    );
    // The directory is read before the first `await`. After that, a new generation may have replaced its store.
    const apps = known.map((host) => usedApp(directory, host));
    const checks = await newestChecks(context);
    const hosts = known.map(({ origin, kind, token }, i) => {
      const app = apps[i] ?? null;
      const isDefault = origin === settings.hostOrigin;
      const own = secrets.filter((secret) => secret.origin === origin).length;
      const checked = checks.find((each) => each.origin === origin);
      return {
        origin,
        kind,
        isDefault,
        credentials: [...(token === undefined ? [] : ['token']), ...(app === null ? [] : ['app'])],
        app,
        webhookSecrets: own + (isDefault ? settings.webhookSecrets.length : 0),
        lastCheck: checked ? hostCheckResponse(checked) : null,
      };
    });
    return { status: 200, body: { hosts, unusedApps: unused.map(unusedAppResponse) } };
  },
};

const checkHost: ApiRoute = {
  method: 'POST',
  path: '/api/hosts/check',
  operation: 'checkHost',
  contract: hostContracts.checkHost,
  scope: 'repos:write',
  query: NoQuerySchema,
  checkBody,
  handle: async ({ body, caller, context, test }) => {
    assertInstance(caller, 'The check of a host');
    const { origin } = checkBody(body);
    const known = hostOrigins(context.settings);
    if (!known.includes(origin))
      throw invalid({ origin: `expected one of ${known.join(', ')}, got ${JSON.stringify(origin)}` });
    // In test mode, no request is sent to the host.
    if (test) return { status: 200, body: {} };
    const question: CheckHostTask = { task: 'checkHost', origin };
    const checked = await ask<CheckHostTask, CheckedHost>(context.journal, directoryName, question);
    return { status: 200, body: hostCheckResponse(checked) };
  },
};

function checkBody(body: unknown): CheckHostBody {
  return check<CheckHostBody>(CheckHostBodySchema, body, 'body');
}

function newestChecks({ journal }: ApiContext): Promise<CheckedHost[]> {
  const question: HostChecksTask = { task: 'hostChecks' };
  return ask<HostChecksTask, CheckedHost[]>(journal, directoryName, question, checksMs).catch(() => []);
}

/** Makes the part of a reply that describes the check of a host. */
export function hostCheckResponse({ checkedAt, ...checked }: CheckedHost): object {
  const given = [checked.token, checked.app].filter((each) => each !== null);
  return { ...checked, checkedAt: new Date(checkedAt).toISOString(), ...rightsOf(given) };
}

/** Returns what any of the credentials may do. */
function rightsOf(given: readonly CredentialCheck[]): { mayRead: boolean; mayWrite: boolean | null } {
  const mayRead = given.some((each) => each.mayRead);
  if (given.some(({ mayWrite }) => mayWrite === true)) return { mayRead, mayWrite: true };
  return { mayRead, mayWrite: given.some(({ mayWrite }) => mayWrite === null) ? null : false };
}

function unusedAppResponse({ app, reason }: ReturnType<typeof unusedApps>[number]): object {
  const { origin, appId: id, name, url } = app;
  return { origin, id, name, url, reason };
}

/** Makes the part of a reply that describes the app that is used for a host, if there is one. */
function usedApp(directory: Partition, host: Host): object | null {
  const { app } = host;
  const stored = app === undefined ? appInForce(directory, host) : readHostApp(directory, host.origin);
  if (app !== undefined && app.id !== stored?.appId)
    return { source: 'settings', id: app.id, name: null, url: null, installUrl: null };
  if (!stored) return null;
  const { appId: id, name, url } = stored;
  return { source: app === undefined ? 'stored' : 'settings', id, name, url, installUrl: installUrlOf(stored) };
}

export const hostRoutes = [listHosts, checkHost];
