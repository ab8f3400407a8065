/**
 * Items of the host's REST lists, brought through the same whitelist and redaction as deliveries. Lists have nearly a
 * payload's shapes: what they lack or call otherwise is put right here. An item that cannot be read is nothing.
 */
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { EventBody, ListedCommit, TagPush } from '../protocol/events.ts';
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
import { minimiseCommit, minimiseIssue, minimisePull } from './minimise.ts';
import { minimiseIssueComment, minimiseReview, minimiseReviewComment } from './minimise-comments.ts';
import { name as stored, time } from './text.ts';

/** An item as the host sent it. */
export type RestItem = Readonly<Record<string, unknown>>;

/** What items are read with: the address of their repository, and the time that stands in for missing ones. */
export interface RestContext {
  kind: 'github' | 'gitea';
  repositoryUrl: string;
  now: number;
}

/** Lowest of its second: a delivery wins. */
const action = 'backfilled';

const checks = {
  pull: TypeCompiler.Compile(PullRequestPayloadSchema.properties.pull_request),
  issue: TypeCompiler.Compile(IssuesPayloadSchema.properties.issue),
  comment: TypeCompiler.Compile(IssueCommentPayloadSchema.properties.comment),
  review: TypeCompiler.Compile(ReviewPayloadSchema.properties.review),
  commit: TypeCompiler.Compile(HostCommitSchema),
};

/** When an item last changed by the host's clock; null when it does not say. */
export function updatedAt(item: RestItem): number | null {
  return time((item.updated_at ?? item.submitted_at ?? item.created_at) as string | null | undefined);
}

export function pullBody(item: RestItem, { repositoryUrl, now }: RestContext): EventBody | undefined {
  if (!checks.pull.Check(item)) return undefined;
  const pull_request = item as unknown as PullRequestPayload['pull_request'];
  return { event: 'pull_request', action, pull: minimisePull({ action, pull_request }, repositoryUrl, now) };
}

/** Nothing for the pull requests that a list of issues holds too. */
export function issueBody(item: RestItem, { repositoryUrl, now }: RestContext): EventBody | undefined {
  if (item.pull_request || !checks.issue.Check(item)) return undefined;
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

/** Verdicts in the words of deliveries; what is only asked for or not sent yet is no review. */
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
  // Gitea's deliveries name no id, and the same review must not be there twice.
  const told = kind === 'gitea' ? { ...review, state } : { ...review, id, state };
  const payload = { action, review: told, pull_request: { number } } as unknown as ReviewPayload;
  return { event: 'comment', action, comment: minimiseReview(payload, 'pull_request_review', now) };
}

/** A commit with its parents. */
export function listedCommit(item: RestItem): ListedCommit | undefined {
  const { sha, commit, author, parents } = item as {
    sha?: unknown;
    commit?: { message?: unknown; committer?: Dated; author?: Dated } | null;
    author?: { login?: unknown } | null;
    parents?: unknown;
  };
  const timestamp = commit?.committer?.date ?? commit?.author?.date ?? null;
  const told = { id: sha, message: commit?.message, timestamp, author: { username: author?.login ?? null } };
  if (!Array.isArray(parents) || !checks.commit.Check(told)) return undefined;
  return { ...minimiseCommit(told, Date.now()), parents: parents.flatMap((parent) => shaOf(parent) ?? []) };
}

type Dated = { date?: string | null } | null;

/** A tag of a list with what was asked of it besides; `seenAt` orders it among deliveries. */
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

/** The sha of an item that has one, such as a parent or a branch's head. */
export function shaOf(item: unknown): string | undefined {
  const sha =
    (item as { sha?: unknown; id?: unknown } | null | undefined)?.sha ?? (item as { id?: unknown } | null)?.id;
  return typeof sha === 'string' && /^[0-9a-f]{7,64}$/i.test(sha) ? sha : undefined;
}

/** The number at the end of an address; the host names what a comment belongs to in no other way. */
function numberOf(url: unknown): number | undefined {
  const digits = typeof url === 'string' ? /\/(\d{1,10})\/?$/.exec(url)?.[1] : undefined;
  const number = Number(digits);
  return digits !== undefined && number >= 1 && number <= 2_147_483_647 ? number : undefined;
}
