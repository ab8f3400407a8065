/**
 * Sends GET requests with autocannon. Each connection sends its next request as soon as the previous reply has arrived.
 */
import autocannon from 'autocannon';
import type { LoadJob, LoadResult, RequestSource } from './load.ts';

/**
 * autocannon's client, with a member that is missing from autocannon's types. The bench replaces this member, which
 * receives the bytes of each reply.
 */
type Client = autocannon.Client & { pipelinedRequests: { addBody: (piece: Buffer) => void } };

/**
 * Runs autocannon for `job.seconds`. Keeps every latency, because autocannon's own histogram rounds to whole
 * milliseconds.
 */
export async function sendReads(job: LoadJob, source: Extract<RequestSource, { kind: 'get' }>): Promise<LoadResult> {
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const started = performance.now();
  let [last, mismatches] = [started, 0];
  const options: autocannon.Options = {
    url: `${job.url}${source.path}`,
    headers: source.headers,
    connections: job.connections,
    duration: job.seconds ?? 0,
    timeout: 10,
    setupClient: (client) => compareBodies(client as Client, source.expectedBody, () => (mismatches += 1)),
  };
  const { errors } = await fire(options, (status, milliseconds) => {
    latencies.push(milliseconds);
    statuses[status] = (statuses[status] ?? 0) + 1;
    last = performance.now();
  });
  const none = { statuses: {}, latencies: new Float64Array() };
  return {
    seconds: (last - started) / 1000,
    statuses,
    latencies: Float64Array.from(latencies),
    errors,
    mismatches,
    acknowledged: new Uint32Array(),
    forged: new Uint32Array(),
    forgedReplies: none,
    readReplies: none,
  };
}

function fire(
  options: autocannon.Options,
  onReply: (status: number, milliseconds: number) => void,
): Promise<autocannon.Result> {
  return new Promise((resolve, reject) => {
    const instance = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
    instance.on('response', (_client, status, _bytes, milliseconds) => onReply(status, milliseconds));
  });
}

/**
 * Compares the body of every reply with `expected` while the bytes arrive. autocannon would first decode and join the
 * bytes, which costs several times more.
 */
function compareBodies(client: Client, expected: Uint8Array, onMismatch: () => void): void {
  let length = 0;
  let same = true;
  client.pipelinedRequests.addBody = (piece) => {
    same &&= piece.equals(expected.subarray(length, length + piece.length));
    length += piece.length;
  };
  client.on('response', () => {
    if (!same || length !== expected.length) onMismatch();
    length = 0;
    same = true;
  });
}
