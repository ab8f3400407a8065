/**
 * Finds the webhook secret that a body was signed with. Only secrets of hosts and organizations that can match the body
 * are tried. Decrypted secrets are kept only until the directory changes, so a revoked secret stops working
 * immediately.
 */
import { randomBytes } from 'node:crypto';
import type { Host } from '../../config/hosts.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/logger.ts';
import { sealsUnreadable } from '../foundation/metrics.ts';
import type { Sealer } from '../foundation/seal.ts';
import type { WebhookSecretRecord } from '../protocol/commands.ts';
import type { Partition } from '../store/partition.ts';
import { organizationByLogin, organizationByOwner } from '../store/tables/directory.ts';
import { unusedApps, unusedSecrets } from '../store/tables/host-apps.ts';
import { readCursor, readTime } from '../store/tables/meta.ts';
import { listWebhookSecrets, sealedFor, webhookSecretsOf } from '../store/tables/webhook-secrets.ts';
import { hintOfOwner, type OwnerHint } from './owner.ts';
import type { SignatureCheck } from './signature.ts';

/**
 * The owner of the secret that a delivery was signed with: a host and an organization. `orgId` is null for a secret of
 * the whole host.
 */
export interface Signer {
  origin: string;
  orgId: string | null;
  /** Id of the secret that the delivery was signed with. */
  secretId: string;
}

/** All secrets in the settings and in the data directory have this same id. */
export const settingsSecretId = 'settings';

export interface BoundSecretsOptions {
  /** Returns the directory partition in its current state; undefined while it cannot be read. */
  read: () => Partition | undefined;
  sealer: Sealer;
  /** The hosts in the settings. Secrets of other hosts, and of stored apps that are not used, are not tried. */
  hosts: readonly Pick<Host, 'origin' | 'kind' | 'app'>[];
  logger: Logger;
}

/** A decrypted secret. It is valid until `until` (milliseconds since 1970). */
interface OpenedText extends Signer {
  text: string;
  until: number;
}

/**
 * Maximum number of secrets that are tried on one body. The owner that a body names can match at most two
 * organizations. The maximum is large enough for all secrets of the host and of two organizations.
 */
const maxAttempts = 12;
/** Maximum number of secrets that are tried on a body without an owner. */
const maxAttemptsWithoutOwner = 8;
/**
 * Maximum size, in bytes, of a body that names no owner, such as some pings. No secret is tried on a larger body of
 * this kind.
 */
const maxBytesWithoutOwner = 65_536;

/**
 * Returns the organizations that a hint about an owner can refer to. One is the organization with the owner's number on
 * the host (`id`). The other is the organization with the owner's login. The two can differ if the organization with
 * the number has only claimed this number.
 */
function organizationsNamed(directory: Partition, origin: string, { id, login }: OwnerHint): Set<string> {
  const byOwner = id === undefined ? undefined : organizationByOwner(directory, origin, id);
  const isSure = byOwner !== undefined && byOwner.ownerProof !== 'claimed';
  const byLogin = login === undefined || isSure ? undefined : organizationByLogin(directory, origin, login);
  return new Set([byOwner, byLogin].flatMap((organization) => organization?.id ?? []));
}

export class BoundSecrets {
  private readonly options: BoundSecretsOptions;
  private readonly opened = new Map<string, readonly OpenedText[]>();
  private readonly reported = new Set<string>();
  /**
   * Random secret. If no other secret can be tried on a body, this secret is tried. As a result, the reply time does
   * not reveal which organizations have a secret.
   */
  private readonly decoy = randomBytes(32).toString('hex');
  /** Ids of the secrets of stored apps that are not used. */
  private unused: ReadonlySet<string> = new Set();
  private seq = -1;
  private clock = 0;
  private lastTried: readonly OpenedText[] = [];

  constructor(options: BoundSecretsOptions) {
    this.options = options;
  }

  /**
   * Finds the signer of a body among the secrets of hosts and organizations. The caller has already tried the secrets
   * of the settings. Returns undefined if the body was not signed with any of the secrets.
   * @throws ServiceError `unavailable` while the directory cannot be read
   */
  signerOf(check: SignatureCheck, body: Buffer): Signer | undefined {
    this.lastTried = [];
    const directory = this.directory();
    if (listWebhookSecrets(directory, null, 1).length === 0) return undefined;
    const candidates = this.candidates(directory, body);
    this.lastTried = candidates;
    if (candidates.length === 0) check.matches(body, this.decoy);
    const found = candidates.find(({ text }) => check.matches(body, text));
    return found && { origin: found.origin, orgId: found.orgId, secretId: found.secretId };
  }

  /** Returns the ids of the secrets that the last call of `signerOf` selected to try. */
  tried(): string[] {
    return [...new Set(this.lastTried.map(({ secretId }) => secretId))];
  }

  /**
   * Decrypts every secret once when the service starts, so that a wrong sealing key is logged immediately. Logs which
   * stored apps are not used, because their deliveries are refused.
   */
  inspect(): void {
    const { read, hosts, logger } = this.options;
    const directory = read();
    if (!directory) return;
    for (const secret of listWebhookSecrets(directory, null)) this.open(secret);
    for (const { app, reason } of unusedApps(directory, hosts))
      logger.warn(
        { host: app.origin, app: app.appId, reason },
        'a stored app is not used, because of the settings. Deliveries signed with its webhook secret get 401. Remove the app in the settings of the dashboard, or change the settings',
      );
  }

  /**
   * Returns the current state of the directory partition. When this partition has changed, drops the decrypted secrets.
   */
  private directory(): Partition {
    const directory = this.options.read();
    if (!directory) throw new ServiceError('unavailable', 'The service is starting.', { retryAfter: 1 });
    const { seq } = readCursor(directory);
    if (seq !== this.seq) {
      this.opened.clear();
      this.unused = unusedSecrets(directory, this.options.hosts);
    }
    this.seq = seq;
    return directory;
  }

  private candidates(directory: Partition, body: Buffer): OpenedText[] {
    const hint = hintOfOwner(body);
    if (!hint && body.length > maxBytesWithoutOwner) return [];
    const all = hint ? this.textsFor(directory, hint) : this.firstTexts(directory);
    const now = this.now(directory);
    return all.filter(({ until }) => now < until).slice(0, maxAttempts);
  }

  /**
   * Returns, for every host, the secrets of the named owner and the secrets of the whole host. All hosts are included,
   * because owners on two hosts can have the same name.
   */
  private textsFor(directory: Partition, hint: OwnerHint): OpenedText[] {
    const here = (origin: string): number => (hint.url?.startsWith(`${origin}/`) ? 0 : 1);
    const origins = this.options.hosts.map((host) => host.origin).sort((a, b) => here(a) - here(b));
    return origins.flatMap((origin) => {
      const own = [...organizationsNamed(directory, origin, hint)].flatMap((id) => this.textsOf(directory, origin, id));
      return [...own, ...this.textsOf(directory, origin, null)];
    });
  }

  private textsOf(directory: Partition, origin: string, orgId: string | null): readonly OpenedText[] {
    const key = `${origin}\n${orgId ?? ''}`;
    const known = this.opened.get(key);
    if (known) return known;
    const secrets = webhookSecretsOf(directory, origin, orgId).filter(({ id }) => !this.unused.has(id));
    const texts = secrets.flatMap((secret) => this.open(secret));
    this.opened.set(key, texts);
    return texts;
  }

  /**
   * Returns the secrets that are tried on a body that names no owner. The result contains the first secrets of the list
   * of all secrets, at most `maxAttemptsWithoutOwner`.
   */
  private firstTexts(directory: Partition): OpenedText[] {
    const secrets = listWebhookSecrets(directory, null, maxAttemptsWithoutOwner);
    const known = secrets.filter((secret) => this.options.hosts.some(({ origin }) => origin === secret.origin));
    const texts = new Set(known.flatMap(({ origin, orgId }) => this.textsOf(directory, origin, orgId)));
    return [...texts].slice(0, maxAttemptsWithoutOwner);
  }

  /**
   * Decrypts the current value and the previous values of a secret, and returns the current value first. A value that
   * cannot be decrypted is not returned.
   */
  private open(secret: WebhookSecretRecord): OpenedText[] {
    const { id: secretId, origin, orgId, sealed, previous } = secret;
    return [{ sealed, until: Number.POSITIVE_INFINITY }, ...previous].flatMap((each) => {
      try {
        const text = this.options.sealer.open(each.sealed, sealedFor(secret));
        return [{ secretId, origin, orgId, text, until: each.until }];
      } catch (error) {
        this.report(secret.id, (error as Error).message);
        return [];
      }
    });
  }

  private report(secretId: string, reason: string): void {
    if (this.reported.has(secretId)) return;
    this.reported.add(secretId);
    sealsUnreadable.inc();
    this.options.logger.error(
      { secretId, reason },
      'the current sealing key cannot decrypt a webhook secret. Deliveries signed with this secret get 401. Restore the former sealing key, or rotate the secret',
    );
  }

  /**
   * Returns the current time. If the directory partition has a later time, returns that time. So an expired secret does
   * not become valid again when the system clock is set back.
   */
  private now(directory: Partition): number {
    this.clock = Math.max(this.clock, Date.now(), readTime(directory));
    return this.clock;
  }
}
