/**
 * Handles the Idempotency-Key of POST requests in the gateway (`docs/architecture.md` decision 21). A request whose key
 * was already used is a repetition. A repetition with the same body gets the reply of the first request. A repetition
 * with another body is refused. A repetition is also refused while the first request is under way. If the gateway
 * misses a repetition, the fold recognizes the repetition.
 */
import { createHash } from 'node:crypto';
import { invalid, ServiceError } from '../foundation/errors.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { readOnce } from '../store/tables/idempotency.ts';
import { readResult } from '../store/tables/results.ts';
import { partitionOfId, readPartition, type Use, valueOrThrow } from './context.ts';
import type { ApiReply, ApiRequest, ApiRoute, Repeatable } from './route.ts';

const maxKeyLength = 255;

/**
 * Reads the Idempotency-Key of a request. Returns undefined if the request has no such header, or if the key has no
 * effect on the request (for example in test mode).
 * @throws ServiceError `invalid` for a key that is empty, too long or not printable
 */
export function readUse(route: ApiRoute<never>, request: ApiRequest, bytes: Buffer): Use | undefined {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return undefined;
  const key = header.replace(/^"(.*)"$/, '$1');
  if (key.length > maxKeyLength || !/^[\x20-\x7e]+$/.test(key)) {
    const expected = `expected 1 to ${maxKeyLength} printable ASCII characters, got ${header.length}`;
    throw invalid({ 'Idempotency-Key': expected }, 'A header is invalid.');
  }
  if (!route.once || request.test) return undefined;
  const home = route.once.home(request);
  // The id that selects the partition must be a string. The handler rejects any other value.
  if (typeof home !== 'string') return undefined;
  const partition = home === directoryName ? directoryName : partitionOfId(request.context, home);
  if (partition === undefined) return undefined;
  const { id, orgId } = request.caller.key;
  const parts = [orgId, id, route.method, route.path, request.params, home, key];
  return { scope: hash(JSON.stringify(parts)), fingerprint: hash(bytes), partition, replayed: false };
}

/** Keeps track of the requests under way that have an Idempotency-Key. */
export class OnceGuard {
  private readonly running = new Map<string, string>();

  /**
   * Carries out a request, or replies with the result of the first request that had the same Idempotency-Key.
   * @throws ServiceError `conflict` while the first request is under way, `unprocessable` when the first request had
   *   another body
   */
  async run(use: Use, request: ApiRequest, once: Repeatable, handle: () => Promise<ApiReply>): Promise<ApiReply> {
    const running = this.running.get(use.scope);
    if (running !== undefined && running !== use.fingerprint) throw otherBody();
    if (running !== undefined) {
      const message =
        'A request with this Idempotency-Key is still being processed. Send the request again in a second.';
      throw new ServiceError('conflict', message, { retryAfter: 1 });
    }
    this.running.set(use.scope, use.fingerprint);
    try {
      return this.replay(use, request, once) ?? (await handle());
    } finally {
      this.running.delete(use.scope);
    }
  }

  /**
   * Returns the reply of an earlier request with the same Idempotency-Key; undefined when there was no such request.
   */
  private replay(use: Use, request: ApiRequest, once: Repeatable): ApiReply | undefined {
    const partition = readPartition(request.context, use.partition);
    const first = readOnce(partition, use.scope, Date.now());
    const result = first && readResult(partition, first.commandId);
    if (!first || !result) return undefined;
    if (first.fingerprint !== use.fingerprint) throw otherBody();
    use.replayed = true;
    return once.reply(valueOrThrow(result), request);
  }
}

function otherBody(): ServiceError {
  return new ServiceError(
    'unprocessable',
    'The Idempotency-Key was already used with a different body. Use a new Idempotency-Key for a new request.',
  );
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url');
}
