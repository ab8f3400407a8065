/**
 * Handles captured pull requests and issues: get, with comments. The spec does not define these operations. They show
 * the data that the notes are made from.
 */
import { invalid, notFound } from '../foundation/errors.ts';
import { ask } from '../journal/query.ts';
import { maxNumber } from '../protocol/limits.ts';
import type { PullNote } from '../protocol/pull-note.ts';
import { type CommentPage, CommentPageSchema, capturedContracts } from '../protocol/resources/captured.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import type { Author, CommentRecord, IssueRecord, PullRecord } from '../protocol/stored.ts';
import type { PullNoteTask } from '../protocol/tasks.ts';
import { RepositoryView } from '../store/repository-view.ts';
import { assertVisible } from './authenticate.ts';
import { partitionOfId, readPartition } from './context.ts';
import { placeOf } from './page.ts';
import type { ApiRequest, ApiRoute } from './route.ts';
import type { Asking } from './stored-object.ts';
import { shown } from './validate.ts';

const getPullRequest: ApiRoute<CommentPage> = {
  method: 'GET',
  path: '/api/repos/:repoId/pulls/:number',
  operation: 'getPullRequest',
  contract: capturedContracts.getPullRequest,
  scope: 'repos:read',
  query: CommentPageSchema,
  handle: (request) => {
    const { view, number } = captured(request);
    const pull = view.pull(number);
    if (!pull) throw notFound('Pull request', String(number));
    return { status: 200, body: pullResponse(view.repository.id, pull, view.comments(number), request.query) };
  },
};

const getIssue: ApiRoute<CommentPage> = {
  method: 'GET',
  path: '/api/repos/:repoId/issues/:number',
  operation: 'getIssue',
  contract: capturedContracts.getIssue,
  scope: 'repos:read',
  query: CommentPageSchema,
  handle: (request) => {
    const { view, number } = captured(request);
    const issue = view.issue(number);
    if (!issue) throw notFound('Issue', String(number));
    return { status: 200, body: issueResponse(view.repository.id, issue, view.comments(number), request.query) };
  },
};

const getPullRequestNote: ApiRoute = {
  method: 'GET',
  path: '/api/repos/:repoId/pulls/:number/note',
  operation: 'getPullRequestNote',
  contract: capturedContracts.getPullRequestNote,
  // The reply contains text of drafts. A key that may read repositories only must not get it.
  scope: 'drafts:read',
  query: NoQuerySchema,
  handle: async ({ caller, context, params: [repoId = '', text = ''] }) => {
    assertVisible(caller, repoId, 'Repository', repoId);
    const question: PullNoteTask = { task: 'pullNote', repoId, number: toNumber(text) };
    const name = partitionOfId(context, repoId) as string;
    return { status: 200, body: await ask<PullNoteTask, PullNote>(context.journal, name, question) };
  },
};

/**
 * Finds the repository of a request and reads the number in its path.
 * @throws ServiceError `notFound` for a repository that the caller may not see or that has not sent an event yet
 * @throws ServiceError `invalid` for a text that is not a number
 */
function captured(request: Asking & Pick<ApiRequest, 'params'>) {
  const [repoId = '', text = ''] = request.params;
  const view = viewOf(request, repoId);
  return { view, number: toNumber(text) };
}

/**
 * Returns the view of a repository.
 * @throws ServiceError `notFound` for a repository that the caller may not see or that has not sent an event yet
 */
export function viewOf({ caller, context }: Asking, repoId: string): RepositoryView {
  assertVisible(caller, repoId, 'Repository', repoId);
  const view = RepositoryView.of(readPartition(context, partitionOfId(context, repoId) as string), repoId);
  if (!view) throw notFound('Repository', repoId);
  return view;
}

/**
 * Returns the number of a pull request or issue in a path.
 * @throws ServiceError `invalid` for a text that is not a number
 */
export function toNumber(text: string): number {
  const number = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (number === 0 || number > maxNumber)
    throw invalid({ number: `expected an integer from 1 to ${maxNumber}, got ${shown(text)}` }, 'The path is invalid.');
  return number;
}

/** Returns the body of the reply about a pull request, with one page of its comments. */
export function pullResponse(repoId: string, pull: PullRecord, comments: readonly CommentRecord[], at: CommentPage) {
  return { ...pullFields(repoId, pull), body: pull.body, ...commentPage(comments, at) };
}

/** Returns the body of the reply about an issue, with one page of its comments. */
export function issueResponse(repoId: string, issue: IssueRecord, comments: readonly CommentRecord[], at: CommentPage) {
  return { ...issueFields(repoId, issue), body: issue.body, ...commentPage(comments, at) };
}

/** Returns the fields of a pull request that a list shows. */
export function pullFields(repoId: string, pull: PullRecord) {
  const { state, mergedAt, mergeSha, baseRef, headRef, linkedIssues } = pull;
  return {
    ...commonFields(repoId, pull),
    state,
    mergedAt: isoOrNull(mergedAt),
    mergeSha,
    baseBranch: baseRef,
    headBranch: headRef,
    linkedIssues,
  };
}

/** Returns the fields of an issue that a list shows. */
export function issueFields(repoId: string, issue: IssueRecord) {
  const { state, stateReason } = issue;
  return { ...commonFields(repoId, issue), state, stateReason };
}

function commonFields(repoId: string, record: PullRecord | IssueRecord) {
  const { number, title, labels, author, createdAt, updatedAt, closedAt, url, reactions = 0 } = record;
  return {
    repoId,
    number,
    title,
    labels,
    author: authorFields(author),
    createdAt: isoOrNull(createdAt),
    updatedAt: iso(updatedAt),
    closedAt: isoOrNull(closedAt),
    url,
    reactions,
  };
}

function commentPage(all: readonly CommentRecord[], { limit = 20, offset = 0 }: CommentPage) {
  const comments = all.slice(offset, offset + limit).map(commentFields);
  return { comments, ...placeOf(offset, comments.length, all.length) };
}

function commentFields(comment: CommentRecord) {
  const { kind, id, author, body, state, association = null, createdAt, updatedAt } = comment;
  const times = { createdAt: isoOrNull(createdAt), updatedAt: iso(updatedAt) };
  return { kind, id, author: authorFields(author), body, state, association, ...times };
}

function authorFields({ login, bot }: Author) {
  return { handle: login, bot };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function isoOrNull(time: number | null): string | null {
  return time === null ? null : iso(time);
}

export const capturedRoutes = [getPullRequest, getPullRequestNote, getIssue];
