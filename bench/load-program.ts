/**
 * Sends the load over connections that stay open, one request at a time per connection. `load.ts` starts this program.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { sendReads } from './autocannon.ts';
import { Connection } from './connection.ts';
import { DeliveryTemplates } from './deliveries.ts';
import type { LoadJob, LoadMessage, LoadResult, RequestSource } from './load.ts';
import { type Schedule, sharedNow } from './pacer.ts';
import { answerMessages } from './program.ts';

type Kind = 'main' | 'forged' | 'read';

/** A request that is ready to be sent. `number` is the number of its delivery, 0 for a read. */
interface Request {
  kind: Kind;
  bytes: Buffer;
  number: number;
}

/** One slot of the load: a connection, and the request that waits for its reply. */
interface Slot {
  /** Address that the slot connects to. */
  to: string;
  connection: Connection;
  next(): Request;
  waiting: { request: Request; since: number; sentAt: number } | undefined;
}

/**
 * Deliveries per second that are signed before a run, so that signing does not take processor time from the measured
 * programs. No program on two cores accepts more.
 */
const mostPerSecond = 16_000;
const timeoutMs = 10_000;
/** Time until the first request that is due, in milliseconds. The pacer's thread starts in this time. */
const startDelayMs = 100;

let source: RequestSource | undefined;
let templates: DeliveryTemplates | undefined;

answerMessages(async (message: LoadMessage) => {
  if (message.type === 'run')
    return source?.kind === 'get' ? sendReads(message.job, source) : new LoadRun(message.job).finish();
  source = message.source;
  if (source.kind === 'deliveries') {
    const { secret, run, repeats, repositories } = source;
    templates = new DeliveryTemplates(secret, run, repeats, repositories);
  }
  return {};
});

/** One run of the load against one server. */
class LoadRun {
  private readonly job: LoadJob;
  private readonly slots: Slot[] = [];
  /** Slots without a request, and the due times of requests that wait for a slot. Both only if the load has a rate. */
  private readonly idle: Slot[] = [];
  private readonly overdue: number[] = [];
  private readonly latencies: Record<Kind, number[]> = { main: [], forged: [], read: [] };
  private readonly statuses: Record<Kind, Record<string, number>> = { main: {}, forged: {}, read: {} };
  private readonly acknowledged: number[] = [];
  private readonly forged: number[] = [];
  private errors = 0;
  private sent = 0;
  private pending = 0;
  private startedAt = 0;
  private lastReplyAt = 0;
  private ended = false;

  constructor(job: LoadJob) {
    this.job = job;
  }

  /** Sends all requests and waits for their replies. */
  async finish(): Promise<LoadResult> {
    const { seconds, count, rate, connections } = this.job;
    templates?.prepare(count ?? Math.ceil((seconds ?? 0) * (rate ?? mostPerSecond)));
    for (let index = 0; index < connections; index += 1) this.slots.push(this.openSlot(index));
    const sweep = setInterval(() => this.expire(), 1000);
    this.startedAt = performance.now();
    if (rate === undefined) await this.sendClosed();
    else await this.sendAtRate(rate, Math.round((seconds ?? 0) * rate));
    while (this.pending + this.overdue.length > 0) await pause(1);
    clearInterval(sweep);
    for (const { connection } of this.slots) connection.close();
    return this.result();
  }

  /** Lets each connection send its next request as soon as the previous reply has arrived. */
  private async sendClosed(): Promise<void> {
    const { seconds, count } = this.job;
    for (const slot of this.slots) this.sendNext(slot, performance.now());
    if (count === undefined) await pause((seconds ?? 0) * 1000);
    else while (this.sent < count) await pause(1);
    this.ended = true;
  }

  /** Sends requests at even intervals, whether or not replies have arrived. */
  private async sendAtRate(rate: number, count: number): Promise<void> {
    this.idle.push(...this.slots);
    const intervalMs = 1000 / rate;
    const schedule: Schedule = { startAt: sharedNow() + startDelayMs, intervalMs, count };
    this.startedAt = performance.now() + startDelayMs;
    const pacer = new Worker(new URL('./pacer.js', import.meta.url), { workerData: schedule });
    let due = 0;
    pacer.on('message', (dueNow: number) => {
      for (; due < dueNow; due += 1) {
        const since = this.startedAt + due * intervalMs;
        const slot = this.idle.shift();
        if (slot) this.sendNext(slot, since);
        else this.overdue.push(since);
      }
    });
    await new Promise((resolve, reject) => pacer.once('exit', resolve).once('error', reject));
  }

  private openSlot(index: number): Slot {
    const { url, urls = [url] } = this.job;
    const to = urls[index % urls.length] as string;
    const slot: Slot = { to, connection: this.connect(to, () => slot), next: requestsOf(index), waiting: undefined };
    return slot;
  }

  private connect(url: string, slotOf: () => Slot): Connection {
    return new Connection(url, {
      reply: (status) => this.receive(slotOf(), status),
      broken: () => this.replace(slotOf()),
    });
  }

  /** @param since time from which the latency counts */
  private sendNext(slot: Slot, since: number): void {
    const request = slot.next();
    slot.waiting = { request, since, sentAt: performance.now() };
    this.sent += 1;
    this.pending += 1;
    if (request.kind === 'forged') this.forged.push(request.number);
    slot.connection.send(request.bytes);
  }

  private receive(slot: Slot, status: number): void {
    const { waiting } = slot;
    if (!waiting) return;
    const { kind, number } = waiting.request;
    const now = performance.now();
    this.latencies[kind].push(now - waiting.since);
    this.statuses[kind][status] = (this.statuses[kind][status] ?? 0) + 1;
    if (kind === 'main' && status === 202) this.acknowledged.push(number);
    this.lastReplyAt = now;
    this.release(slot);
  }

  /** Gives a slot its next request if there is one. */
  private release(slot: Slot): void {
    slot.waiting = undefined;
    this.pending -= 1;
    if (this.job.rate !== undefined) {
      const since = this.overdue.shift();
      if (since === undefined) this.idle.push(slot);
      else this.sendNext(slot, since);
    } else if (!this.ended && this.sent < (this.job.count ?? Number.POSITIVE_INFINITY)) {
      this.sendNext(slot, performance.now());
    }
  }

  /** Counts a broken connection and opens another one. */
  private replace(slot: Slot): void {
    this.errors += 1;
    slot.connection = this.connect(slot.to, () => slot);
    if (slot.waiting) this.release(slot);
  }

  private expire(): void {
    const now = performance.now();
    for (const slot of this.slots) {
      if (!slot.waiting || now - slot.waiting.sentAt < timeoutMs) continue;
      slot.connection.close();
      this.replace(slot);
    }
  }

  private result(): LoadResult {
    const replies = (kind: Kind) => ({
      statuses: this.statuses[kind],
      latencies: Float64Array.from(this.latencies[kind]),
    });
    return {
      ...replies('main'),
      seconds: (this.lastReplyAt - this.startedAt) / 1000,
      errors: this.errors,
      mismatches: 0,
      acknowledged: Uint32Array.from(this.acknowledged),
      forged: Uint32Array.from(this.forged),
      forgedReplies: replies('forged'),
      readReplies: replies('read'),
    };
  }
}

/** Returns the function that makes the requests of one connection. */
function requestsOf(index: number): () => Request {
  const request = (templates as DeliveryTemplates).forConnection(index);
  const mixture = source?.kind === 'deliveries' ? source.mixture : undefined;
  if (!mixture) return () => ({ kind: 'main', number: request.next(), bytes: request.bytes });
  const read: Request = { kind: 'read', bytes: getRequest(mixture.path, mixture.headers), number: 0 };
  // Each connection begins at another place of the mixture, so the kinds are mixed at each moment.
  let turn = index * 37;
  return () => {
    turn = (turn + 37) % 100;
    if (turn < mixture.readPercent) return read;
    if (turn < mixture.readPercent + mixture.forgedPercent) {
      return { kind: 'forged', number: request.nextForged(), bytes: request.bytes };
    }
    return { kind: 'main', number: request.next(), bytes: request.bytes };
  };
}

function getRequest(path: string, headers: Record<string, string>): Buffer {
  const lines = Object.entries({ Host: 'tidings.example', Accept: '*/*', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
}
