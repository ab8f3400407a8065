/**
 * Receives webhooks and handles each delivery from its request line to its reply. The signature over the raw bytes is
 * checked first. Then the body is parsed, checked, reduced to the captured fields, counted towards the limits and
 * enqueued. The reply is 202 once the journal has the records on disk. The secret that signed a delivery determines the
 * host that the delivery belongs to. A delivery that was signed with an organization's own secret may report only
 * events of that organization. The body is not kept.
 */
import type { Settings } from '../../config/schema.ts';
import { type Homes, soleHome } from '../cluster/homes.ts';
import { invalid, ServiceError } from '../foundation/errors.ts';
import { ulid } from '../foundation/ids.ts';
import { hmacSeconds, webhookSeconds, webhooksDelayed, webhooksReceived } from '../foundation/metrics.ts';
import { directoryName, type PartitionName, partitionOfRepository } from '../foundation/partition-names.ts';
import type { BodyBudget } from '../http/budget.ts';
import type { Exchange } from '../http/exchange.ts';
import { knownEvents, type Minimised, toEvents } from '../intake/events.ts';
import { toInstallation } from '../intake/installations.ts';
import type { Position } from '../journal/lane.ts';
import type { InstallationBody, SignedBy } from '../protocol/events.ts';
import type { EventRecord, InstallationRecord } from '../protocol/journal.ts';
import { type IgnoredReason, ignoredReasons } from '../protocol/recent-deliveries.ts';
import type { EventRepository } from '../protocol/repository.ts';
import type { Partition } from '../store/partition.ts';
import type { CurrentState } from '../store/readers.ts';
import { isFolded, recordKey } from '../store/tables/deliveries.ts';
import { type Delivery, header, parseBody, readDelivery } from './delivery.ts';
import { HomedClaims } from './homed-claims.ts';
import { HomedIdentities, type Identified } from './homed-identity.ts';
import { Identities } from './identity.ts';
import { KnownRepositories } from './known-repositories.ts';
import type { Admission } from './limit.ts';
import { type AdmittedClaim, type Claim, checkClaim } from './ownership.ts';
import { limitedAs } from './rates.ts';
import { codeOf, type RecentDeliveries } from './recent.ts';
import { ForeignEvent, outcomeOf, reasonOf, unsigned } from './refusal-errors.ts';
import type { Refusals } from './refusals.ts';
import { type BoundSecrets, type Signer, settingsSecretId } from './secrets.ts';
import { SignatureCheck } from './signature.ts';

export interface ReceiverOptions {
  settings: Settings;
  /** Secrets for all deliveries of the default host, with the current secret first. */
  secrets: readonly string[];
  /** Secrets of hosts and organizations. They are tried when a delivery was not signed with any of `secrets`. */
  bound: BoundSecrets;
  budget: BodyBudget;
  /** Counts events towards the limit of their organization. A promise if another gateway counts. */
  limit: { admit(organization: string, now: number): Admission | Promise<Admission> };
  refusals: Refusals;
  recent: RecentDeliveries;
  enqueue: (partition: PartitionName, record: DeliveredRecord) => Promise<Position>;
  /**
   * Reads partitions. The receiver reads the directory, and reads the other partitions to recognize deliveries that are
   * already folded.
   */
  readers: CurrentState;
  /** Whether the directory lists a repository as connected, so that its events are captured. */
  isConnected: (directory: Partition | undefined, repository: EventRepository) => boolean;
  /** The gateways that count claims; absent = this one alone. */
  homes?: Homes;
  /** Called for each repository that is remembered until the directory lists it. */
  onRemember?: (repository: EventRepository, signedBy: string | null) => void;
}

/** The result of reading a payload. */
type Prepared = { ignored: IgnoredReason; repository?: EventRepository } | Accepted;

/** The records of a payload. They count towards the ingestion limit of `organization`. */
interface Accepted {
  partition: PartitionName;
  records: DeliveredRecord[];
  organization?: string;
  /** Undefined for a payload about an installation. */
  repository?: EventRepository;
}

/** A record that is made from a delivery. */
export type DeliveredRecord = EventRecord | InstallationRecord;

type Outcome = 'queued' | 'ignored' | 'duplicate' | 'test';

export class Receiver {
  private readonly options: ReceiverOptions;
  private readonly claims: HomedClaims;
  /** The signer that is recorded for deliveries signed with a secret from the settings. */
  private readonly ofSettings: Signer;
  private readonly identities: Identities;
  private readonly atHome: HomedIdentities;
  private readonly known: KnownRepositories;

  constructor(options: ReceiverOptions) {
    this.options = options;
    this.known = new KnownRepositories(options.readers);
    const { limitClaimedRepositories, webhookMaxDelayHours, hostOrigin } = options.settings;
    const { homes = soleHome, readers } = options;
    const maxDelayMs = webhookMaxDelayHours * 3_600_000;
    this.ofSettings = { origin: hostOrigin, orgId: null, secretId: settingsSecretId };
    this.claims = new HomedClaims(limitClaimedRepositories, maxDelayMs, homes, readers);
    this.identities = new Identities(maxDelayMs);
    this.atHome = new HomedIdentities(this.identities, homes, readers);
  }

  /** Remembers the repository of an event. An earlier process admitted the event, but the event is not folded yet. */
  seed({ repository, signedBy }: EventRecord, now: number): void {
    this.remember(repository, signedBy?.org ?? null, now);
  }

  /** Remembers the repository of an event that this or another gateway has admitted, but that is not folded yet. */
  remember(repository: EventRepository, signedBy: string | null, now: number): void {
    this.identities.remember(repository, signedBy, now);
  }

  /** Called with several gateways when the directory partition has changed. */
  directoryChanged(): void {
    const directory = this.options.readers.current(directoryName);
    if (directory) this.identities.prune(directory);
  }

  /** Handles `POST /api/webhooks/scm`. */
  handle(exchange: Exchange): void {
    const { settings, budget, secrets, refusals } = this.options;
    const check = new SignatureCheck(exchange.headers['x-hub-signature-256'], secrets);
    // `receive` refuses a body that is too long, without reading the body. The refusal is recorded before `receive`
    // replies, because the client's address is not available after the reply.
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
      const outcome = this.accept(exchange, body, signer);
      if (typeof outcome === 'string') count(event, outcome);
      else {
        outcome.then(
          (later) => count(event, later),
          (error) => this.refuse(exchange, event, error, signer),
        );
      }
    } catch (error) {
      this.refuse(exchange, event, error, signer);
    }
  }

  /** Returns the signer of a body; undefined when the body was not signed with a valid secret. */
  private signerOf(check: SignatureCheck, body: Buffer): Signer | undefined {
    const started = performance.now();
    try {
      if (check.verify(body)) return this.ofSettings;
      return this.options.bound.signerOf(check, body);
    } finally {
      hmacTimes.observe((performance.now() - started) / 1000);
    }
  }

  /**
   * Handles a delivery with a valid signature, and replies to it. The body is parsed before this method returns, because
   * the buffer of the body is not valid afterwards.
   * @returns a promise if the reply waits for the journal
   */
  private accept(exchange: Exchange, body: Buffer, signer: Signer): Outcome | Promise<Outcome> {
    const now = Date.now();
    const delivery = readDelivery(exchange);
    const isTest = readTestMode(exchange);
    const prepared = this.prepare(delivery, parseBody(exchange, delivery.event, body), signer, isTest, now);
    const about: About = { exchange, delivery, signer, isTest, now };
    return prepared instanceof Promise
      ? prepared.then((later) => this.carryOut(about, later))
      : this.carryOut(about, prepared);
  }

  /** Enqueues the records of a delivery, unless there is nothing to do, and replies. */
  private carryOut(about: About, prepared: Prepared): Outcome | Promise<Outcome> {
    const { exchange, delivery, signer, isTest, now } = about;
    const { recent } = this.options;
    const { repository } = prepared;
    if ('ignored' in prepared) {
      const { ignored } = prepared;
      recent.note(now, codeOf.ignored, 200, delivery, signer, repository, ignored);
      return this.processed(exchange, 'ignored', ignoredReasons[ignored].reply);
    }
    const { partition, records, organization } = prepared;
    if (this.allFolded(partition, records)) {
      recent.note(now, codeOf.duplicate, 200, delivery, signer, repository);
      return this.processed(exchange, 'duplicate', 'the delivery was processed before');
    }
    if (isTest) {
      recent.note(now, codeOf.test, 202, delivery, signer, repository);
      exchange.json(202, { status: 'queued', delivery: delivery.id });
      return 'test';
    }
    const isDelayed = organization !== undefined && this.limit(records, organization, now);
    return isDelayed instanceof Promise
      ? isDelayed.then((later) => this.store(about, prepared, later))
      : this.store(about, prepared, isDelayed);
  }

  /** Enqueues the records of a delivery, and replies when the journal has them. */
  private async store(
    { exchange, delivery, signer, now }: About,
    { partition, records, repository }: Accepted,
    isDelayed: boolean,
  ): Promise<Outcome> {
    await this.enqueue(partition, records);
    exchange.json(202, { status: 'queued', delivery: delivery.id });
    this.options.recent.note(now, isDelayed ? codeOf.delayed : codeOf.queued, 202, delivery, signer, repository);
    replyTimes.observe((performance.now() - exchange.startedAt) / 1000);
    return 'queued';
  }

  private enqueue(partition: PartitionName, records: readonly DeliveredRecord[]): Promise<unknown> {
    const [only] = records;
    if (records.length === 1 && only) return this.options.enqueue(partition, only);
    return Promise.all(records.map((record) => this.options.enqueue(partition, record)));
  }

  /**
   * Converts a payload to records for a partition, or returns why the payload is ignored. All checks use one state of
   * the directory. With several states, an owner's number could become known between the search for the owner and the
   * check of the claim, which would then refuse an organization's own delivery.
   * @returns a promise only if another gateway has to be asked
   */
  private prepare(
    delivery: Delivery,
    payload: object,
    signer: Signer,
    isTest: boolean,
    now: number,
  ): Prepared | Promise<Prepared> {
    const { origin } = signer;
    if (delivery.event === 'ping') return { ignored: 'ping' };
    const { id } = delivery;
    const directory = this.options.readers.current(directoryName);
    const source = sourceOf(delivery, signer, this.options.settings);
    const parts = toInstallation(delivery.event, payload, origin);
    if (parts) {
      const installed = parts.map((body) => this.identities.resolveInstalled(directory, body, signer.orgId));
      const [{ owner }] = installed as [InstallationBody];
      const repositories = installed.flatMap(({ added }) => added);
      const admitted = judge(directory, signer, { owner, repositories, isList: true });
      const installation = installed.map((body) => installationUnderKnownLogin(body, admitted));
      const claimed = isTest ? undefined : this.claims.admit(directory, admitted, now);
      const signed = { id, source, signedBy: admitted?.signedBy ?? null };
      const records = toInstallationRecords(signed, installation, now, this.options.settings.partitions);
      const accepted = { partition: directoryName, records };
      return claimed ? claimed.then(() => accepted) : accepted;
    }
    const captured = toEvents(delivery.event, payload, origin, now);
    if (!captured) return { ignored: 'not_captured' };
    if (signer.orgId === null && isPlain(captured) && this.known.has(captured.repository))
      return this.toAccepted({ id, source, signedBy: null }, captured, now);
    const minimised = this.identities.resolve(directory, captured, signer.orgId, now);
    const signed = { id, source, signedBy: null };
    const isNew = !minimised.isListed && !isTest && !this.atHome.isHere(minimised.repository);
    const admit = isNew ? this.admitNew : this.admitEvents;
    return admit.call(this, directory, signed, captured, minimised, { signer, isTest, now });
  }

  /**
   * Admits events of a repository that the directory does not list yet, and that another gateway identifies. Events that
   * are refused here are not identified, because the home remembers what it identifies.
   */
  private async admitNew(
    directory: Partition | undefined,
    signed: Signed,
    captured: Minimised,
    { repository }: Minimised,
    rest: Pick<About, 'signer' | 'isTest' | 'now'>,
  ): Promise<Prepared> {
    const { signer, now } = rest;
    const admitted = judge(directory, signer, { owner: repository.owner, repositories: [repository] });
    if (!this.options.isConnected(directory, repository)) return { ignored: 'not_connected', repository };
    await this.claims.admit(directory, admitted, now);
    const identified = await this.atHome.identify(captured, signer.orgId, now);
    // The directory is read again, because the home has read its own state of it.
    return this.admitEvents(this.options.readers.current(directoryName), signed, captured, identified, rest);
  }

  private admitEvents(
    directory: Partition | undefined,
    { id, source }: Signed,
    captured: Minimised,
    minimised: Identified,
    { signer, isTest, now }: Pick<About, 'signer' | 'isTest' | 'now'>,
  ): Prepared | Promise<Prepared> {
    const { repository } = minimised;
    const admitted = judge(directory, signer, { owner: repository.owner, repositories: [repository] });
    if (!this.options.isConnected(directory, repository)) return { ignored: 'not_connected', repository };
    const accept = (): Accepted => {
      if (!minimised.isListed && !isTest) {
        this.remember(repository, signer.orgId, now);
        this.options.onRemember?.(repository, signer.orgId);
      }
      if (minimised.isListed && signer.orgId === null && repository === captured.repository) this.known.add(repository);
      const signed = { id, source, signedBy: admitted?.signedBy ?? null };
      const organization = limitedAs(repository, signed.signedBy);
      return this.toAccepted(signed, underKnownLogin(minimised, admitted), now, organization);
    };
    const claimed = isTest ? undefined : this.claims.admit(directory, admitted, now);
    return claimed ? claimed.then(accept) : accept();
  }

  /** @param organization the key under which the delivery counts towards a limit */
  private toAccepted(
    signed: Signed,
    minimised: Minimised,
    now: number,
    organization = limitedAs(minimised.repository, signed.signedBy),
  ): Accepted {
    const partition = this.partitionOf(minimised.repository.id);
    return { partition, records: toRecords(signed, minimised, now), organization, repository: minimised.repository };
  }

  private partitionOf(repositoryId: string): PartitionName {
    return partitionOfRepository(repositoryId, this.options.settings.partitions);
  }

  private allFolded(name: PartitionName, records: readonly DeliveredRecord[]): boolean {
    const partition = this.options.readers.current(name);
    if (!partition) return false;
    return records.every((record) => isFolded(partition, recordKey(record)));
  }

  /**
   * Counts a delivery towards the limit of its organization. If the delivery is over the limit, its event records get a
   * due time. Returns whether they have one.
   * @returns a promise only if another gateway counts the delivery
   * @throws ServiceError `rateLimited` when the delivery would exceed the maximum delay
   */
  private limit(records: readonly DeliveredRecord[], organization: string, now: number): boolean | Promise<boolean> {
    const admission = this.options.limit.admit(organization, now);
    if (admission instanceof Promise) return admission.then((later) => this.applyLimit(records, later));
    return this.applyLimit(records, admission);
  }

  private applyLimit(records: readonly DeliveredRecord[], admission: Admission): boolean {
    if (!admission.admitted) {
      const retryAfter = Math.ceil(admission.retryAfterMs / 1000);
      const message = `This organization's backlog has reached its maximum delay. Wait ${retryAfter} seconds.`;
      throw new ServiceError('rateLimited', message, { retryAfter });
    }
    if (admission.due === undefined) return false;
    webhooksDelayed.inc();
    for (const record of records) if (record.kind === 'event') record.due = admission.due;
    return true;
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
    } else if (signer && !exchange.aborted) this.failed(exchange, error, signer);
    exchange.fail(error);
  }

  /** Remembers a delivery that the service could not store. */
  private failed(exchange: Exchange, error: unknown, signer: Signer): void {
    const status = error instanceof ServiceError ? error.status : 500;
    const id = header(exchange, 'delivery') ?? '';
    const delivery = { event: header(exchange, 'event') ?? '', id, source: '' };
    this.options.recent.note(Date.now(), codeOf.failed, status, delivery, signer, undefined);
  }
}

/** Whether the events do not rename the repository. The events of a rename are about two names. */
function isPlain({ bodies }: Minimised): boolean {
  return bodies.every(({ event }) => event !== 'repository');
}

/**
 * Checks whether a signer may make a claim about repositories.
 * @returns undefined for a secret of the whole host, because the sender of such a delivery may make any claim
 * @throws ForeignEvent when a claim was signed with an organization's own secret and concerns another organization
 */
function judge(directory: Partition | undefined, { orgId }: Signer, claim: Claim): AdmittedClaim | undefined {
  if (orgId === null) return undefined;
  const admitted = directory && checkClaim(directory, orgId, claim);
  if (!admitted) throw new ForeignEvent();
  return admitted;
}

/**
 * Whether the X-Test-Mode header requests test mode. A test delivery is checked like a real one, but nothing is
 * written.
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

const hmacTimes = hmacSeconds.tally({});
const replyTimes = webhookSeconds.tally({});
/** Deliveries that were queued, by event. Nearly all deliveries have this outcome. */
const queued = new Map([...knownEvents].map((event) => [event, webhooksReceived.tally({ event, outcome: 'queued' })]));

function count(event: string, outcome: string): void {
  const tally = outcome === 'queued' ? queued.get(event) : undefined;
  if (tally) tally.inc();
  else webhooksReceived.inc({ event: knownEvents.has(event) ? event : 'other', outcome });
}

/** What is known about a delivery besides its payload. */
interface About {
  exchange: Exchange;
  delivery: Delivery;
  signer: Signer;
  isTest: boolean;
  now: number;
}

/** The id, source and signer of a delivery, as stored in its records. */
interface Signed {
  id: string;
  source: string;
  signedBy: SignedBy;
}

/**
 * Replaces the owner's login in a payload by the login under which the owner is stored. If the repository's former name
 * begins with a different login, the former name is removed from the payload. Pages are also found by former names, so
 * another owner's name could lead to the pages of this repository.
 */
function underKnownLogin(minimised: Minimised, admitted: AdmittedClaim | undefined): Minimised {
  if (admitted === undefined) return minimised;
  const { repository, bodies } = minimised;
  const { login } = admitted;
  const own = bodies.map((body) => (body.event === 'repository' ? withOwnFormerName(body, login) : body));
  if (login === repository.owner.login) return { repository, bodies: own };
  const owner = { ...repository.owner, login };
  return { repository: { ...repository, owner, fullName: nameUnder(login, repository) }, bodies: own };
}

function withOwnFormerName<Body extends { formerName: string | null }>(body: Body, login: string): Body {
  const isOwn = body.formerName?.toLowerCase().startsWith(`${login.toLowerCase()}/`);
  return isOwn ? body : { ...body, formerName: null };
}

/**
 * Replaces the owner's login in an installation and in the names of the installation's repositories. The replacement is
 * the login under which the owner is stored.
 */
function installationUnderKnownLogin(body: InstallationBody, admitted: AdmittedClaim | undefined): InstallationBody {
  if (admitted === undefined || admitted.login === body.owner.login) return body;
  const { login } = admitted;
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
 * Returns the source of a delivery. The key that detects duplicates contains the source. The source consists of the
 * hook and the signer, so deliveries of different signers never count as duplicates of each other. For a secret of the
 * whole default host, the source is only the hook.
 */
function sourceOf({ source }: Delivery, { origin, orgId }: Signer, { hostOrigin }: Settings): string {
  if (orgId !== null) return `${source} ${orgId}`;
  return origin === hostOrigin ? source : `${source} ${origin}`;
}
