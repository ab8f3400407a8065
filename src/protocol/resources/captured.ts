/**
 * Requests, replies and contracts of the operations on captured pull requests and issues, and on their comments.
 * `api/captured.ts` makes the bodies of replies.
 */
import { type Static, Type } from '@sinclair/typebox';
import { PullNoteSchema } from '../pull-note.ts';
import { AssociationSchema, CommentKindSchema } from '../stored.ts';
import type { Contracts } from './contract.ts';
import { closed, count, orNull, repoId, text, time } from './fields.ts';
import { listOf, nextCursor, paging } from './paging.ts';

/** The query of one pull request or issue selects the page of its comments. */
export const CommentPageSchema = Type.Object({ limit: paging.limit, offset: paging.offset }, closed);
export type CommentPage = Static<typeof CommentPageSchema>;

/** The query parameters that the lists of pull requests and of issues share. */
const listing = {
  label: Type.Optional(Type.String({ minLength: 1 })),
  limit: paging.limit,
  offset: paging.offset,
  cursor: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,9}$', examples: ['41'] })),
};
const pullState = Type.Union([Type.Literal('open'), Type.Literal('closed'), Type.Literal('merged')]);
const issueState = Type.Union([Type.Literal('open'), Type.Literal('closed')]);

export const ListPullRequestsQuerySchema = Type.Object(
  { state: Type.Optional(pullState), base: Type.Optional(Type.String({ minLength: 1 })), ...listing },
  closed,
);
export type ListPullRequestsQuery = Static<typeof ListPullRequestsQuerySchema>;

export const ListIssuesQuerySchema = Type.Object({ state: Type.Optional(issueState), ...listing }, closed);
export type ListIssuesQuery = Static<typeof ListIssuesQuerySchema>;

const author = Type.Object({ handle: text('ada', '`ghost` if the account was deleted'), bot: Type.Boolean() }, closed);
const number = (example: number) => Type.Integer({ minimum: 1, examples: [example] });
const sha = text('b7d3c1f0a2e4968157c0d3b2a1f4e5d6c7b8a990');

export const CommentSchema = Type.Object(
  {
    kind: CommentKindSchema,
    id: text('2100843', 'id on the host; for a review without an id, a hash'),
    author,
    body: text('Works on my machine.', 'text without personal data and secrets'),
    state: orNull(text('approved', 'verdict of a review; null for a comment that is not a review')),
    association: orNull(
      Type.Union(AssociationSchema.anyOf, {
        description: 'relation of the author to the repository, in the words of the host',
        examples: ['MEMBER'],
      }),
    ),
    createdAt: orNull(time),
    updatedAt: time,
  },
  closed,
);

const common = {
  repoId,
  number: number(41),
  title: text('Land on rough ground'),
  labels: Type.Array(text('type: feature'), { description: 'current names of the labels' }),
  author,
  createdAt: orNull(time),
  updatedAt: time,
  closedAt: orNull(time),
  url: text('https://github.com/acme/rocket/pull/41'),
  reactions: count(3),
};

const body = text(
  'The landing gear has springs now.\n\nFixes #12',
  'text as it is stored, without personal data and secrets',
);

const pullFields = {
  ...common,
  state: pullState,
  mergedAt: orNull(time),
  mergeSha: orNull(sha),
  baseBranch: orNull(text('main')),
  headBranch: orNull(text('rough-ground')),
  linkedIssues: Type.Array(number(12), { description: 'numbers of the issues that the body links by keyword' }),
};

const issueFields = {
  ...common,
  url: text('https://github.com/acme/rocket/issues/41'),
  state: issueState,
  stateReason: orNull(text('completed', 'why the issue was closed, as the host names it')),
};

export const PullRequestSchema = listOf('comments', CommentSchema, { body, ...pullFields });
export const IssueSchema = listOf('comments', CommentSchema, { body, ...issueFields });

/** A pull request in a list: the fields of one pull request without its body and comments. */
export const ListedPullRequestSchema = Type.Object(pullFields, closed);
/** An issue in a list: the fields of one issue without its body and comments. */
export const ListedIssueSchema = Type.Object(issueFields, closed);

export const capturedContracts = {
  listPullRequests: {
    tag: 'Repositories',
    summary: 'List the captured pull requests of a repository by number, the newest first',
    replies: { 200: listOf('pulls', ListedPullRequestSchema, { nextCursor: nextCursor('41') }) },
  },
  listIssues: {
    tag: 'Repositories',
    summary: 'List the captured issues of a repository by number, the newest first',
    replies: { 200: listOf('issues', ListedIssueSchema, { nextCursor: nextCursor('41') }) },
  },
  getPullRequest: {
    tag: 'Repositories',
    summary: 'Get a captured pull request with one page of its comments, oldest first',
    replies: { 200: PullRequestSchema },
  },
  getIssue: {
    tag: 'Repositories',
    summary: 'Get a captured issue with one page of its comments, oldest first',
    replies: { 200: IssueSchema },
  },
  getPullRequestNote: {
    tag: 'Repositories',
    summary: 'Show what the notes say about a pull request, merged or not, and the verdict of the release note check',
    replies: { 200: PullNoteSchema },
  },
} satisfies Contracts;
