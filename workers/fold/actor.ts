/**
 * Folds the events of one repository into the repository's tables, and stores the effects that the events cause. An
 * actor exists for one record only and keeps no state. Therefore a record that is rolled back leaves no trace in
 * memory.
 */

import { claimsRefused } from '../../src/foundation/metrics.ts';
import { unreachable } from '../../src/foundation/unreachable.ts';
import { mayCommand, mayHaveCommands } from '../../src/notes/change/commands.ts';
import type {
  BackfilledBody,
  CommentSnapshot,
  IssueSnapshot,
  PullSnapshot,
  TagPush,
} from '../../src/protocol/events.ts';
import type { BackfilledRecord, EventRecord } from '../../src/protocol/journal.ts';
import type { CommentRecord, RepositoryRecord } from '../../src/protocol/stored.ts';
import type { Partition } from '../../src/store/partition.ts';
import {
  addComment,
  indexCommand,
  readComment,
  removeComments,
  writeComment,
} from '../../src/store/tables/comments.ts';
import { writeComparison } from '../../src/store/tables/comparisons.ts';
import { isIssueRemoved, readIssue, removeIssue, writeIssue } from '../../src/store/tables/issues.ts';
import { writeLabelChange } from '../../src/store/tables/labels.ts';
import { writeEffect } from '../../src/store/tables/outbox.ts';
import { holdReactions, readPull, takeReactions, writePull } from '../../src/store/tables/pulls.ts';
import { hasRanges } from '../../src/store/tables/ranges.ts';
import { noteSync } from '../../src/store/tables/syncs.ts';
import { readTag, writeTag } from '../../src/store/tables/tags.ts';
import { followTag } from './automation.ts';
import { mergeIssue, mergePull, mergeTag, withReactions } from './capture.ts';
import { mergeComment } from './comments.ts';
import { count } from './counting.ts';
import { requestCheck } from './draft-checks.ts';
import { checkAfterCommand, checkAfterEvent } from './note-checks.ts';
import { foldCommits, foldPush, foldSteps } from './pushes.ts';
import { hostTime, recordRepository } from './repository.ts';
import type { Receipt } from './undated.ts';

/**
 * Folds one event into its repository. An event that was signed with an organization's own secret is only a claim.
 * `claims.ts` decides whether a claim may change the repository.
 */
export function foldEvent(partition: Partition, record: EventRecord): void {
  const repository = recordRepository(partition, record, hostTime(record), record.body);
  const { at, replayed, body } = record;
  if (!repository) return count(partition, claimsRefused, { partition: partition.name });
  new Actor(partition, repository, at, replayed === undefined ? 'delivery' : 'replay').fold(body);
  partition.changes?.noteRepository(repository.id, body.event === 'issue_removed' ? 'issues' : body.event);
}

/**
 * Folds data that was read from the host about a repository. `seenAt` is the host time of the data. `confirmed` is set
 * if the host has confirmed the repository's owner.
 */
export function foldBodies(
  partition: Partition,
  { at, repository: read, confirmed }: Pick<BackfilledRecord, 'at' | 'repository' | 'confirmed'>,
  seenAt: number,
  bodies: readonly BackfilledBody[],
): void {
  const repository = recordRepository(
    partition,
    { at, repository: read, ...(confirmed && { signedBy: null }) },
    seenAt,
  ) as RepositoryRecord;
  const actor = new Actor(partition, repository, at, 'host');
  for (const body of bodies) actor.fold(body);
  if (bodies.some(({ event }) => event === 'tag')) partition.changes?.noteRepository(repository.id, 'tag');
}

/**
 * Where a record comes from: a delivery, a dead letter that a person has replayed, or data that was read from the host.
 */
type Source = 'delivery' | 'replay' | 'host';

class Actor {
  private readonly partition: Partition;
  private readonly repository: RepositoryRecord;
  private readonly at: number;
  private readonly receipt: Receipt;
  private readonly source: Source;

  /** @param at when the record was enqueued; this time is stored as the time of the sync */
  constructor(partition: Partition, repository: RepositoryRecord, at: number, source: Source) {
    this.partition = partition;
    this.repository = repository;
    this.at = at;
    this.source = source;
    this.receipt = { at, isReplayed: source === 'replay' };
  }

  fold(body: BackfilledBody): void {
    switch (body.event) {
      case 'pull_request':
        return this.pull(body.pull, body.action);
      case 'issues':
        return this.issue(body.issue, body.action);
      case 'issue_removed':
        return this.removeIssue(body.number, body.seenAt);
      case 'push':
        return this.recountIf(foldPush(this.partition, this.repository.id, body.push, this.at));
      case 'tag':
        return this.tag(body.tag);
      case 'comment':
        this.comment(body.comment, body.action);
        return this.checkIf(body.checks);
      case 'label':
        writeLabelChange(this.partition, this.repository.id, body);
        return this.checkIf(body.checks);
      case 'repository':
        return;
      case 'commits':
        return foldCommits(this.partition, this.repository.id, body.commits, this.at);
      case 'steps':
        return this.recountIf(foldSteps(this.partition, this.repository.id, body, this.at));
      case 'comparison':
        return this.recountIf(writeComparison(this.partition, this.repository.id, body.comparison));
      case 'pull_reactions':
        return this.reactions(body.number, body.reactions);
      default:
        return unreachable(body, 'the kind of the event is not known');
    }
  }

  private pull(snapshot: PullSnapshot, action: string): void {
    const before = readPull(this.partition, this.repository.id, snapshot.number);
    this.noteSynced(snapshot.number, before === undefined);
    const merged = mergePull(before, snapshot, action, this.repository, this.receipt);
    if (merged === before) return;
    const after = before
      ? merged
      : withReactions(merged, takeReactions(this.partition, this.repository.id, snapshot.number));
    writePull(this.partition, this.repository.id, after, before);
    this.recount();
    if (this.source !== 'host') checkAfterEvent(this.partition, this.repository.id, { before, after, action }, this.at);
  }

  /**
   * Stores the number of reactions to a pull request, or holds it until the pull request arrives. A number has no time:
   * pages are folded in the order of reading, so the number that was read last counts.
   */
  private reactions(number: number, reactions: number): void {
    this.noteSynced(number);
    const before = readPull(this.partition, this.repository.id, number);
    if (!before) return holdReactions(this.partition, this.repository.id, number, reactions);
    const after = withReactions(before, reactions);
    if (after !== before) writePull(this.partition, this.repository.id, after, before);
  }

  private issue(snapshot: IssueSnapshot, action: string): void {
    const before = readIssue(this.partition, this.repository.id, snapshot.number);
    this.noteSynced(snapshot.number, before === undefined);
    if (!before && isIssueRemoved(this.partition, this.repository.id, snapshot.number)) return;
    const after = mergeIssue(before, snapshot, action, this.receipt);
    if (after === before) return;
    writeIssue(this.partition, this.repository.id, after, before);
    this.recount();
  }

  /**
   * Removes an issue that was deleted or transferred. Hosts never reuse a number, so neither the issue nor its comments
   * can come back.
   */
  private removeIssue(number: number, seenAt: number): void {
    this.noteSynced(number);
    removeIssue(this.partition, this.repository.id, number, seenAt);
    removeComments(this.partition, this.repository.id, number);
    this.recount();
  }

  private comment(snapshot: CommentSnapshot, action: string): void {
    const { number, kind, id } = snapshot;
    this.noteSynced(number);
    if (isIssueRemoved(this.partition, this.repository.id, number)) return;
    // Nearly every comment is new, so the first attempt saves a lookup.
    const added = mergeComment(undefined, snapshot, action);
    if (addComment(this.partition, this.repository.id, added)) return this.followCommands(undefined, added);
    const before = readComment(this.partition, this.repository.id, number, kind, id);
    const after = mergeComment(before, snapshot, action);
    if (after === before) return;
    writeComment(this.partition, this.repository.id, after);
    this.followCommands(before, after);
  }

  /**
   * Updates the index of comments with commands, and requests a recount, because commands decide what notes contain.
   */
  private followCommands(before: CommentRecord | undefined, after: CommentRecord): void {
    const [was, is] = [before !== undefined && hasCommands(before), hasCommands(after)];
    if (!was && !is) return;
    if (was !== is) indexCommand(this.partition, this.repository.id, after, is);
    const isObeyed = [before, after].some((comment) => comment && mayCommand(comment, this.repository));
    this.recountIf(isObeyed);
    if (isObeyed && this.source !== 'host')
      checkAfterCommand(this.partition, this.repository.id, after.number, this.at);
  }

  private tag(push: TagPush): void {
    const before = readTag(this.partition, this.repository.id, push.name);
    const after = mergeTag(before, push);
    if (after === before) return;
    writeTag(this.partition, this.repository.id, after);
    if (this.source === 'delivery') followTag(this.partition, this.repository.id, before, after, this.at);
    this.recount();
  }

  /** Stores that a pull request or issue was synced. A snapshot that changes nothing counts as a sync as well. */
  private noteSynced(number: number, isLikelyFirst = false): void {
    noteSync(this.partition, [this.repository.id, 'number', number], this.at, isLikelyFirst);
  }

  private recountIf(changed: boolean): void {
    if (changed) this.recount();
  }

  private checkIf(checks: true | undefined): void {
    if (checks) requestCheck(this.partition, this.repository.id);
  }

  /**
   * Requests a recount of the repository's ranges. A single recount serves all requests that were made before the
   * recount ran.
   */
  private recount(): void {
    const repoId = this.repository.id;
    if (hasRanges(this.partition, repoId))
      writeEffect(this.partition, { effect: 'recount', repoId }, `recount ${repoId}`);
  }
}

/**
 * Whether a comment may contain commands. The comments of earlier versions of Tidings have no association and never
 * count.
 */
function hasCommands({ body, association }: CommentRecord): boolean {
  return association !== undefined && mayHaveCommands(body);
}
