/** Sends bytes over a TCP connection without an HTTP client, for requests that no client would send. */
import { createConnection } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Everything that the server sent until the end of the conversation. */
export interface RawAnswer {
  text: string;
  /** Status codes of all replies, in order. */
  statuses: number[];
  /** Whether the server closed the connection. */
  closed: boolean;
}

/** Conditions under which the client ends the conversation. */
export interface RawOptions {
  /**
   * The client ends the conversation when this many replies have begun. Without this option, only the server ends it.
   */
  replies?: number;
  /**
   * The client ends the conversation this many milliseconds after it has sent the last piece, even if no reply has
   * arrived.
   */
  maxWaitMs?: number;
}

const maxMs = 20_000;
const paceMs = 8;

/** Sends each piece in a separate packet and returns everything that was received. */
export async function talk(
  port: number,
  pieces: string | readonly (string | Buffer)[],
  options: RawOptions = {},
): Promise<RawAnswer> {
  const socket = createConnection({ port, host: '127.0.0.1', noDelay: true });
  let text = '';
  let closed = false;
  const ended = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, maxMs);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (options.replies !== undefined && statusesOf(text).length >= options.replies) done();
    });
    // The server may also close the connection with a reset. The bytes received before the reset count.
    socket.on('error', () => {});
    socket.on('close', () => {
      closed = true;
      done();
    });
  });
  const sent = send(socket, typeof pieces === 'string' ? [pieces] : pieces);
  const limits = options.maxWaitMs === undefined ? [] : [sent.then(() => pause(options.maxWaitMs))];
  await Promise.race([ended, ...limits]);
  socket.destroy();
  return { text, statuses: statusesOf(text), closed };
}

async function send(socket: ReturnType<typeof createConnection>, pieces: readonly (string | Buffer)[]): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    if (!socket.write(piece))
      await new Promise<void>((resolve) => void socket.once('drain', resolve).once('close', resolve));
    // Without a pause, the kernel would join several pieces into one packet.
    await pause(paceMs);
  }
}

function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1])).filter((status) => status !== 100);
}
