/**
 * Makes journal records for tests, as the ingress and the API enqueue them. Every function accepts the fields that
 * differ from its defaults. Host times are whole seconds after `epoch`, because hosts report whole seconds.
 */
import { randomUUID } from 'node:crypto';
import { dayMs } from '../../src/foundation/days.ts';
import { partitionOf, repositoryId, slotCount, slotOf, ulid } from '../../src/foundation/ids.ts';
import type { BackfillProgress } from '../../src/protocol/backfill.ts';
import type { Command, KeyRecord } from '../../src/protocol/commands.ts';
import type {
  BackfilledBody,
  BranchPush,
  EventBody,
  IssueSnapshot,
  PullSnapshot,
  TagPush,
} from '../../src/protocol/events.ts';
import type {
  BackfilledRecord,
  ClaimRecord,
  CommandRecord,
  EventRecord,
  FoldVersionRecord,
  ResultRecord,
  SweepRecord,
  TickRecord,
} from '../../src/protocol/journal.ts';
import type { EventRepository } from '../../src/protocol/repository.ts';
import type { ResultBody } from '../../src/protocol/results.ts';
import type { SweepBody, Wait } from '../../src/protocol/retention.ts';

/** The earliest host time in these records. */
export const epoch = Date.UTC(2026, 0, 1);

const origin = 'https://scm.example';

/**
 * Returns a repository whose slot is 0 modulo 64. It is therefore stored in partition 0 for every number of partitions.
 */
export function repositoryFields(fields: Partial<EventRepository> = {}, nth = 0): EventRepository {
  const hostId = hostIds(nth);
  return {
    id: repositoryId(origin, hostId),
    origin,
    hostId,
    fullName: 'acme/rocket',
    defaultBranch: 'main',
    url: `${origin}/acme/rocket`,
    private: false,
    owner: { id: '77', login: 'acme' },
    ...fields,
  };
}

/** Returns the nth host id whose slot is in partition 0 for every number of partitions up to 64. */
function hostIds(nth: number): string {
  for (let id = 1, found = 0; id < slotCount * 1000; id++) {
    if (partitionOf(slotOf(origin, String(id)), 64) === 0 && found++ === nth) return String(id);
  }
  throw new Error('no such repository');
}

/** Returns a pull request that was merged and last updated `number` seconds after `epoch`. */
export function pullSnapshot(number: number, fields: Partial<PullSnapshot> = {}): PullSnapshot {
  const at = epoch + number * 1000;
  return {
    number,
    title: `Change ${number}`,
    body: '',
    state: 'merged',
    labels: [],
    author: { login: 'ada', bot: false },
    createdAt: epoch,
    updatedAt: at,
    closedAt: at,
    mergedAt: at,
    mergeSha: shaNumber(number),
    baseRef: 'main',
    headRef: `change-${number}`,
    url: `${origin}/acme/rocket/pull/${number}`,
    ...fields,
  };
}

/** Returns an issue that was closed and last updated `number` seconds after `epoch`. */
export function issueSnapshot(number: number, fields: Partial<IssueSnapshot> = {}): IssueSnapshot {
  const at = epoch + number * 1000;
  return {
    number,
    title: `Issue ${number}`,
    body: '',
    state: 'closed',
    stateReason: null,
    labels: [],
    author: { login: 'grace', bot: false },
    createdAt: epoch,
    updatedAt: at,
    closedAt: at,
    url: `${origin}/acme/rocket/issues/${number}`,
    ...fields,
  };
}

/** Returns a push to the branch `main`. The push contains the commits from number `from` + 1 to number `to`. */
export function branchPush(from: number, to: number, fields: Partial<BranchPush> = {}): BranchPush {
  const numbers = Array.from({ length: to - from }, (_, i) => from + i + 1);
  return {
    branch: 'main',
    before: shaNumber(from),
    after: shaNumber(to),
    baseRef: null,
    commits: numbers.map((number) => ({
      sha: shaNumber(number),
      message: `Change ${number} (#${number})`,
      at: epoch + number * 1000,
      author: 'ada',
      coAuthors: [],
    })),
    forced: false,
    gap: false,
    deleted: false,
    pushedAt: epoch + to * 1000,
    ...fields,
  };
}

/** Returns a tag on commit `number`, pushed `number` seconds after `epoch`. */
export function tagPush(name: string, number: number, fields: Partial<TagPush> = {}): TagPush {
  const sha = shaNumber(number);
  const at = epoch + number * 1000;
  return { name, sha, object: sha, baseRef: 'main', date: at, deleted: false, pushedAt: at, ...fields };
}

export function shaNumber(number: number): string {
  return (0xa0000000 + number).toString(16).padEnd(40, '0');
}

/** Returns an event record with a new delivery id. */
export function eventRecord(body: EventBody, fields: Partial<EventRecord> = {}): EventRecord {
  return {
    id: ulid(),
    at: epoch,
    kind: 'event',
    delivery: randomUUID(),
    source: '',
    part: 0,
    repository: repositoryFields(),
    body,
    ...fields,
  };
}

/** Returns the event record of merged pull request `number`. */
export function pullRecord(number: number, fields: Partial<EventRecord> = {}): EventRecord {
  return eventRecord({ event: 'pull_request', action: 'closed', pull: pullSnapshot(number) }, fields);
}

/** Returns the event record of a tag on commit `number`. */
export function tagRecord(name: string, number: number, fields: Partial<EventRecord> = {}): EventRecord {
  return eventRecord({ event: 'tag', tag: tagPush(name, number) }, fields);
}

/** Returns the record of a page that was read from a host. Without a `job`, the page belongs to a tag sync. */
export function backfilledRecord(
  bodies: readonly BackfilledBody[],
  fields: Partial<BackfilledRecord> = {},
): BackfilledRecord {
  const at = fields.at ?? epoch;
  return {
    ...{ id: ulid(), at, kind: 'backfilled', job: null, repository: repositoryFields(), seenAt: at },
    bodies: [...bodies],
    ...fields,
  };
}

/** Returns the progress of a backfill after its nth page. */
export function backfillProgress(step: number, fields: Partial<BackfillProgress> = {}): BackfillProgress {
  const position = { next: null, again: false, etag: null, newest: null, branches: [], listed: false, number: 0 };
  return {
    ...{ step, state: 'running', position: { phase: 'pulls', ...position }, phases: {}, counts: { pulls: step } },
    ...{ waits: { count: 0, ms: 0, until: null }, lists: {}, error: null },
    ...fields,
  };
}

export function commandRecord(command: Command, at = epoch): CommandRecord {
  return { id: ulid(at), at, kind: 'command', command };
}

/** Returns an instance API key with every scope and no expiry. Its hash is `hash-` followed by its id. */
export function keyFields(id: string, fields: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id,
    hash: `hash-${id}`,
    prefix: 'rn_live_',
    last4: 'abcd',
    name: id,
    orgId: null,
    scopes: ['*'],
    createdAt: 0,
    expiresAt: null,
    revokedAt: null,
    ...fields,
  };
}

export function resultRecord(body: ResultBody, at = epoch): ResultRecord {
  return { id: ulid(at), at, kind: 'result', body };
}

export function tickRecord(at: number): TickRecord {
  return { id: ulid(at), at, kind: 'tick' };
}

export function sweepRecord(body: SweepBody, at: number): SweepRecord {
  return { id: ulid(at), at, kind: 'sweep', body };
}

/** Returns a command with which an operator approves a waiting erasure. */
export function approvalRecord(wait: Wait, at: number): CommandRecord {
  return { id: ulid(at), at, kind: 'command', command: { name: 'approveRetention', wait } };
}

/**
 * Returns ticks from the time `from` to the time `to`. The ticks are at most one day apart, like the ticks of a service
 * that runs continuously.
 */
export function dailyTicks(from: number, to: number): TickRecord[] {
  const ticks: TickRecord[] = [];
  for (let at = from; at < to; at += dayMs) ticks.push(tickRecord(at));
  return [...ticks, tickRecord(to)];
}

/** Returns an event whose body the fold cannot process. The fold has already done a part of its work when it throws. */
export function poisonRecord(fields: Partial<EventRecord> = {}): EventRecord {
  const pull = { ...pullSnapshot(666), body: 13 as unknown as string };
  return eventRecord({ event: 'pull_request', action: 'closed', pull }, fields);
}

/** Returns a claim of the lead of a partition. */
export function claimRecord(term: number, life: string, node = 'local'): ClaimRecord {
  return { id: ulid(epoch), at: epoch, kind: 'claim', term, life, node };
}

export function foldVersionRecord(version: number): FoldVersionRecord {
  return { id: ulid(epoch), at: epoch, kind: 'foldVersion', version };
}
