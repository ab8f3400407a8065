/**
 * The load program: autocannon with pipelining 1, started by `load.ts`. Keeps every latency, since autocannon's own histogram
 * rounds to whole milliseconds.
 */
import autocannon from 'autocannon';
import { DeliveryTemplates } from './deliveries.ts';
import type { LoadJob, LoadMessage, LoadResult, RequestSource } from './load.ts';
import { answerMessages } from './program.ts';

/** autocannon asks its client for the bytes of each request; its types leave the method out. */
type Client = autocannon.Client & { getRequestBuffer: () => Buffer };

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
  const acknowledged: number[] = [];
  const statuses: Record<string, number> = {};
  const started = performance.now();
  let last = started;
  const { errors, mismatches } = await fire(optionsFor(job, acknowledged), (status, milliseconds) => {
    latencies.push(milliseconds);
    statuses[status] = (statuses[status] ?? 0) + 1;
    last = performance.now();
  });
  return {
    seconds: (last - started) / 1000,
    statuses,
    errors,
    mismatches,
    latencies: Float64Array.from(latencies),
    acknowledged: Uint32Array.from(acknowledged),
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

function optionsFor({ url, seconds, connections }: LoadJob, acknowledged: number[]): autocannon.Options {
  const common = { url, connections, pipelining: 1, duration: seconds, sampleInt: 100, timeout: 10 };
  if (source?.kind === 'get') {
    const { path, headers, expectedBody } = source;
    return { ...common, url: `${url}${path}`, headers, verifyBody: (body) => isSame(String(body), expectedBody) };
  }
  let clients = 0;
  return { ...common, setupClient: (client) => sendDeliveries(client as Client, clients++, acknowledged) };
}

/** autocannon decodes a body piece by piece, which spoils a character that lies across two pieces. */
function isSame(body: string, expected: string): boolean {
  return body === expected || asciiOf(body) === asciiOf(expected);
}

function asciiOf(text: string): string {
  return [...text].filter((character) => character < '\u0080').join('');
}

/** Each connection has a request of its own, changed in place: its bytes are free again once the answer has come. */
function sendDeliveries(client: Client, index: number, acknowledged: number[]): void {
  const request = (templates as DeliveryTemplates).forConnection(index);
  let number = 0;
  client.getRequestBuffer = () => {
    number = request.next();
    return request.bytes;
  };
  client.on('response', (status) => {
    if (status === 202) acknowledged.push(number);
  });
}
