/**
 * One open stream of live events: which events its client may see, how often it gets them, and from which position it
 * can continue.
 */
import { ServiceError } from '../foundation/errors.ts';
import type { HiddenNumbers } from '../foundation/hidden-numbers.ts';
import type { Logger } from '../foundation/logger.ts';
import { eventsSent } from '../foundation/metrics.ts';
import type { ReplyStream, StreamEnd } from '../http/reply-stream.ts';
import type { Caller } from './authenticate.ts';
import { type HubEvent, intervalOf, maySee, merged, textWith } from './hub-event.ts';

/**
 * Why a stream was closed: `client` and `slow` as in `StreamEnd`; `key` = the key was revoked or has expired; `stop` =
 * the gateway stops; `unavailable` = the key could not be checked.
 */
export type CloseReason = Exclude<StreamEnd, 'service'> | 'key' | 'stop' | 'unavailable';

/** The parts that a stream needs. */
export interface StreamParts {
  /** Hides the numbers of events in their ids, because the numbers count the events of all organizations. */
  numbers: HiddenNumbers;
  caller: Caller;
  /**
   * Authenticates the request of the stream again.
   * @throws ServiceError when the key is not valid any more
   */
  admitAgain: () => Caller;
  /** A stream in test mode gets no event that happened. */
  isTest: boolean;
  logger: Pick<Logger, 'error'>;
  /** Returns the positions that contain the change of an event; undefined on one machine. */
  positionOf: PositionOf | undefined;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
}

/** Returns the positions that contain what an event is about. */
export type PositionOf = (event: Pick<HubEvent, 'name' | 'repoId'>) => string;

/** An event that waits because its object had another event a moment before. */
interface Held {
  /** Number of the first event that waits. */
  since: number;
  /** When the event may be sent. */
  due: number;
  event: HubEvent;
}

/** Waiting events are sent at multiples of this time, in milliseconds, so that many of them are one write. */
const releaseMs = 250;

/** The events of one batch that callers may see, by the id and scopes of their keys. */
export type VisibleEvents = Map<string, readonly HubEvent[]>;

export class EventStream {
  /** Id of the session or API key that the stream was opened with. */
  readonly holderId: string;
  /** Organization of the key; null = a key of the instance. */
  readonly orgId: string | null;
  private readonly parts: StreamParts;
  private reply: ReplyStream | undefined;
  private caller: Caller;
  /** Number of the newest event that was offered to the stream. */
  private offered: number;
  /** The waiting events by their objects, in the order of `since`. */
  private readonly held = new Map<string, Held>();
  /** When an event of an object was sent, for the objects whose events have a minimum interval. */
  private readonly sentAt = new Map<string, number>();
  private releasing: NodeJS.Timeout | undefined;
  private reason: CloseReason | undefined;

  /** @param offered number of the newest event before the stream */
  constructor(parts: StreamParts, offered: number) {
    this.parts = parts;
    this.caller = parts.caller;
    this.holderId = holderOf(parts.caller);
    this.orgId = parts.caller.key.orgId;
    this.offered = offered;
  }

  /** Connects the stream with its reply, which has sent its first piece. */
  begin(reply: ReplyStream): void {
    this.reply = reply;
  }

  /** The position from which the stream can continue without loss, as the id of an event. */
  get position(): string {
    const [first] = this.held.values();
    return this.parts.numbers.hide(first ? first.since - 1 : this.offered);
  }

  /**
   * Returns the texts of events that were missed, without ids, and leaves out those that the client may not see. A reset
   * replaces all of them.
   */
  missed(events: readonly HubEvent[]): string[] {
    const visible = events.filter((event) => maySee(this.caller, event));
    const reset = visible.find(isReset);
    return (reset ? [reset] : visible).map((event) => this.sent(event));
  }

  /**
   * Sends the events that the client may see. Events that come too early for their object wait.
   * @param visible remembers which of the events a caller may see, for other streams with the same rights
   */
  offer(events: readonly HubEvent[], visible: VisibleEvents): void {
    if (this.parts.isTest || !this.checkKey()) return;
    this.attempt(() => {
      let text = '';
      for (const event of this.visibleOf(events, visible)) {
        this.offered = event.number;
        if (!this.hold(event)) text += this.withId(event);
      }
      this.offered = events.at(-1)?.number ?? this.offered;
      if (text !== '') this.reply?.write(text);
    });
  }

  /** Sends a comment, so that the client and proxies see that the connection works. Moves the position, too. */
  beat(): void {
    if (!this.checkKey()) return;
    const now = this.parts.now();
    for (const [object, at] of this.sentAt) if (at + 10_000 < now) this.sentAt.delete(object);
    this.reply?.write(`: heartbeat\nid: ${this.position}\n\n`);
  }

  /** Closes the stream if its key is not valid any more. Returns whether the stream is open. */
  checkKey(): boolean {
    if (this.reason !== undefined) return false;
    try {
      this.caller = this.parts.admitAgain();
      return true;
    } catch (error) {
      const isRefused = error instanceof ServiceError && (error.kind === 'unauthorized' || error.kind === 'forbidden');
      this.close(isRefused ? 'key' : 'unavailable');
      return false;
    }
  }

  close(reason: CloseReason): void {
    this.reason ??= reason;
    this.reply?.end();
  }

  /** Cleans up after the reply has ended. Returns why the stream was closed. */
  ended(end: StreamEnd): CloseReason {
    clearTimeout(this.releasing);
    this.reason ??= end === 'service' ? 'stop' : end;
    return this.reason;
  }

  private visibleOf(events: readonly HubEvent[], visible: VisibleEvents): readonly HubEvent[] {
    const { id, scopes } = this.caller.key;
    const rights = `${id} ${scopes.join(' ')}`;
    const known = visible.get(rights);
    if (known) return known;
    const found = events.filter((event) => maySee(this.caller, event));
    // One reset is enough, however many of the changed repositories the caller may see.
    const last = found.findLast(isReset);
    const needed = last ? found.filter((event) => event === last || !isReset(event)) : found;
    visible.set(rights, needed);
    return needed;
  }

  /** Holds an event back if its object had another event a moment before. Returns whether it waits. */
  private hold(event: HubEvent): boolean {
    const interval = intervalOf(event.name);
    if (interval === 0) return false;
    const object = objectIn(event);
    const waiting = this.held.get(object);
    if (waiting) {
      waiting.event = merged(waiting.event, event);
      return true;
    }
    const now = this.parts.now();
    const due = (this.sentAt.get(object) ?? Number.NEGATIVE_INFINITY) + interval;
    if (due <= now) return false;
    this.held.set(object, { since: event.number, due, event });
    this.releasing ??= setTimeout(() => this.release(), delayUntil(due, now));
    return true;
  }

  /** Sends the waiting events that are due. */
  private release(): void {
    this.releasing = undefined;
    if (!this.checkKey()) return;
    this.attempt(() => {
      const now = this.parts.now();
      let text = '';
      for (const [object, { due, event }] of this.held) {
        if (due > now) continue;
        this.held.delete(object);
        // A reset that waits may replace several, so it does not depend on what the caller may see of the last one.
        if (isReset(event) || maySee(this.caller, event)) text += this.withId(event);
      }
      if (text !== '') this.reply?.write(text);
      if (this.held.size === 0) return;
      const next = Math.min(...[...this.held.values()].map(({ due }) => due));
      this.releasing = setTimeout(() => this.release(), delayUntil(next, now));
    });
  }

  private withId(event: HubEvent): string {
    return `id: ${this.position}\n${this.sent(event)}`;
  }

  /** Notes that an event is sent, and returns its text. */
  private sent(event: HubEvent): string {
    eventsSent.inc({ event: event.name });
    if (intervalOf(event.name) > 0) this.sentAt.set(objectIn(event), this.parts.now());
    const { positionOf, isTest } = this.parts;
    return positionOf && !isTest ? textWith(event.text, positionOf(event)) : event.text;
  }

  /** Runs a step that reads the store. If the step fails, only this stream ends, and its client continues later. */
  private attempt(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.parts.logger.error({ err: error }, 'a stream of events failed and was closed');
      this.close('unavailable');
    }
  }
}

function isReset({ name }: HubEvent): boolean {
  return name === 'reset';
}

/** Returns the object whose events a stream limits. All resets count as one, because each makes a client read everything. */
function objectIn(event: HubEvent): string {
  return isReset(event) ? 'reset' : event.object;
}

/** Returns the id of the session of a caller, or without a session the id of the key. */
export function holderOf({ session, key }: Caller): string {
  return session?.id ?? key.id;
}

/** Returns the time until the first release after an event is due, in milliseconds. */
function delayUntil(due: number, now: number): number {
  return Math.max(1, Math.ceil(due / releaseMs) * releaseMs - now);
}
