/**
 * The webhook receiver: one delivery from the request line to its reply. Signature first, over the raw bytes; then parse,
 * check, minimise, limit, enqueue; 202 once the journal has it on disk. The secret that signed it says which host it comes
 * from, and whose events it may be. Nothing of the body is kept after this.
 */
import type { Settings } from '../../config/schema.ts';
import { invalid, ServiceError } from '../foundation/errors.ts';
import { partitionOf, slotOfId, ulid } from '../foundation/ids.ts';
import { hmacSeconds, webhookSeconds, webhooksDelayed, webhooksReceived } from '../foundation/metrics.ts';
import type { BodyBudget } from '../http/budget.ts';
import type { Exchange } from '../http/exchange.ts';
import { knownEvents, type Minimised, toEvents } from '../intake/events.ts';
import { toInstallation } from '../intake/installations.ts';
import type { Position } from '../journal/lane.ts';
import { directoryName, type PartitionName, partitionName } from '../journal/subjects.ts';
import type { InstallationBody, SignedBy } from '../protocol/events.ts';
import type { EventRecord, InstallationRecord } from '../protocol/journal.ts';
import type { EventRepository } from '../protocol/repository.ts';
import type { Partition } from '../store/partition.ts';
import { isFolded, recordKey } from '../store/tables/deliveries.ts';
import { ClaimLimit } from './claims.ts';
import { type Delivery, header, parseBody, readDelivery } from './delivery.ts';
import { Identities } from './identity.ts';
import type { IngestionLimit } from './limit.ts';
import { type Claim, type Standing, standingOf } from './ownership.ts';
import { limitedAs } from './rates.ts';
import { ForeignEvent, outcomeOf, reasonOf, unsigned } from './refusal-errors.ts';
import type { Refusals } from './refusals.ts';
import { type BoundSecrets, type Signer, settingsSecretId } from './secrets.ts';
import { SignatureCheck } from './signature.ts';

/** What the receiver works with. */
export interface ReceiverOptions {
  settings: Settings;
  /** Secrets for everything of the default host, the current one first. */
  secrets: readonly string[];
  /** Secrets of hosts and organisations, tried when none of the above signed a delivery. */
  bound: BoundSecrets;
  budget: BodyBudget;
  limit: IngestionLimit;
  refusals: Refusals;
  enqueue: (partition: PartitionName, record: DeliveredRecord) => Promise<Position>;
  /** The partition as of now, to see deliveries that were folded before; undefined while it cannot be read. */
  read: (partition: PartitionName) => Partition | undefined;
  /** Whether a repository's events are wanted, as the owner that they name has it. */
  isConnected: (repository: EventRepository) => boolean;
}

/** What a payload comes to. `organisation` is whose ingestion limit it counts against. */
type Prepared = { ignored: string } | { partition: PartitionName; records: DeliveredRecord[]; organisation?: string };

/** A record that a delivery becomes. */
export type DeliveredRecord = EventRecord | InstallationRecord;

type Outcome = 'queued' | 'ignored' | 'duplicate' | 'test';

export class Receiver {
  private readonly options: ReceiverOptions;
  private readonly claims: ClaimLimit;
  /** Whose deliveries the secrets of the settings sign. */
  private readonly ofSettings: Signer;
  private readonly identities: Identities;

  constructor(options: ReceiverOptions) {
    this.options = options;
    const { limitClaimedRepositories: most, webhookMaxDelayHours, hostOrigin } = options.settings;
    this.ofSettings = { origin: hostOrigin, orgId: null, secretId: settingsSecretId };
    this.claims = new ClaimLimit(most, webhookMaxDelayHours * 3_600_000);
    this.identities = new Identities(() => options.read(directoryName), webhookMaxDelayHours * 3_600_000);
  }

  /** Takes up an event that an earlier process admitted and that waits since: its repository may not be listed yet. */
  seed({ repository, signedBy }: EventRecord, now: number): void {
    this.identities.remember(repository, signedBy?.org ?? null, now);
  }

  /** Handles `POST /api/webhooks/scm`. */
  handle(exchange: Exchange): void {
    const { settings, budget, secrets, refusals } = this.options;
    const check = new SignatureCheck(exchange.headers['x-hub-signature-256'], secrets);
    // Refused before its body is read, and the address is gone with the reply.
    if (exchange.framing.contentLength > settings.maxBodyBytes)
      refusals.note(exchange, { reason: 'too_large', status: 413 });
    exchange.receive(
      { maxBytes: settings.maxBodyBytes, budget },
      (chunk) => check.update(chunk),
      (body) => this.received(exchange, check, body),
    );
    if (exchange.finished) count(header(exchange, 'event') ?? '', 'too_large');
  }

  private received(exchange: Exchange, check: SignatureCheck, body: Buffer): void {
    const event = header(exchange, 'event') ?? '';
    let signer: Signer | undefined;
    try {
      signer = this.signerOf(check, body);
      if (!signer) throw unsigned(exchange, this.options.secrets.length > 0);
      void this.accept(exchange, body, signer).then(
        (outcome) => count(event, outcome),
        (error) => this.refuse(exchange, event, error, signer),
      );
    } catch (error) {
      this.refuse(exchange, event, error, signer);
    }
  }

  /** Who signed a body; undefined for nobody who may. */
  private signerOf(check: SignatureCheck, body: Buffer): Signer | undefined {
    const stop = hmacSeconds.startTimer();
    try {
      if (check.verify(body)) return this.ofSettings;
      return this.options.bound.signerOf(check, body);
    } finally {
      stop();
    }
  }

  /** From a signed body to its reply. The body is read before the first await. */
  private async accept(exchange: Exchange, body: Buffer, signer: Signer): Promise<Outcome> {
    const now = Date.now();
    const delivery = readDelivery(exchange);
    const isTest = readTestMode(exchange);
    const prepared = this.prepare(delivery, parseBody(exchange, body), signer, isTest, now);
    if ('ignored' in prepared) return this.processed(exchange, 'ignored', prepared.ignored);
    const { partition, records, organisation } = prepared;
    if (this.allFolded(partition, records))
      return this.processed(exchange, 'duplicate', 'the delivery was processed before');
    if (isTest) {
      exchange.json(202, { status: 'queued', delivery: delivery.id });
      return 'test';
    }
    if (organisation !== undefined) this.limit(records, organisation, now);
    const [only] = records;
    if (records.length === 1 && only) await this.options.enqueue(partition, only);
    else await Promise.all(records.map((record) => this.options.enqueue(partition, record)));
    exchange.json(202, { status: 'queued', delivery: delivery.id });
    webhookSeconds.observe((performance.now() - exchange.startedAt) / 1000);
    return 'queued';
  }

  /** The records of a payload and the partition they go to, or why there are none. */
  private prepare(delivery: Delivery, payload: object, signer: Signer, isTest: boolean, now: number): Prepared {
    const { origin } = signer;
    if (delivery.event === 'ping') return { ignored: 'pong' };
    const { id } = delivery;
    const source = sourceOf(delivery, signer, this.options.settings);
    const parts = toInstallation(delivery.event, payload, origin);
    if (parts) {
      const installed = parts.map((body) => this.identities.resolveInstalled(body, signer.orgId));
      const [{ owner }] = installed as [InstallationBody];
      const repositories = installed.flatMap(({ added }) => added);
      const standing = this.judge(signer, { owner, repositories, isList: true });
      const installation = installed.map((body) => installationUnderKnownLogin(body, standing));
      if (!isTest) this.assertFew(standing, now);
      return {
        partition: directoryName,
        records: toInstallationRecords(
          { id, source, signedBy: standing?.signedBy ?? null },
          installation,
          now,
          this.options.settings.partitions,
        ),
      };
    }
    const told = toEvents(delivery.event, payload, origin, now);
    if (!told) return { ignored: 'the event is not captured' };
    const minimised = this.identities.resolve(told, signer.orgId, now);
    const { repository } = minimised;
    const standing = this.judge(signer, { owner: repository.owner, repositories: [repository] });
    if (!this.options.isConnected(repository)) return { ignored: 'the repository is not connected' };
    if (!isTest) this.assertFew(standing, now);
    if (!minimised.isListed && !isTest) this.identities.remember(repository, signer.orgId, now);
    return {
      partition: this.partitionOf(repository.id),
      records: toRecords(
        { id, source, signedBy: standing?.signedBy ?? null },
        underKnownLogin(minimised, standing),
        now,
      ),
      organisation: limitedAs({ repository, signedBy: standing?.signedBy ?? null }),
    };
  }

  /**
   * What an organization's own secret lets a delivery say; undefined for a secret of the whole host, which lets it say all.
   * @throws ForeignEvent when it concerns another organization
   */
  private judge({ orgId }: Signer, claim: Claim): Standing | undefined {
    if (orgId === null) return undefined;
    const directory = this.options.read(directoryName);
    const standing = directory && standingOf(directory, orgId, claim);
    if (!standing) throw new ForeignEvent();
    return standing;
  }

  /** @throws ServiceError `rateLimited` when an organization claims too many repositories without proof */
  private assertFew(standing: Standing | undefined, now: number): void {
    const directory = standing && this.options.read(directoryName);
    if (!directory || this.claims.admit(directory, standing.signedBy.org, standing.unlisted, now)) return;
    const most = this.options.settings.limitClaimedRepositories;
    throw new ServiceError(
      'rateLimited',
      `This organization has claimed ${most} repositories whose owner is not confirmed, the maximum (TIDINGS_LIMIT_CLAIMED_REPOSITORIES). Ask the operator to confirm them.`,
      { retryAfter: 600 },
    );
  }

  private partitionOf(repositoryId: string): PartitionName {
    return partitionName(partitionOf(slotOfId(repositoryId) as number, this.options.settings.partitions));
  }

  private allFolded(name: PartitionName, records: readonly DeliveredRecord[]): boolean {
    const partition = this.options.read(name);
    if (!partition) return false;
    return records.every((record) => isFolded(partition, recordKey(record)));
  }

  /** Gives the records of an organisation over its limit their due time. */
  private limit(records: readonly DeliveredRecord[], organisation: string, now: number): void {
    const admission = this.options.limit.admit(organisation, now);
    if (!admission.admitted) {
      const retryAfter = Math.ceil(admission.retryAfterMs / 1000);
      const message = `The organization's deliveries are delayed as far as they may be. Wait ${retryAfter} seconds.`;
      throw new ServiceError('rateLimited', message, { retryAfter });
    }
    if (admission.due === undefined) return;
    webhooksDelayed.inc();
    for (const record of records) if (record.kind === 'event') record.due = admission.due;
  }

  private processed(exchange: Exchange, outcome: Outcome, reason: string): Outcome {
    exchange.json(200, { status: 'processed', reason });
    return outcome;
  }

  private refuse(exchange: Exchange, event: string, error: unknown, signer: Signer | undefined): void {
    count(event, exchange.aborted ? 'aborted' : outcomeOf(error));
    const reason = exchange.aborted ? undefined : reasonOf(exchange, error);
    if (reason !== undefined) {
      const { status } = error as ServiceError;
      const triedSecrets = signer ? [signer.secretId] : [settingsSecretId, ...this.options.bound.tried()];
      this.options.refusals.note(exchange, { reason, status, signer, triedSecrets });
    }
    exchange.fail(error);
  }
}

/**
 * Whether the header asks for test mode: the delivery is checked as a real one, and nothing is written.
 * @throws ServiceError `invalid` for a value that is neither true nor false
 */
function readTestMode(exchange: Exchange): boolean {
  const mode = exchange.headers['x-test-mode'];
  if (mode === undefined || mode === 'false') return false;
  if (mode !== 'true')
    throw invalid({ 'X-Test-Mode': `expected true or false, got ${JSON.stringify(mode.slice(0, 80))}` });
  exchange.extraHeaders = ['X-Test-Mode', 'true'];
  return true;
}

function count(event: string, outcome: string): void {
  webhooksReceived.inc({ event: knownEvents.has(event) ? event : 'other', outcome });
}

/** A delivery and whose secret signed it, as its records say it. */
interface Signed {
  id: string;
  source: string;
  signedBy: SignedBy;
}

/**
 * The repository under the login that counts for its owner, without a former name that is not the owner's: pages are found by
 * those too.
 */
function underKnownLogin(minimised: Minimised, standing: Standing | undefined): Minimised {
  if (standing === undefined) return minimised;
  const { repository, bodies } = minimised;
  const { login } = standing;
  const own = bodies.map((body) => (body.event === 'repository' ? withOwnFormerName(body, login) : body));
  if (login === repository.owner.login) return { repository, bodies: own };
  const owner = { ...repository.owner, login };
  return { repository: { ...repository, owner, fullName: nameUnder(login, repository) }, bodies: own };
}

function withOwnFormerName<Body extends { formerName: string | null }>(body: Body, login: string): Body {
  const isOwn = body.formerName?.toLowerCase().startsWith(`${login.toLowerCase()}/`);
  return isOwn ? body : { ...body, formerName: null };
}

/** An installation and its repositories under the login that counts for their owner. */
function installationUnderKnownLogin(body: InstallationBody, standing: Standing | undefined): InstallationBody {
  if (standing === undefined || standing.login === body.owner.login) return body;
  const { login } = standing;
  const added = body.added.map((each) => ({ ...each, fullName: nameUnder(login, each) }));
  return { ...body, owner: { ...body.owner, login }, added };
}

function nameUnder(login: string, { fullName }: { fullName: string }): string {
  return `${login}/${fullName.slice(fullName.indexOf('/') + 1)}`;
}

function toRecords(delivery: Signed, { repository, bodies }: Minimised, now: number): EventRecord[] {
  return bodies.map((body, part) => ({
    id: ulid(now),
    at: now,
    kind: 'event',
    delivery: delivery.id,
    source: delivery.source,
    part,
    signedBy: delivery.signedBy,
    repository,
    body,
  }));
}

function toInstallationRecords(
  { id: delivery, source, signedBy }: Signed,
  bodies: InstallationBody[],
  at: number,
  partitions: number,
): InstallationRecord[] {
  const record = (body: InstallationBody, part: number): InstallationRecord => {
    return { id: ulid(at), at, kind: 'installation', delivery, source, part, partitions, signedBy, body };
  };
  return bodies.map(record);
}

/**
 * Where a delivery comes from, as its identity holds it: what one signer sends can never pass for what another did. Without
 * anything added for the default host, whose deliveries are told apart by their hook.
 */
function sourceOf({ source }: Delivery, { origin, orgId }: Signer, { hostOrigin }: Settings): string {
  if (orgId !== null) return `${source} ${orgId}`;
  return origin === hostOrigin ? source : `${source} ${origin}`;
}
