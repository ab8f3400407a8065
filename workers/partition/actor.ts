/**
 * One repository's actor: folds its events into the tables and writes down what they cause elsewhere. It lives for one
 * record and keeps nothing, so a record that is rolled back leaves no trace in memory.
 */
import type {
  BranchPush,
  CommentSnapshot,
  EventRecord,
  IssueSnapshot,
  PullSnapshot,
  PushedCommit,
  TagPush,
} from '../../src/protocol/journal.ts';
import type { PushRecord, RepositoryRecord } from '../../src/protocol/stored.ts';
import { readComment, removeComments, writeComment } from '../../src/store/comments.ts';
import { isIssueRemoved, readIssue, removeIssue, writeIssue } from '../../src/store/issues.ts';
import { writeLabelChange } from '../../src/store/labels.ts';
import { writeEffect } from '../../src/store/outbox.ts';
import type { Partition } from '../../src/store/partition.ts';
import { readPull, writePull } from '../../src/store/pulls.ts';
import { readCommit, readPush, writeCommit, writePush } from '../../src/store/pushes.ts';
import { hasRanges } from '../../src/store/ranges.ts';
import { noteSync } from '../../src/store/syncs.ts';
import { readTag, writeTag } from '../../src/store/tags.ts';
import { mergeCommit, mergeIssue, mergePull, mergePush, mergeTag } from './capture.ts';
import { mergeComment } from './comments.ts';
import { meetRepository } from './repository.ts';

/** Folds one event into its repository. */
export function foldEvent(partition: Partition, record: EventRecord): void {
  const repository = meetRepository(partition, record);
  const actor = new Actor(partition, repository, record.at);
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
      return;
    default:
      throw new Error('the event is of no known kind');
  }
}

class Actor {
  private readonly partition: Partition;
  private readonly repository: RepositoryRecord;
  private readonly at: number;

  /** @param at when the record at hand was enqueued, which is when it told of what it tells */
  constructor(partition: Partition, repository: RepositoryRecord, at: number) {
    this.partition = partition;
    this.repository = repository;
    this.at = at;
  }

  pull(snapshot: PullSnapshot, action: string): void {
    this.told(snapshot.number);
    const before = readPull(this.partition, this.repository.id, snapshot.number);
    const after = mergePull(before, snapshot, action, this.repository);
    if (after === before) return;
    writePull(this.partition, this.repository.id, after, before);
    this.recount();
  }

  issue(snapshot: IssueSnapshot, action: string): void {
    this.told(snapshot.number);
    if (isIssueRemoved(this.partition, this.repository.id, snapshot.number)) return;
    const before = readIssue(this.partition, this.repository.id, snapshot.number);
    const after = mergeIssue(before, snapshot, action);
    if (after === before) return;
    writeIssue(this.partition, this.repository.id, after, before);
    this.recount();
  }

  /** A number is never given twice: what was deleted or moved away does not come back, nor does what was said of it. */
  removeIssue(number: number, seenAt: number): void {
    this.told(number);
    removeIssue(this.partition, this.repository.id, number, seenAt);
    removeComments(this.partition, this.repository.id, number);
    this.recount();
  }

  comment(snapshot: CommentSnapshot, action: string): void {
    const { number, kind, id } = snapshot;
    this.told(number);
    if (isIssueRemoved(this.partition, this.repository.id, number)) return;
    const before = readComment(this.partition, this.repository.id, number, kind, id);
    const after = mergeComment(before, snapshot, action);
    if (after !== before) writeComment(this.partition, this.repository.id, after);
  }

  /** A long push comes in parts; each is a push of its own whose `before` is the end of the one before it. */
  push(push: BranchPush): void {
    if (push.deleted || push.commits.length === 0) return;
    for (const commit of push.commits) this.commit(commit, push);
    const before = readPush(this.partition, this.repository.id, push.branch, push.after);
    const after = mergePush(before, push);
    this.captured(after, before, push);
    if (after === before) return;
    writePush(this.partition, this.repository.id, after);
    this.recount();
  }

  private commit(commit: PushedCommit, push: BranchPush): void {
    const before = readCommit(this.partition, this.repository.id, commit.sha);
    const after = mergeCommit(before, commit, push);
    if (after !== before) writeCommit(this.partition, this.repository.id, after);
  }

  tag(push: TagPush): void {
    const before = readTag(this.partition, this.repository.id, push.name);
    const after = mergeTag(before, push);
    if (after === before) return;
    writeTag(this.partition, this.repository.id, after);
    this.recount();
  }

  /** The last sync of a pull request or issue is the last telling of it, also one that changes nothing. */
  private told(number: number): void {
    noteSync(this.partition, [this.repository.id, 'number', number], this.at);
  }

  /** A push is captured once, and its commits go with it; those that only another telling of it listed go by themselves. */
  private captured({ branch, after, shas }: PushRecord, before: PushRecord | undefined, push: BranchPush): void {
    if (!before) return noteSync(this.partition, [this.repository.id, 'push', branch, after], this.at);
    const kept = new Set(shas);
    for (const sha of [...before.shas, ...push.commits.map((commit) => commit.sha)])
      if (!kept.has(sha)) noteSync(this.partition, [this.repository.id, 'commit', sha], this.at);
  }

  /** Asks for fresh counts, once however many events ask before it is carried out. */
  private recount(): void {
    const repoId = this.repository.id;
    if (hasRanges(this.partition, repoId))
      writeEffect(this.partition, { effect: 'recount', repoId }, `recount ${repoId}`);
  }
}
