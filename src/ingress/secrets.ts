/**
 * Webhook secrets that are bound to a host or to one organisation of it: which of them are worth trying on a body, and whose
 * signed it. Opened secrets are kept for one state of the directory, so a revoked one stops at once.
 */
import { randomBytes } from 'node:crypto';
import { ServiceError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/logger.ts';
import { sealsUnreadable } from '../foundation/metrics.ts';
import type { Sealer } from '../foundation/seal.ts';
import type { WebhookSecretRecord } from '../protocol/commands.ts';
import type { Partition } from '../store/partition.ts';
import { organisationByLogin, organisationByOwner } from '../store/tables/directory.ts';
import { readCursor, readTime } from '../store/tables/meta.ts';
import { listWebhookSecrets, sealedFor, webhookSecretsOf } from '../store/tables/webhook-secrets.ts';
import { hintOfOwner, type OwnerHint } from './owner.ts';
import type { SignatureCheck } from './signature.ts';

/** Whose secret signed a delivery. `orgId` null = a secret of the whole host. */
export interface Signer {
  origin: string;
  orgId: string | null;
  /** Id of that secret. */
  secretId: string;
}

/** Stands for the id of the secrets that the settings or the data directory hold. */
export const settingsSecretId = 'settings';

/** What the secrets are read and opened with. */
export interface BoundSecretsOptions {
  /** The directory as of now; undefined while it cannot be read. */
  read: () => Partition | undefined;
  sealer: Sealer;
  /** Web addresses of the hosts in the settings; secrets of others verify nothing. */
  origins: readonly string[];
  logger: Logger;
}

/** An opened text and until when it verifies, in milliseconds. */
interface OpenedText extends Signer {
  text: string;
  until: number;
}

/** Maximum of secrets tried on one body: all of the two organizations that its owner can mean, and of their host. */
const mostTries = 12;
/** The same for a body that names no owner. */
const mostTriesWithoutOwner = 8;
/** Largest body that names no owner for which secrets are tried: a ping. */
const mostBytesWithoutOwner = 65_536;

/**
 * Organizations that a hint can mean: the one of the owner's number, and the one of its login, which differ while one of them
 * has only claimed the number of the other.
 */
function organisationsNamed(directory: Partition, origin: string, { id, login }: OwnerHint): Set<string> {
  const byOwner = id === undefined ? undefined : organisationByOwner(directory, origin, id);
  const isSure = byOwner !== undefined && byOwner.ownerProof !== 'claimed';
  const byLogin = login === undefined || isSure ? undefined : organisationByLogin(directory, origin, login);
  return new Set([byOwner, byLogin].flatMap((organisation) => organisation?.id ?? []));
}

export class BoundSecrets {
  private readonly options: BoundSecretsOptions;
  private readonly opened = new Map<string, readonly OpenedText[]>();
  private readonly reported = new Set<string>();
  /** Tried when no secret is, so that the time of a refusal does not tell which organisations have one. */
  private readonly decoy = randomBytes(32).toString('hex');
  private seq = -1;
  private clock = 0;
  private lastTried: readonly OpenedText[] = [];

  constructor(options: BoundSecretsOptions) {
    this.options = options;
  }

  /**
   * Whose secret signed a body that no secret of the settings did; undefined for nobody's.
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

  /** Ids of the secrets that the last call of `signerOf` had to choose from. */
  tried(): string[] {
    return [...new Set(this.lastTried.map(({ secretId }) => secretId))];
  }

  /** Opens every secret once, so that a wrong sealing key is in the log from the start. */
  inspect(): void {
    const directory = this.options.read();
    for (const secret of directory ? listWebhookSecrets(directory, null) : []) this.open(secret);
  }

  /** The directory as of now; what was opened in an earlier state of it is dropped. */
  private directory(): Partition {
    const directory = this.options.read();
    if (!directory) throw new ServiceError('unavailable', 'The service is starting.', { retryAfter: 1 });
    const { seq } = readCursor(directory);
    if (seq !== this.seq) this.opened.clear();
    this.seq = seq;
    return directory;
  }

  private candidates(directory: Partition, body: Buffer): OpenedText[] {
    const hint = hintOfOwner(body);
    if (!hint && body.length > mostBytesWithoutOwner) return [];
    const all = hint ? this.textsFor(directory, hint) : this.firstTexts(directory);
    const now = this.now(directory);
    return all.filter(({ until }) => now < until).slice(0, mostTries);
  }

  /** Texts of the named owner and of the whole host, for each host: two hosts can have an owner of the same name. */
  private textsFor(directory: Partition, hint: OwnerHint): OpenedText[] {
    const here = (origin: string): number => (hint.url?.startsWith(`${origin}/`) ? 0 : 1);
    const origins = [...this.options.origins].sort((a, b) => here(a) - here(b));
    return origins.flatMap((origin) => {
      const own = [...organisationsNamed(directory, origin, hint)].flatMap((id) => this.textsOf(directory, origin, id));
      return [...own, ...this.textsOf(directory, origin, null)];
    });
  }

  private textsOf(directory: Partition, origin: string, orgId: string | null): readonly OpenedText[] {
    const key = `${origin}\n${orgId ?? ''}`;
    const known = this.opened.get(key);
    if (known) return known;
    const texts = webhookSecretsOf(directory, origin, orgId).flatMap((secret) => this.open(secret));
    this.opened.set(key, texts);
    return texts;
  }

  /** For a body that names nobody: as many as may be tried of all there are. */
  private firstTexts(directory: Partition): OpenedText[] {
    const secrets = listWebhookSecrets(directory, null, mostTriesWithoutOwner);
    const known = secrets.filter(({ origin }) => this.options.origins.includes(origin));
    const texts = new Set(known.flatMap(({ origin, orgId }) => this.textsOf(directory, origin, orgId)));
    return [...texts].slice(0, mostTriesWithoutOwner);
  }

  /** The texts of a secret, the current one first; those that do not open are left out. */
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
      'a webhook secret cannot be opened: what it signed gets 401. Put the sealing key back, or rotate the secret',
    );
  }

  /** A clock that goes back does not bring an expired secret back: the directory remembers how late it was. */
  private now(directory: Partition): number {
    this.clock = Math.max(this.clock, Date.now(), readTime(directory));
    return this.clock;
  }
}
