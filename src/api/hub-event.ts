/**
 * Live events as the gateway keeps and sends them: as text in the format of server-sent events, with the data that
 * decide which clients may see them.
 */
import type { Scope } from '../protocol/commands.ts';
import type { LiveEvent, LiveEventName } from '../protocol/live-events.ts';
import { type Caller, mayUse } from './authenticate.ts';

/** A live event that is ready to send. */
export interface HubEvent {
  /** Position in the order of all events of this gateway. */
  number: number;
  name: LiveEventName;
  /** Names the object that the event is about. A newer event of the same object replaces this one. */
  object: string;
  /** The repository that the event is about; undefined for an event about no repository. */
  repoId: string | undefined;
  /**
   * The organization that may see an event about no repository, or about one that it does not have any more. Null =
   * keys of the instance only, or those that may see the repository. A `reset` about neither is for everyone.
   */
  orgId: string | null;
  /** The lines `event` and `data`, and the empty line that ends the event. */
  text: string;
}

/** The scope that a key needs to see an event. `reset` needs none. */
const scopes: Readonly<Record<LiveEventName, Scope | null>> = {
  'repo.event': 'repos:read',
  'range.counts': 'ranges:read',
  'draft.status': 'drafts:read',
  'publication.status': 'drafts:read',
  'backfill.progress': 'repos:read',
  'delivery.refused': 'webhooks:read',
  reset: null,
};

/** Minimum interval between two events of the same object in one stream, in milliseconds. */
const intervals: Readonly<Partial<Record<LiveEventName, number>>> = {
  'repo.event': 1000,
  'range.counts': 1000,
  // Each reset makes a client read everything again.
  reset: 5000,
};

/**
 * Makes an event ready to send.
 * @param orgId the organization that may see an event about no repository, or about one that it does not have any more
 */
export function toHubEvent(event: LiveEvent, number: number, orgId: string | null = null): HubEvent {
  const object = `${event.event} ${objectOf(event)} ${orgId ?? ''}`;
  const repoId = 'repoId' in event.data ? event.data.repoId : undefined;
  return { number, name: event.event, object, repoId, orgId, text: toText(event) };
}

/**
 * Makes a `reset` ready to send to those who may miss events: those who may see a repository, or the organization that
 * lost repositories. Without either, it is for everyone. The event does not name them.
 */
export function toReset(number: number, about: { repoId?: string; orgId?: string } = {}): HubEvent {
  const { repoId, orgId = null } = about;
  return {
    ...toHubEvent({ event: 'reset', data: {} }, number),
    object: `reset ${repoId ?? orgId ?? ''}`,
    repoId,
    orgId,
  };
}

/** Writes the lines of an event, without its id. */
export function toText({ event, data }: LiveEvent): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Returns the text of an event with the positions that contain the change. */
export function textWith(text: string, position: string): string {
  const end = '}\n\n';
  const start = text.slice(0, -end.length);
  return `${start}${start.endsWith('{') ? '' : ','}"position":${JSON.stringify(position)}${end}`;
}

/** Returns the minimum interval between two events of the same object in one stream, in milliseconds; 0 = none. */
export function intervalOf(name: LiveEventName): number {
  return intervals[name] ?? 0;
}

/**
 * Returns the event that replaces two events of the same object. It has the number of the newer one. The event of a
 * repository names no single change if the two events name different ones.
 */
export function merged(older: HubEvent, newer: HubEvent): HubEvent {
  const { repoId } = newer;
  if (newer.name !== 'repo.event' || repoId === undefined || older.text === newer.text) return newer;
  return { ...newer, text: toText({ event: 'repo.event', data: { repoId } }) };
}

/** Like `merged`, for events that are not ready to send. */
export function united(older: LiveEvent, newer: LiveEvent): LiveEvent {
  if (older.event !== 'repo.event' || newer.event !== 'repo.event' || older.data.event === newer.data.event)
    return newer;
  return { event: 'repo.event', data: { repoId: newer.data.repoId } };
}

/** Whether a caller may see an event. */
export function maySee(caller: Caller, { name, repoId, orgId }: HubEvent): boolean {
  const scope = scopes[name];
  if (scope !== null && !mayUse(caller, scope)) return false;
  if (name === 'reset' && repoId === undefined && orgId === null) return true;
  if (repoId !== undefined && orgId === null) return caller.maySee(repoId);
  return caller.key.orgId === null || caller.key.orgId === orgId;
}

/** Returns the id of the object that an event is about. */
export function objectOf({ event, data }: LiveEvent): string {
  switch (event) {
    case 'repo.event':
      return data.repoId;
    case 'range.counts':
      return data.rangeId;
    case 'draft.status':
      return data.draftId;
    case 'publication.status':
      return data.publicationId;
    case 'backfill.progress':
      return data.backfillId;
    case 'delivery.refused':
      return data.reason;
    case 'reset':
      return '';
  }
}
