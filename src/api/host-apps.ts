/**
 * Creates apps of hosts from manifests, and removes them. A browser posts the manifest to the host, and the host returns
 * the browser with a code, which is exchanged for the app here. Only instance keys may use these operations. Replies
 * contain no secret of an app.
 */
import { isIP } from 'node:net';
import { githubOrigins, type Host, hostAt, hostsOf } from '../../config/hosts.ts';
import { isOwnMachine, publicUrlOf } from '../../config/public-url.ts';
import type { Settings } from '../../config/schema.ts';
import { AddressRule } from '../egress/address.ts';
import { invalid, ServiceError } from '../foundation/errors.ts';
import { newId, ulid } from '../foundation/ids.ts';
import { directoryName } from '../foundation/partition-names.ts';
import type { Sealer } from '../foundation/seal.ts';
import { ask } from '../journal/query.ts';
import {
  appStateMs,
  type ConvertedApp,
  type ConvertManifestTask,
  type HostAppRecord,
  manifestCodeSealedFor,
} from '../protocol/host-apps.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import {
  type AppManifest,
  appRights,
  type CreateAppManifestBody,
  CreateAppManifestBodySchema,
  type CreateHostAppBody,
  CreateHostAppBodySchema,
  hostContracts,
  type RemoveHostAppQuery,
  RemoveHostAppQuerySchema,
} from '../protocol/resources/hosts.ts';
import type { Partition } from '../store/partition.ts';
import { readHostApp } from '../store/tables/host-apps.ts';
import { countWebhookTexts, maxWebhookTexts } from '../store/tables/webhook-secrets.ts';
import { assertInstance, assertScope, type Caller } from './authenticate.ts';
import { type ApiContext, runCommand, type Use } from './context.ts';
import type { ApiRoute } from './route.ts';
import { check } from './validate.ts';

/** What a state says. Only this service can make a state, because it is sealed. */
interface AppState {
  id: string;
  origin: string;
  /** The API key of the request that made the state. The code must come back with the same key. */
  keyId: string;
  until: number;
}

const stateSealedFor = ['app manifest state'];
const maxNameLength = 34;

const createManifest: ApiRoute = {
  method: 'POST',
  path: '/api/hosts/app-manifest',
  operation: 'createAppManifest',
  contract: hostContracts.createAppManifest,
  scope: 'repos:write',
  query: NoQuerySchema,
  checkBody: checkManifestBody,
  handle: ({ body, caller, context, directory, test }) => {
    assertMayWrite(caller);
    const { origin, organization, name } = checkManifestBody(body);
    // In test mode, no browser goes to the host, so it need not reach this service.
    if (test) return { status: 200, body: {} };
    assertNoApp(context, directory, origin);
    const publicUrl = reachableUrl(context.settings, origin);
    const state = sealState(context.sealer, origin, caller.key.id, Date.now());
    const reply = { url: manifestUrl(origin, organization, state), manifest: appManifest(publicUrl, name), state };
    return { status: 200, body: reply, headers: ['Cache-Control', 'no-store'] };
  },
};

const createApp: ApiRoute = {
  method: 'POST',
  path: '/api/hosts/app',
  operation: 'createHostApp',
  contract: hostContracts.createHostApp,
  scope: 'repos:write',
  query: NoQuerySchema,
  checkBody: checkAppBody,
  once: { home: () => directoryName, reply: (value) => ({ status: 201, body: value as object }) },
  handle: async ({ body, caller, context, directory, once, test }) => {
    assertMayWrite(caller);
    const { code, state } = checkAppBody(body);
    // In test mode, no state is real, and no request is sent to the host.
    if (test) return { status: 201, body: {} };
    const opened = openState(context.sealer, state, caller.key.id, Date.now());
    assertNoApp(context, directory, opened.origin);
    return { status: 201, body: await storeApp(context, opened, code, once) };
  },
};

const removeApp: ApiRoute<RemoveHostAppQuery> = {
  method: 'DELETE',
  path: '/api/hosts/app',
  operation: 'removeHostApp',
  contract: hostContracts.removeHostApp,
  scope: 'repos:write',
  query: RemoveHostAppQuerySchema,
  handle: async ({ caller, context, query: { origin } }) => {
    assertMayWrite(caller);
    return { status: 200, body: await runCommand(context, directoryName, { name: 'removeHostApp', origin }) };
  },
};

function checkManifestBody(body: unknown): CreateAppManifestBody {
  return check<CreateAppManifestBody>(CreateAppManifestBodySchema, body, 'body');
}

function checkAppBody(body: unknown): CreateHostAppBody {
  return check<CreateHostAppBody>(CreateHostAppBodySchema, body, 'body');
}

/** An app brings credentials of the host and a webhook secret, so the key needs the scopes for both. */
function assertMayWrite(caller: Caller): void {
  assertInstance(caller, 'The app of a host');
  assertScope(caller, 'webhooks:write');
}

/**
 * Uses up the state, exchanges the code and stores the app. The state is used up first, so a code is exchanged at most
 * once, even if the gateway ends in between.
 */
async function storeApp(
  context: ApiContext,
  { id: stateId, origin, until }: AppState,
  code: string,
  use: Use | undefined,
): Promise<object> {
  await runCommand(context, directoryName, { name: 'takeAppState', stateId, until });
  const secretId = newId('secret', 0);
  const sealedCode = context.sealer.seal(code, manifestCodeSealedFor(stateId));
  const question: ConvertManifestTask = { task: 'convertManifest', origin, stateId, sealedCode, secretId };
  const { sealedSecret, ...made } = await ask<ConvertManifestTask, ConvertedApp>(
    context.journal,
    directoryName,
    question,
  ).catch((error: ServiceError) => {
    throw error.kind === 'unavailable' || error.kind === 'internal' ? lost(origin) : error;
  });
  const app: HostAppRecord = { origin, ...made, secretId, createdAt: 0 };
  const secret = {
    ...{ id: secretId, origin, orgId: null, name: `App ${made.name}`, sealed: sealedSecret },
    ...{ previous: [], createdAt: 0, rotatedAt: null },
  };
  return runCommand<object>(context, directoryName, { name: 'createHostApp', app, secret }, use);
}

/** The error for an exchange whose outcome is not known. A repetition cannot succeed, because the state is used up. */
function lost(origin: string): ServiceError {
  const message = `The service could not finish the exchange with ${origin}. If the app exists on the host, delete it there. Then begin again.`;
  return new ServiceError('conflict', message);
}

/**
 * Checks that an app can be stored for a host.
 * @throws ServiceError `invalid` naming the hosts that can have an app, `conflict` if the host has an app
 */
function assertNoApp({ settings }: ApiContext, directory: Partition, origin: string): void {
  const host = hostAt(hostsOf(settings), origin);
  if (host?.kind !== 'github') {
    const able = githubOrigins(settings);
    const expected =
      able.length === 0 ? 'a host of the kind github in the settings, which have none' : `one of ${able.join(', ')}`;
    throw invalid({ origin: `expected ${expected}, got ${JSON.stringify(origin)}` });
  }
  if (host.app !== undefined) {
    const message = `The settings have the app ${host.app.id} for ${origin}. To create another one, remove ${appSettings(settings, host)} from the settings, then restart.`;
    throw new ServiceError('conflict', message);
  }
  const stored = readHostApp(directory, origin);
  if (stored) {
    const message = `${origin} already has the app ${stored.name}. Remove it first with DELETE /api/hosts/app?origin=${encodeURIComponent(origin)} or in the settings of the dashboard, and delete it on the host.`;
    throw new ServiceError('conflict', message);
  }
  if (countWebhookTexts(directory, { origin, orgId: null }, Date.now()) >= maxWebhookTexts) {
    const message = `${origin} has ${maxWebhookTexts} valid webhook secrets, which is the maximum, and an app brings one. Revoke one first.`;
    throw new ServiceError('conflict', message);
  }
}

function appSettings({ hostOrigin }: Settings, { origin }: Host): string {
  return origin === hostOrigin
    ? 'TIDINGS_HOST_APP_ID and TIDINGS_HOST_APP_KEY_FILE'
    : 'appId and appKeyFile of the host in TIDINGS_HOSTS';
}

/**
 * Returns the public address of the service. A host refuses an app whose webhook address it cannot reach.
 * @throws ServiceError `conflict` if the host cannot reach the address
 */
export function reachableUrl(settings: Pick<Settings, 'publicUrl' | 'host' | 'port'>, origin: string): string {
  const fix = `Set TIDINGS_PUBLIC_URL to the address at which ${origin} reaches this service, such as https://notes.example.com, then restart.`;
  if (settings.publicUrl === '') throw new ServiceError('conflict', `TIDINGS_PUBLIC_URL is not set. ${fix}`);
  const url = publicUrlOf(settings);
  // A host on this machine reaches its addresses, and one in a private network those of the network.
  const isUnreachable = isOwnMachine(url) ? !isOwnMachine(origin) : !isOwnMachine(origin) && isPrivateFor(url, origin);
  if (!isUnreachable) return url;
  throw new ServiceError('conflict', `TIDINGS_PUBLIC_URL is ${url}, which ${origin} cannot reach. ${fix}`);
}

/** Whether github.com cannot reach an address, because it is one of a private network. */
function isPrivateFor(url: string, origin: string): boolean {
  const address = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return origin === 'https://github.com' && isIP(address) !== 0 && new AddressRule([]).judge(address) === 'refused';
}

/** Makes a state for a host and an API key. */
export function sealState(sealer: Sealer, origin: string, keyId: string, now: number): string {
  const state: AppState = { id: ulid(now), origin, keyId, until: now + appStateMs };
  return sealer.seal(JSON.stringify(state), stateSealedFor);
}

/**
 * Opens a state.
 * @throws ServiceError `invalid` for a state that this service has not made for this key, or that has expired
 */
export function openState(sealer: Sealer, text: string, keyId: string, now: number): AppState {
  let state: AppState;
  try {
    state = JSON.parse(sealer.open(text, stateSealedFor));
  } catch {
    throw invalid({ state: 'expected the state of POST /api/hosts/app-manifest, got another text. Begin again' });
  }
  if (state.keyId !== keyId)
    throw invalid({ state: 'expected a state that was made for this API key, got one of another key. Begin again' });
  // A state that was made while the clock was ahead would be valid for longer than the code of the host.
  if (state.until > now + appStateMs)
    throw invalid({ state: 'expected a state that was made before now, got one of a later time. Begin again' });
  if (state.until <= now)
    throw invalid({
      state: `expected a state that is at most an hour old, got one that expired at ${new Date(state.until).toISOString()}. Begin again`,
    });
  return state;
}

/** Returns the address to which a browser posts the manifest. */
export function manifestUrl(origin: string, organization: string | undefined, state: string): string {
  const owner = organization === undefined ? '' : `/organizations/${encodeURIComponent(organization)}`;
  return `${origin}${owner}/settings/apps/new?state=${encodeURIComponent(state)}`;
}

/**
 * Makes the manifest of an app.
 * @param publicUrl address of this service, without a slash at the end
 */
export function appManifest(publicUrl: string, name = usualName(publicUrl)): AppManifest {
  return {
    name,
    url: publicUrl,
    hook_attributes: { url: `${publicUrl}/api/webhooks/scm`, active: true },
    redirect_url: `${publicUrl}/app/github-app`,
    public: false,
    default_permissions: { ...appRights.default_permissions },
    default_events: [...appRights.default_events],
  };
}

/** Returns a name that no other instance has, because a host accepts each name once. */
function usualName(publicUrl: string): string {
  return `Tidings ${new URL(publicUrl).hostname}`.slice(0, maxNameLength).trim();
}

export const hostAppRoutes = [createManifest, createApp, removeApp];
