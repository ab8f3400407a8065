/**
 * Roles on the supervised nats-server: each process is a user with a key of its own and only the subjects that it needs
 * (`docs/architecture.md` decision 8, which also says what these do not bind). No role may delete a stream or a message.
 */
import { foldedSubject, gatewaySubject, instanceSubject, querySubject, recordsSubject } from './subjects.ts';

export const journalRoles = ['supervisor', 'gateway', 'worker', 'cli'] as const;

/** A kind of process that connects to the journal; `cli` is the command line. */
export type JournalRole = (typeof journalRoles)[number];

/** What a user may publish to and subscribe to. `respond` allows one reply to each message that it was sent. */
export interface Permissions {
  publish: readonly string[];
  subscribe: readonly string[];
  respond: boolean;
}

/** Prefix of the subjects on which a role receives its replies; no other role may subscribe there. */
export function inboxPrefixOf(role: JournalRole): string {
  return `_INBOX.${role}`;
}

const streamInfo = '$JS.API.STREAM.INFO.*';
const records = recordsSubject('*');
const queries = querySubject('*');
const folded = foldedSubject('*');

const permissions: Record<JournalRole, Permissions> = {
  // Makes the streams and claims the instance.
  supervisor: {
    publish: [streamInfo, '$JS.API.STREAM.CREATE.*', '$JS.API.STREAM.UPDATE.*', instanceSubject],
    subscribe: [instanceSubject],
    respond: true,
  },
  // Enqueues and asks the owners, and answers what it has in memory; it cannot read the journal.
  gateway: { publish: [records, queries], subscribe: [folded, gatewaySubject], respond: true },
  // Follows and purges the streams, enqueues outcomes and relays, answers questions and asks other owners.
  worker: {
    publish: [
      records,
      queries,
      folded,
      streamInfo,
      '$JS.API.STREAM.MSG.GET.*',
      '$JS.API.STREAM.PURGE.*',
      '$JS.API.CONSUMER.CREATE.*',
      '$JS.API.CONSUMER.CREATE.*.*',
      '$JS.API.CONSUMER.INFO.*.*',
      '$JS.API.CONSUMER.MSG.NEXT.*.*',
      '$JS.API.CONSUMER.DELETE.*.*',
      // Never sent, as nothing is acknowledged. A delivered message names such a subject as its reply; if the worker could
      // not publish there, the server would note one permission to respond for each message.
      '$JS.ACK.>',
    ],
    subscribe: [queries],
    respond: true,
  },
  // Enqueues and asks like the gateway; `doctor` reads where the streams stand, and asks the gateway.
  cli: { publish: [records, queries, streamInfo, gatewaySubject], subscribe: [folded], respond: false },
};

/** What a role may do. */
export function permissionsOf(role: JournalRole): Permissions {
  const { subscribe, ...rest } = permissions[role];
  return { ...rest, subscribe: [...subscribe, `${inboxPrefixOf(role)}.>`] };
}
