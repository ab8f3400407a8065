/**
 * Decides which recipients an attempt writes to, for channels that send to each person separately. Recipients are left
 * out if they have unsubscribed, or if they have received or possibly received this text. The journal and the store
 * contain digests of recipients, never addresses.
 */
import { type Delivered, DeliveryError, type Recipients } from '../../src/channels/channel.ts';
import { channelOf } from '../../src/channels/index.ts';
import { ServiceError } from '../../src/foundation/errors.ts';
import type { PublicationRecord } from '../../src/protocol/publications.ts';
import { readReached } from '../../src/store/tables/recipients.ts';
import { addressDigest, isSuppressed } from '../../src/store/tables/suppressions.ts';
import type { PublishContext } from './context.ts';

/**
 * Digests of the recipients of an attempt: those who have the text (`taken`), and those who certainly do not (`free`).
 */
export interface ReachedNow {
  taken: string[];
  free: string[];
}

export class Mailing {
  readonly recipients: Recipients;
  private readonly digest: (address: string) => string;

  /**
   * @param addresses all addresses in the connection's list
   * @throws ServiceError `unavailable` when the directory cannot be read, since only the directory stores which
   * recipients have unsubscribed
   */
  constructor(context: PublishContext, publication: PublicationRecord, runId: string, addresses: readonly string[]) {
    const { orgId } = publication.connection;
    const digests = new Map(addresses.map((address) => [address, addressDigest(context.sealer, orgId, address)]));
    this.digest = (address) => digests.get(address) as string;
    const directory = context.directory();
    if (!directory) throw new ServiceError('unavailable', 'The directory cannot be read right now.', { retryAfter: 1 });
    const wanting = addresses.filter((address) => !isSuppressed(directory, { orgId, address: this.digest(address) }));
    const reached = reachedBefore(context, publication, runId);
    const due = wanting.filter((address) => !reached.has(this.digest(address)));
    this.recipients = {
      due,
      unsubscribed: addresses.length - wanting.length,
      alreadySent: wanting.length - due.length,
    };
  }

  /** Digests of the recipients that the attempt will write to; undefined if there are none. */
  get sending(): string[] | undefined {
    const { due } = this.recipients;
    return due.length === 0 ? undefined : due.map(this.digest);
  }

  /**
   * Returns which recipients of this attempt have received the text (`taken`) and which have certainly not received it
   * (`free`). Returns undefined if the attempt had no recipients, or if the outcome is unknown for all of them.
   */
  outcome(ended: Delivered | DeliveryError): ReachedNow | undefined {
    const { due } = this.recipients;
    if (due.length === 0) return undefined;
    // An error with an unknown outcome can come without a list of recipients. In that case the outcome is unknown for
    // all recipients.
    if (ended instanceof DeliveryError && ended.outcome === 'unknown' && !ended.reached) return undefined;
    const { taken = [], doubtful = [] } = ended.reached ?? {};
    const gone = new Set([...taken, ...doubtful]);
    return { taken: taken.map(this.digest), free: due.filter((address) => !gone.has(address)).map(this.digest) };
  }
}

/**
 * Returns the mailing of a publication. The mailing has recipients only if the channel sends to each person separately.
 */
export function mailingFor(
  context: PublishContext,
  publication: PublicationRecord,
  runId: string,
  settings: Readonly<Record<string, unknown>>,
): Mailing {
  return new Mailing(context, publication, runId, channelOf(publication.channel).recipients?.(settings) ?? []);
}

/**
 * Returns the digests of the recipients who have or may have the text. This run may have journaled recipients and not
 * sent the text to them yet. Such recipients do not count as recipients who may have the text.
 */
function reachedBefore(context: PublishContext, publication: PublicationRecord, runId: string): Set<string> {
  const { sending } = publication;
  const own = new Set(sending?.by === runId ? sending.recipients : []);
  const { taken, doubtful } = readReached(context.partition(), publication);
  return new Set([...taken, ...doubtful.filter((recipient) => !own.has(recipient))]);
}
