/**
 * Turns a history into webhook deliveries in chronological order, as if the webhook had existed since the start of the
 * repository.
 */
import type { History, HistoryCommit, HistoryPush, HistoryTag } from './history.ts';
import { iso } from './history.ts';
import {
  issueCommentShape,
  issueShape,
  type Place,
  pullAsIssueShape,
  pullShape,
  repositoryShape,
  reviewCommentShape,
  reviewShape,
  type Shape,
  userShape,
} from './shapes.ts';

export interface Delivery {
  event: string;
  payload: Shape;
  at: number;
}

const none = '0'.repeat(40);

/** Returns all deliveries of a history in chronological order. `place` supplies the base addresses in the payloads. */
export function deliveriesOf(history: History, place: Place): Delivery[] {
  const deliveries = [
    ...history.pulls.flatMap((pull) => pullDeliveries(history, place, pull.number)),
    ...history.issues.flatMap((issue) => issueDeliveries(history, place, issue.number)),
    ...remarkDeliveries(history, place),
    ...history.pushes.map((push) => pushDelivery(history, place, push)),
    ...history.tags.flatMap((tag) => tagDeliveries(history, place, tag)),
  ];
  return deliveries.sort((a, b) => a.at - b.at);
}

/** Returns the deliveries of a pull request: one for its opening, and one for its closing or its last edit. */
export function pullDeliveries(history: History, place: Place, number: number): Delivery[] {
  const pull = history.pulls.find((candidate) => candidate.number === number);
  if (pull === undefined) return [];
  const opening = { ...pull, updatedAt: pull.createdAt, closedAt: null, mergedAt: null, mergeSha: null };
  return [opening, pull].map((now) => {
    const action = now === opening ? 'opened' : now.closedAt === null ? 'edited' : 'closed';
    const shape = { ...pullShape(now, history, place), merged: now.mergedAt !== null };
    const repository = repositoryShape(history, place);
    const payload = { action, number, pull_request: shape, repository, sender: userShape(pull.author) };
    return { event: 'pull_request', at: now.updatedAt, payload };
  });
}

/** Returns the deliveries of an issue: one for its opening, and one for its closing or its last edit. */
export function issueDeliveries(history: History, place: Place, number: number): Delivery[] {
  const issue = history.issues.find((candidate) => candidate.number === number);
  if (issue === undefined) return [];
  const opening = { ...issue, updatedAt: issue.createdAt, closedAt: null };
  return [opening, issue].map((now) => {
    const action = now === opening ? 'opened' : now.closedAt === null ? 'edited' : 'closed';
    const payload = { action, issue: issueShape(now, history, place), repository: repositoryShape(history, place) };
    return { event: 'issues', at: now.updatedAt, payload };
  });
}

/**
 * Returns the deliveries of comments and reviews. In each payload, the pull request or issue is still open, as it was
 * at the time of the comment or review.
 */
function remarkDeliveries(history: History, place: Place): Delivery[] {
  const repository = repositoryShape(history, place);
  const pullOf = (number: number, updatedAt: number) => {
    const pull = history.pulls.find((candidate) => candidate.number === number);
    return pull && { ...pull, updatedAt, closedAt: null, mergedAt: null, mergeSha: null };
  };
  const discussions = history.issueComments.map((remark): Delivery => {
    const pull = pullOf(remark.number, remark.updatedAt);
    const issue = history.issues.find((candidate) => candidate.number === remark.number);
    const shape = pull
      ? pullAsIssueShape(pull, history, place)
      : issue && issueShape({ ...issue, updatedAt: remark.updatedAt, closedAt: null }, history, place);
    const comment = issueCommentShape(remark, history, place);
    return {
      event: 'issue_comment',
      at: remark.updatedAt,
      payload: { action: 'created', comment, issue: shape, repository },
    };
  });
  const lines = history.reviewComments.map((remark): Delivery => {
    const pull = pullOf(remark.number, remark.updatedAt);
    const pull_request = pull && pullShape(pull, history, place);
    const comment = reviewCommentShape(remark, history, place);
    const payload = { action: 'created', comment, pull_request, repository };
    return { event: 'pull_request_review_comment', at: remark.updatedAt, payload };
  });
  const reviews = history.reviews.map((remark): Delivery => {
    const pull = pullOf(remark.number, remark.updatedAt);
    const pull_request = pull && pullShape(pull, history, place);
    const shape = reviewShape(remark, history, place);
    const review = { ...shape, state: String(shape.state).toLowerCase() };
    const payload = { action: 'submitted', review, pull_request, repository, sender: userShape(remark.author) };
    return { event: 'pull_request_review', at: remark.updatedAt, payload };
  });
  return [...discussions, ...lines, ...reviews];
}

/** Returns the delivery of a push to a branch. */
export function pushDelivery(history: History, place: Place, push: HistoryPush): Delivery {
  const commits = push.shas.map((sha) => pushedCommit(history.commits.get(sha) as HistoryCommit));
  const head = pushedCommit(history.commits.get(push.after) as HistoryCommit);
  const payload = {
    ref: `refs/heads/${push.branch}`,
    before: push.before ?? none,
    after: push.after,
    created: push.before === null,
    deleted: false,
    forced: false,
    base_ref: push.before === null && push.shas.length === 0 ? `refs/heads/${history.defaultBranch}` : null,
    commits,
    head_commit: head,
    repository: { ...repositoryShape(history, place), pushed_at: push.at / 1000 },
  };
  return { event: 'push', at: push.at, payload };
}

/** Returns the two deliveries of a tag: its push event and its create event. */
export function tagDeliveries(history: History, place: Place, tag: HistoryTag): Delivery[] {
  const repository = repositoryShape(history, place);
  const payload = {
    ref: `refs/tags/${tag.name}`,
    before: none,
    after: tag.object?.sha ?? tag.sha,
    created: true,
    deleted: false,
    forced: false,
    base_ref: null,
    commits: [],
    head_commit: pushedCommit(history.commits.get(tag.sha) as HistoryCommit),
    repository: { ...repository, pushed_at: tag.pushedAt / 1000 },
  };
  const created = { ref: tag.name, ref_type: 'tag', master_branch: history.defaultBranch, repository };
  return [
    { event: 'create', at: tag.pushedAt, payload: { ...created, pusher_type: 'user' } },
    { event: 'push', at: tag.pushedAt, payload },
  ];
}

function pushedCommit({ sha, message, author, at }: HistoryCommit): Shape {
  const who = { name: 'A Person', email: `${author.login}@example.com`, username: author.login };
  return {
    id: sha,
    message,
    timestamp: iso(at),
    author: who,
    committer: who,
    distinct: true,
    modified: ['src/secret-path.ts'],
  };
}
