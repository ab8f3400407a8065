/** Explains the check of a host: what works, and which setting helps where something does not. */
import type { Operations } from '../../sdk/index.ts';

export type Host = Operations['listHosts']['reply']['hosts'][number];
/** A stored app that is not used. */
export type UnusedApp = Operations['listHosts']['reply']['unusedApps'][number];
type Check = NonNullable<Host['lastCheck']>;

/** One line of the check. Without `todo` there is nothing to do. */
export interface Access {
  name: 'Reachable' | 'Kind' | 'May read' | 'May write';
  /** `unknown` means that it could not be found out. */
  state: 'good' | 'bad' | 'optional' | 'unknown';
  says: string;
  todo?: string;
}

/** Names of the kinds of hosts. */
export const kindNames = { github: 'GitHub', gitea: 'Gitea or Forgejo' } as const;

/** Returns the address of a host without `https://`. */
export function hostName(origin: string): string {
  return origin.replace(/^https?:\/\//, '');
}

/** Explains the newest check of a host in four lines. */
export function accessOf(host: Pick<Host, 'origin' | 'kind' | 'isDefault' | 'credentials'>, check: Check): Access[] {
  const isReached = check.state !== 'unreachable';
  const isKnown = check.state === 'answers';
  const lines = [reachable(host, check)];
  if (isReached) lines.push(kind(host, check));
  if (isKnown) lines.push(reading(host, check), writing(host, check));
  return lines;
}

function reachable(
  { origin, isDefault }: Pick<Host, 'origin' | 'isDefault'>,
  { state, version, fault }: Check,
): Access {
  if (state !== 'unreachable') {
    return { name: 'Reachable', state: 'good', says: `answers${version === null ? '' : `, version ${version}`}` };
  }
  const setting = isDefault ? 'TIDINGS_HOST_ORIGIN, or TIDINGS_HOST_API_URL,' : 'The entry in TIDINGS_HOSTS';
  return {
    name: 'Reachable',
    state: 'bad',
    says: `does not answer${fault === null ? '' : ` (${fault})`}`,
    todo: `The machine of this service must reach ${origin}. ${setting} must name its address.`,
  };
}

function kind(host: Pick<Host, 'kind' | 'isDefault'>, { state, kind: found, fault }: Check): Access {
  if (state === 'answers') return { name: 'Kind', state: 'good', says: kindNames[host.kind] };
  const setting = host.isDefault ? 'TIDINGS_HOST_KIND' : 'kind of its entry in TIDINGS_HOSTS';
  if (found !== null) {
    const says = `is ${kindNames[found]}, but the settings say ${kindNames[host.kind]}`;
    return { name: 'Kind', state: 'bad', says, todo: `Set ${setting} to ${found} and restart the service.` };
  }
  const address = host.isDefault ? 'TIDINGS_HOST_API_URL' : 'apiUrl of its entry in TIDINGS_HOSTS';
  return {
    name: 'Kind',
    state: 'bad',
    says: `is not a source-code host${fault === null ? '' : ` (${fault})`}`,
    todo: `If its API is not at the usual address, set ${address} and restart the service.`,
  };
}

function reading(host: Pick<Host, 'kind' | 'isDefault' | 'credentials'>, { mayRead, token, app }: Check): Access {
  if (mayRead) return { name: 'May read', state: 'good', says: 'history can be fetched' };
  const bad = (says: string, todo: string): Access => ({ name: 'May read', state: 'bad', says, todo });
  const setting = host.isDefault ? 'TIDINGS_HOST_TOKEN' : 'token of its entry in TIDINGS_HOSTS';
  const orApp =
    host.kind !== 'github'
      ? ''
      : host.isDefault
        ? ', or TIDINGS_HOST_APP_ID and TIDINGS_HOST_APP_KEY_FILE,'
        : ', or appId and appKeyFile,';
  if (host.credentials.length === 0) {
    const needs =
      host.kind === 'github'
        ? 'a fine-grained token that may read Contents, Issues, Pull requests and Metadata'
        : 'an access token with the permissions repository: Read and issue: Read';
    return bad('the settings have no credentials', `Make ${needs}. Set ${setting}${orApp} and restart the service.`);
  }
  const given = [token, app].filter((each) => each !== null);
  const lacking = given.flatMap(({ missing }) => missing);
  if (lacking.length > 0) {
    const name = token?.missing.length ? 'token' : 'app';
    return bad(
      `the ${name} lacks ${lacking.join(', ')}`,
      `Give the ${name} these permissions on the host, then check again.`,
    );
  }
  const unknown = given.find(({ state }) => state === 'unknown');
  if (unknown) {
    const says = `the host did not say${unknown.fault === null ? '' : ` (${unknown.fault})`}`;
    return { name: 'May read', state: 'unknown', says, todo: 'Check again in a minute.' };
  }
  return bad(
    'the host refuses the credentials',
    `Perhaps they have expired. Make new ones, set ${setting}${orApp} and restart the service.`,
  );
}

function writing({ kind: hostKind }: Pick<Host, 'kind'>, { mayWrite, mayRead }: Check): Access {
  if (mayWrite) return { name: 'May write', state: 'good', says: 'notes can be published to the host' };
  if (mayWrite === null && mayRead) {
    return {
      name: 'May write',
      state: 'unknown',
      says: 'the host does not report it; publishing to the host shows it',
    };
  }
  const permission = hostKind === 'github' ? 'Contents: Read and write' : 'repository: Read and Write';
  return {
    name: 'May write',
    state: 'optional',
    says: 'not allowed',
    todo: `Only publishing to the host needs it: releases and files. The permission is ${permission}.`,
  };
}
