/**
 * Logs, counts and keeps refused deliveries. A source is the combination of an address, a webhook and a refusal reason.
 * One warning per source and minute is logged. The newest refusals are kept in memory, and the refusals of the last
 * hour are counted. The numbers of log lines and kept refusals are limited. So a flood from many addresses fills
 * neither the log nor the memory.
 */

import { newId } from '../foundation/ids.ts';
import type { Logger } from '../foundation/logger.ts';
import { webhooksRefused } from '../foundation/metrics.ts';
import { ClientAddress } from '../http/client-address.ts';
import type { Exchange } from '../http/exchange.ts';
import {
  type NamedHostKind,
  type RefusalMemory,
  type RefusalReason,
  type RefusedDelivery,
  refusalReasons,
} from '../protocol/refused-deliveries.ts';
import { header } from './delivery.ts';
import type { Signer } from './secrets.ts';

/** Maximum number of addresses that are logged and kept per minute. Refusals of further addresses are only counted. */
const maxAddresses = 20;
/** Maximum number of sources with the same address that are logged per minute. */
const maxHooks = 5;
/** Maximum number of entries that are kept per source and minute. */
const maxPerSource = 5;
/**
 * Maximum number of kept entries about signed deliveries. Entries about unsigned deliveries have a separate maximum of
 * the same size.
 */
const maxKept = 500;
/** Retention period of entries, in milliseconds. It is short because client addresses are personal data. */
const keptMs = 24 * 3_600_000;
const minuteMs = 60_000;
const hourMinutes = 60;

/**
 * A refusal, as the webhook receiver reports it. `signer` is undefined when the delivery was not signed with a known
 * secret.
 */
export interface Refusal {
  reason: RefusalReason;
  status: number;
  signer?: Signer | undefined;
  triedSecrets?: readonly string[];
}

/** The part of a request that is needed to describe a refusal. */
export type RefusedRequest = Pick<Exchange, 'headers' | 'peerAddress'>;

export interface RefusalsOptions {
  trustedProxies: readonly string[];
  logger: Logger;
  /** Called for each refusal. `orgId` is the organization whose own secret signed the delivery. */
  onRefused?: (reason: RefusalReason, orgId: string | null) => void;
  now?: () => number;
}

export class Refusals implements RefusalMemory {
  readonly since: number;
  private readonly clients: ClientAddress;
  private readonly logger: Logger;
  private readonly onRefused: NonNullable<RefusalsOptions['onRefused']>;
  private readonly now: () => number;
  /**
   * Entries of signed deliveries are kept separately, so that a flood of unsigned deliveries does not displace them.
   */
  private readonly signed = new Lane();
  private readonly unsigned = new Lane();
  /** Number of refusals in each minute of the last hour. `minute` is the number of minutes since 1970. */
  private readonly minutes: { minute: number; count: number }[] = [];

  constructor({ trustedProxies, logger, onRefused = () => {}, now = Date.now }: RefusalsOptions) {
    this.clients = new ClientAddress(trustedProxies);
    this.logger = logger;
    this.onRefused = onRefused;
    this.now = now;
    this.since = now();
  }

  /** Records a refusal. Call it before the reply is sent, because the client's address is not available afterwards. */
  note(request: RefusedRequest, refusal: Refusal): void {
    const now = this.now();
    webhooksRefused.inc({ reason: refusal.reason });
    this.onRefused(refusal.reason, refusal.signer?.orgId ?? null);
    this.countMinute(now);
    const lane = refusal.signer ? this.signed : this.unsigned;
    const address = this.clients.of(request.peerAddress(), request.headers['x-forwarded-for']) ?? null;
    const hookId = hookOf(request);
    this.report(lane, now);
    const ordinal = lane.ordinal(address ?? '', `${hookId} ${hostKindOf(request)} ${refusal.reason}`);
    if (ordinal > maxPerSource) return;
    const entry = describe(request, refusal, { now, address, hookId });
    lane.keep(entry);
    if (ordinal === 1) this.warn(entry);
  }

  list(orgId: string | null): RefusedDelivery[] {
    const oldest = this.now() - keptMs;
    const all = [...this.signed.kept, ...this.unsigned.kept].filter(({ receivedAt }) => receivedAt >= oldest);
    return all
      .filter((entry) => orgId === null || entry.orgId === orgId)
      .sort((a, b) => a.receivedAt - b.receivedAt || (a.id < b.id ? -1 : 1));
  }

  inLastHour(): number {
    const oldest = minuteOf(this.now()) - hourMinutes;
    return this.minutes.reduce((sum, { minute, count }) => (minute > oldest ? sum + count : sum), 0);
  }

  /**
   * Logs how many refusals of the last minute were not logged one by one, and removes old entries. Call it every
   * minute.
   */
  sweep(): void {
    const now = this.now();
    for (const lane of [this.signed, this.unsigned]) {
      this.report(lane, now);
      lane.forget(now - keptMs);
    }
  }

  private countMinute(now: number): void {
    const minute = minuteOf(now);
    const last = this.minutes.at(-1);
    if (last?.minute === minute) last.count += 1;
    else this.minutes.push({ minute, count: 1 });
    if (this.minutes.length > hourMinutes) this.minutes.shift();
  }

  /**
   * If a new minute has begun, resets the counts of a lane. Then logs how many refusals of the previous minute were not
   * logged one by one.
   */
  private report(lane: Lane, now: number): void {
    const left = lane.turn(minuteOf(now));
    if (!left || left.repeated + left.others === 0) return;
    const more = left.repeated + left.others;
    this.logger.warn(
      { repeated: left.repeated, fromOtherSources: left.others },
      `${more} more webhook deliveries were refused in the previous minute, but not logged one by one`,
    );
  }

  private warn(entry: RefusedDelivery): void {
    const { event, deliveryId, host, hostKind, hookId, orgId, address, reason, contentType, triedSecrets } = entry;
    const { because, remedy } = refusalReasons[reason];
    const facts = { event, deliveryId, host, hostKind, hookId, orgId, address, reason, triedSecrets };
    const typed = contentType === null || contentType === 'application/json' ? facts : { ...facts, contentType };
    const known = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== null));
    this.logger.warn(known, `webhook delivery refused: ${because}. ${remedy}`);
  }
}

/**
 * Holds refused deliveries. There are two lanes: one for signed deliveries, and one for unsigned deliveries. A lane
 * counts the refusals of the current minute by source, and keeps the newest entries.
 */
class Lane {
  kept: RefusedDelivery[] = [];
  private minute = 0;
  private sources = new Map<string, Map<string, number>>();
  private repeated = 0;
  private others = 0;

  /**
   * Begins a new minute if `minute` is not the current minute.
   * @returns how many refusals of the previous minute were not logged one by one; undefined if the same minute
   *   continues
   */
  turn(minute: number): { repeated: number; others: number } | undefined {
    if (minute === this.minute) return undefined;
    const { repeated, others } = this;
    this.minute = minute;
    this.sources = new Map();
    this.repeated = 0;
    this.others = 0;
    return { repeated, others };
  }

  /**
   * Counts a refusal. Returns how many refusals of the same source were counted in this minute, including this one.
   * Returns infinity if there are too many sources.
   */
  ordinal(address: string, hook: string): number {
    const hooks = this.sources.get(address) ?? new Map<string, number>();
    const known = hooks.get(hook);
    const isNew = known === undefined && hooks.size < maxHooks;
    const hasRoom = hooks.size > 0 || this.sources.size < maxAddresses;
    if (known === undefined && !(isNew && hasRoom)) {
      this.others += 1;
      return Number.POSITIVE_INFINITY;
    }
    if (known !== undefined) this.repeated += 1;
    hooks.set(hook, (known ?? 0) + 1);
    this.sources.set(address, hooks);
    return (known ?? 0) + 1;
  }

  keep(entry: RefusedDelivery): void {
    this.kept.push(entry);
    if (this.kept.length > maxKept) this.kept.shift();
  }

  forget(before: number): void {
    this.kept = this.kept.filter(({ receivedAt }) => receivedAt >= before);
  }
}

function describe(
  request: RefusedRequest,
  { reason, status, signer, triedSecrets = [] }: Refusal,
  { now, address, hookId }: { now: number; address: string | null; hookId: string | null },
): RefusedDelivery {
  return {
    id: newId('rcv', 0, now),
    receivedAt: now,
    reason,
    status,
    event: plainWord(header(request, 'event')),
    deliveryId: plainWord(header(request, 'delivery')),
    host: signer?.origin ?? null,
    hostKind: hostKindOf(request),
    hookId,
    orgId: signer?.orgId ?? null,
    address,
    contentType: mediaTypeOf(request),
    triedSecrets,
  };
}

function hookOf({ headers }: RefusedRequest): string | null {
  return plainWord(headers['x-github-hook-id'] ?? headers['x-github-hook-installation-target-id']);
}

/** The order of the checks matters: Gitea also sends GitHub's headers, and Forgejo also sends Gitea's headers. */
function hostKindOf({ headers }: RefusedRequest): NamedHostKind | null {
  const kinds = ['forgejo', 'gitea', 'github'] as const;
  return kinds.find((kind) => headers[`x-${kind}-event`] !== undefined) ?? null;
}

function mediaTypeOf({ headers }: RefusedRequest): string | null {
  const [type = ''] = (headers['content-type'] ?? '').slice(0, 200).split(';');
  const plain = type.trim().toLowerCase();
  return /^[\w.+-]{1,64}\/[\w.+-]{1,64}$/.test(plain) ? plain : null;
}

/**
 * Returns the text of a header if the text is one short plain word, such as an event name or an id. Returns null for
 * any other text.
 */
export function plainWord(text: string | undefined): string | null {
  return text !== undefined && /^[\w.:-]{1,64}$/.test(text) ? text : null;
}

function minuteOf(time: number): number {
  return Math.floor(time / minuteMs);
}
