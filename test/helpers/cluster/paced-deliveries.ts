/**
 * Sends signed deliveries to all nodes of a cluster at a fixed rate, as a host behind a load balancer does. Notes when
 * and by which node each one was accepted. A delivery that is not accepted is repeated at another node.
 */
import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { repositoryId } from '../../../src/foundation/ids.ts';
import { type PartitionName, partitionOfRepository } from '../../../src/foundation/partition-names.ts';
import { Readers } from '../../../src/store/readers.ts';
import { deliveryKey, isFolded } from '../../../src/store/tables/deliveries.ts';
import type { Nodes } from '../cluster-nodes.ts';
import { pullPayload } from '../payloads.ts';

/** One attempt to deliver. */
export interface Attempt {
  node: number;
  /** 0 if the connection broke. */
  status: number;
  /** Time until the reply, in milliseconds. */
  ms: number;
  /** When the reply arrived. */
  at: number;
  /** Whether the node was being stopped, so that its own connections may break. */
  isOfStopped: boolean;
}

/** A delivery with a 2xx reply. */
export interface Accepted {
  /** The key of the delivery in its partition. */
  key: string;
  partition: PartitionName;
  at: number;
}

/** The deliveries go to four repositories, which are spread over both partitions. */
const repositories = [1, 2, 3, 4].map((n) => ({ id: 5000 + n, full_name: `acme/load-${n}` }));
const origin = 'https://github.com';
const attempts = 8;
const repeatMs = 500;
/** Replies with an error come earlier. A node that is frozen sends none. */
const timeoutMs = 30_000;

export class PacedDeliveries {
  readonly attempts: Attempt[] = [];
  readonly accepted: Accepted[] = [];
  /** Number of deliveries that were given up. */
  failed = 0;
  private readonly nodes: Nodes;
  private readonly onAccepted: (accepted: Accepted) => void;
  private readonly partitions: readonly PartitionName[];
  private readonly secret: string;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64, scheduling: 'fifo' });
  private readonly sent: Promise<void>[] = [];
  private next = 0;
  private turn = 0;
  private stopped = true;
  private running: Promise<void> = Promise.resolve();

  constructor(nodes: Nodes, onAccepted: (accepted: Accepted) => void = () => {}) {
    this.nodes = nodes;
    this.onAccepted = onAccepted;
    this.secret = nodes.at(0).secret;
    const count = Number(nodes.at(0).env.TIDINGS_PARTITIONS);
    this.partitions = repositories.map(({ id }) => partitionOfRepository(repositoryId(origin, String(id)), count));
  }

  /** Ids of the repositories that the deliveries are about. */
  static get repoIds(): string[] {
    return repositories.map(({ id }) => repositoryId(origin, String(id)));
  }

  /** Begins to send. @param perSecond number of deliveries per second */
  begin(perSecond: number): void {
    this.stopped = false;
    this.running = this.send(perSecond);
  }

  /** Stops sending, and waits until each delivery is accepted or given up. */
  async end(): Promise<void> {
    this.stopped = true;
    await this.running;
    await Promise.all(this.sent.splice(0));
  }

  /** Sends for some time. Returns the attempts of this time. */
  async run(perSecond: number, ms: number): Promise<Attempt[]> {
    const before = this.attempts.length;
    this.begin(perSecond);
    await pause(ms);
    await this.end();
    return this.attempts.slice(before);
  }

  /** Attempts that failed although their node was not being stopped. */
  get faults(): string[] {
    return this.attempts
      .filter(({ status, isOfStopped }) => !isOfStopped && status !== 202 && status !== 200)
      .map(({ node, status, ms }) => `node ${node} replied ${status} after ${ms.toFixed(0)} ms`);
  }

  /** Returns the accepted deliveries that a node has not folded, with the name of the node. */
  async missing(): Promise<string[]> {
    const missing: string[] = [];
    for (const { dataDir, env } of this.nodes.services) {
      const readers = new Readers(dataDir);
      for (const { key, partition } of this.accepted) {
        const store = readers.current(partition);
        if (!store || !isFolded(store, key)) missing.push(`${env.TIDINGS_NODE} ${key}`);
      }
      await readers.close();
    }
    return missing;
  }

  private async send(perSecond: number): Promise<void> {
    const begun = performance.now();
    for (let count = 0; !this.stopped; await pause(5)) {
      for (const due = ((performance.now() - begun) * perSecond) / 1000; count < due; count += 1)
        this.sent.push(this.deliver(this.next++));
    }
  }

  private async deliver(nth: number): Promise<void> {
    const at = nth % repositories.length;
    const number = 1 + Math.floor(nth / repositories.length);
    const body = JSON.stringify(pullPayload(number, {}, repositories[at]));
    const id = `paced-${nth}`;
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const node = this.nextNode();
      const begun = performance.now();
      const status = await this.post(node, id, body);
      const now = performance.now();
      this.attempts.push({ node, status, ms: now - begun, at: now, isOfStopped: !this.nodes.live.includes(node) });
      if (status === 202 || status === 200) {
        const accepted = {
          key: deliveryKey(id, 'pull_request', '', 0),
          partition: this.partitions[at] as PartitionName,
          at: now,
        };
        this.accepted.push(accepted);
        return this.onAccepted(accepted);
      }
      await pause(repeatMs);
    }
    this.failed += 1;
  }

  /** Posts a delivery, and resolves with the status. */
  private post(node: number, id: string, body: string): Promise<number> {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-scm-event': 'pull_request',
      'x-scm-delivery': id,
      'x-hub-signature-256': `sha256=${createHmac('sha256', this.secret).update(body).digest('hex')}`,
    };
    const { url } = this.nodes.at(node);
    return new Promise((resolve) => {
      const options = { method: 'POST', agent: this.agent, headers, timeout: timeoutMs };
      const outgoing = request(`${url}/api/webhooks/scm`, options, (reply) => {
        reply.resume();
        reply.once('end', () => resolve(reply.statusCode ?? 0));
        reply.once('error', () => resolve(0));
      });
      outgoing.once('timeout', () => outgoing.destroy());
      outgoing.once('error', () => resolve(0));
      outgoing.end(body);
    });
  }

  private nextNode(): number {
    const { live } = this.nodes;
    this.turn += 1;
    return live[this.turn % live.length] as number;
  }
}
