/**
 * Checks hosts of the settings on request: whether they answer, as which kind, and what the credentials are good for.
 * The newest result of each host is remembered. A host is not asked again within a few seconds, and requests that come
 * while a check is under way share its result, so that clients cannot use this service to flood a host.
 */
import { type Host, hostAt } from '../../config/hosts.ts';
import { invalid } from '../../src/foundation/errors.ts';
import { type AppCheck, checkHost, type HostCheck, type TokenCheck } from '../../src/host/probe.ts';
import type { CheckedHost, CredentialCheck } from '../../src/protocol/host-checks.ts';

/** A host is asked at most once in this time, in milliseconds. */
const restMs = 5000;
/** Maximum time of a check, in milliseconds. */
const checkMs = 8000;

export interface HostChecksOptions {
  hosts: readonly Host[];
  check?: (host: Host, signal: AbortSignal) => Promise<HostCheck>;
  now?: () => number;
}

export class HostChecks {
  private readonly hosts: readonly Host[];
  private readonly probe: (host: Host, signal: AbortSignal) => Promise<HostCheck>;
  private readonly now: () => number;
  private readonly newest = new Map<string, CheckedHost>();
  private readonly underWay = new Map<string, Promise<CheckedHost>>();

  constructor({ hosts, check = checkHost, now = Date.now }: HostChecksOptions) {
    this.hosts = hosts;
    this.probe = check;
    this.now = now;
  }

  /** Returns the newest result of each host that was checked. */
  list(): CheckedHost[] {
    return [...this.newest.values()];
  }

  /**
   * Checks a host, or returns a result that is a few seconds old.
   * @throws ServiceError `invalid` when the settings do not contain the host
   */
  check(origin: string): Promise<CheckedHost> {
    const host = hostAt(this.hosts, origin);
    if (!host) {
      const known = this.hosts.map((each) => each.origin).join(', ');
      throw invalid({ origin: `expected one of ${known}, got ${JSON.stringify(origin)}` });
    }
    const newest = this.newest.get(origin);
    if (newest && Math.abs(this.now() - newest.checkedAt) < restMs) return Promise.resolve(newest);
    const underWay = this.underWay.get(origin);
    if (underWay) return underWay;
    const begun = this.begin(host).finally(() => this.underWay.delete(origin));
    this.underWay.set(origin, begun);
    return begun;
  }

  private async begin(host: Host): Promise<CheckedHost> {
    const found = await this.probe(host, AbortSignal.timeout(checkMs)).catch(toNothing);
    const checked = describe(host.origin, found, this.now());
    this.newest.set(host.origin, checked);
    return checked;
  }
}

function toNothing(error: unknown): HostCheck {
  return { found: 'nothing', reason: (error as Error).message };
}

function describe(origin: string, check: HostCheck, checkedAt: number): CheckedHost {
  const none = { origin, checkedAt, kind: null, version: null, fault: null, token: null, app: null };
  switch (check.found) {
    case 'nothing':
      return { ...none, state: 'unreachable', fault: codeIn(check.reason) };
    case 'unknown':
      return { ...none, state: 'not_a_host', fault: String(check.status) };
    case 'otherKind':
      return { ...none, state: 'other_kind', kind: check.is.kind, version: check.is.version ?? null };
    case 'host': {
      const { is, token, app } = check;
      const credentials = { token: token ? ofToken(token) : null, app: app ? ofApp(app) : null };
      return { ...none, state: 'answers', kind: is.kind, version: is.version ?? null, ...credentials };
    }
  }
}

/** Returns the code of an error. Its message is left out, because it can contain the address with its credentials. */
function codeIn(reason: string): string {
  return /^[A-Z][A-Z0-9_]{1,63}$/.test(reason) ? reason : 'NO_ANSWER';
}

function ofToken(token: TokenCheck): CredentialCheck {
  if (token.state === 'refused') return refused;
  if (token.state === 'unknown') return unchecked(token.reason);
  if (token.state === 'lacking') return { ...refused, state: 'lacking', missing: token.missing, mayWrite: null };
  const { scopes } = token;
  // Only classic tokens of GitHub have scopes. Gitea and fine-grained tokens do not report what they may write.
  const mayWrite = scopes === undefined ? null : scopes.includes('repo') || scopes.includes('public_repo');
  return { state: 'accepted', missing: [], fault: null, mayRead: true, mayWrite };
}

function ofApp(app: AppCheck): CredentialCheck {
  if (app.state === 'refused') return refused;
  if (app.state === 'unknown') return unchecked(app.reason);
  const { missing, mayWrite } = app;
  const mayRead = missing.length === 0;
  return { state: mayRead ? 'accepted' : 'lacking', missing, fault: null, mayRead, mayWrite };
}

function unchecked(reason: string): CredentialCheck {
  const fault = /^\d{3}$/.test(reason) ? reason : codeIn(reason);
  return { state: 'unknown', missing: [], fault, mayRead: false, mayWrite: null };
}

const refused: CredentialCheck = { state: 'refused', missing: [], fault: null, mayRead: false, mayWrite: false };
