/**
 * Distributes live events to the open streams of this gateway. The hub receives what partitions change only while
 * streams are open and a while longer, and keeps the newest event of each object, so that a client can continue after a
 * break of its connection.
 */
import { randomBytes } from 'node:crypto';
import { ServiceError } from '../foundation/errors.ts';
import { HiddenNumbers } from '../foundation/hidden-numbers.ts';
import type { Logger } from '../foundation/logger.ts';
import { eventStreams, eventStreamsClosed } from '../foundation/metrics.ts';
import type { Exchange } from '../http/exchange.ts';
import type { LiveEvent, PartitionChanges } from '../protocol/live-events.ts';
import type { RefusalReason } from '../protocol/refused-deliveries.ts';
import type { Caller } from './authenticate.ts';
import { EventStream, holderOf, type PositionOf, type VisibleEvents } from './event-stream.ts';
import {
  type HubEvent,
  intervalOf,
  merged,
  objectOf,
  textWith,
  toHubEvent,
  toReset,
  toText,
  united,
} from './hub-event.ts';

/** Maximum number of open streams: of a session or key, of an organization, and of the gateway. */
const [maxPerHolder, maxPerOrganization, maxStreams] = [4, 100, 1000];
/** Number of streams that only instance keys can open, so that operators see events while organizations use the rest. */
const reserved = 100;
/** Number of objects whose newest event is kept. */
const maxKept = 1000;
/** Maximum number of repositories and organizations of a batch that get resets of their own. With more, everyone gets one. */
const maxResets = 500;
/**
 * Maximum size of the events that a client missed, in characters. With more, the client reads everything again. The
 * size leaves room below the number of bytes that may wait for a slow client.
 */
const maxMissed = 32_768;
/** How long a client waits before it connects again, in milliseconds. */
const retryMs = 2000;
const heartbeatMs = 15_000;
/** How long the hub continues to receive changes after the last stream has ended, in milliseconds. */
const lingerMs = 60_000;
/**
 * Interval between two rounds of events that every stream limits per object, in milliseconds. During a flood of webhooks
 * the partitions announce changes 20 times per second each, and most of these events would only replace waiting ones.
 */
const roundMs = 250;
/** Minimum interval between two checks of all keys, and between two reports of refused deliveries, in milliseconds. */
const [checkMs, refusalMs] = [100, 1000];
const maxRefusals = 500;
/** Number of streams that get their events in one turn of the event loop. */
const groupSize = 50;

const streamHeaders = ['Cache-Control', 'no-store', 'X-Accel-Buffering', 'no'];
const contentType = 'text/event-stream';

/** Starts to receive the changes of partitions, and returns what ends it. */
export type ReceiveChanges = (onChanges: (changes: PartitionChanges) => void) => Promise<() => void>;

/** The request of a stream. */
export interface StreamRequest {
  caller: Caller;
  admitAgain: () => Caller;
  /** The id of the last event that the client has received. */
  lastEventId: string | undefined;
  /** The streams that other gateways have open for the same holder and organization. */
  elsewhere?: OpenStreams;
  /** In test mode, the stream begins with these events and gets no others. */
  samples: readonly LiveEvent[] | undefined;
}

/** Numbers of open streams: of a session or key, and of an organization. */
export interface OpenStreams {
  holder: number;
  organization: number;
}

export class EventHub {
  /** Makes the ids of events. Another gateway, or one that starts later, does not know the ids of this one. */
  private readonly numbers = new HiddenNumbers(randomBytes(16).toString('hex'));
  private readonly receive: ReceiveChanges;
  private readonly logger: Pick<Logger, 'error'>;
  private readonly now: () => number;
  private readonly positionOf: PositionOf | undefined;
  private readonly streams = new Set<EventStream>();
  /** Number of the newest event. */
  private newest = 0;
  /** Number of the newest event that a client may have missed and that is not kept. */
  private forgotten = 0;
  /** The newest event of each object, the oldest first. */
  private readonly kept = new Map<string, HubEvent>();
  private receiving: Promise<() => void> | undefined;
  private lingering: NodeJS.Timeout | undefined;
  private beating: NodeJS.Timeout | undefined;
  private checking: NodeJS.Timeout | undefined;
  /** Changes that arrived in this turn of the event loop. */
  private arrived: PartitionChanges[] = [];
  /** The events of the next round, by their objects. */
  private readonly gathered = new Map<string, LiveEvent>();
  private gathering: NodeJS.Timeout | undefined;
  /** Refused deliveries that are reported when `reporting` ends. */
  private readonly refusals = new Map<string, { reason: RefusalReason; orgId: string | null }>();
  private reporting: NodeJS.Timeout | undefined;
  /** Events that are not yet offered to all of their streams, the oldest first. */
  private readonly batches: { events: readonly HubEvent[]; streams: readonly EventStream[] }[] = [];
  /** The events of the oldest batch that callers with the same rights may see. */
  private readonly visible: VisibleEvents = new Map();
  private stopped = false;

  /**
   * @param now milliseconds of a monotonic clock
   * @param positionOf the positions that events name; undefined on one machine
   */
  constructor(
    receive: ReceiveChanges,
    logger: Pick<Logger, 'error'>,
    now = () => performance.now(),
    positionOf?: PositionOf,
  ) {
    this.receive = receive;
    this.logger = logger;
    this.now = now;
    this.positionOf = positionOf;
  }

  /** Begins to receive changes. Resolves when every change that is announced from now on is received. */
  async begin(): Promise<void> {
    if (this.stopped) throw stopping();
    clearTimeout(this.lingering);
    this.receiving ??= this.startReceiving();
    const { receiving } = this;
    try {
      await receiving;
    } catch {
      // Another request can have begun again while this one waited.
      if (this.receiving === receiving) this.receiving = undefined;
      throw new ServiceError('unavailable', 'The service is starting.', { retryAfter: 1 });
    }
    if (this.streams.size === 0) this.linger();
  }

  /**
   * Opens a stream as the reply to a request.
   * @throws ServiceError `rateLimited` when the session or key has too many streams, `unavailable` when the gateway has
   */
  open(exchange: Pick<Exchange, 'stream'>, request: StreamRequest): void {
    const { caller, admitAgain, lastEventId, samples } = request;
    this.assertRoom(caller, request.elsewhere);
    const { numbers, logger, now, newest, positionOf } = this;
    const isTest = samples !== undefined;
    const stream = new EventStream({ numbers, caller, admitAgain, isTest, logger, positionOf, now }, newest);
    const texts = samples ? samples.map(toText) : this.missed(stream, lastEventId);
    const first = `retry: ${retryMs}\n\n${texts.join('')}id: ${stream.position}\n\n`;
    this.add(stream);
    const reply = exchange.stream(contentType, first, streamHeaders, (end) => {
      this.remove(stream);
      eventStreamsClosed.inc({ reason: stream.ended(end) });
    });
    if (reply) stream.begin(reply);
    else this.remove(stream);
  }

  /** Returns the headers of a stream, for a reply without a body. */
  get head(): { contentType: string; headers: readonly string[] } {
    return { contentType, headers: streamHeaders };
  }

  /** Reports a refused delivery. `orgId` is the organization whose own secret signed it. */
  refused(reason: RefusalReason, orgId: string | null): void {
    if (!this.receiving || this.refusals.size >= maxRefusals) return;
    this.refusals.set(`${reason} ${orgId ?? ''}`, { reason, orgId });
    if (!this.reporting) this.reportRefusals();
  }

  /** Checks the keys of all streams soon. Called when the directory partition has changed. */
  checkKeys(): void {
    this.visible.clear();
    if (this.streams.size === 0) return;
    this.checking ??= setTimeout(() => {
      this.checking = undefined;
      for (const stream of [...this.streams]) stream.checkKey();
    }, checkMs);
  }

  /** Tells all clients to read everything again, because changes may be missing. */
  reset(): void {
    if (this.receiving) this.arrive({ reset: true, events: [] });
  }

  /** Ends all streams and opens no others. */
  stop(): void {
    this.stopped = true;
    for (const stream of [...this.streams]) stream.close('stop');
    for (const timer of [this.lingering, this.gathering, this.checking, this.reporting]) clearTimeout(timer);
    void this.endReceiving();
  }

  /** Counts the open streams of a holder and of an organization (null = of instance keys). */
  openStreams(holderId: string, orgId: string | null): OpenStreams {
    return {
      holder: this.countOpen((stream) => stream.holderId === holderId),
      organization: this.countOpen((stream) => stream.orgId === orgId),
    };
  }

  private assertRoom(caller: Caller, elsewhere: OpenStreams = { holder: 0, organization: 0 }): void {
    if (this.stopped) throw stopping();
    const { orgId } = caller.key;
    if (this.streams.size >= (orgId === null ? maxStreams : maxStreams - reserved)) {
      const message = 'The service has the maximum number of open streams of events.';
      throw new ServiceError('unavailable', message, { retryAfter: 10 });
    }
    const { holder, organization } = this.openStreams(holderOf(caller), orgId);
    if (holder + elsewhere.holder >= maxPerHolder) throw tooMany('A session or an API key', maxPerHolder);
    if (orgId !== null && organization + elsewhere.organization >= maxPerOrganization)
      throw tooMany('An organization', maxPerOrganization);
  }

  private countOpen(isCounted: (stream: EventStream) => boolean): number {
    let count = 0;
    for (const stream of this.streams) if (isCounted(stream)) count += 1;
    return count;
  }

  private add(stream: EventStream): void {
    clearTimeout(this.lingering);
    this.streams.add(stream);
    this.beating ??= setInterval(() => {
      for (const each of [...this.streams]) each.beat();
    }, heartbeatMs);
    eventStreams.set(this.streams.size);
  }

  private remove(stream: EventStream): void {
    if (!this.streams.delete(stream)) return;
    eventStreams.set(this.streams.size);
    if (this.streams.size > 0) return;
    clearInterval(this.beating);
    this.beating = undefined;
    this.linger();
  }

  private startReceiving(): Promise<() => void> {
    const receiving = this.receive((changes) => {
      // A subscription that has ended, or is not the newest one, would deliver changes twice.
      if (this.receiving === receiving) this.arrive(changes);
    });
    return receiving;
  }

  /** Ends receiving after a while without streams. */
  private linger(): void {
    clearTimeout(this.lingering);
    if (!this.stopped) this.lingering = setTimeout(() => void this.endReceiving(), lingerMs);
  }

  private async endReceiving(): Promise<void> {
    const { receiving } = this;
    this.receiving = undefined;
    this.kept.clear();
    this.gathered.clear();
    // The events from now on are missed. A client that had all events before must not continue as if it had these too.
    this.newest += 1;
    this.forgotten = this.newest;
    const end = await receiving?.catch(() => undefined);
    end?.();
  }

  /** Returns the texts of the events that a client has missed; `reset` if they are not known. */
  private missed(stream: EventStream, lastEventId: string | undefined): string[] {
    if (lastEventId === undefined) return [];
    const after = this.numberOf(lastEventId);
    if (after === undefined) return [this.resetText()];
    const events = [...this.kept.values()].filter(({ number }) => number > after);
    const texts = stream.missed(events);
    return texts.reduce((sum, text) => sum + text.length, 0) > maxMissed ? [this.resetText()] : texts;
  }

  private resetText(): string {
    return this.positionOf ? textWith(resetText, this.positionOf({ name: 'reset', repoId: undefined })) : resetText;
  }

  /** Returns the number in the id of an event; undefined if events after it may not be kept. */
  private numberOf(id: string): number | undefined {
    const after = this.numbers.find(id);
    return after !== undefined && after >= this.forgotten && after <= this.newest ? after : undefined;
  }

  /**
   * Collects the changes of one turn of the event loop. They are sent in the next turn, whose view of the directory
   * contains them. Example: a repository that was just added can be seen by its organization.
   */
  private arrive(changes: PartitionChanges): void {
    if (this.arrived.push(changes) === 1) setImmediate(() => this.deliver());
  }

  private deliver(): void {
    const all = this.arrived;
    this.arrived = [];
    const now: LiveEvent[] = [];
    for (const { events } of all) {
      for (const event of events) {
        if (intervalOf(event.event) > 0) this.gather(event);
        else now.push(event);
      }
    }
    const lost = all.flatMap((each) => each.lost ?? []);
    this.publish([
      ...this.resets(all),
      ...now.map((event) => this.numbered(event)),
      ...lost.map(({ repoId, orgId }) =>
        this.numbered({ event: 'repo.event', data: { repoId, event: 'repository' } }, orgId),
      ),
    ]);
  }

  /** Returns the resets for those who may miss some of the changes. A reset for everyone replaces the others. */
  private resets(all: readonly PartitionChanges[]): HubEvent[] {
    if (all.some(({ reset }) => reset)) return [this.resetFor({})];
    const unlisted = all.flatMap((each) => each.unlisted ?? []);
    const repoIds = new Set(unlisted.flatMap((each) => each.repoIds));
    const orgIds = new Set(unlisted.flatMap((each) => each.orgIds));
    if (repoIds.size + orgIds.size > maxResets) return [this.resetFor({})];
    return [
      ...[...repoIds].map((repoId) => this.resetFor({ repoId })),
      ...[...orgIds].map((orgId) => this.resetFor({ orgId })),
    ];
  }

  private resetFor(about: { repoId?: string; orgId?: string }): HubEvent {
    this.newest += 1;
    return toReset(this.newest, about);
  }

  private gather(event: LiveEvent): void {
    const object = objectOf(event);
    const older = this.gathered.get(object);
    this.gathered.set(object, older ? united(older, event) : event);
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      const events = [...this.gathered.values()];
      this.gathered.clear();
      this.publish(events.map((each) => this.numbered(each)));
    }, roundMs);
  }

  private reportRefusals(): void {
    const refused = [...this.refusals.values()];
    this.refusals.clear();
    this.reporting = undefined;
    if (refused.length === 0) return;
    this.reporting = setTimeout(() => this.reportRefusals(), refusalMs);
    this.publish(
      refused.map(({ reason, orgId }) => this.numbered({ event: 'delivery.refused', data: { reason } }, orgId)),
    );
  }

  private numbered(event: LiveEvent, orgId: string | null = null): HubEvent {
    this.newest += 1;
    return toHubEvent(event, this.newest, orgId);
  }

  private publish(events: readonly HubEvent[]): void {
    if (!this.receiving || events.length === 0) return;
    for (const event of events) this.keep(event);
    // A stream that opens later gets these events as missed ones, or begins after them.
    this.batches.push({ events, streams: [...this.streams] });
    if (this.batches.length === 1) this.distribute(0);
  }

  /**
   * Offers the oldest batch to a group of streams. The groups have turns of the event loop of their own, because the
   * loop also accepts webhooks. The next batch begins after the last group, so each stream gets its events in order.
   */
  private distribute(start: number): void {
    const [batch] = this.batches;
    if (!batch) return;
    const { events, streams } = batch;
    const end = start + groupSize;
    for (const stream of streams.slice(start, end)) stream.offer(events, this.visible);
    if (end >= streams.length) {
      this.batches.shift();
      this.visible.clear();
    }
    if (this.batches.length > 0) setImmediate(() => this.distribute(end < streams.length ? end : 0));
  }

  private keep(event: HubEvent): void {
    const { kept } = this;
    const older = kept.get(event.object);
    // The order of the map is the order of the numbers.
    kept.delete(event.object);
    kept.set(event.object, older ? merged(older, event) : event);
    if (kept.size <= maxKept) return;
    const [oldest] = kept.values();
    if (!oldest) return;
    kept.delete(oldest.object);
    this.forgotten = oldest.number;
  }
}

const resetText = toText({ event: 'reset', data: {} });

function tooMany(holder: string, max: number): ServiceError {
  const message = `${holder} can have ${max} open streams of events. Close one of them first.`;
  return new ServiceError('rateLimited', message, { retryAfter: 10 });
}

function stopping(): ServiceError {
  return new ServiceError('unavailable', 'The service is stopping.', { retryAfter: 2 });
}
