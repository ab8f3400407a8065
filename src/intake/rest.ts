/**
 * Converts items of the host's REST lists to events. Fields are selected and redacted as in deliveries. Most fields of
 * an item have the same form as in a payload. This file adds missing fields and renames fields that have other names.
 * The result is `undefined` for an item that cannot be read.
 */
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { BackfilledBody, EventBody, ListedCommit, TagPush } from '../protocol/events.ts';
import {
  HostCommitSchema,
  type IssueCommentPayload,
  IssueCommentPayloadSchema,
  type IssuesPayload,
  IssuesPayloadSchema,
  type PullRequestPayload,
  PullRequestPayloadSchema,
  type ReviewPayload,
  ReviewPayloadSchema,
} from '../protocol/host.ts';
import { maxNumber } from '../protocol/limits.ts';
import { minimiseCommit, minimiseIssue, minimisePull, reactionCount } from './minimise.ts';
import { minimiseIssueComment, minimiseReview, minimiseReviewComment } from './minimise-comments.ts';
import { name as stored, time } from './text.ts';

/** An item as the host sent it. */
export type RestItem = Readonly<Record<string, unknown>>;

/**
 * Context of the items: the kind of their host, the address of their repository, and the time that replaces missing
 * times (in milliseconds).
 */
export interface RestContext {
  kind: 'github' | 'gitea';
  repositoryUrl: string;
  now: number;
}

/**
 * Action of the events that are made from items of the host's lists. This action has the lowest rank. If an item and a
 * delivery have times in the same second, the delivery therefore takes precedence.
 */
const action = 'backfilled';

const checks = {
  pull: TypeCompiler.Compile(PullRequestPayloadSchema.properties.pull_request),
  issue: TypeCompiler.Compile(IssuesPayloadSchema.properties.issue),
  comment: TypeCompiler.Compile(IssueCommentPayloadSchema.properties.comment),
  review: TypeCompiler.Compile(ReviewPayloadSchema.properties.review),
  commit: TypeCompiler.Compile(HostCommitSchema),
};

/**
 * Returns the time of the last change of an item, as the host reported it, in milliseconds. Returns null when the item
 * has no time.
 */
export function updatedAt(item: RestItem): number | null {
  return time((item.updated_at ?? item.submitted_at ?? item.created_at) as string | null | undefined);
}

export function pullBody(item: RestItem, { repositoryUrl, now }: RestContext): EventBody | undefined {
  if (!checks.pull.Check(item)) return undefined;
  const pull_request = item as unknown as PullRequestPayload['pull_request'];
  return { event: 'pull_request', action, pull: minimisePull({ action, pull_request }, repositoryUrl, now) };
}

/**
 * Returns the event of an issue. A list of issues also contains pull requests. A pull request gives only its number of
 * reactions, which the list of pull requests lacks. All else in the item is in that list too.
 */
export function issueBody(item: RestItem, { repositoryUrl, now }: RestContext): BackfilledBody | undefined {
  if (!checks.issue.Check(item)) return undefined;
  if (item.pull_request) {
    const reactions = reactionCount(item.reactions);
    return reactions === undefined ? undefined : { event: 'pull_reactions', number: item.number as number, reactions };
  }
  const issue = item as unknown as IssuesPayload['issue'];
  return { event: 'issues', action, issue: minimiseIssue({ action, issue }, repositoryUrl, now) };
}

export function issueCommentBody(item: RestItem, { now }: RestContext): EventBody | undefined {
  const number = numberOf(item.issue_url) ?? numberOf(item.pull_request_url);
  if (number === undefined || !checks.comment.Check(item)) return undefined;
  const payload = { comment: item, issue: { number } } as unknown as IssueCommentPayload;
  return { event: 'comment', action, comment: minimiseIssueComment(payload, now) };
}

export function reviewCommentBody(item: RestItem, { now }: RestContext): EventBody | undefined {
  const number = numberOf(item.pull_request_url);
  if (number === undefined || !checks.comment.Check(item)) return undefined;
  const payload = { comment: item, pull_request: { number } };
  return {
    event: 'comment',
    action,
    comment: minimiseReviewComment(payload as unknown as Parameters<typeof minimiseReviewComment>[0], now),
  };
}

/**
 * Maps the state of a review in a list to the state of a review in a delivery. Requested and pending reviews are
 * skipped.
 */
const verdicts: Record<string, string | undefined> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  REQUEST_CHANGES: 'changes_requested',
  COMMENTED: 'commented',
  COMMENT: 'commented',
  DISMISSED: 'dismissed',
};

export function reviewBody(item: RestItem, number: number, { kind, now }: RestContext): EventBody | undefined {
  const state = verdicts[String(item.state).toUpperCase()];
  if (state === undefined || !checks.review.Check(item)) return undefined;
  const { id, ...review } = item;
  // Gitea's deliveries carry no review id. With the id from the list, the same review would be stored twice.
  const inEventShape = kind === 'gitea' ? { ...review, state } : { ...review, id, state };
  const payload = { action, review: inEventShape, pull_request: { number } } as unknown as ReviewPayload;
  return { event: 'comment', action, comment: minimiseReview(payload, 'pull_request_review', now) };
}

/** Returns a commit with its parents. */
export function listedCommit(item: RestItem): ListedCommit | undefined {
  const { sha, commit, author, parents } = item as {
    sha?: unknown;
    commit?: { message?: unknown; committer?: Dated; author?: Dated } | null;
    author?: { login?: unknown } | null;
    parents?: unknown;
  };
  const timestamp = commit?.committer?.date ?? commit?.author?.date ?? null;
  const inEventShape = { id: sha, message: commit?.message, timestamp, author: { username: author?.login ?? null } };
  if (!Array.isArray(parents) || !checks.commit.Check(inEventShape)) return undefined;
  return { ...minimiseCommit(inEventShape, Date.now()), parents: parents.flatMap((parent) => shaOf(parent) ?? []) };
}

type Dated = { date?: string | null } | null;

/**
 * Returns the event of a listed tag. The details of the tag were requested separately. `seenAt` determines the event's
 * order among deliveries.
 */
export function tagBody(
  name: string,
  details: { sha: string; object: string | null; date: number | null },
  seenAt: number,
): EventBody {
  const { sha, object, date } = details;
  const tag: TagPush = {
    name: stored(name),
    sha,
    object: object ?? sha,
    baseRef: null,
    date,
    deleted: false,
    pushedAt: seenAt,
  };
  return { event: 'tag', tag };
}

/** Returns the sha of an item such as a parent commit or a branch's head; undefined when the item has no sha. */
export function shaOf(item: unknown): string | undefined {
  const sha =
    (item as { sha?: unknown; id?: unknown } | null | undefined)?.sha ?? (item as { id?: unknown } | null)?.id;
  return typeof sha === 'string' && /^[0-9a-f]{7,64}$/i.test(sha) ? sha : undefined;
}

/** Returns the number at the end of an address. The host names the issue of a comment only in such an address. */
function numberOf(url: unknown): number | undefined {
  const digits = typeof url === 'string' ? /\/(\d{1,10})\/?$/.exec(url)?.[1] : undefined;
  const number = Number(digits);
  return digits !== undefined && number >= 1 && number <= maxNumber ? number : undefined;
}
