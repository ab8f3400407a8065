/**
 * Roles on the supervised nats-server. Each role is a user with its own key, and may use only the subjects that it
 * needs. No role may delete a stream or a message. `docs/architecture.md` decision 8 describes the roles and the limits
 * of their protection.
 */
import {
  announcementSubject,
  changesSubject,
  foldedSubject,
  gatewaySubject,
  instanceSubject,
  leadQuerySubject,
  memberSubject,
  noticesSubject,
  querySubject,
  recordsSubject,
  soleNode,
} from './subjects.ts';

export const journalRoles = ['supervisor', 'gateway', 'worker', 'cli'] as const;

/** A kind of process that connects to the journal; `cli` is the command line. */
export type JournalRole = (typeof journalRoles)[number];

/**
 * The subjects that a user may publish to and subscribe to. If `respond` is true, the user may also send one reply to
 * each message that it has received.
 */
export interface Permissions {
  publish: readonly string[];
  subscribe: readonly string[];
  respond: boolean;
}

/**
 * Returns the prefix of the subjects on which a role receives replies to its requests. No other role may subscribe to
 * these subjects.
 */
export function inboxPrefixOf(role: JournalRole): string {
  return `_INBOX.${role}`;
}

const streamInfo = '$JS.API.STREAM.INFO.*';
const records = recordsSubject('*');
// The supervised server serves one node. So no role needs the subjects on which nodes exchange snapshots.
const queries = querySubject(soleNode, '*');
const leadQueries = leadQuerySubject(soleNode, '*');
const folded = foldedSubject(soleNode, '*');
const changes = changesSubject(soleNode, '*');
const gatewayFacts = gatewaySubject(soleNode);
const betweenGateways = [announcementSubject('*'), memberSubject('*'), noticesSubject];

const permissions: Record<JournalRole, Permissions> = {
  // The supervisor creates the streams and claims the journal for this instance.
  supervisor: {
    publish: [streamInfo, '$JS.API.STREAM.CREATE.*', '$JS.API.STREAM.UPDATE.*', instanceSubject],
    subscribe: [instanceSubject],
    respond: true,
  },
  // The gateway enqueues records, and sends questions to the owners of partitions. It also answers requests for the
  // facts in its memory. Gateways of one service talk to each other. The gateway cannot read the journal.
  gateway: {
    publish: [records, queries, leadQueries, ...betweenGateways],
    subscribe: [folded, changes, gatewayFacts, ...betweenGateways],
    respond: true,
  },
  // A worker follows and purges the streams, and enqueues the records of outcomes and relays. It also answers
  // questions, and sends questions to the owners of other partitions.
  worker: {
    publish: [
      records,
      queries,
      leadQueries,
      folded,
      changes,
      streamInfo,
      '$JS.API.STREAM.MSG.GET.*',
      '$JS.API.STREAM.PURGE.*',
      '$JS.API.CONSUMER.CREATE.*',
      '$JS.API.CONSUMER.CREATE.*.*',
      '$JS.API.CONSUMER.INFO.*.*',
      '$JS.API.CONSUMER.MSG.NEXT.*.*',
      '$JS.API.CONSUMER.DELETE.*.*',
      // The worker never sends an acknowledgement. But each message that the worker receives contains a subject for the
      // acknowledgement. If the worker were not allowed to publish to this subject, the server would store a separate
      // permission for each message.
      '$JS.ACK.>',
    ],
    subscribe: [queries, leadQueries],
    respond: true,
  },
  // Like the gateway, the command line enqueues records and sends questions to the owners of partitions. The command
  // `doctor` also reads the state of the streams and asks the gateway for its facts.
  cli: { publish: [records, queries, leadQueries, streamInfo, gatewayFacts], subscribe: [folded], respond: false },
};

/** Returns the permissions of a role, including the subscription to the replies to its own requests. */
export function permissionsOf(role: JournalRole): Permissions {
  const { subscribe, ...rest } = permissions[role];
  return { ...rest, subscribe: [...subscribe, `${inboxPrefixOf(role)}.>`] };
}
