/**
 * Simulates how a test host handles a registered app. The host checks the JWT that the app signs, and makes
 * installation tokens for the app.
 */
import { createVerify, generateKeyPairSync, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Shape } from './shapes.ts';

/** An answer before it is sent. */
export interface Reply {
  status: number;
  body: Shape | Shape[];
}

export class TestApp {
  readonly id = '12345';
  readonly installationId = '678';
  /** Path of the file with the private key in PEM format. */
  readonly keyFile: string;
  readonly key: string;
  permissions = ['contents', 'issues', 'metadata', 'pull_requests'];
  state: 'installed' | 'suspended' | 'removed' = 'installed';
  /** All tokens that were made, in order, including revoked ones. */
  readonly tokens: string[] = [];
  private readonly publicKey: string;
  private readonly valid = new Set<string>();

  /** @param form format of the private key; real hosts issue pkcs1 */
  constructor(folder: string, form: 'pkcs1' | 'pkcs8' = 'pkcs1') {
    const pair = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: form, format: 'pem' },
    });
    this.key = pair.privateKey;
    this.publicKey = pair.publicKey;
    this.keyFile = join(folder, 'app.pem');
    writeFileSync(this.keyFile, this.key, { mode: 0o600 });
  }

  /** Revokes all tokens that were made so far. The host refuses them from now on. */
  revoke(): void {
    this.valid.clear();
  }

  takes(authorization: string | undefined): boolean {
    const [, token = ''] = /^(?:bearer|token) (.+)$/i.exec(authorization ?? '') ?? [];
    return this.valid.has(token);
  }

  /** Answers a request for the details of one installation of the app. */
  installation(installationId: string, authorization: string | undefined, account: Shape): Reply {
    const fault = this.faultOf(authorization);
    if (fault !== undefined) return { status: 401, body: { message: fault } };
    if (installationId !== this.installationId || this.state === 'removed')
      return { status: 404, body: { message: 'Not Found' } };
    return { status: 200, body: { id: Number(installationId), account, app_id: Number(this.id) } };
  }

  /** Answers a request for the details of the app. */
  self(authorization: string | undefined): Reply {
    const fault = this.faultOf(authorization);
    if (fault !== undefined) return { status: 401, body: { message: fault } };
    const permissions = Object.fromEntries(this.permissions.map((name) => [name, 'read']));
    return { status: 200, body: { id: Number(this.id), slug: 'tidings-test', permissions } };
  }

  /**
   * Answers a request for an installation token. With a short `lifetimeMs`, a test can observe that the service renews
   * the token.
   */
  mint(installationId: string, authorization: string | undefined, lifetimeMs = 3_600_000): Reply {
    const fault = this.faultOf(authorization);
    if (fault !== undefined) return { status: 401, body: { message: fault } };
    if (installationId !== this.installationId || this.state === 'removed')
      return { status: 404, body: { message: 'Not Found' } };
    if (this.state === 'suspended') return { status: 403, body: { message: 'This installation has been suspended' } };
    const token = `ghs_${randomUUID().replaceAll('-', '')}`;
    this.tokens.push(token);
    this.valid.add(token);
    return { status: 201, body: { token, expires_at: new Date(Date.now() + lifetimeMs).toISOString() } };
  }

  /**
   * Returns why the host refuses an app's JWT; undefined when the JWT is valid. The host's clock is 30 seconds behind
   * the service's clock.
   */
  private faultOf(authorization: string | undefined): string | undefined {
    const [, jwt = ''] = /^bearer (.+)$/i.exec(authorization ?? '') ?? [];
    const [head = '', claims = '', signature = ''] = jwt.split('.');
    const verify = createVerify('sha256').update(`${head}.${claims}`);
    if (!verify.verify(this.publicKey, Buffer.from(signature, 'base64url')))
      return 'A JSON web token could not be decoded';
    const { iat, exp, iss } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const now = Date.now() / 1000 - 30;
    if (JSON.parse(Buffer.from(head, 'base64url').toString()).alg !== 'RS256') return 'The algorithm is not RS256';
    if (!Number.isInteger(iat) || iat > now) return "'Issued at' claim ('iat') is in the future";
    if (!Number.isInteger(exp) || exp <= now || exp - now > 600) return "'Expiration time' claim ('exp') is too far";
    return String(iss) === this.id ? undefined : 'Integration not found';
  }
}
