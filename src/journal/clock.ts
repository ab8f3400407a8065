/**
 * Compares the clock of this node with the clock of the NATS server. A record carries the time of the node that made it,
 * and moves the time of its partition on all nodes, so a node whose clock is wrong disturbs the others
 * (`docs/architecture.md` decision 51).
 */
import type { StreamInfo } from 'nats';
import { directoryName } from '../foundation/partition-names.ts';
import type { Journal } from './connect.ts';
import { streamOf } from './subjects.ts';

/** The clocks that a comparison reads, in milliseconds. */
interface Clocks {
  wall: () => number;
  monotonic: () => number;
}

/** If the clock of a node is off by more than this many seconds, the node is not ready and hands over its leads. */
export const maxClockOffset = 30;

const ownClocks: Clocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * Returns by how many seconds the clock of this node is ahead of the clock of the NATS server. The server may have read
 * its clock at any time between the request and the reply, so the result is the difference that is certain: 0 if a time
 * between both has none.
 * @param serverTime asks the server for its time
 */
export async function clockOffset(serverTime: () => Promise<number>, clocks = ownClocks): Promise<number> {
  const [wall, started] = [clocks.wall(), clocks.monotonic()];
  const server = await serverTime();
  // The wall clock may be set meanwhile, so the end is computed from the monotonic clock.
  const end = wall + (clocks.monotonic() - started);
  if (server < wall) return (wall - server) / 1000;
  return server > end ? (end - server) / 1000 : 0;
}

/**
 * Asks the NATS server for its time, in milliseconds since 1970.
 * @throws Error if the server does not answer, or answers without its time
 */
export async function serverTime(journal: Journal): Promise<number> {
  // The server sends this field since version 2.10, but the types of the client lack it.
  const info: StreamInfo & { ts?: string } = await journal.manager.streams.info(streamOf(directoryName));
  const time = Date.parse(info.ts ?? '');
  if (Number.isNaN(time)) throw new Error(`The NATS server does not report its time: ${info.ts ?? 'no field ts'}.`);
  return time;
}
