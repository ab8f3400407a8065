/**
 * Remembers the newest deliveries that were not refused. Every delivery passes here, so noting one makes no object: its
 * facts are stored in slots that exist from the start, and the oldest delivery is overwritten. Entries are made when the
 * deliveries are listed.
 */
import { HiddenNumbers } from '../foundation/hidden-numbers.ts';
import {
  type IgnoredReason,
  ignoredReasons,
  type RecentDelivery,
  type RecentMemory,
  type RecentOutcome,
  recentOutcomes,
} from '../protocol/recent-deliveries.ts';
import type { Delivery } from './delivery.ts';
import { plainWord } from './refusals.ts';
import type { Signer } from './secrets.ts';

/** Number of deliveries that are remembered. */
const maxKept = 1000;

/** Codes of outcomes in the slots. */
export const codeOf = Object.fromEntries(recentOutcomes.map((outcome, code) => [outcome, code])) as Readonly<
  Record<RecentOutcome, number>
>;
const reasons = Object.keys(ignoredReasons) as IgnoredReason[];

interface RepositoryName {
  id: string;
  fullName: string;
}

export class RecentDeliveries implements RecentMemory {
  private readonly size: number;
  private readonly numbers: HiddenNumbers;
  /** Number of deliveries that were noted. The next one goes to the slot `noted % size`. */
  private noted = 0;
  /** Latest time among the deliveries that were overwritten. */
  private lost = 0;
  private readonly times: Float64Array;
  private readonly outcomes: Uint8Array;
  /** Index of the reason, plus one; 0 = none. */
  private readonly reasonCodes: Uint8Array;
  private readonly statuses: Uint16Array;
  private readonly events: string[];
  private readonly deliveryIds: string[];
  private readonly sources: string[];
  private readonly signers: Signer[];
  private readonly repositoryIds: string[];
  private readonly fullNames: string[];

  /** @param boot the secret of this start of the service. The ids of each start differ from those of all others */
  constructor(boot: string, size = maxKept) {
    this.numbers = new HiddenNumbers(boot);
    this.size = size;
    this.times = new Float64Array(size);
    this.outcomes = new Uint8Array(size);
    this.reasonCodes = new Uint8Array(size);
    this.statuses = new Uint16Array(size);
    this.events = texts(size);
    this.deliveryIds = texts(size);
    this.sources = texts(size);
    this.signers = new Array<Signer>(size).fill({ origin: '', orgId: null, secretId: '' });
    this.repositoryIds = texts(size);
    this.fullNames = texts(size);
  }

  /**
   * Remembers a delivery.
   * @param code of the outcome (`codeOf`)
   * @param repository undefined if the delivery is about none, or about several
   */
  note(
    at: number,
    code: number,
    status: number,
    { event, id, source }: Delivery,
    signer: Signer,
    repository: RepositoryName | undefined,
    reason?: IgnoredReason,
  ): void {
    const slot = this.noted % this.size;
    // The times are not in order, because a delivery is noted when its reply is sent.
    if (this.noted >= this.size && (this.times[slot] as number) > this.lost) this.lost = this.times[slot] as number;
    this.noted += 1;
    this.times[slot] = at;
    this.outcomes[slot] = code;
    this.statuses[slot] = status;
    this.reasonCodes[slot] = reason === undefined ? 0 : reasons.indexOf(reason) + 1;
    this.events[slot] = event;
    this.deliveryIds[slot] = id;
    this.sources[slot] = source;
    this.signers[slot] = signer;
    this.repositoryIds[slot] = repository === undefined ? '' : repository.id;
    this.fullNames[slot] = repository === undefined ? '' : repository.fullName;
  }

  /** Time after which no delivery was forgotten; undefined if none was. */
  get since(): number | undefined {
    return this.noted > this.size ? this.lost : undefined;
  }

  list(): RecentDelivery[] {
    const first = Math.max(0, this.noted - this.size);
    return Array.from({ length: this.noted - first }, (_, i) => this.entry(first + i));
  }

  private idOf(number: number): string {
    const hidden = BigInt(`0x${this.numbers.hide(number)}`).toString(32);
    return `rcv_00${hidden.padStart(26, '0')}`;
  }

  private entry(number: number): RecentDelivery {
    const slot = number % this.size;
    const { origin, orgId, secretId } = this.signers[slot] as Signer;
    const repositoryId = this.repositoryIds[slot] as string;
    const receivedAt = this.times[slot] as number;
    return {
      id: this.idOf(number),
      receivedAt,
      outcome: recentOutcomes[this.outcomes[slot] as number] as RecentOutcome,
      reason: reasons[(this.reasonCodes[slot] as number) - 1] ?? null,
      status: this.statuses[slot] as number,
      event: plainWord(this.events[slot]),
      deliveryId: plainWord(this.deliveryIds[slot]),
      host: origin,
      hookId: plainWord(this.sources[slot]),
      orgId,
      secretId,
      repository: repositoryId === '' ? null : { id: repositoryId, fullName: this.fullNames[slot] as string },
    };
  }
}

function texts(size: number): string[] {
  return new Array<string>(size).fill('');
}
