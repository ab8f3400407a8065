/**
 * The webhook receiver: one delivery from the request line to its reply. Signature first, over the raw bytes; then parse,
 * check, minimise, limit, enqueue; 202 once the journal has it on disk. Nothing of the body is kept after this.
 */
import type { Settings } from '../../config/schema.ts';
import { invalid, ServiceError } from '../errors.ts';
import type { BodyBudget } from '../http/budget.ts';
import type { Exchange } from '../http/exchange.ts';
import { partitionOf, slotOfId, ulid } from '../ids.ts';
import { knownEvents, type Minimised, toEvents } from '../intake/events.ts';
import { toInstallation } from '../intake/installations.ts';
import type { Position } from '../journal/lane.ts';
import { directoryName, type PartitionName, partitionName } from '../journal/subjects.ts';
import { hmacSeconds, webhookSeconds, webhooksDelayed, webhooksReceived } from '../metrics.ts';
import type { EventRecord, InstallationBody, InstallationRecord } from '../protocol/journal.ts';
import { isFolded, recordKey } from '../store/deliveries.ts';
import type { Partition } from '../store/partition.ts';
import type { IngestionLimit } from './limit.ts';
import { SignatureCheck } from './signature.ts';

/** What the receiver works with. */
export interface ReceiverOptions {
  settings: Settings;
  /** Secrets a delivery may be signed with, the current one first. */
  secrets: readonly string[];
  budget: BodyBudget;
  limit: IngestionLimit;
  enqueue: (partition: PartitionName, record: DeliveredRecord) => Promise<Position>;
  /** The partition as of now, to see deliveries that were folded before; undefined while it cannot be read. */
  read: (partition: PartitionName) => Partition | undefined;
  /** Whether a repository's events are wanted. */
  isConnected: (repositoryId: string) => boolean;
}

/** Who sent what, from the headers. */
interface Delivery {
  event: string;
  id: string;
  source: string;
}

/** What a payload comes to. `organisation` is whose ingestion limit it counts against. */
type Prepared = { ignored: string } | { partition: PartitionName; records: DeliveredRecord[]; organisation?: string };

/** A record that a delivery becomes. */
export type DeliveredRecord = EventRecord | InstallationRecord;

type Outcome = 'queued' | 'ignored' | 'duplicate';

/** Longest delivery id and source, in characters; hosts send a UUID and a number. */
const longestId = 128;

export class Receiver {
  private readonly options: ReceiverOptions;

  constructor(options: ReceiverOptions) {
    this.options = options;
  }

  /** Handles `POST /api/webhooks/scm`. */
  handle(exchange: Exchange): void {
    const { settings, budget, secrets } = this.options;
    const check = new SignatureCheck(exchange.headers['x-hub-signature-256'], secrets);
    exchange.receive(
      { maxBytes: settings.maxBodyBytes, budget },
      (chunk) => check.update(chunk),
      (body) => {
        const event = header(exchange, 'event') ?? '';
        try {
          if (!this.isSigned(check, body)) throw unsigned(secrets.length > 0);
          void this.accept(exchange, body).then(
            (outcome) => count(event, outcome),
            (error) => this.refuse(exchange, event, error),
          );
        } catch (error) {
          this.refuse(exchange, event, error);
        }
      },
    );
    if (exchange.finished) count(header(exchange, 'event') ?? '', 'too_large');
  }

  private isSigned(check: SignatureCheck, body: Buffer): boolean {
    const stop = hmacSeconds.startTimer();
    const good = check.verify(body);
    stop();
    return good;
  }

  /** From a signed body to its reply. The body is read before the first await. */
  private async accept(exchange: Exchange, body: Buffer): Promise<Outcome> {
    const now = Date.now();
    const delivery = readDelivery(exchange);
    const prepared = this.prepare(delivery, parseBody(exchange, body), now);
    if ('ignored' in prepared) return this.processed(exchange, 'ignored', prepared.ignored);
    const { partition, records, organisation } = prepared;
    if (this.allFolded(partition, records))
      return this.processed(exchange, 'duplicate', 'the delivery was processed before');
    if (organisation !== undefined) this.limit(records, organisation, now);
    await Promise.all(records.map((record) => this.options.enqueue(partition, record)));
    exchange.json(202, { status: 'queued', delivery: delivery.id });
    webhookSeconds.observe((performance.now() - exchange.startedAt) / 1000);
    return 'queued';
  }

  /** The records of a payload and the partition they go to, or why there are none. */
  private prepare(delivery: Delivery, payload: object, now: number): Prepared {
    const origin = this.options.settings.hostOrigin;
    if (delivery.event === 'ping') return { ignored: 'pong' };
    const installation = toInstallation(delivery.event, payload, origin);
    if (installation) return { partition: directoryName, records: [toInstallationRecord(delivery, installation, now)] };
    const minimised = toEvents(delivery.event, payload, origin, now);
    if (!minimised) return { ignored: 'the event is not captured' };
    const { repository } = minimised;
    if (!this.options.isConnected(repository.id)) return { ignored: 'the repository is not connected' };
    return {
      partition: this.partitionOf(repository.id),
      records: toRecords(delivery, minimised, now),
      organisation: `${repository.origin} ${repository.owner.id}`,
    };
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

  private refuse(exchange: Exchange, event: string, error: unknown): void {
    const kind = error instanceof ServiceError ? error.kind : 'internal';
    const outcomes = {
      invalid: 'malformed',
      unauthorized: 'unsigned',
      rateLimited: 'limited',
      tooLarge: 'too_large',
      unavailable: 'unavailable',
    };
    count(event, exchange.aborted ? 'aborted' : (outcomes[kind as keyof typeof outcomes] ?? 'failed'));
    exchange.fail(error);
  }
}

function count(event: string, outcome: string): void {
  webhooksReceived.inc({ event: knownEvents.has(event) ? event : 'other', outcome });
}

/** X-Scm-* first, then the hosts' own families; an empty header says nothing. */
function header(exchange: Exchange, name: string): string | undefined {
  const { headers } = exchange;
  return (
    headers[`x-scm-${name}`] ||
    headers[`x-github-${name}`] ||
    headers[`x-gitea-${name}`] ||
    headers[`x-forgejo-${name}`] ||
    undefined
  );
}

function readDelivery(exchange: Exchange): Delivery {
  const event = header(exchange, 'event');
  if (event === undefined)
    throw invalid({ 'X-Scm-Event': 'expected the name of the event, got nothing' }, 'A header is missing.');
  const source = exchange.headers['x-github-hook-id'] ?? exchange.headers['x-github-hook-installation-target-id'] ?? '';
  // Without an id a delivery is known by its signature, which is the same for the same bytes.
  const id =
    header(exchange, 'delivery') ?? `signature ${exchange.headers['x-hub-signature-256']?.slice(7, 39).toLowerCase()}`;
  // Keys of folded deliveries are cut at a length: two long ids could be taken for one.
  if (Math.max(id.length, source.length) > longestId) {
    const expected = `expected ids of the delivery and its hook of at most ${longestId} characters`;
    throw invalid({ 'X-Scm-Delivery': expected }, 'A header is too long.');
  }
  return { event, id, source };
}

function parseBody(exchange: Exchange, body: Buffer): object {
  const type = exchange.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw invalid({ 'Content-Type': `expected application/json, got ${type || 'nothing'}` }, 'The body is not JSON.');
  }
  let payload: unknown;
  try {
    payload = JSON.parse(body.toString('utf8'));
  } catch {
    throw invalid(
      { body: `expected a JSON object, got ${body.length} bytes that are not JSON` },
      'The body is not JSON.',
    );
  }
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw invalid({ body: 'expected a JSON object' }, 'The payload is not an object.');
  }
  return payload;
}

function toRecords(delivery: Delivery, { repository, bodies }: Minimised, now: number): EventRecord[] {
  return bodies.map((body, part) => ({
    id: ulid(now),
    at: now,
    kind: 'event',
    delivery: delivery.id,
    source: delivery.source,
    part,
    repository,
    body,
  }));
}

function toInstallationRecord(delivery: Delivery, body: InstallationBody, now: number): InstallationRecord {
  return { id: ulid(now), at: now, kind: 'installation', delivery: delivery.id, source: delivery.source, body };
}

function unsigned(configured: boolean): ServiceError {
  const message = configured
    ? 'The signature does not match. X-Hub-Signature-256 must be sha256= and the HMAC-SHA256 of the raw body under the webhook secret.'
    : 'No webhook secret is configured, so nothing can be verified.';
  return new ServiceError('unauthorized', message);
}
