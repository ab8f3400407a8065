/**
 * Sends one HTTP request at a time over a connection that stays open. It is written for the load program: it parses
 * only what the bench needs of a reply, so a request costs little processor time.
 */
import { connect, type Socket } from 'node:net';

const bufferBytes = 65_536;
const statusStart = 'HTTP/1.1 '.length;

/** Receives what happens on a connection. */
export interface ConnectionEvents {
  /** The reply is complete. */
  reply(status: number): void;
  /** The connection broke. The request that waits for its reply, if there is one, gets none. */
  broken(error: Error): void;
}

/** A connection to a server on this machine. */
export class Connection {
  private readonly events: ConnectionEvents;
  private readonly socket: Socket;
  private closed = false;
  /** The first bytes of a reply whose head is incomplete. */
  private head = '';
  private status = 0;
  /** Bytes of the body that are missing. -1 while the head is incomplete. */
  private missing = -1;

  constructor(url: string, events: ConnectionEvents) {
    this.events = events;
    const { hostname, port } = new URL(url);
    const buffer = Buffer.allocUnsafe(bufferBytes);
    this.socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: {
        buffer,
        callback: (length) => {
          this.receive(buffer, length);
          return true;
        },
      },
    });
    this.socket.on('error', (error) => this.fail(error));
    this.socket.on('close', () => this.fail(new Error('The server closed the connection')));
  }

  /** Sends a request. The bytes must not change until the reply is complete. */
  send(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  close(): void {
    this.closed = true;
    this.socket.destroy();
  }

  private fail(error: Error): void {
    if (this.closed) return;
    this.close();
    this.events.broken(error);
  }

  private receive(buffer: Buffer, length: number): void {
    let at = 0;
    if (this.missing < 0) {
      at = this.readHead(buffer, length);
      if (this.missing < 0) return;
    }
    this.missing -= Math.min(length - at, this.missing);
    if (this.missing > 0) return;
    this.missing = -1;
    this.events.reply(this.status);
  }

  /** Reads the head of a reply if it is complete. Returns the index of the first byte of the body. */
  private readHead(buffer: Buffer, length: number): number {
    const before = this.head.length;
    this.head += buffer.toString('latin1', 0, length);
    const end = this.head.indexOf('\r\n\r\n', Math.max(0, before - 3));
    if (end < 0) return length;
    this.status = Number(this.head.slice(statusStart, statusStart + 3));
    this.missing = contentLength(this.head, end);
    this.head = '';
    return end + 4 - before;
  }
}

/** Returns the length of the body by the head of a reply; 0 if the head does not give it. */
function contentLength(head: string, end: number): number {
  const start = head.indexOf('ontent-', 0);
  for (let at = start; at >= 0 && at < end; at = head.indexOf('ontent-', at + 1)) {
    const name = head.slice(at - 1, at + 15).toLowerCase();
    if (name === 'content-length: ') return Number.parseInt(head.slice(at + 15), 10);
  }
  return 0;
}
