/**
 * The part of `tidings doctor` about hosts: checks that each host answers, has the configured kind, and accepts the
 * configured credentials.
 */
import { type Host, hasAnyCredentials, hostsOf } from '../../config/hosts.ts';
import type { Settings } from '../../config/schema.ts';
import { createLogger } from '../foundation/logger.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { type AppCheck, checkHost, type HostCheck, nameOf, nameOfKind, type TokenCheck } from '../host/probe.ts';
import type { UnusedReason } from '../protocol/host-apps.ts';
import { hostsWithApps } from '../store/hosts-with-apps.ts';
import { Readers } from '../store/readers.ts';
import { unusedApps } from '../store/tables/host-apps.ts';
import { openSealer } from '../supervisor/first-start.ts';
import { type Finding, withoutUserInfo } from './finding.ts';

/** Names of the settings that describe a host. */
interface Names {
  kind: string;
  origin: string;
  apiUrl: string;
  token: string;
  app: string;
}

/** Checks each host of the settings. The default host github.com is not contacted while it has no credentials. */
export async function checkHosts(settings: Settings): Promise<Finding[]> {
  const findings = await findingsOf(settings, (host) =>
    host.origin === 'https://github.com' && !hasAnyCredentials(host) ? [withoutCredentials(host)] : undefined,
  );
  return [...findings, ...(await findUnusedApps(settings))];
}

const unusedWords: Readonly<Record<UnusedReason, string>> = {
  other_app: 'the settings have another app for this host',
  other_kind: 'the settings say that this host is not of the kind github',
  unknown_host: 'the settings do not have this host',
};

/** Returns a finding for each stored app that is not used. A directory that cannot be read is reported elsewhere. */
async function findUnusedApps(settings: Settings): Promise<Finding[]> {
  const readers = new Readers(settings.dataDir);
  try {
    const directory = readers.fresh(directoryName);
    return (directory ? unusedApps(directory, hostsOf(settings)) : []).map(({ app, reason }) => ({
      verdict: 'note',
      text: `host ${app.origin}: the stored app ${app.name} is not used, because ${unusedWords[reason]}. Its deliveries get 401. Remove it in the settings of the dashboard, or change the settings`,
    }));
  } catch {
    return [];
  } finally {
    await readers.close();
  }
}

/**
 * Checks the hosts when the service starts, and returns only faults. Hosts without credentials are skipped, because the
 * service sends no requests to them.
 */
export async function faultsOfHosts(settings: Settings, signal: AbortSignal): Promise<Finding[]> {
  const findings = await findingsOf(settings, (host) => (hasAnyCredentials(host) ? undefined : []), signal);
  return findings.filter(({ verdict }) => verdict === 'fault');
}

/** @param unasked returns the findings for a host that is not contacted; undefined for a host that is contacted */
async function findingsOf(
  settings: Settings,
  unasked: (host: Host) => Finding[] | undefined,
  signal?: AbortSignal,
): Promise<Finding[]> {
  const hosts = await knownHosts(settings);
  const findings = hosts.map(
    async (host, i) =>
      unasked(host) ?? describe(host, namesOf(i, host), await checkHost(host, signal).catch(toNothing)),
  );
  return (await Promise.all(findings)).flat().map(withoutUserInfo);
}

/**
 * Returns the hosts of the settings, with the apps that are stored in the data directory. A key that does not open is
 * reported elsewhere, so such a host has no app here.
 */
export async function knownHosts(settings: Settings): Promise<readonly Host[]> {
  const readers = new Readers(settings.dataDir);
  try {
    if (!readers.fresh(directoryName)) return hostsOf(settings);
    const sealer = openSealer(settings);
    const directory = () => readers.fresh(directoryName);
    const hosts = hostsWithApps({ settings, directory, sealer, logger: createLogger('doctor', 'silent') });
    return hosts.map((host) => ({ ...host }));
  } catch {
    return hostsOf(settings);
  } finally {
    await readers.close();
  }
}

function toNothing(error: unknown): HostCheck {
  return { found: 'nothing', reason: (error as Error).message };
}

/** @param i index of the host: 0 is the default host, and its settings are not in the list TIDINGS_HOSTS */
function namesOf(i: number, { app: used }: Host): Names {
  const stored =
    used && 'key' in used ? 'whether the app still exists on the host, or remove it and create it again' : '';
  if (i === 0) {
    const app = stored || 'TIDINGS_HOST_APP_ID and TIDINGS_HOST_APP_KEY_FILE';
    const [kind, origin, apiUrl, token] = ['KIND', 'ORIGIN', 'API_URL', 'TOKEN'].map((name) => `TIDINGS_HOST_${name}`);
    return { kind, origin, apiUrl, token, app } as Names;
  }
  const of = (field: string): string => `TIDINGS_HOSTS[${i - 1}].${field}`;
  return {
    kind: of('kind'),
    origin: of('origin'),
    apiUrl: of('apiUrl'),
    token: of('token'),
    app: stored || `${of('appId')} and ${of('appKeyFile')}`,
  };
}

function withoutCredentials({ origin }: Host): Finding {
  return {
    verdict: 'note',
    text: `host ${origin}: not checked, because no credentials are set. To backfill history and to compare tags on the host, set TIDINGS_HOST_TOKEN, or create an app (docs/hosts.md)`,
  };
}

function describe(host: Host, names: Names, check: HostCheck): Finding[] {
  const { origin, kind, apiUrl } = host;
  const at = `host ${origin}`;
  switch (check.found) {
    case 'nothing':
      return [fault(`${at}: ${apiUrl} does not answer (${check.reason}). Check ${names.origin} and ${names.apiUrl}`)];
    case 'unknown':
      return [
        fault(
          `${at}: ${apiUrl} answers ${check.status}, but the reply is not from the API of ${nameOfKind(kind)}. Check ${names.kind} and ${names.apiUrl}`,
        ),
      ];
    case 'otherKind': {
      const called = nameOf(check.is);
      return [
        fault(
          `${at}: ${names.kind} is ${kind}, but the host answers as ${called}. Set ${names.kind} to ${check.is.kind}`,
        ),
      ];
    }
    case 'host': {
      const none: Finding[] = hasAnyCredentials(host)
        ? []
        : [
            {
              verdict: 'note',
              text: `${at}: no credentials. To backfill history and to compare tags on the host, set ${names.token}`,
            },
          ];
      return [
        { verdict: 'ok', text: `${at}: ${apiUrl} answers as ${nameOf(check.is)}` },
        ...(check.token ? [ofToken(check.token, at, names)] : []),
        ...(check.app ? [ofApp(check.app, at, names)] : []),
        ...none,
      ];
    }
  }
}

function ofToken(token: TokenCheck, at: string, names: Names): Finding {
  if (token.state === 'unknown')
    return { verdict: 'note', text: `${at}: ${names.token} cannot be checked now (${token.reason}). Try again later` };
  if (token.state === 'refused') {
    const why = token.status === 401 ? 'it is wrong, has expired or was revoked' : 'the host does not permit its use';
    return fault(`${at}: ${names.token} is rejected (${token.status}): ${why}. Make a new token on the host`);
  }
  if (token.state === 'lacking') {
    const missing = token.missing.join(' and ');
    return fault(
      `${at}: ${names.token} lacks ${missing}. Create a token that also has ${missing}. To publish on this host, the token also needs write:repository`,
    );
  }
  const { scopes } = token;
  if (scopes === undefined) return { verdict: 'ok', text: `${at}: ${names.token} is accepted` };
  const text = `${at}: ${names.token} is accepted. Scopes: ${scopes.join(', ') || 'none'}`;
  if (scopes.includes('repo')) return { verdict: 'ok', text };
  return {
    verdict: 'note',
    text: `${text}. For private repositories and for publishing on this host, the token needs the scope "repo"`,
  };
}

function ofApp(app: AppCheck, at: string, names: Names): Finding {
  if (app.state === 'refused')
    return fault(`${at}: the app is rejected (${app.reason.replace(/\.$/, '')}). Check ${names.app}`);
  if (app.state === 'unknown')
    return { verdict: 'note', text: `${at}: the app cannot be checked now (${app.reason}). Try again later` };
  const text = `${at}: the app ${app.slug} is accepted`;
  if (app.missing.length === 0) return { verdict: 'ok', text };
  return fault(
    `${text}, but lacks the permissions ${app.missing.join(', ')}. Add them with read access in the app's settings`,
  );
}

function fault(text: string): Finding {
  return { verdict: 'fault', text };
}
