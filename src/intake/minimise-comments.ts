/**
 * Reduces comments and reviews to the captured fields (spec part 2) and removes all personal data from their bodies.
 * Lines of code under review, their paths and their positions are not read.
 */
import { createHash } from 'node:crypto';
import type { CommentSnapshot } from '../protocol/events.ts';
import type { IssueCommentPayload, ReviewCommentPayload, ReviewPayload } from '../protocol/host.ts';
import { type Association, AssociationSchema } from '../protocol/stored.ts';
import { author, maxLengths, redacted, time } from './text.ts';

/**
 * Reduces the payload of a discussion comment to the captured fields. `now` (time of receipt) replaces missing times.
 */
export function minimiseIssueComment(payload: IssueCommentPayload, now: number): CommentSnapshot {
  const { comment, issue } = payload;
  const known = snapshot(comment, now);
  const association = known.association ?? byPermission(payload);
  return { ...known, association, kind: 'discussion', number: issue.number };
}

/**
 * Reads from the permissions of Gitea whether the comment's author may write to the repository. Gitea sends the
 * permissions of the person who wrote or edited the comment. If someone else edited the comment, they show nothing about
 * the author, and the result is null.
 */
function byPermission({ comment, sender, repository }: IssueCommentPayload): Association | null {
  const mayPush = (repository?.permissions as { push?: unknown } | null | undefined)?.push;
  const isAuthor = comment.user != null && comment.user.login === sender?.login;
  if (!isAuthor || typeof mayPush !== 'boolean') return null;
  return mayPush ? 'COLLABORATOR' : 'NONE';
}

/**
 * Reduces the payload of a review comment to the captured fields. A review comment belongs to a line of the changes.
 */
export function minimiseReviewComment(payload: ReviewCommentPayload, now: number): CommentSnapshot {
  return { ...snapshot(payload.comment, now), kind: 'review_comment', number: payload.pull_request.number };
}

/**
 * Reduces the payload of a review to the captured fields. Gitea sends neither the id nor the author of a review. For
 * such a review, the sender of the event becomes the author. A hash of pull request, author and text becomes the id.
 */
export function minimiseReview(payload: ReviewPayload, event: string, now: number): CommentSnapshot {
  const { review, pull_request: pull, sender } = payload;
  const user = review.user ?? sender;
  const body = redacted(review.body ?? review.content ?? '', maxLengths.body, 'comment');
  const updated_at = review.submitted_at ?? review.updated_at ?? pull.updated_at;
  // The hash uses the redacted text. A hash of the original text would let others confirm guesses of the removed
  // secrets.
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

/** The states of Gitea's reviews. Gitea sends the verdict as the event's name or as the review's type. */
const giteaStates: Record<string, string | undefined> = {
  pull_request_approved: 'approved',
  pull_request_review_approved: 'approved',
  pull_request_rejected: 'changes_requested',
  pull_request_review_rejected: 'changes_requested',
};

const associations: ReadonlySet<unknown> = new Set(AssociationSchema.anyOf.map((word) => word.const));

/** Returns the relation of an author to the repository; null for a word that no host is known to send. */
function associationOf(word: unknown): Association | null {
  return associations.has(word) ? (word as Association) : null;
}

type Comment = Omit<IssueCommentPayload['comment'], 'id'> & { id: string | number };

function snapshot(comment: Comment, now: number): Omit<CommentSnapshot, 'kind' | 'number'> {
  const createdAt = time(comment.created_at, now);
  return {
    id: String(comment.id),
    author: author(comment.user),
    body: redacted(comment.body ?? '', maxLengths.body, 'comment'),
    state: null,
    createdAt,
    updatedAt: time(comment.updated_at, now) ?? createdAt ?? now,
    association: associationOf(comment.author_association),
  };
}
