/**
 * One repository's actor: folds its events into the tables and writes down what they cause elsewhere. It lives for one
 * record and keeps nothing, so a record that is rolled back leaves no trace in memory.
 */
import type {
  BranchPush,
  CommentSnapshot,
  EventRecord,
  EventRepository,
  IssueSnapshot,
  PullSnapshot,
  PushedCommit,
  TagPush,
} from '../../src/protocol/journal.ts';
import type { RepositoryRecord } from '../../src/protocol/stored.ts';
import { readComment, writeComment } from '../../src/store/comments.ts';
import { isIssueRemoved, readIssue, removeIssue, writeIssue } from '../../src/store/issues.ts';
import { writeLabelChange } from '../../src/store/labels.ts';
import { writeEffect } from '../../src/store/outbox.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readPull, writePull } from '../../src/store/pulls.ts';
import { readCommit, readPush, writeCommit, writePush } from '../../src/store/pushes.ts';
import { hasRanges } from '../../src/store/ranges.ts';
import { readRepository, writeRepository } from '../../src/store/repositories.ts';
import { readTag, writeTag } from '../../src/store/tags.ts';
import { mergeIssue, mergePull, mergeTag } from './capture.ts';
import { mergeComment } from './comments.ts';

/** Folds one event into its repository. */
export function foldEvent(partition: Partition, record: EventRecord): void {
  const repository = meetRepository(partition, record, hostTime(record));
  const actor = new Actor(partition, repository);
  const { body } = record;
  switch (body.event) {
    case 'pull_request':
      return actor.pull(body.pull, body.action);
    case 'issues':
      return actor.issue(body.issue, body.action);
    case 'issue_removed':
      return actor.removeIssue(body.number, body.seenAt);
    case 'push':
      return actor.push(body.push);
    case 'tag':
      return actor.tag(body.tag);
    case 'comment':
      return actor.comment(body.comment, body.action);
    case 'label':
      return writeLabelChange(partition, repository.id, body);
    case 'repository':
      return actor.formerName(body.formerName);
    default:
      throw new Error('the event is of no known kind');
  }
}

class Actor {
  private readonly partition: Partition;
  private readonly repository: RepositoryRecord;

  constructor(partition: Partition, repository: RepositoryRecord) {
    this.partition = partition;
    this.repository = repository;
  }

  pull(snapshot: PullSnapshot, action: string): void {
    const before = readPull(this.partition, this.repository.id, snapshot.number);
    const after = mergePull(before, snapshot, action, this.repository);
    if (after === before) return;
    writePull(this.partition, this.repository.id, after, before);
    this.recount();
  }

  issue(snapshot: IssueSnapshot, action: string): void {
    if (isIssueRemoved(this.partition, this.repository.id, snapshot.number)) return;
    const before = readIssue(this.partition, this.repository.id, snapshot.number);
    const after = mergeIssue(before, snapshot, action);
    if (after === before) return;
    writeIssue(this.partition, this.repository.id, after, before);
    this.recount();
  }

  /** A number is never given twice: what was deleted or moved away does not come back. */
  removeIssue(number: number, seenAt: number): void {
    removeIssue(this.partition, this.repository.id, number, seenAt);
    this.recount();
  }

  comment(snapshot: CommentSnapshot, action: string): void {
    const { number, kind, id } = snapshot;
    const before = readComment(this.partition, this.repository.id, number, kind, id);
    const after = mergeComment(before, snapshot, action);
    if (after !== before) writeComment(this.partition, this.repository.id, after);
  }

  /** Links that name the repository as it was called before are still its own. */
  formerName(name: string | null): void {
    const { formerNames, fullName } = this.repository;
    if (name === null || name === fullName || formerNames.includes(name)) return;
    writeRepository(this.partition, { ...this.repository, formerNames: [...formerNames, name] });
  }

  /** A long push comes in parts; each is a push of its own whose `before` is the end of the one before it. */
  push(push: BranchPush): void {
    if (push.deleted || push.commits.length === 0) return;
    if (readPush(this.partition, this.repository.id, push.branch, push.after)) return;
    for (const commit of push.commits) this.commit(commit, push);
    writePush(this.partition, this.repository.id, {
      branch: push.branch,
      before: push.before,
      after: push.after,
      baseRef: push.baseRef,
      shas: push.commits.map((commit) => commit.sha),
      forced: push.forced,
      gap: push.gap,
      at: push.pushedAt,
    });
    this.recount();
  }

  private commit(commit: PushedCommit, push: BranchPush): void {
    const known = readCommit(this.partition, this.repository.id, commit.sha);
    const pushes: [string, string][] = [...(known?.pushes ?? []), [push.branch, push.after]];
    pushes.sort((a, b) => (a.join('\n') < b.join('\n') ? -1 : 1));
    writeCommit(this.partition, this.repository.id, { ...commit, pushes });
  }

  tag(push: TagPush): void {
    const before = readTag(this.partition, this.repository.id, push.name);
    const after = mergeTag(before, push);
    if (after === before) return;
    writeTag(this.partition, this.repository.id, after);
    this.recount();
  }

  /** Asks for fresh counts, once however many events ask before it is carried out. */
  private recount(): void {
    const repoId = this.repository.id;
    if (hasRanges(this.partition, repoId))
      writeEffect(this.partition, { effect: 'recount', repoId }, `recount ${repoId}`);
  }
}

/** The repository of an event, made or renamed when the event says so; the directory hears of it through the outbox. */
function meetRepository(partition: Partition, record: EventRecord, seenAt: number): RepositoryRecord {
  const before = readRepository(partition, record.repository.id);
  const after = mergeRepository(before, record.repository, record.at, seenAt);
  if (after === before) return before;
  writeRepository(partition, after);
  if (!before || after.revision !== before.revision) {
    writeEffect(partition, {
      effect: 'relay',
      target: 'directory',
      at: record.at,
      body: {
        relay: 'repositorySeen',
        repository: { ...record.repository, defaultBranch: after.defaultBranch },
        seenAt,
      },
    });
  }
  return after;
}

function mergeRepository(
  before: RepositoryRecord | undefined,
  seen: EventRepository,
  at: number,
  seenAt: number,
): RepositoryRecord {
  if (!before) return { ...seen, formerNames: [], createdAt: at, seenAt, revision: 1 };
  if (seenAt < before.seenAt) return before;
  const after = { ...before, ...seen, defaultBranch: seen.defaultBranch ?? before.defaultBranch };
  const changed = (Object.keys(seen) as (keyof EventRepository)[]).some((field) =>
    field === 'owner'
      ? seen.owner.id !== before.owner.id || seen.owner.login !== before.owner.login
      : after[field] !== before[field],
  );
  // The time moves even so, or a late delivery from in between could bring an old name back.
  if (!changed) return seenAt === before.seenAt ? before : { ...before, seenAt };
  const formerNames = before.formerNames.filter((name) => name !== after.fullName);
  if (before.fullName !== after.fullName) formerNames.push(before.fullName);
  return { ...after, formerNames, seenAt, revision: before.revision + 1 };
}

/** The host's own time of what an event tells, which orders renames; the time of receipt where it has none. */
function hostTime({ body }: EventRecord): number {
  switch (body.event) {
    case 'pull_request':
      return body.pull.updatedAt;
    case 'issues':
      return body.issue.updatedAt;
    case 'push':
      return body.push.pushedAt;
    case 'tag':
      return body.tag.pushedAt;
    case 'comment':
      return body.comment.updatedAt;
    default:
      return body.seenAt;
  }
}
