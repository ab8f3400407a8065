/**
 * Runs one HTTP exchange over undici. It records when the request was sent, ends at the timeout or when the signal
 * aborts, and stops reading at the maximum length. The given client decides which connections may be made.
 */
import type { Dispatcher } from 'undici';
import { EgressError } from './egress-error.ts';

export interface EgressRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Timeout of the whole exchange, in milliseconds. */
  timeoutMs: number;
  /** Maximum number of bytes that are read from the reply's body. The default is 64 KiB. */
  maxBodyBytes?: number;
  signal?: AbortSignal;
}

export interface EgressReply {
  status: number;
  /** Headers of the reply. Names are in lower case. Several values of one name are joined by commas. */
  headers: Readonly<Record<string, string>>;
  /** The body of the reply, cut after `maxBodyBytes` bytes. The rest is not read, and the connection is closed. */
  body: Buffer;
  truncated: boolean;
}

const usualMaxBodyBytes = 64 * 1024;

/** @throws EgressError when no reply arrives */
export function exchange(client: Dispatcher, request: EgressRequest): Promise<EgressReply> {
  return new Promise((resolve, reject) => new Exchange(request, resolve, reject).start(client));
}

class Exchange implements Dispatcher.DispatchHandler {
  private readonly request: EgressRequest;
  private readonly resolve: (reply: EgressReply) => void;
  private readonly reject: (error: EgressError) => void;
  private readonly chunks: Buffer[] = [];
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private sent = false;
  private settled = false;
  private bytes = 0;
  private status = 0;
  private headers: Record<string, string> = {};

  constructor(request: EgressRequest, resolve: (reply: EgressReply) => void, reject: (error: EgressError) => void) {
    this.request = request;
    this.resolve = resolve;
    this.reject = reject;
    this.timer = setTimeout(() => this.fail('timeout', 'no complete reply arrived in time'), request.timeoutMs);
  }

  start(client: Dispatcher): void {
    const { url, method, headers, body, signal } = this.request;
    if (signal?.aborted) return this.stop();
    signal?.addEventListener('abort', this.stop, { once: true });
    const { pathname, search } = new URL(url);
    const all = { 'user-agent': 'Tidings', ...headers };
    try {
      client.dispatch({ path: pathname + search, method, headers: all, body: body ?? null }, this);
    } catch {
      // The message of undici's error is not used, since it can quote the path.
      this.fail('network', 'the request cannot be sent');
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // If the exchange has ended while the connection was being made, the request is aborted before anything is written.
    if (this.settled) controller.abort(new Error('given up'));
    else this.sent = true;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: object): void {
    this.status = status;
    this.headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxBodyBytes = usualMaxBodyBytes } = this.request;
    this.chunks.push(chunk.subarray(0, maxBodyBytes - this.bytes));
    this.bytes += chunk.length;
    if (this.bytes > maxBodyBytes) this.finish(true);
  }

  onResponseEnd(): void {
    this.finish(false);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    if (error instanceof EgressError) this.fail(error.kind, error.message);
    else
      this.fail(
        'network',
        `${this.sent ? 'the connection broke' : 'the connection could not be opened'}${codeOf(error)}`,
      );
  }

  private readonly stop = (): void => this.fail('network', 'the request was stopped');

  private finish(truncated: boolean): void {
    if (!this.settle()) return;
    this.resolve({ status: this.status, headers: this.headers, body: Buffer.concat(this.chunks), truncated });
    if (truncated) this.controller?.abort(new Error('long enough'));
  }

  private fail(kind: EgressError['kind'], message: string): void {
    if (!this.settle()) return;
    this.reject(new EgressError(kind, this.sent, message));
    this.controller?.abort(new Error('given up'));
  }

  /** @returns false when the exchange had already ended */
  private settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    clearTimeout(this.timer);
    this.request.signal?.removeEventListener('abort', this.stop);
    return true;
  }
}

/**
 * Returns the system's error code in brackets, such as ECONNREFUSED. If several addresses were tried, the code is in
 * one of the inner errors.
 */
function codeOf(error: unknown): string {
  const { code, errors, cause } = error as { code?: unknown; errors?: unknown[]; cause?: unknown };
  const found = code ?? (errors?.[0] as { code?: unknown })?.code ?? (cause as { code?: unknown })?.code;
  return typeof found === 'string' && /^[A-Z0-9_]{2,60}$/.test(found) ? ` (${found})` : '';
}
