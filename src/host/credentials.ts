/**
 * Provides the authorization of requests to a host: none, the token of the settings, or a token for an installation of
 * the app. An installation token is kept until it expires. Tokens and keys are used only in this file and in the
 * Authorization headers that this file makes.
 */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Host, HostApp } from '../../config/hosts.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { HttpAnswer } from './exchange.ts';

/** An installation token is used until one minute before it expires. */
const marginMs = 60_000;

/**
 * The result of authorizing a request. `header` is the value of the Authorization header, undefined without
 * credentials. `fresh` means that the token in the header was requested just now. `refused` is the reply of a host that
 * issued no token.
 */
export type Authorization = { header: string | undefined; fresh: boolean } | { refused: HttpAnswer };

export class Credentials {
  private readonly host: Host;
  private readonly installationId: string | undefined;
  /** `appId` is the app that the token is for. A token of an app that was removed or replaced is not used. */
  private minted: { token: string; expiresAt: number; appId: string } | undefined;

  constructor(host: Host, installationId: string | undefined) {
    this.host = host;
    this.installationId = installationId;
  }

  /** Whether a token that the host refused can be replaced by a new one. */
  get renewable(): boolean {
    return this.host.app !== undefined && this.installationId !== undefined;
  }

  /** Drops the installation's token after the host has refused it. */
  forget(): void {
    this.minted = undefined;
  }

  /**
   * Returns the Authorization header for requests as the app itself; undefined without an app.
   * @throws ServiceError `unauthorized` when the app's key cannot be used
   */
  appAuthorization(): string | undefined {
    const { app } = this.host;
    return app && `Bearer ${appToken(app, Date.now())}`;
  }

  /**
   * Returns the Authorization header with the token from the settings. The form of the header depends on the kind of
   * host.
   */
  tokenAuthorization(): string | undefined {
    const { kind, token } = this.host;
    return token && (kind === 'gitea' ? `token ${token}` : `Bearer ${token}`);
  }

  /**
   * Returns the header to send. Requests a new installation token if the current one is missing or about to expire.
   * @param post sends an empty POST to a path below the API's base, to request a token
   * @throws ServiceError `unauthorized` when the app's key cannot be used
   */
  async authorization(post: (path: string, header: string) => Promise<HttpAnswer>): Promise<Authorization> {
    // A stored app can be removed at any time, so it is read once per request.
    const { app } = this.host;
    if (app === undefined || this.installationId === undefined)
      return { header: this.tokenAuthorization(), fresh: false };
    if (this.minted?.appId === app.id && this.minted.expiresAt - marginMs > Date.now())
      return { header: `Bearer ${this.minted.token}`, fresh: false };
    const path = `${installationPath(this.installationId)}/access_tokens`;
    const answer = await post(path, `Bearer ${appToken(app, Date.now())}`);
    const token = answer.status === 201 ? readToken(answer.text) : undefined;
    this.minted = token && { ...token, appId: app.id };
    return this.minted ? { header: `Bearer ${this.minted.token}`, fresh: true } : { refused: answer };
  }
}

/** Returns the path of an installation of the app, below the API's base. */
export function installationPath(installationId: string): string {
  return `/app/installations/${encodeURIComponent(installationId)}`;
}

/**
 * Returns a JSON Web Token for the app itself. Since clocks differ, the token's time of issue is one minute in the
 * past. The token expires nine minutes from now (the host accepts tokens for at most ten minutes in total).
 */
function appToken(app: HostApp, now: number): string {
  const seconds = Math.floor(now / 1000);
  const claims = { iat: seconds - 60, exp: seconds + 540, iss: app.id };
  const unsigned = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${unsigned}.${sign('sha256', Buffer.from(unsigned), readKey(app)).toString('base64url')}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function readKey(app: HostApp): KeyObject {
  const key = rsaKey(app);
  if (key) return key;
  const which = 'keyFile' in app ? `(${app.keyFile}) cannot be read as an RSA key in PEM form` : 'is not an RSA key';
  throw new ServiceError('unauthorized', `The app's private key ${which}.`);
}

function rsaKey(app: HostApp): KeyObject | undefined {
  try {
    return privateKeyIn('keyFile' in app ? readFileSync(app.keyFile) : app.key);
  } catch {
    return undefined;
  }
}

/** Returns the RSA key in a PEM text; undefined if the text contains none. */
export function privateKeyIn(text: string | Buffer): KeyObject | undefined {
  try {
    const key = createPrivateKey(text);
    return key.asymmetricKeyType === 'rsa' ? key : undefined;
  } catch {
    // The parser's error is not reported, because its message can quote the key.
    return undefined;
  }
}

function readToken(text: string): { token: string; expiresAt: number } | undefined {
  try {
    const { token, expires_at } = JSON.parse(text) as { token?: unknown; expires_at?: unknown };
    const expiresAt = Date.parse(String(expires_at));
    return typeof token === 'string' && token !== '' && expiresAt > 0 ? { token, expiresAt } : undefined;
  } catch {
    return undefined;
  }
}
