/**
 * A bare TCP connection, for requests that no HTTP client would send.
 */
import { createConnection } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What came back until the end. */
export interface RawAnswer {
  text: string;
  /** Status codes of all replies, in order. */
  statuses: number[];
  /** Whether the server closed the connection. */
  closed: boolean;
}

/** How a conversation goes. */
export interface RawOptions {
  /** Ends the conversation when so many replies have begun; without it only the server ends it. */
  replies?: number;
  /** Ends the conversation so many milliseconds after the last piece was sent, whatever came. */
  patienceMs?: number;
}

const longestMs = 20_000;
const paceMs = 8;

/** Sends pieces, each in a packet of its own, and collects what comes back. */
export async function talk(
  port: number,
  pieces: string | readonly (string | Buffer)[],
  options: RawOptions = {},
): Promise<RawAnswer> {
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true });
  let text = '';
  let closed = false;
  const ended = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, longestMs);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (options.replies !== undefined && statusesOf(text).length >= options.replies) done();
    });
    // A reset is one way of closing; what came before it counts.
    socket.on('error', () => {});
    socket.on('close', () => {
      closed = true;
      done();
    });
  });
  const sent = send(socket, typeof pieces === 'string' ? [pieces] : pieces);
  const limits = options.patienceMs === undefined ? [] : [sent.then(() => pause(options.patienceMs))];
  await Promise.race([ended, ...limits]);
  socket.destroy();
  return { text, statuses: statusesOf(text), closed };
}

async function send(socket: ReturnType<typeof createConnection>, pieces: readonly (string | Buffer)[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    if (!socket.write(piece))
      await new Promise<void>((resolve) => void socket.once('drain', resolve).once('close', resolve));
    // Without a pause the kernel joins pieces into one packet.
    await pause(paceMs);
  }
}

function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1])).filter((status) => status !== 100);
}
