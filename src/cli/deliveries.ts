/**
 * Reads deliveries from files, signs them and posts them as a host would. Each line of a file is a JSON object with
 * `event`, `delivery` and `body`. A delivery that failed for a temporary reason is sent again.
 */
import { createHmac } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';

/** One delivery to send. */
export interface Delivery {
  event: string;
  delivery: string;
  body: unknown;
}

/** How deliveries are sent. */
export interface SendOptions {
  /** Address of the service to send to. */
  url: string;
  secret: string;
  concurrency: number;
  onAnswer: (status: number) => void;
}

const attempts = 6;

/**
 * Reads a file of deliveries. The file may be gzipped.
 * @throws Error naming the line that is not a delivery
 */
export async function readDeliveries(file: string): Promise<Delivery[]> {
  const raw = createReadStream(file);
  // The callback is empty, because the loop that reads the lines throws every error of the pipeline, such as a missing
  // file.
  const input = file.endsWith('.gz') ? pipeline(raw, createGunzip(), () => {}) : raw;
  const deliveries: Delivery[] = [];
  let line = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    if (text.trim() !== '') deliveries.push(parseLine(text, file, line));
  }
  return deliveries;
}

function parseLine(text: string, file: string, line: number): Delivery {
  try {
    const value = JSON.parse(text) as Partial<Delivery>;
    if (typeof value.event === 'string' && typeof value.delivery === 'string' && typeof value.body === 'object') {
      return value as Delivery;
    }
  } catch {
    // The invalid line is reported below, with its number.
  }
  throw new Error(`${file}, line ${line}: expected a JSON object with event, delivery and body`);
}

/**
 * Sends deliveries in order, with at most `concurrency` requests at the same time. Reports the final answer to each
 * delivery.
 */
export async function sendDeliveries(deliveries: readonly Delivery[], options: SendOptions): Promise<void> {
  let next = 0;
  const sender = async (): Promise<void> => {
    for (let delivery = deliveries[next++]; delivery; delivery = deliveries[next++]) {
      options.onAnswer(await send(delivery, options));
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, sender));
}

/**
 * Sends one delivery, and sends it again after a temporary failure. Returns the status of the final answer, or 0 when
 * the service gave no answer.
 */
async function send(delivery: Delivery, options: SendOptions): Promise<number> {
  const body = JSON.stringify(delivery.body);
  const signature = createHmac('sha256', options.secret).update(body).digest('hex');
  const headers = {
    'Content-Type': 'application/json',
    'X-Scm-Event': delivery.event,
    'X-Scm-Delivery': delivery.delivery,
    'X-Hub-Signature-256': `sha256=${signature}`,
  };
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${options.url}/api/webhooks/scm`, { method: 'POST', headers, body }).catch(
      () => undefined,
    );
    await response?.arrayBuffer();
    const status = response?.status ?? 0;
    const passing = status === 0 || status === 429 || status >= 500;
    if (!passing || attempt === attempts) return status;
    const seconds = Number(response?.headers.get('retry-after') ?? 0) || 0.25 * 2 ** attempt;
    await pause(Math.min(seconds, 10) * 1000);
  }
}
