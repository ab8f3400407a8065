/**
 * Lists all source-code hosts in the settings, the default host first. If the settings do not contain the REST API
 * address of a host, the usual address for this kind of host is used.
 */
import type { Settings } from './schema.ts';

/** An app with its private key: the path of a PEM file, or the PEM text itself. */
export type HostApp = { id: string; keyFile: string } | { id: string; key: string };

/** One host. Without credentials, only public data of the host can be read. */
export interface Host {
  /** The host's web address, which is part of the identity of each of its repositories. */
  origin: string;
  kind: 'github' | 'gitea';
  apiUrl: string;
  token: string | undefined;
  /** The app of the settings. Where hosts have stored apps too, this is the app in force at the moment of the read. */
  app: HostApp | undefined;
}

/** Returns all hosts of the settings, the default host first. */
export function hostsOf(settings: Settings): readonly Host[] {
  const { hostOrigin, hostKind, hostApiUrl, hostToken, hostAppId, hostAppKeyFile } = settings;
  const fallback = toHost({
    origin: hostOrigin,
    kind: hostKind,
    ...(hostApiUrl !== '' && { apiUrl: hostApiUrl }),
    ...(hostToken !== '' && { token: hostToken }),
    ...(hostAppId !== '' && { appId: hostAppId, appKeyFile: hostAppKeyFile }),
  });
  return [fallback, ...settings.hosts.map(toHost)];
}

/** Returns the web addresses of all hosts of the settings, beginning with the default host. */
export function hostOrigins({ hostOrigin, hosts }: Settings): readonly string[] {
  return [hostOrigin, ...hosts.map(({ origin }) => origin)];
}

/** Returns the web addresses of the hosts that can have an app. */
export function githubOrigins(settings: Settings): readonly string[] {
  return hostsOf(settings).flatMap(({ kind, origin }) => (kind === 'github' ? [origin] : []));
}

/** Finds a host by its web address; returns undefined if the settings do not list the host. */
export function hostAt(hosts: readonly Host[], origin: string): Host | undefined {
  return hosts.find((host) => host.origin === origin);
}

/**
 * Whether the settings have credentials for a repository: a token of its host, or an app that is installed for the
 * repository.
 * @param installationId the installation that includes the repository; null if none does
 */
export function hasCredentials({ token, app }: Host, installationId: string | null): boolean {
  return token !== undefined || (app !== undefined && installationId !== null);
}

/** Whether the settings have any credentials for a host. */
export function hasAnyCredentials({ token, app }: Host): boolean {
  return token !== undefined || app !== undefined;
}

function toHost({ origin, kind: named = 'github', apiUrl, token, appId, appKeyFile }: Settings['hosts'][number]): Host {
  // Forgejo has the same API as Gitea.
  const kind = named === 'forgejo' ? 'gitea' : named;
  const app = appId !== undefined && appKeyFile !== undefined ? { id: appId, keyFile: appKeyFile } : undefined;
  const base = (apiUrl ?? usualApiUrl(origin, kind)).replace(/\/+$/, '');
  return { origin, kind, apiUrl: base, token, app };
}

/** Returns the default base address of a host's REST API. */
export function usualApiUrl(origin: string, kind: Host['kind']): string {
  if (kind === 'gitea') return `${origin}/api/v1`;
  return origin === 'https://github.com' ? 'https://api.github.com' : `${origin}/api/v3`;
}
