/**
 * Makes journal records from generated deliveries. The deliveries go through the intake, so the records have the fields
 * and sizes of received deliveries. The same options always give the same records.
 */
import { idAt, partitionOf, slotOfId } from '../../src/foundation/ids.ts';
import { type PartitionName, partitionName } from '../../src/foundation/partition-names.ts';
import { toEvents } from '../../src/intake/events.ts';
import type { EventRecord } from '../../src/protocol/journal.ts';
import { type Delivery, GeneratedRepository, type Item, type RepositoryName } from './repository.ts';
import { commentText, createRandom, pick, type Random } from './texts.ts';

/** A record and the partition that it belongs to. */
export interface PlacedRecord {
  partition: PartitionName;
  record: EventRecord;
}

/** The host and the partitions of generated records, and their times. */
export interface TrafficOptions {
  /** Web address of the host. */
  origin: string;
  /** Number of repository partitions. */
  partitions: number;
  /** Time of the last record, in milliseconds since 1970. The records before it are half a second apart. */
  endsAt: number;
  /** Number of the traffic in a journal, from 0 to 9. Traffics of one journal must differ in it, as in their deliveries. */
  nth?: number;
}

/** Options of mixed traffic: the number of records, and of the repositories that they are spread over. */
export interface MixOptions extends TrafficOptions {
  records: number;
  repositories: number;
}

/** Options of the history of one repository: `pulls` is the number of its merged pull requests. */
export interface HistoryOptions extends TrafficOptions {
  repository: Omit<RepositoryName, 'origin'>;
  pulls: number;
  /** Returns the tag after a pull request. Without it, `rangeTags` are the only tags. */
  tagAfter?: (number: number) => string | undefined;
}

/** Milliseconds between two records. With this step, a million records take less than six days. */
const stepMs = 500;
/** Number of changes that are in progress at the same time, so that deliveries of several repositories alternate. */
const openChanges = 64;
const repositoriesPerOwner = 10;
const firstHostId = 400_000_000;
/** A repository gets a new tag after this many changes. */
const changesPerTag = 40;
const mergesPerPush = 10;
/** Number of pull requests between the last two tags of a history. */
export const rangePulls = 300;
/** The last two tags of a history. */
export const rangeTags = { fromTag: 'v1.0.0', toTag: 'v2.0.0' } as const;

/** Makes a delivery at a time, which is an ISO 8601 text. */
type Step = (at: string) => Delivery;

/**
 * Makes the records of mixed traffic: issues, pull requests with reviews and comments, pushes with their commits, tags,
 * and edits of labels. A merged pull request causes about twelve records.
 */
export function* mixedTraffic(options: MixOptions): Generator<PlacedRecord> {
  const random = createRandom(1);
  const repositories = Array.from({ length: options.repositories }, (_, index) => {
    const fullName = `owner-${Math.floor(index / repositoriesPerOwner)}/project-${index}`;
    return new GeneratedRepository({ origin: options.origin, hostId: firstHostId + index, fullName }, random);
  });
  const writer = new RecordWriter(options, options.records);
  const open: Step[][] = [];
  for (let changes = 0; writer.made < options.records; ) {
    while (open.length < openChanges) open.push(stepsOfChange(pick(repositories, random), changes++, random));
    const index = random(open.length);
    const step = open[index]?.shift();
    const left = options.records - writer.made;
    if (!step) open.splice(index, 1);
    else yield* writer.toRecords(step(writer.time)).slice(0, left);
  }
}

/** Makes the records of one repository's history. Each pull request is merged as one commit. */
export function* repositoryHistory(options: HistoryOptions): Generator<PlacedRecord> {
  const { origin, pulls, repository: name, tagAfter = lastTagsOf(pulls) } = options;
  const random = createRandom(2);
  const repository = new GeneratedRepository({ origin, ...name }, random);
  const writer = new RecordWriter(options, pulls + Math.ceil(pulls / mergesPerPush));
  let merges: ReturnType<GeneratedRepository['commit']>[] = [];
  for (let number = 1; number <= pulls; number++) {
    const at = writer.time;
    const pull = repository.pull(at);
    const merge = repository.commit(at, mergeMessage(pull));
    yield* writer.toRecords(repository.pullRequest('closed', pull, at, mergedAs(merge.id, at)));
    merges.push(merge);
    const tag = tagAfter(number);
    if (merges.length < mergesPerPush && !tag && number < pulls) continue;
    yield* writer.toRecords(repository.pushMain(merges, at));
    merges = [];
    if (tag) yield* writer.toRecords(repository.tag(at, tag));
  }
}

/** Tags the last pull request, and the one before the range that the benchmarks render. */
function lastTagsOf(pulls: number): (number: number) => string | undefined {
  return (number) =>
    number === pulls ? rangeTags.toTag : number === pulls - rangePulls ? rangeTags.fromTag : undefined;
}

/** Returns the deliveries of one change, from the issue to the merge, in order. */
function stepsOfChange(repository: GeneratedRepository, change: number, random: Random): Step[] {
  const remark = change * 10;
  const hasIssue = random(3) === 0;
  let issue: Item | undefined;
  let pull: Item;
  const reported: Step[] = [
    (at) => {
      issue = repository.issue(at);
      return repository.issues('opened', issue, at);
    },
    (at) => repository.issues('labeled', issue as Item, at, { labels: repository.labels(1) }),
    (at) => repository.comment(issue as Item, remark + 1, commentText(random), at, false),
  ];
  const proposed: Step[] = [
    (at) => {
      pull = repository.pull(at, issue?.number);
      const commits = Array.from({ length: 1 + random(3) }, () => repository.commit(at));
      return repository.pushTopic(pull, commits, at);
    },
    (at) => repository.pullRequest('opened', pull, at),
    (at) => repository.pullRequest('labeled', pull, at, { labels: repository.labels(1) }),
    (at) => repository.pullRequest('labeled', pull, at, { labels: repository.labels(2) }),
    (at) => repository.comment(pull, remark + 2, commentText(random), at, true),
    (at) => repository.reviewComment(pull, remark + 3, commentText(random), at),
    (at) => repository.review(pull, remark + 4, commentText(random), at),
  ];
  const merged: Step[] = [
    (at) => repository.pullRequest('closed', pull, at, mergedAs(repository.commit(at).id, at)),
    (at) => {
      const merge = { ...repository.commit(at, mergeMessage(pull)), id: pull.fields.merge_commit_sha as string };
      return repository.pushMain([repository.commit(at), merge], at);
    },
  ];
  const closed: Step = (at) =>
    repository.issues('closed', issue as Item, at, { state: 'closed', state_reason: 'completed', closed_at: at });
  return [
    ...(hasIssue ? reported : []),
    ...proposed,
    ...merged,
    ...(hasIssue ? [closed] : []),
    ...(change % changesPerTag === 0 ? [(at: string) => repository.tag(at)] : []),
  ];
}

function mergedAs(sha: string, at: string): Record<string, unknown> {
  return { state: 'closed', merged: true, merged_at: at, closed_at: at, merge_commit_sha: sha };
}

function mergeMessage({ number, fields }: Item): string {
  return `${fields.title} (#${number})\n\n${fields.body}`;
}

/** Converts deliveries to records, as the receiver does. Ids and times follow from the number of the record. */
class RecordWriter {
  made = 0;
  private deliveries = 0;
  private readonly options: TrafficOptions;
  private readonly startsAt: number;

  constructor(options: TrafficOptions, expected: number) {
    this.options = options;
    this.startsAt = Math.floor(options.endsAt / 1000) * 1000 - expected * stepMs;
  }

  /** Time of the next delivery as an ISO 8601 text. */
  get time(): string {
    return new Date(this.now).toISOString().replace(/\.\d+Z$/, 'Z');
  }

  private get now(): number {
    return Math.min(this.startsAt + this.made * stepMs, this.options.endsAt);
  }

  toRecords({ event, payload }: Delivery): PlacedRecord[] {
    const { origin, partitions, nth = 0 } = this.options;
    const at = this.now;
    const minimised = toEvents(event, payload, origin, at);
    if (!minimised) throw new Error(`The generated ${event} is not captured`);
    const { repository, bodies } = minimised;
    const partition = partitionName(partitionOf(slotOfId(repository.id) as number, partitions));
    this.deliveries += 1;
    const delivery = `0ff1ce0${nth}-0000-4000-8000-${String(this.deliveries).padStart(12, '0')}`;
    return bodies.map((body, part) => {
      this.made += 1;
      const id = idAt(at).slice(0, 10) + String(nth) + String(this.made).padStart(15, '0');
      const record = { id, at, kind: 'event', delivery, source: '1', part, signedBy: null, repository, body } as const;
      return { partition, record };
    });
  }
}
