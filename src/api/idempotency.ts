/**
 * Idempotency-Key on POST (`docs/architecture.md` decision 21): the same key and body get the reply of the first request; another
 * body is refused, and so is a second request while the first is under way. The fold has the last word; this is the edge's part.
 */
import { createHash } from 'node:crypto';
import { invalid, ServiceError } from '../foundation/errors.ts';
import { directoryName } from '../journal/subjects.ts';
import { readOnce } from '../store/tables/idempotency.ts';
import { readResult } from '../store/tables/results.ts';
import { partitionOfId, readPartition, settle, type Use } from './context.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './handle.ts';

/** What a route says of its writes, so that they can be repeated. */
export interface Repeatable {
  /** Id of what the write belongs to, whose partition keeps the result; `directory` for what spans repositories. */
  home: (request: ApiRequest) => unknown;
  /** The reply made of a stored result. */
  reply: (value: unknown, request: ApiRequest) => ApiReply;
}

const longestKey = 255;

/**
 * The use of an Idempotency-Key that a request makes; undefined without the header, and where nothing could be written.
 * @throws ServiceError `invalid` for a key that is empty, too long or not printable
 */
export function readUse(route: ApiRoute<never>, request: ApiRequest, bytes: Buffer): Use | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const key = header.replace(/^"(.*)"$/, '$1');
  if (key.length > longestKey || !/^[\x20-\x7e]+$/.test(key)) {
    const expected = `expected 1 to ${longestKey} printable ASCII characters, got ${header.length}`;
    throw invalid({ 'Idempotency-Key': expected }, 'A header is invalid.');
  }
  if (!route.once || request.test) return undefined;
  const home = route.once.home(request);
  // Of another kind it is no id of anything; the handler says so.
  if (typeof home !== 'string') return undefined;
  const partition = home === directoryName ? directoryName : partitionOfId(request.context, home);
  if (partition === undefined) return undefined;
  const { id, orgId } = request.caller.key;
  const parts = [orgId, id, route.method, route.path, request.params, home, key];
  return { scope: hash(JSON.stringify(parts)), fingerprint: hash(bytes), partition, replayed: false };
}

/** Requests with an Idempotency-Key that are under way. */
export class OnceGuard {
  private readonly running = new Map<string, string>();

  /**
   * Carries a request out, or answers it from the first one's result.
   * @throws ServiceError `conflict` while the first is under way, `unprocessable` for another body
   */
  async run(use: Use, request: ApiRequest, once: Repeatable, handle: () => Promise<ApiReply>): Promise<ApiReply> {
    const running = this.running.get(use.scope);
    if (running !== undefined && running !== use.fingerprint) throw otherBody();
    if (running !== undefined) {
      const message = 'A request with this Idempotency-Key is under way. Ask again in a second.';
      throw new ServiceError('conflict', message, { retryAfter: 1 });
    }
    this.running.set(use.scope, use.fingerprint);
    try {
      return this.replay(use, request, once) ?? (await handle());
    } finally {
      this.running.delete(use.scope);
    }
  }

  /** The reply of an earlier request; undefined when there was none. */
  private replay(use: Use, request: ApiRequest, once: Repeatable): ApiReply | undefined {
    const partition = readPartition(request.context, use.partition);
    const first = readOnce(partition, use.scope, Date.now());
    const result = first && readResult(partition, first.commandId);
    if (!first || !result) return undefined;
    if (first.fingerprint !== use.fingerprint) throw otherBody();
    use.replayed = true;
    return once.reply(settle(result), request);
  }
}

function otherBody(): ServiceError {
  return new ServiceError(
    'unprocessable',
    'The Idempotency-Key was used for another body. Use a new key for a new request.',
  );
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}
