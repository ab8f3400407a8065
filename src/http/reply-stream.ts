/**
 * A reply whose body is sent piece by piece, until the service or the client ends it. A client that reads too slowly is
 * disconnected, so that no client makes the service hold much memory.
 */
import type { HttpResponse } from 'uWebSockets.js';

/**
 * Maximum number of bytes that wait for a slow client. uWebSockets.js additionally holds the last two pieces that the
 * connection did not take at once.
 */
const maxWaitingBytes = 65_536;

/** A piece without a meaning for clients of server-sent events. */
const emptyComment = ':\n\n';

/** Who ended a stream: the client, the service, or the service because the client reads too slowly. */
export type StreamEnd = 'client' | 'service' | 'slow';

export class ReplyStream {
  private readonly response: HttpResponse;
  private readonly onEnd: (end: StreamEnd) => void;
  /** Pieces that wait until the connection takes more; undefined while it does. */
  private waiting: string[] | undefined;
  private waitingBytes = 0;
  private ended = false;

  /**
   * Sends the head of the reply and the first piece.
   * @param onEnd called once when the stream has ended
   */
  constructor(response: HttpResponse, head: string, first: string, onEnd: (end: StreamEnd) => void) {
    this.response = response;
    this.onEnd = onEnd;
    response.onWritable(() => this.drain());
    response.cork(() => response.writeStatus(head).write(first));
  }

  /** Whether pieces wait, because the client reads more slowly than the service writes. */
  get isWaiting(): boolean {
    return this.waiting !== undefined;
  }

  /** Sends a piece of text that is not empty. A piece for a stream that has ended is dropped. */
  write(piece: string): void {
    if (this.ended) return;
    if (!this.waiting) return this.send(piece);
    this.waiting.push(piece);
    this.waitingBytes += Buffer.byteLength(piece);
    if (this.waitingBytes <= maxWaitingBytes) return;
    this.finish('slow');
    this.response.close();
  }

  /** Ends the reply. The connection stays open for further requests. */
  end(): void {
    if (this.ended) return;
    // The end of a reply waits behind the pieces that the connection has not taken. A client that does not read them
    // would keep the connection open.
    const isStuck = this.waiting !== undefined;
    this.finish('service');
    if (isStuck) this.response.close();
    else this.response.cork(() => this.response.end());
  }

  /** Called when the connection was closed. */
  abort(): void {
    this.finish('client');
  }

  /** A write reports that the connection is full one write late, because the library sends the bytes after the cork. */
  private send(piece: string): void {
    this.response.cork(() => {
      if (!this.response.write(piece)) this.waiting ??= [];
    });
  }

  /**
   * Sends what waits. With a handler for `onWritable`, uWebSockets.js sends the bytes that it holds only together with
   * the next write. So an empty comment is sent if nothing waits.
   */
  private drain(): boolean {
    if (this.ended) return true;
    const pieces = this.waiting && this.waiting.length > 0 ? this.waiting.join('') : emptyComment;
    this.waiting = undefined;
    this.waitingBytes = 0;
    this.send(pieces);
    return true;
  }

  private finish(end: StreamEnd): void {
    if (this.ended) return;
    this.ended = true;
    this.waiting = undefined;
    this.onEnd(end);
  }
}
