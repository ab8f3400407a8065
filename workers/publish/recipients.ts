/**
 * Whom an attempt writes to, where a channel writes to people one by one: not those who have unsubscribed, nor those who have
 * this very text already, or may have it. The journal and the store get digests, never addresses.
 */
import { type Delivered, DeliveryError, type Recipients } from '../../src/channels/channel.ts';
import { channelOf } from '../../src/channels/index.ts';
import { ServiceError } from '../../src/foundation/errors.ts';
import type { PublicationRecord } from '../../src/protocol/publications.ts';
import { readReached } from '../../src/store/tables/recipients.ts';
import { addressDigest, isSuppressed } from '../../src/store/tables/suppressions.ts';
import type { PublishContext } from './context.ts';

/** The part of an outcome that tells who was reached, as digests. */
export interface ReachedNow {
  taken: string[];
  free: string[];
}

export class Mailing {
  readonly recipients: Recipients;
  private readonly digest: (address: string) => string;

  /**
   * @param addresses everybody on the list of the connection
   * @throws ServiceError `unavailable` when the directory cannot be read: somebody may have unsubscribed
   */
  constructor(context: PublishContext, publication: PublicationRecord, life: string, addresses: readonly string[]) {
    const { orgId } = publication.connection;
    const digests = new Map(addresses.map((address) => [address, addressDigest(context.sealer, orgId, address)]));
    this.digest = (address) => digests.get(address) as string;
    const directory = context.directory();
    if (!directory) throw new ServiceError('unavailable', 'The directory cannot be read right now.', { retryAfter: 1 });
    const wanting = addresses.filter((address) => !isSuppressed(directory, { orgId, address: this.digest(address) }));
    const reached = reachedBefore(context, publication, life);
    const due = wanting.filter((address) => !reached.has(this.digest(address)));
    this.recipients = {
      due,
      unsubscribed: addresses.length - wanting.length,
      alreadySent: wanting.length - due.length,
    };
  }

  /** Digests of those who are about to be written to; undefined for a channel that writes to no persons. */
  get sending(): string[] | undefined {
    const { due } = this.recipients;
    return due.length === 0 ? undefined : due.map(this.digest);
  }

  /** Who was reached by a delivery that ended so; undefined when nothing is known, or there was nobody. */
  outcome(ended: Delivered | DeliveryError): ReachedNow | undefined {
    const { due } = this.recipients;
    if (due.length === 0) return undefined;
    // Without a word on whom it concerns, an unknown outcome concerns everybody.
    if (ended instanceof DeliveryError && ended.outcome === 'unknown' && !ended.reached) return undefined;
    const { taken = [], doubtful = [] } = ended.reached ?? {};
    const gone = new Set([...taken, ...doubtful]);
    return { taken: taken.map(this.digest), free: due.filter((address) => !gone.has(address)).map(this.digest) };
  }
}

/** Everybody on the list of a publication's connection, where its channel writes to people one by one. */
export function mailingFor(
  context: PublishContext,
  publication: PublicationRecord,
  life: string,
  settings: Readonly<Record<string, unknown>>,
): Mailing {
  return new Mailing(context, publication, life, channelOf(publication.channel).recipients?.(settings) ?? []);
}

/** What this very attempt has journalled without having come to send it is no reason to leave somebody out. */
function reachedBefore(context: PublishContext, publication: PublicationRecord, life: string): Set<string> {
  const { sending } = publication;
  const own = new Set(sending?.by === life ? sending.recipients : []);
  const { taken, doubtful } = readReached(context.partition(), publication);
  return new Set([...taken, ...doubtful.filter((recipient) => !own.has(recipient))]);
}
