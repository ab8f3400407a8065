/**
 * Defines how soon a client of the journal notices that its server is gone: on one machine, and on a node of a cluster
 * (`docs/architecture.md` decision 44).
 */
import { isOneOfSeveral } from '../../config/nodes.ts';
import type { Settings } from '../../config/schema.ts';

/** Intervals and timeouts of a connection to the journal, in milliseconds. */
export interface JournalTiming {
  /** Interval between the pings of an idle connection. */
  readonly pingMs: number;
  /** Number of pings without a reply after which the connection is closed and another server is tried. */
  readonly maxPingOut: number;
  /** Timeout of a connection attempt. */
  readonly connectMs: number;
  /** Timeout of a request to JetStream. */
  readonly requestMs: number;
  /** Timeout of a request that creates or changes a stream. Several servers write to their disks for it. */
  readonly streamMs: number;
  /** Timeout of a request for the state of a reader's consumer. */
  readonly consumerMs: number;
  /** Maximum duration of a pull. An idle reader then checks its consumer and sends a new pull. */
  readonly pullMs: number;
}

/**
 * Values for one machine. There is no other server to connect to, so a late reply is better than none. The timeouts
 * are the defaults of the NATS client. With pulls of 5 seconds instead of 30, an idle worker used a third more
 * processor time.
 */
const oneMachine: JournalTiming = {
  pingMs: 5000,
  maxPingOut: 2,
  connectMs: 20_000,
  requestMs: 5000,
  streamMs: 5000,
  consumerMs: 5000,
  pullMs: 30_000,
};

/**
 * Values for a node of a cluster of three NATS servers, where the other two serve on when one is lost.
 *
 * A server that is frozen accepts connections and says nothing. With the values for one machine, the lanes of a gateway
 * that was connected to it stored nothing for 15 to 26 seconds. With these values, they stored nothing for 3 to 8
 * seconds.
 *
 * A reader's consumer is lost with its server. The reader notices this only when a pull has ended and the request for
 * the state of the consumer was not answered. With pulls and timeouts of 5 seconds, the reader stood still for up to
 * 9.9 seconds. With these values, it stood still for up to 7.2 seconds, which is the time that the other servers need to
 * elect a new leader of the stream.
 */
const cluster: JournalTiming = {
  pingMs: 1000,
  maxPingOut: 2,
  connectMs: 1500,
  requestMs: 1500,
  streamMs: 5000,
  consumerMs: 1000,
  pullMs: 1500,
};

export function timingOf(settings: Pick<Settings, 'node'>): JournalTiming {
  return isOneOfSeveral(settings) ? cluster : oneMachine;
}
