/**
 * Comments and reviews: their whitelist (spec part 2), all personal data taken out of their bodies. Lines of code under
 * review, their paths and positions are not read at all.
 */
import { createHash } from 'node:crypto';
import type { CommentSnapshot } from '../protocol/events.ts';
import type { IssueCommentPayload, ReviewCommentPayload, ReviewPayload } from '../protocol/host.ts';
import { author, longest, redacted, time } from './text.ts';

/** A comment in a discussion at `now`, which stands in for missing times. */
export function minimiseIssueComment({ comment, issue }: IssueCommentPayload, now: number): CommentSnapshot {
  return { ...snapshot(comment, now), kind: 'discussion', number: issue.number };
}

/** A comment on a line under review. */
export function minimiseReviewComment(payload: ReviewCommentPayload, now: number): CommentSnapshot {
  return { ...snapshot(payload.comment, now), kind: 'review_comment', number: payload.pull_request.number };
}

/**
 * A review. Where the host gives it neither id nor author (Gitea), the sender wrote it, and it is known by its pull request,
 * author and text.
 */
export function minimiseReview(payload: ReviewPayload, event: string, now: number): CommentSnapshot {
  const { review, pull_request: pull, sender } = payload;
  const user = review.user ?? sender;
  const body = redacted(review.body ?? review.content ?? '', longest.body, 'comment');
  const updated_at = review.submitted_at ?? review.updated_at ?? pull.updated_at;
  // Of the text as it is kept: a hash of what was taken out of it could be guessed.
  const id =
    review.id ?? createHash('sha256').update(`${pull.number}\n${user?.login}\n${body}`).digest('hex').slice(0, 32);
  return {
    ...snapshot({ ...review, id, body, user, updated_at }, now),
    kind: 'review',
    number: pull.number,
    state: verdict(review.state?.toLowerCase() ?? giteaStates[review.type ?? event]),
  };
}

const verdicts = new Set(['approved', 'changes_requested', 'commented', 'dismissed', 'pending']);

function verdict(state: string | undefined): string {
  return state !== undefined && verdicts.has(state) ? state : 'commented';
}

/** Gitea tells the verdict by the event's name or by the review's type. */
const giteaStates: Record<string, string | undefined> = {
  pull_request_approved: 'approved',
  pull_request_review_approved: 'approved',
  pull_request_rejected: 'changes_requested',
  pull_request_review_rejected: 'changes_requested',
};

type Comment = Omit<IssueCommentPayload['comment'], 'id'> & { id: string | number };

function snapshot(comment: Comment, now: number): Omit<CommentSnapshot, 'kind' | 'number'> {
  const createdAt = time(comment.created_at, now);
  return {
    id: String(comment.id),
    author: author(comment.user),
    body: redacted(comment.body ?? '', longest.body, 'comment'),
    state: null,
    createdAt,
    updatedAt: time(comment.updated_at, now) ?? createdAt ?? now,
  };
}
