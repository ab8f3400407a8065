/**
 * Sends the load with autocannon, with pipelining 1. `load.ts` starts this program. The program keeps every latency,
 * because autocannon's own histogram rounds to whole milliseconds.
 */
import autocannon from 'autocannon';
import { DeliveryTemplates } from './deliveries.ts';
import type { LoadJob, LoadMessage, LoadResult, RequestSource } from './load.ts';
import { answerMessages } from './program.ts';

/**
 * autocannon's client, with two members that are missing from autocannon's types. The load program replaces both
 * members. The first member returns the bytes of each request, and the second member receives the bytes of each reply.
 */
type Client = autocannon.Client & {
  getRequestBuffer: () => Buffer;
  pipelinedRequests: { addBody: (piece: Buffer) => void };
};

/** Counters of a run. */
interface Seen {
  statuses: Record<string, number>;
  mismatches: number;
  acknowledged: number[];
}

let source: RequestSource | undefined;
let templates: DeliveryTemplates | undefined;

answerMessages(async (message: LoadMessage) => {
  if (message.type === 'run') return run(message.job);
  source = message.source;
  if (source.kind === 'deliveries') templates = new DeliveryTemplates(source.secret, source.run);
  return {};
});

async function run(job: LoadJob): Promise<LoadResult> {
  const latencies: number[] = [];
  const seen: Seen = { statuses: {}, mismatches: 0, acknowledged: [] };
  const started = performance.now();
  let last = started;
  const { errors } = await fire(optionsFor(job, seen), (status, milliseconds) => {
    latencies.push(milliseconds);
    seen.statuses[status] = (seen.statuses[status] ?? 0) + 1;
    last = performance.now();
  });
  return {
    seconds: (last - started) / 1000,
    statuses: seen.statuses,
    errors,
    mismatches: seen.mismatches,
    latencies: Float64Array.from(latencies),
    acknowledged: Uint32Array.from(seen.acknowledged),
  };
}

function fire(
  options: autocannon.Options,
  onAnswer: (status: number, milliseconds: number) => void,
): Promise<autocannon.Result> {
  return new Promise((resolve, reject) => {
    const instance = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)));
    instance.on('response', (_client, status, _bytes, milliseconds) => onAnswer(status, milliseconds));
  });
}

function optionsFor({ url, seconds, connections, rate }: LoadJob, seen: Seen): autocannon.Options {
  const paced = rate === undefined ? {} : { overallRate: rate };
  const common = { url, connections, pipelining: 1, duration: seconds, sampleInt: 100, timeout: 10, ...paced };
  if (source?.kind === 'get') {
    const { path, headers, expectedBody } = source;
    const setupClient = (client: autocannon.Client) => compareBodies(client as Client, expectedBody, seen);
    return { ...common, url: `${url}${path}`, headers, setupClient };
  }
  let clients = 0;
  return { ...common, setupClient: (client) => sendDeliveries(client as Client, clients++, seen) };
}

/**
 * Compares the body of every reply with `expected` while the bytes arrive. autocannon would first decode and join the
 * bytes, which costs several times more.
 */
function compareBodies(client: Client, expected: Uint8Array, seen: Seen): void {
  let length = 0;
  let same = true;
  client.pipelinedRequests.addBody = (piece) => {
    same &&= piece.equals(expected.subarray(length, length + piece.length));
    length += piece.length;
  };
  client.on('response', () => {
    if (!same || length !== expected.length) seen.mismatches += 1;
    length = 0;
    same = true;
  });
}

/**
 * Gives a connection its own request. The bytes of the request are changed in place for the next delivery as soon as
 * the reply to the current delivery has arrived.
 */
function sendDeliveries(client: Client, index: number, seen: Seen): void {
  const request = (templates as DeliveryTemplates).forConnection(index);
  let number = 0;
  client.getRequestBuffer = () => {
    number = request.next();
    return request.bytes;
  };
  client.on('response', (status) => {
    if (status === 202) seen.acknowledged.push(number);
  });
}
