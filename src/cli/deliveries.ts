/**
 * Deliveries as files hold them, signed and posted as a host would: one JSON object a line, with `event`, `delivery` and
 * `body`. Refused ones that can succeed later are sent again.
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
  /** Address of the service. */
  url: string;
  secret: string;
  concurrency: number;
  onAnswer: (status: number) => void;
}

const attempts = 6;

/**
 * Reads a file of deliveries, gzipped or not.
 * @throws Error naming the line that is none
 */
export async function readDeliveries(file: string): Promise<Delivery[]> {
  const raw = createReadStream(file);
  // Whatever ends the pipeline, a missing file too, is thrown where the lines are read.
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
    // Told below, with the line.
  }
  throw new Error(`${file}, line ${line}: expected a JSON object with event, delivery and body`);
}

/** Sends deliveries, at most `concurrency` at once, begun in their order. Every final answer is reported. */
export async function sendDeliveries(deliveries: readonly Delivery[], options: SendOptions): Promise<void> {
  let next = 0;
  const sender = async (): Promise<void> => {
    for (let delivery = deliveries[next++]; delivery; delivery = deliveries[next++]) {
      options.onAnswer(await send(delivery, options));
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, sender));
}

/** Sends one delivery until it is answered for good. Status 0 stands for no answer at all. */
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
