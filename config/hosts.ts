/**
 * The source-code hosts of the settings as one list: the default one first, then the others, with the base address of each
 * one's REST API filled in.
 */
import type { Settings } from './schema.ts';

/** One host. Without credentials only what is public can be read from it. */
export interface Host {
  /** Its web address, part of the identity of each of its repositories. */
  origin: string;
  kind: 'github' | 'gitea';
  apiUrl: string;
  token: string | undefined;
  app: { id: string; keyFile: string } | undefined;
}

/** All hosts of the settings, the default one first. */
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

/** Web addresses of all hosts of the settings, the default one first. */
export function hostOrigins({ hostOrigin, hosts }: Settings): readonly string[] {
  return [hostOrigin, ...hosts.map(({ origin }) => origin)];
}

/** A host by its web address; undefined when the settings have none such. */
export function hostAt(hosts: readonly Host[], origin: string): Host | undefined {
  return hosts.find((host) => host.origin === origin);
}

/**
 * Whether the settings have credentials for a repository: a token of its host, or an app that is installed for it.
 * @param installationId the installation that includes the repository; null where none does
 */
export function hasCredentials({ token, app }: Host, installationId: string | null): boolean {
  return token !== undefined || (app !== undefined && installationId !== null);
}

/** Whether the settings have any credentials for a host. */
export function hasAnyCredentials({ token, app }: Host): boolean {
  return token !== undefined || app !== undefined;
}

function toHost({ origin, kind: named = 'github', apiUrl, token, appId, appKeyFile }: Settings['hosts'][number]): Host {
  // Forgejo has Gitea's API.
  const kind = named === 'forgejo' ? 'gitea' : named;
  const app = appId !== undefined && appKeyFile !== undefined ? { id: appId, keyFile: appKeyFile } : undefined;
  const base = (apiUrl ?? usualApiUrl(origin, kind)).replace(/\/+$/, '');
  return { origin, kind, apiUrl: base, token, app };
}

/** Where hosts of a kind serve their REST API. */
export function usualApiUrl(origin: string, kind: Host['kind']): string {
  if (kind === 'gitea') return `${origin}/api/v1`;
  return origin === 'https://github.com' ? 'https://api.github.com' : `${origin}/api/v3`;
}
