/**
 * Reads a path from the nodes of a cluster all the time, and measures how long the answers take. The reads are sent by a
 * thread of their own, so that the other work of a test does not delay them.
 */
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** Times of answers in milliseconds. */
export interface ReadReport {
  reads: number;
  /** Reads that did not get 200 within two seconds from a node that should answer. */
  refused: number;
  p50: number;
  p99: number;
  max: number;
}

/** What the thread needs. */
interface ReadData {
  path: string;
  headers: Record<string, string>;
}

type ToThread = { urls: readonly string[] } | 'end';

/** Interval between two reads, between two looks at the nodes, and the maximum time of a read, in milliseconds. */
const [readMs, lookMs, timeoutMs] = [20, 50, 2000];
/** A node that fails can fail a read just before the thread learns of it, so the thread waits for this time. */
const learnMs = 300;

export class ReadLoad {
  private readonly thread: Worker;
  private readonly timer: NodeJS.Timeout;

  /** Begins to read. @param urls returns the addresses of the nodes that should answer now */
  constructor(data: ReadData, urls: () => readonly string[]) {
    this.thread = new Worker(fileURLToPath(import.meta.url), { workerData: data });
    // After a failed test, neither must keep the process alive.
    this.thread.unref();
    const tell = () => this.thread.postMessage({ urls: urls() } satisfies ToThread);
    tell();
    this.timer = setInterval(tell, lookMs).unref();
  }

  /** Stops reading, and returns the times of all reads. */
  async end(): Promise<ReadReport> {
    clearInterval(this.timer);
    const report = new Promise<ReadReport>((resolve, reject) => {
      this.thread.once('message', resolve).once('error', reject);
    });
    this.thread.ref();
    this.thread.postMessage('end' satisfies ToThread);
    const found = await report;
    await this.thread.terminate();
    return found;
  }
}

/** Sends reads, one after another, and reports their times at the end. */
async function read({ path, headers }: ReadData): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  let [urls, refused, going]: [readonly string[], number, boolean] = [[], 0, true];
  parentPort?.on('message', (message: ToThread) => {
    if (message === 'end') going = false;
    else urls = message.urls;
  });
  for (let n = 0; going; n++) {
    const url = urls[n % urls.length];
    if (url !== undefined) {
      const begun = performance.now();
      const isAnswered = await readOne(url + path, headers, agent);
      const ms = performance.now() - begun;
      if (!isAnswered) await pause(learnMs);
      if (isAnswered) times.push(ms);
      else if (urls.includes(url)) refused += 1;
    }
    await pause(readMs);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => Math.round((times[Math.floor(times.length * share)] ?? 0) * 10) / 10;
  const max = Math.round(times.at(-1) ?? 0);
  parentPort?.postMessage({ reads: times.length, refused, p50: at(0.5), p99: at(0.99), max } satisfies ReadReport);
}

function readOne(url: string, headers: Record<string, string>, agent: Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { headers, agent, timeout: timeoutMs }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200));
      response.once('error', () => resolve(false));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}

if (!isMainThread && workerData?.path !== undefined) await read(workerData as ReadData);
