/**
 * Sends deliveries, edits and publications to all nodes of a cluster, and reads from them. Checks afterwards that nothing
 * that was acknowledged is lost, that no receiver has an item twice, and that no read was older than asked for.
 */
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Positions } from '../../sdk/positions.ts';
import { partitionOf, slotOf, slotOfId } from '../../src/foundation/ids.ts';
import { type PartitionName, partitionName, partitionNames } from '../../src/foundation/partition-names.ts';
import { personas } from '../../src/protocol/names.ts';
import { Readers } from '../../src/store/readers.ts';
import { readPull } from '../../src/store/tables/pulls.ts';
import type { Nodes } from './cluster-nodes.ts';
import { Gaps } from './gaps.ts';
import { assertLoad, checkLoad, type LoadFaults } from './load-check.ts';
import { pullPayload, type RepositoryFields } from './payloads.ts';
import { ReadLoad, type ReadReport } from './read-load.ts';
import type { OfficeChat } from './receivers/office-chat.ts';
import { createTagRange, deliverRocket, generateDraft } from './rocket.ts';
import type { Answer, TestService } from './service.ts';
import { waitUntil } from './wait-until.ts';

/** What the load has sent, the answers, and what was found afterwards. */
export interface LoadReport {
  deliveries: number;
  /** Deliveries that no node has accepted in time. */
  failed: number;
  publications: number;
  unknown: number;
  /** Longest time without an item at the receiver, in milliseconds. */
  longestGapMs: number;
  /** Answers with a status of 500 or above to deliveries. */
  refused: number;
  faults: LoadFaults;
  /** Reads that asked for a position, and those that got an older state. */
  asked: number;
  stale: number;
  /** Times of reads from nodes that were up all the time; undefined if the load does not read. */
  reads: ReadReport | undefined;
}

/** What the load does in addition to deliveries. */
export interface LoadOptions {
  /** Number of drafts that are edited and published at the same time, so that publications wait for each other. */
  publishers?: number;
}

/** A draft that is edited and published, and what is known about its edits. */
interface Edited {
  readonly id: string;
  /** Its revision before the first edit. */
  readonly revision: number;
  sent: number;
  acked: number;
  /** Number of the last edit that was acknowledged. */
  known: number;
  /** Numbers of edits without an answer. They can be folded after later ones. */
  readonly unanswered: Set<number>;
}

/** A repository that gets deliveries. */
interface Repository {
  readonly fields: RepositoryFields;
  readonly partition: PartitionName;
  repoId: string;
}

const firstNumber = 1000;
const hostOrigin = 'https://github.com';
const rocketHostId = 1001;
/** How long a host waits for the answer to a delivery, in milliseconds. */
const answerMs = 10_000;
const noAnswer = { body: {} };
/** Interval between two questions whether a publication has ended, in milliseconds. */
const endedMs = 100;
/** Interval between two reads that ask for a position, in milliseconds. */
const askMs = 100;

export class ClusterLoad {
  private readonly nodes: Nodes;
  private readonly chat: OfficeChat;
  private readonly acked: string[] = [];
  /** When the accepted deliveries were sent. */
  private readonly sentAt: number[] = [];
  private readonly published: string[] = [];
  private readonly lanes = new Gaps();
  private readonly arrivals = new Gaps();
  private readonly acks = new Map<string, number>();
  private readonly drafts: Edited[] = [];
  private readonly positions = new Positions();
  private repositories: Repository[] = [];
  private failed = 0;
  /** Deliveries that a node has answered with a status of 500 or above. */
  refused = 0;
  private asked = 0;
  private stale = 0;
  private next = firstNumber;
  private stopped = false;
  private running: Promise<unknown> = Promise.resolve();
  private reading: ReadLoad | undefined;
  private reads: ReadReport | undefined;

  constructor(nodes: Nodes, chat: OfficeChat) {
    this.nodes = nodes;
    this.chat = chat;
    const { receiver } = chat;
    const { answer } = receiver;
    receiver.answer = (request, reply) => {
      this.arrivals.note('item');
      answer(request, reply);
    };
  }

  /** Makes a repository with drafts that can be published, and one more repository in each other partition. */
  async prepare({ publishers = 1 }: LoadOptions = {}): Promise<void> {
    const [first] = this.nodes.services as [TestService];
    const repoId = await deliverRocket(first);
    const range = (await createTagRange(first, repoId)).body;
    for (const persona of personas.slice(0, publishers)) {
      const { id, revision } = await generateDraft(first, range.id, persona);
      this.drafts.push({ id, revision, sent: 0, acked: 0, known: 0, unanswered: new Set() });
    }
    const settings = { webhookUrl: this.chat.webhookUrl };
    const { status, body } = await first.api('PUT', `/api/channels/office_chat?repoId=${repoId}`, { settings });
    assert.ok(status < 300, JSON.stringify(body));
    const count = Number(first.env.TIDINGS_PARTITIONS);
    this.repositories = repositoriesOf(count);
    for (const repository of this.repositories) {
      await this.deliverTo(first, repository, firstNumber - 1);
      repository.repoId = await waitUntil('the repository is listed', async () => {
        const { repos } = (await first.api('GET', '/api/repos')).body;
        const name = repository.fields.full_name ?? 'acme/rocket';
        return repos.find(({ fullName }: { fullName: string }) => fullName === name)?.id;
      });
      assert.equal(partitionName(partitionOf(slotOfId(repository.repoId) as number, count)), repository.partition);
    }
  }

  /** The partition of the repository whose drafts are published. */
  get partition(): PartitionName {
    return (this.repositories[0] as Repository).partition;
  }

  /** The partitions that get deliveries. */
  get partitions(): PartitionName[] {
    return this.repositories.map(({ partition }) => partition);
  }

  /** The draft that is read. */
  get draftPath(): string {
    return `/api/drafts/${(this.drafts[0] as Edited).id}`;
  }

  /** Begins to send and to read. @param perSecond number of deliveries per second */
  begin(perSecond: number): void {
    this.arrivals.note('item');
    const headers = { authorization: `Bearer ${this.nodes.at(0).adminKey}` };
    const urls = () => this.nodes.steady.map((i) => this.nodes.at(i).url);
    this.reading = new ReadLoad({ path: this.draftPath, headers }, urls);
    const publishing = this.drafts.map((draft, i) => this.publish(draft, i));
    this.running = Promise.all([this.deliver(perSecond), this.ask(), ...publishing]);
  }

  /** Stops sending, and waits for the last answers. */
  async end(): Promise<void> {
    this.stopped = true;
    await this.running;
    this.reads ??= await this.reading?.end();
  }

  /** Number of items that the receiver has. */
  get items(): number {
    return this.chat.cards.length;
  }

  /** Waits until each partition has accepted a number of further deliveries through each node that runs. */
  async progress(more: number): Promise<void> {
    const lanes = this.nodes.live.flatMap((i) => this.repositories.map(({ partition }) => laneOf(i, partition)));
    const goals = lanes.map((lane) => [lane, (this.acks.get(lane) ?? 0) + more] as const);
    await waitUntil(`each lane accepts ${more} more deliveries`, () =>
      goals.every(([lane, goal]) => (this.acks.get(lane) ?? 0) >= goal),
    );
  }

  /**
   * Returns the longest time without an accepted delivery since the last call, by partition, in milliseconds. It is that
   * of the node that waited longest.
   */
  takeGaps(): Map<PartitionName, number> {
    const longest = new Map<PartitionName, number>();
    for (const [lane, ms] of this.lanes.take()) {
      const partition = lane.split(' ')[1] as PartitionName;
      longest.set(partition, Math.max(ms, longest.get(partition) ?? 0));
    }
    return longest;
  }

  /** Returns the number of deliveries that were sent after a time of `performance.now()` and are accepted. */
  acceptedSince(begun: number): number {
    return this.sentAt.filter((at) => at > begun).length;
  }

  /** Asks a node for the newest state that the load knows, and checks that the answer is not older. Returns its status. */
  async askNode(i: number): Promise<number> {
    const draft = this.drafts[0] as Edited;
    const { known } = draft;
    const node = this.nodes.at(i);
    const answer = await inTime(node.api('GET', this.draftPath, undefined, node.adminKey, this.positions.headers()));
    this.asked += 1;
    if (answer.status === 200) {
      const shown = Number(/text \d+-(\d+) end/.exec(answer.body.bodyMd)?.[1] ?? 0);
      if (shown < known && !draft.unanswered.has(shown)) this.stale += 1;
      this.positions.note(answer.headers.get('tidings-position'));
    }
    return answer.status;
  }

  /** Compares the stores of all nodes and the receiver with the answers. All nodes must have folded everything. */
  async find(): Promise<LoadReport> {
    const publications = await this.endedPublications();
    const items = this.chat.cards.map((card) => /text (\S+) end/.exec(card.join(' '))?.[1] ?? '');
    const faults = checkLoad({
      acked: this.acked,
      stored: await this.stored(),
      edits: await this.edits(),
      completed: publications.filter(({ status }) => status === 'completed').length,
      items,
    });
    return {
      deliveries: this.acked.length,
      failed: this.failed,
      publications: publications.length,
      unknown: publications.filter(({ outcomeUnknown }) => outcomeUnknown).length,
      longestGapMs: Math.round(Math.max(0, ...this.arrivals.take().values())),
      refused: this.refused,
      faults,
      asked: this.asked,
      stale: this.stale,
      reads: this.reads,
    };
  }

  /** Checks the stores of all nodes and the receiver. All nodes must have folded everything. */
  async check(): Promise<LoadReport> {
    const report = await this.find();
    assertLoad(report.faults);
    assert.equal(report.stale, 0, 'no read is older than asked for');
    return report;
  }

  /** Returns the acknowledged deliveries that each node has. */
  private async stored(): Promise<Map<string, Set<string>>> {
    const stored = new Map<string, Set<string>>();
    for (const { dataDir, env } of this.nodes.services) {
      const readers = new Readers(dataDir);
      const stores = partitionNames(Number(env.TIDINGS_PARTITIONS)).map((name) => readers.fresh(name));
      const has = this.acked.filter((delivery) => {
        const [repoId, number] = delivery.split(' ') as [string, string];
        return stores.some((store) => store && readPull(store, repoId, Number(number)));
      });
      stored.set(env.TIDINGS_NODE ?? '', new Set(has));
      await readers.close();
    }
    return stored;
  }

  private async edits(): Promise<Map<string, { sent: number; acked: number; made: number }>> {
    const edits = new Map<string, { sent: number; acked: number; made: number }>();
    for (const { id, revision, sent, acked } of this.drafts) {
      const { body } = await this.anyNode().api('GET', `/api/drafts/${id}`);
      edits.set(id, { sent, acked, made: body.revision - revision });
    }
    return edits;
  }

  private endedPublications(): Promise<Answer['body'][]> {
    return Promise.all(
      this.published.map((id) =>
        waitUntil(`publication ${id} has ended`, async () => {
          const { body } = await this.anyNode().api('GET', `/api/publications/${id}`);
          return hasEnded(body) && body;
        }),
      ),
    );
  }

  private async deliver(perSecond: number): Promise<void> {
    const sent = new Set<Promise<void>>();
    const begun = performance.now();
    while (!this.stopped) {
      const due = firstNumber + ((performance.now() - begun) * perSecond) / 1000;
      while (this.next < due) {
        const one = this.deliverOne(this.next++).finally(() => void sent.delete(one));
        sent.add(one);
      }
      await pause(10);
    }
    await Promise.all(sent);
  }

  /** Delivers a pull request. A host repeats a delivery that was not accepted, possibly to another node. */
  private async deliverOne(number: number): Promise<void> {
    const repository = this.repositories[number % this.repositories.length] as Repository;
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const [i, begun] = [this.anyIndex(), performance.now()];
      const status = await inTime(this.deliverTo(this.nodes.at(i), repository, number)).catch(() => 0);
      if (status === 202 || status === 200) {
        this.sentAt.push(begun);
        const lane = laneOf(i, repository.partition);
        this.lanes.note(lane);
        this.acks.set(lane, (this.acks.get(lane) ?? 0) + 1);
        this.acked.push(`${repository.repoId} ${number}`);
        return;
      }
      if (status >= 500) this.refused += 1;
      await pause(1000);
    }
    this.failed += 1;
  }

  private async deliverTo(node: TestService, { fields }: Repository, number: number): Promise<number> {
    const headers = { 'x-scm-delivery': `delivery-${fields.id}-${number}` };
    return (await node.deliver('pull_request', pullPayload(number, {}, fields), headers)).status;
  }

  /** Publishes one text after another. Each text has a number, by which the receiver recognizes it. */
  private async publish(draft: Edited, publisher: number): Promise<void> {
    for (let number = 1; !this.stopped; number += 1) {
      const id = await this.publishOne(draft, publisher, number).catch(() => undefined);
      if (id !== undefined) {
        this.published.push(id);
        await this.ended(id);
      }
      await pause(100);
    }
  }

  /** Waits until a publication has ended, because the next one of the same draft would replace it. */
  private async ended(id: string): Promise<void> {
    while (!this.stopped) {
      const { body } = await inTime(this.anyNode().api('GET', `/api/publications/${id}`)).catch(() => noAnswer);
      if (hasEnded(body)) return;
      await pause(endedMs);
    }
  }

  private async publishOne(draft: Edited, publisher: number, number: number): Promise<string | undefined> {
    const node = this.anyNode();
    const bodyMd = `text ${publisher}-${number} end\n`;
    draft.sent += 1;
    draft.unanswered.add(number);
    const edited = await inTime(node.api('PATCH', `/api/drafts/${draft.id}`, { bodyMd }));
    if (edited.status !== 200) return undefined;
    draft.unanswered.delete(number);
    draft.acked += 1;
    draft.known = number;
    this.positions.note(edited.headers.get('tidings-position'));
    const what = { draftId: draft.id, channel: 'office_chat' };
    const { body } = await inTime(node.api('POST', '/api/publish', what));
    return body.id;
  }

  /** Asks all nodes in turn for the newest state that the load knows. */
  private async ask(): Promise<void> {
    for (let turn = 0; !this.stopped; turn += 1) {
      const { live } = this.nodes;
      await this.askNode(live[turn % live.length] ?? 0).catch(() => 0);
      await pause(askMs);
    }
  }

  private anyNode(): TestService {
    return this.nodes.at(this.anyIndex());
  }

  private anyIndex(): number {
    const { live } = this.nodes;
    return live[Math.floor(Math.random() * live.length)] ?? 0;
  }
}

function hasEnded({ status }: Answer['body']): boolean {
  return status === 'completed' || status === 'failed';
}

/** Rejects if an answer takes longer than a host waits. A node that is suspended does not answer. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  const end = new AbortController();
  const late = pause(answerMs, undefined, { signal: end.signal, ref: false }).then(() =>
    Promise.reject(new Error('no answer')),
  );
  return Promise.race([answer, late]).finally(() => end.abort());
}

function laneOf(node: number, partition: PartitionName): string {
  return `${node} ${partition}`;
}

/** Returns one repository per partition. The first is the one whose drafts are published. */
function repositoriesOf(count: number): Repository[] {
  const found = new Map<PartitionName, Repository>();
  for (let id = rocketHostId; found.size < count; id += 1) {
    const partition = partitionName(partitionOf(slotOf(hostOrigin, String(id)), count));
    const fields = id === rocketHostId ? { id } : { id, full_name: `acme/repository-${id}` };
    if (!found.has(partition)) found.set(partition, { fields, partition, repoId: '' });
  }
  return [...found.values()];
}
