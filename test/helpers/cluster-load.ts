/**
 * Sends deliveries and publications to all nodes of a cluster, and checks afterwards that nothing that was acknowledged is
 * lost, and that no receiver has an item twice.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { partitionOf, slotOfId } from '../../src/foundation/ids.ts';
import { type PartitionName, partitionName, partitionNames } from '../../src/foundation/partition-names.ts';
import { Readers } from '../../src/store/readers.ts';
import { readPull } from '../../src/store/tables/pulls.ts';
import type { Nodes } from './cluster-nodes.ts';
import { pullPayload } from './payloads.ts';
import type { OfficeChat } from './receivers/office-chat.ts';
import { createTagRange, deliverRocket, generateDraft } from './rocket.ts';
import type { Answer, TestService } from './service.ts';
import { waitUntil } from './wait-until.ts';

/** What the load has sent, and the answers. */
export interface LoadReport {
  deliveries: number;
  /** Deliveries that no node has accepted in time. */
  failed: number;
  publications: number;
  unknown: number;
  /** Longest time without an item at the receiver, in milliseconds. */
  longestGapMs: number;
}

const firstNumber = 1000;

export class ClusterLoad {
  private readonly nodes: Nodes;
  private readonly chat: OfficeChat;
  private readonly acked: number[] = [];
  private readonly published: string[] = [];
  private readonly arrivals: number[] = [];
  private repoId = '';
  private draftId = '';
  private failed = 0;
  /** Deliveries that a node has answered with a status of 500 or above. */
  refused = 0;
  private next = firstNumber;
  private stopped = false;
  private running: Promise<unknown> = Promise.resolve();

  constructor(nodes: Nodes, chat: OfficeChat) {
    this.nodes = nodes;
    this.chat = chat;
  }

  /** Makes a repository with a draft that can be published. */
  async prepare(): Promise<void> {
    const [first] = this.nodes.services as [TestService];
    this.repoId = await deliverRocket(first);
    const range = (await createTagRange(first, this.repoId)).body;
    this.draftId = (await generateDraft(first, range.id)).id;
    const settings = { webhookUrl: this.chat.webhookUrl };
    const { status, body } = await first.api('PUT', `/api/channels/office_chat?repoId=${this.repoId}`, { settings });
    assert.ok(status < 300, JSON.stringify(body));
  }

  /** The partition of the repository. */
  get partition(): PartitionName {
    const { TIDINGS_PARTITIONS } = this.nodes.at(0).env;
    return partitionName(partitionOf(slotOfId(this.repoId) as number, Number(TIDINGS_PARTITIONS)));
  }

  /** Begins to send. @param perSecond number of deliveries per second */
  begin(perSecond: number): void {
    this.arrivals.push(performance.now());
    this.running = Promise.all([this.deliver(perSecond), this.publish()]);
  }

  /** Stops sending, and waits for the last answers. */
  async end(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  /** Number of items that the receiver has. */
  get items(): number {
    return this.chat.cards.length;
  }

  /** Checks the stores of all nodes and the receiver. All nodes must have folded everything. */
  async check(): Promise<LoadReport> {
    const publications = await this.endedPublications();
    const texts = this.chat.cards.map((card) => /text (\d+) /.exec(card.join(' '))?.[1] ?? '');
    const twice = texts.filter((text, i) => texts.indexOf(text) !== i);
    assert.deepEqual(twice, [], 'no item arrived twice');
    const completed = publications.filter(({ status }) => status === 'completed');
    assert.ok(completed.length <= texts.length, 'each completed publication has arrived');
    assert.deepEqual(await this.missing(), []);
    const gaps = this.arrivals.map((at, i) => at - (this.arrivals[i - 1] ?? at));
    return {
      deliveries: this.acked.length,
      failed: this.failed,
      publications: publications.length,
      unknown: publications.filter(({ outcomeUnknown }) => outcomeUnknown).length,
      longestGapMs: Math.round(Math.max(...gaps)),
    };
  }

  /** Returns the acknowledged deliveries that a node does not have. */
  private async missing(): Promise<string[]> {
    const missing: string[] = [];
    for (const { dataDir, env } of this.nodes.services) {
      const readers = new Readers(dataDir);
      const stores = partitionNames(Number(env.TIDINGS_PARTITIONS)).map((name) => readers.fresh(name));
      for (const number of this.acked) {
        const isThere = stores.some((store) => store && readPull(store, this.repoId, number));
        if (!isThere) missing.push(`${env.TIDINGS_NODE} ${number}`);
      }
      await readers.close();
    }
    return missing;
  }

  private endedPublications(): Promise<Answer['body'][]> {
    return Promise.all(
      this.published.map((id) =>
        waitUntil(`publication ${id} has ended`, async () => {
          const { body } = await this.anyNode().api('GET', `/api/publications/${id}`);
          return (body.status === 'completed' || body.status === 'failed') && body;
        }),
      ),
    );
  }

  private async deliver(perSecond: number): Promise<void> {
    const sent: Promise<void>[] = [];
    const begun = performance.now();
    while (!this.stopped) {
      const due = firstNumber + ((performance.now() - begun) * perSecond) / 1000;
      while (this.next < due) sent.push(this.deliverOne(this.next++));
      await pause(10);
    }
    await Promise.all(sent);
  }

  /** Delivers a pull request. A host repeats a delivery that was not accepted, possibly to another node. */
  private async deliverOne(number: number): Promise<void> {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const headers = { 'x-scm-delivery': `delivery-${number}` };
      const status = await this.anyNode()
        .deliver('pull_request', pullPayload(number), headers)
        .then((answer) => answer.status)
        .catch(() => 0);
      if (status === 202 || status === 200) return void this.acked.push(number);
      if (status >= 500) this.refused += 1;
      await pause(1000);
    }
    this.failed += 1;
  }

  /** Publishes one text after another. Each text has a number, by which the receiver recognizes it. */
  private async publish(): Promise<void> {
    for (let number = 1; !this.stopped; number += 1) {
      const items = this.items;
      const id = await this.publishOne(number).catch(() => undefined);
      if (id !== undefined && !this.published.includes(id)) this.published.push(id);
      if (this.items > items) this.arrivals.push(performance.now());
      await pause(100);
    }
  }

  private async publishOne(number: number): Promise<string | undefined> {
    const node = this.anyNode();
    const edited = await node.api('PATCH', `/api/drafts/${this.draftId}`, { bodyMd: `text ${number} end\n` });
    if (edited.status !== 200) return undefined;
    const { body } = await node.api('POST', '/api/publish', { draftId: this.draftId, channel: 'office_chat' });
    return body.id;
  }

  private anyNode(): TestService {
    const { live } = this.nodes;
    return this.nodes.at(live[Math.floor(Math.random() * live.length)] ?? 0);
  }
}
