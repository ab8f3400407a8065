/**
 * Tests that the intake captures the same fields from items of REST lists as from deliveries. The intake adapts items
 * with missing or differently named fields, and drops fields that must not be stored.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  issueBody,
  issueCommentBody,
  listedCommit,
  pullBody,
  type RestContext,
  reviewBody,
  reviewCommentBody,
  tagBody,
  updatedAt,
} from '../../../src/intake/rest.ts';
import { buildHistory } from '../../helpers/host/build.ts';
import * as gitea from '../../helpers/host/gitea.ts';
import * as github from '../../helpers/host/shapes.ts';

const place = { origin: 'https://scm.example', apiUrl: 'https://scm.example/api/v3' };
const history = buildHistory();
const context: RestContext = { kind: 'github', repositoryUrl: `${place.origin}/acme/rocket`, now: 1 };

test('a merged pull request in a list is captured as merged', () => {
  const merged = history.pulls.find(({ mergedAt }) => mergedAt !== null) ?? assert.fail();
  const body = pullBody(github.pullShape(merged, history, place), context) ?? assert.fail();
  assert.ok(body.event === 'pull_request' && body.action === 'backfilled');
  assert.deepEqual([body.pull.state, body.pull.mergeSha], ['merged', merged.mergeSha]);
  const open = history.pulls.find(({ closedAt }) => closedAt === null) ?? assert.fail();
  const other = pullBody(github.pullShape(open, history, place), context) ?? assert.fail();
  assert.ok(other.event === 'pull_request');
  assert.deepEqual([other.pull.state, other.pull.mergeSha], ['open', null]);
});

test('pull requests among the issues give only their number of reactions', () => {
  const [pull, issue] = [history.pulls[1] ?? assert.fail(), history.issues[0] ?? assert.fail()];
  const item = github.pullAsIssueShape(pull, history, place);
  assert.deepEqual(issueBody(item, context), { event: 'pull_reactions', number: pull.number, reactions: pull.number });
  for (const reactions of [undefined, null, { total_count: -1 }, { total_count: '5' }])
    assert.equal(issueBody({ ...item, reactions }, context), undefined);
  assert.equal(issueBody({ ...item, number: 'x' }, context), undefined);
  const plain = issueBody({ ...github.issueShape(issue, history, place), pull_request: null }, context);
  assert.ok(plain?.event === 'issues');
  assert.equal(plain.issue.reactions, issue.number % 5);
});

test('a pull request in a list shows a first contribution as in deliveries', () => {
  const shape = github.pullShape(history.pulls[0] ?? assert.fail(), history, place);
  const first = (fields: object) => {
    const body = pullBody({ ...shape, ...fields }, context);
    return body?.event === 'pull_request' ? body.pull.firstTime : assert.fail();
  };
  const open = { state: 'open', merged_at: null, closed_at: null };
  assert.equal(first({ author_association: 'FIRST_TIME_CONTRIBUTOR' }), true);
  assert.equal(first({ author_association: 'CONTRIBUTOR' }), undefined, 'most are read after their merge');
  assert.equal(first({ ...open, author_association: 'CONTRIBUTOR' }), false);
});

test('comments get their number from the address that they contain', () => {
  const remark = history.issueComments[0] ?? assert.fail();
  const line = history.reviewComments[0] ?? assert.fail();
  const bodies = [
    issueCommentBody(github.issueCommentShape(remark, history, place), context),
    issueCommentBody(gitea.issueCommentShape(remark, history, place), { ...context, kind: 'gitea' }),
    reviewCommentBody(github.reviewCommentShape(line, history, place), context),
  ];
  assert.deepEqual(
    bodies.map((body) => body?.event === 'comment' && [body.comment.kind, body.comment.number]),
    [
      ['discussion', remark.number],
      ['discussion', remark.number],
      ['review_comment', line.number],
    ],
  );
  assert.deepEqual(
    bodies.map((body) => body?.event === 'comment' && body.comment.association),
    ['MEMBER', null, 'MEMBER'],
  );
  assert.equal(issueCommentBody({ id: 1, body: 'x', issue_url: 'https://scm.example/issues' }, context), undefined);
});

test('fields that must not be stored are dropped', () => {
  const { issueComments, reviewComments, reviews, commits, pulls } = history;
  const bodies = [
    ...pulls.map((pull) => pullBody(github.pullShape(pull, history, place), context)),
    ...issueComments.map((remark) => issueCommentBody(github.issueCommentShape(remark, history, place), context)),
    ...reviewComments.map((line) => reviewCommentBody(github.reviewCommentShape(line, history, place), context)),
    ...reviews.map((one) => reviewBody(github.reviewShape(one, history, place), one.number, context)),
    ...[...commits.values()].map((commit) => listedCommit(github.commitShape(commit, history, place))),
  ];
  assert.ok(bodies.every((body) => body !== undefined));
  const text = JSON.stringify(bodies);
  for (const secret of ['secretSourceLine', 'secret-path', '@example.com', '901820', 'avatars.test', 'A Person'])
    assert.ok(!text.includes(secret), secret);
});

test('verdicts of reviews are converted to those of deliveries', () => {
  const item = { id: 7, body: 'Good', user: { login: 'ada' }, submitted_at: '2026-01-05T10:00:00Z' };
  const verdict = (state: unknown) => {
    const body = reviewBody({ ...item, state }, 3, context);
    return body?.event === 'comment' ? body.comment.state : undefined;
  };
  const bodies = [
    'APPROVED',
    'CHANGES_REQUESTED',
    'REQUEST_CHANGES',
    'COMMENT',
    'DISMISSED',
    'PENDING',
    'REQUEST_REVIEW',
  ];
  assert.deepEqual(bodies.map(verdict), [
    'approved',
    'changes_requested',
    'changes_requested',
    'commented',
    'dismissed',
    undefined,
    undefined,
  ]);
});

test('a Gitea review gets the same id as in its delivery', () => {
  const item = { id: 7, body: 'Good', state: 'APPROVED', user: { login: 'ada' }, submitted_at: '2026-01-05T10:00:00Z' };
  const [one, other] = [7, 8].map((id) => reviewBody({ ...item, id }, 3, { ...context, kind: 'gitea' }));
  assert.ok(one?.event === 'comment' && other?.event === 'comment');
  assert.equal(one.comment.id, other.comment.id);
  assert.match(one.comment.id, /^[0-9a-f]{32}$/);
});

test('a commit keeps its parents and its committer’s date', () => {
  const item = {
    sha: 'a'.repeat(40),
    commit: {
      message: 'Fix it\n\nCo-authored-by: Bo <7+bo@users.noreply.github.com>',
      author: { date: '2020-01-01T00:00:00Z' },
      committer: { date: '2026-01-05T10:00:00+01:00' },
    },
    author: null,
    parents: [{ sha: 'b'.repeat(40) }, { sha: 'not a sha' }],
  };
  const { sha, at, author, coAuthors, parents } = listedCommit(item) ?? assert.fail();
  assert.deepEqual(
    [sha, at, author, coAuthors, parents],
    ['a'.repeat(40), Date.UTC(2026, 0, 5, 9), null, ['bo'], ['b'.repeat(40)]],
  );
  assert.equal(listedCommit({ ...item, parents: null }), undefined);
});

test('a tag keeps its object apart from its commit', () => {
  const details = { sha: 'a'.repeat(40), object: 'b'.repeat(40), date: 5 };
  const body = tagBody('release/1.0', details, 9);
  assert.ok(body.event === 'tag');
  const { name, sha, object, date, pushedAt, deleted } = body.tag;
  assert.deepEqual(
    [name, sha, object, date, pushedAt, deleted],
    ['release/1.0', details.sha, details.object, 5, 9, false],
  );
});

test('the time of the last change of an item is read', () => {
  assert.equal(updatedAt({ updated_at: '2026-01-05T10:00:00Z', created_at: '2020-01-01T00:00:00Z' }), 1767607200000);
  assert.equal(updatedAt({ created_at: null }), null);
});
