/**
 * What a request to a host is authorised by: nothing, the token of the settings, or a token made for the installation of
 * an app, kept until it ends. Tokens and keys stay in this file and in the header it hands out.
 */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Host } from '../../config/hosts.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { HttpAnswer } from './exchange.ts';

/** A token is used until a minute before its end. */
const marginMs = 60_000;

/** The value of the Authorization header, undefined without credentials; or the answer that refused a token. */
export type Authorization = { header: string | undefined; fresh: boolean } | { refused: HttpAnswer };

export class Credentials {
  private readonly host: Host;
  private readonly installationId: string | undefined;
  private minted: { token: string; expiresAt: number } | undefined;

  constructor(host: Host, installationId: string | undefined) {
    this.host = host;
    this.installationId = installationId;
  }

  /** Whether a refused token can be replaced by a new one. */
  get renewable(): boolean {
    return this.host.app !== undefined && this.installationId !== undefined;
  }

  /** Forgets the installation's token: the host no longer takes it. */
  forget(): void {
    this.minted = undefined;
  }

  /**
   * The header that proves the app itself; undefined without an app.
   * @throws ServiceError `unauthorized` when the app's key cannot be used
   */
  appAuthorization(): string | undefined {
    return this.host.app && `Bearer ${appToken(this.host.app, Date.now())}`;
  }

  /** The token of the settings, as the kind of host wants it. */
  tokenAuthorization(): string | undefined {
    const { kind, token } = this.host;
    return token && (kind === 'gitea' ? `token ${token}` : `Bearer ${token}`);
  }

  /**
   * What to send, a new installation token where none is left.
   * @param post asks the host for a token: sends an empty POST to an address below the API's base
   * @throws ServiceError `unauthorized` when the app's key cannot be used
   */
  async authorization(post: (path: string, header: string) => Promise<HttpAnswer>): Promise<Authorization> {
    if (this.host.app === undefined || this.installationId === undefined)
      return { header: this.tokenAuthorization(), fresh: false };
    if (this.minted && this.minted.expiresAt - marginMs > Date.now())
      return { header: `Bearer ${this.minted.token}`, fresh: false };
    const path = `${installationPath(this.installationId)}/access_tokens`;
    const answer = await post(path, this.appAuthorization() as string);
    this.minted = answer.status === 201 ? readToken(answer.text) : undefined;
    return this.minted ? { header: `Bearer ${this.minted.token}`, fresh: true } : { refused: answer };
  }
}

/** Path of an installation of the app below the API's base. */
export function installationPath(installationId: string): string {
  return `/app/installations/${encodeURIComponent(installationId)}`;
}

/** The app's own proof: issued a minute ago, as clocks differ, and good for nine more (the host takes ten at most). */
function appToken(app: { id: string; keyFile: string }, now: number): string {
  const seconds = Math.floor(now / 1000);
  const claims = { iat: seconds - 60, exp: seconds + 540, iss: app.id };
  const unsigned = `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${unsigned}.${sign('sha256', Buffer.from(unsigned), readKey(app.keyFile)).toString('base64url')}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function readKey(file: string): KeyObject {
  try {
    const key = createPrivateKey(readFileSync(file));
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // What is wrong with a key stays unsaid, as a message can quote it.
  }
  throw new ServiceError('unauthorized', `The app's private key (${file}) cannot be read as an RSA key in PEM form.`);
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
