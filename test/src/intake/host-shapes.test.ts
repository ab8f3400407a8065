/**
 * Tests that handwritten payloads become exactly the expected events. Some payloads have forms that the hosts'
 * published examples lack. Other payloads have forms of self-hosted forges.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toEvents } from '../../../src/intake/events.ts';
import type { CommentSnapshot, EventBody, IssueSnapshot, PullSnapshot, TagPush } from '../../../src/protocol/events.ts';

const origin = 'https://scm.example';
const now = Date.UTC(2026, 5, 1);
const [sha, base, zeros] = ['b'.repeat(40), 'c'.repeat(40), '0'.repeat(40)];
const url = `${origin}/acme/rocket`;
const repository = {
  id: 1001,
  full_name: 'acme/rocket',
  default_branch: 'main',
  html_url: url,
  owner: { id: 77, login: 'acme' },
  pushed_at: 1_767_268_800,
};
const user = { id: 5, login: 'ada', type: 'User' };
const merged = Date.UTC(2026, 0, 1, 12);

const hostPull = {
  number: 7,
  title: 'Faster start',
  body: 'Fixes #3',
  state: 'closed',
  merged: true,
  merged_at: '2026-01-01T12:00:00Z',
  closed_at: '2026-01-01T12:00:00Z',
  updated_at: '2026-01-01T12:00:00Z',
  created_at: '2025-12-31T12:00:00Z',
  merge_commit_sha: sha,
  user,
  labels: [{ name: 'type: feature', color: 'fff' }],
  base: { ref: 'main', repo: repository },
  head: { ref: 'fast', repo: repository },
  html_url: `${url}/pull/7`,
};
const pull: PullSnapshot = {
  number: 7,
  title: 'Faster start',
  body: 'Fixes #3',
  state: 'merged',
  labels: ['type: feature'],
  author: { login: 'ada', bot: false },
  createdAt: Date.UTC(2025, 11, 31, 12),
  updatedAt: merged,
  closedAt: merged,
  mergedAt: merged,
  mergeSha: sha,
  baseRef: 'main',
  headRef: 'fast',
  url: `${url}/pull/7`,
};
const open = { state: 'open', merged: false, merged_at: null, closed_at: null } as const;
const openPull: PullSnapshot = { ...pull, state: 'open', mergedAt: null, closedAt: null, mergeSha: null };

const hostIssue = {
  number: 3,
  title: 'It leaks',
  body: 'A lot',
  state: 'closed',
  state_reason: 'completed',
  closed_at: '2026-01-01T12:00:00Z',
  updated_at: '2026-01-01T12:00:00Z',
  created_at: '2025-12-31T12:00:00Z',
  user,
  labels: [{ name: 'bug' }],
  html_url: `${url}/issues/3`,
};
const issue: IssueSnapshot = {
  number: 3,
  title: 'It leaks',
  body: 'A lot',
  state: 'closed',
  stateReason: 'completed',
  labels: ['bug'],
  author: { login: 'ada', bot: false },
  createdAt: Date.UTC(2025, 11, 31, 12),
  updatedAt: merged,
  closedAt: merged,
  url: `${url}/issues/3`,
};
const hostComment = { id: 3_065_773_662, body: 'Ask a@b.cc', user, created_at: '2026-01-01T12:00:00Z' };
const comment: CommentSnapshot = {
  kind: 'discussion',
  id: '3065773662',
  number: 3,
  author: { login: 'ada', bot: false },
  body: 'Ask [email]',
  state: null,
  createdAt: merged,
  updatedAt: merged,
  association: null,
};
const head = {
  id: sha,
  message: 'Faster start (#7)',
  timestamp: '2026-01-01T14:00:00+02:00',
  author: { username: 'ada' },
};
const hostTag = { ref: 'refs/tags/v1', before: zeros, after: sha, base_ref: null, commits: [], head_commit: head };
const tag: TagPush = {
  name: 'v1',
  sha,
  object: sha,
  baseRef: null,
  date: merged,
  deleted: false,
  pushedAt: merged,
};
const commit = { sha, message: 'Faster start (#7)', at: merged, author: 'ada', coAuthors: [] };
const push = {
  branch: 'main',
  before: base,
  after: sha,
  baseRef: null,
  commits: [commit],
  forced: false,
  gap: false,
  deleted: false,
  pushedAt: merged,
};
const hostPush = { ref: 'refs/heads/main', before: base, after: sha, commits: [head], head_commit: head };

const pullEvent = (action: string, snapshot = pull): EventBody => ({ event: 'pull_request', action, pull: snapshot });
const issueEvent = (action: string, snapshot = issue): EventBody => ({ event: 'issues', action, issue: snapshot });
const checkedComment = (snapshot: CommentSnapshot): EventBody =>
  ({ ...commentEvent('created', snapshot), checks: true }) as EventBody;
const commentEvent = (action: string, snapshot: CommentSnapshot): EventBody => ({
  event: 'comment',
  action,
  comment: snapshot,
  // Comments in a discussion can contain commands, so drafts are checked after them.
  ...(action === 'created' && { checks: true }),
});
const tagEvent = (fields: Partial<TagPush> = {}): EventBody => ({ event: 'tag', tag: { ...tag, ...fields } });

/**
 * A payload and the events that the intake makes from it. The events are undefined if the intake ignores the payload.
 */
type Row = [what: string, event: string, payload: object, bodies: EventBody[] | undefined];

const published: Row[] = [
  ['a merge', 'pull_request', { action: 'closed', pull_request: hostPull }, [pullEvent('closed')]],
  [
    'the alias of a merge',
    'pull_request',
    { action: 'merged', pull_request: { ...hostPull, merged: undefined } },
    [pullEvent('merged')],
  ],
  [
    'an edit, without the text before',
    'pull_request',
    {
      action: 'edited',
      changes: { body: { from: 'old' }, title: { from: 'old' } },
      pull_request: { ...hostPull, ...open },
    },
    [pullEvent('edited', openPull)],
  ],
  [
    'a new base',
    'pull_request',
    {
      action: 'edited',
      changes: { base: { ref: { from: 'main' } } },
      pull_request: { ...hostPull, base: { ref: 'v1' } },
    },
    [pullEvent('edited', { ...pull, baseRef: 'v1' })],
  ],
  [
    'a fork that is gone',
    'pull_request',
    { action: 'closed', pull_request: { ...hostPull, head: { ref: 'fast', repo: null } } },
    [pullEvent('closed')],
  ],
  [
    'the newest commit of a head',
    'pull_request',
    { action: 'synchronize', pull_request: { ...hostPull, head: { ref: 'fast', sha: 'd'.repeat(40), repo: null } } },
    [pullEvent('synchronize', { ...pull, headSha: 'd'.repeat(40) })],
  ],
  [
    'a head whose commit is not a full hash',
    'pull_request',
    { action: 'synchronize', pull_request: { ...hostPull, head: { ref: 'fast', sha: 'd1'.repeat(7), repo: null } } },
    [pullEvent('synchronize')],
  ],
  [
    'a head that is gone',
    'pull_request',
    { action: 'closed', pull_request: { ...hostPull, head: null } },
    [pullEvent('closed', { ...pull, headRef: null })],
  ],
  [
    'times with offset and milliseconds',
    'pull_request',
    {
      action: 'closed',
      pull_request: {
        ...hostPull,
        merged_at: '2026-01-01T08:00:00.000-04:00',
        updated_at: '2026-01-01T13:00:00+01:00',
      },
    },
    [pullEvent('closed')],
  ],
  [
    'an account that is gone',
    'pull_request',
    { action: 'closed', pull_request: { ...hostPull, user: null } },
    [pullEvent('closed', { ...pull, author: { login: 'ghost', bot: false } })],
  ],
  [
    'a bot',
    'pull_request',
    { action: 'closed', pull_request: { ...hostPull, user: { login: 'dependabot[bot]', type: 'Bot' } } },
    [pullEvent('closed', { ...pull, author: { login: 'dependabot[bot]', bot: true } })],
  ],
  [
    'line ends of two characters, in 65,536 of them',
    'pull_request',
    { action: 'closed', pull_request: { ...hostPull, body: 'a\r\n'.repeat(21_845) } },
    [pullEvent('closed', { ...pull, body: 'a\n'.repeat(21_845) })],
  ],
  [
    'a draft',
    'pull_request',
    { action: 'ready_for_review', pull_request: { ...hostPull, ...open, draft: true } },
    [pullEvent('ready_for_review', openPull)],
  ],
  ['a closed issue', 'issues', { action: 'closed', issue: hostIssue }, [issueEvent('closed')]],
  ['an edit without changes', 'issues', { action: 'edited', changes: {}, issue: hostIssue }, [issueEvent('edited')]],
  [
    'an issue opened again with the time of its close',
    'issues',
    { action: 'reopened', issue: { ...hostIssue, state: 'open', state_reason: 'reopened' } },
    [issueEvent('reopened', { ...issue, state: 'open', stateReason: 'reopened', closedAt: null })],
  ],
  [
    'an issue moved here',
    'issues',
    { action: 'opened', changes: { old_issue: { number: 1, title: 'old' } }, issue: hostIssue },
    [issueEvent('opened')],
  ],
  [
    'a comment on a pull request',
    'issue_comment',
    { action: 'created', issue: { ...hostIssue, pull_request: { url: 'x', merged_at: null } }, comment: hostComment },
    [checkedComment(comment)],
  ],
  [
    'a comment on an issue',
    'issue_comment',
    { action: 'created', issue: hostIssue, comment: hostComment },
    [issueEvent('commented'), checkedComment(comment)],
  ],
  [
    'a review without words',
    'pull_request_review',
    {
      action: 'submitted',
      pull_request: { ...hostPull, merged: undefined },
      review: { id: 9, body: null, state: 'CHANGES_REQUESTED', user: null, submitted_at: null },
    },
    [
      pullEvent('reviewed'),
      commentEvent('submitted', {
        ...comment,
        kind: 'review',
        id: '9',
        number: 7,
        author: { login: 'ghost', bot: false },
        body: '',
        state: 'changes_requested',
        createdAt: null,
      }),
    ],
  ],
  ['a thread of a review', 'pull_request_review_thread', { action: 'resolved', pull_request: hostPull }, undefined],
  ['a release, even our own', 'release', { action: 'published', release: { tag_name: 'v1', body: 'x' } }, undefined],
  ['a lightweight tag', 'push', hostTag, [tagEvent()]],
  [
    'an annotated tag',
    'push',
    { ...hostTag, after: base, base_ref: 'refs/heads/main' },
    [tagEvent({ object: base, baseRef: 'main' })],
  ],
  ['a moved tag', 'push', { ...hostTag, before: base, created: false }, [tagEvent()]],
  [
    'a deleted tag',
    'push',
    { ...hostTag, before: sha, after: zeros, deleted: true, head_commit: null },
    [tagEvent({ sha: null, date: null, deleted: true })],
  ],
  [
    'a tag of odd characters',
    'create',
    { ref: 'release/1.0#rc', ref_type: 'tag' },
    [tagEvent({ name: 'release/1.0#rc', sha: null, object: null, date: null, hint: true })],
  ],
  ['a new branch', 'create', { ref: 'main', ref_type: 'branch' }, undefined],
  ['a push', 'push', hostPush, [{ event: 'push', push }]],
  ['a forced push', 'push', { ...hostPush, forced: true }, [{ event: 'push', push: { ...push, forced: true } }]],
];

const gitea = {
  ...repository,
  pushed_at: undefined,
  owner: { id: 77, login: 'acme', username: 'acme', email: 'x@y.zz' },
};
const giteaUser = { id: 5, login: 'ada', username: 'ada', full_name: 'Ada', email: 'ada@example.org' };
const giteaPull = { ...hostPull, user: giteaUser, closed_at: null, labels: null };
const giteaReview = { ...comment, kind: 'review', number: 7, createdAt: null } as const;
const giteaActions = [
  ...['opened', 'edited', 'closed', 'reopened', 'assigned', 'unassigned', 'label_updated', 'label_cleared'],
  ...['milestoned', 'demilestoned', 'synchronized', 'review_requested', 'review_request_removed'],
];
const reviewed = (type: string, content: string) => ({
  action: 'reviewed',
  pull_request: giteaPull,
  review: { type, content },
  sender: giteaUser,
  repository: gitea,
});

const forge: Row[] = [
  ...giteaActions.flatMap((action): Row[] => [
    [
      `a pull request ${action}`,
      'pull_request',
      { action, pull_request: giteaPull, repository: gitea },
      [pullEvent(action, { ...pull, labels: [] })],
    ],
    [
      `an issue ${action}`,
      'issues',
      {
        action,
        issue: { ...hostIssue, user: giteaUser, pull_request: null, state_reason: undefined, assignees: null },
        repository: gitea,
      },
      [issueEvent(action, { ...issue, stateReason: null })],
    ],
  ]),
  [
    'an issue closed without a time',
    'issues',
    { action: 'closed', issue: { ...hostIssue, closed_at: undefined }, repository: gitea },
    [issueEvent('closed', { ...issue, closedAt: null })],
  ],
  [
    'a comment on a pull request',
    'issue_comment',
    {
      action: 'created',
      is_pull: true,
      issue: { ...hostIssue, pull_request: null },
      comment: hostComment,
      repository: gitea,
    },
    [checkedComment(comment)],
  ],
  [
    'a comment on an issue',
    'issue_comment',
    {
      action: 'created',
      is_pull: false,
      issue: { ...hostIssue, pull_request: null },
      comment: hostComment,
      repository: gitea,
    },
    [issueEvent('commented'), checkedComment(comment)],
  ],
  [
    'five of forty commits, the newest first',
    'push',
    { ...hostPush, commits: [head, { ...head, id: 'd'.repeat(40) }], total_commits: 40, repository: gitea },
    [
      {
        event: 'push',
        push: { ...push, gap: true, pushedAt: now, commits: [{ ...commit, sha: 'd'.repeat(40) }, commit] },
      },
    ],
  ],
  [
    'a moved tag with zeros before',
    'push',
    { ...hostTag, total_commits: 0, repository: gitea },
    [tagEvent({ pushedAt: now })],
  ],
  [
    'a tag made, with its commit',
    'create',
    { ref: 'v1', ref_type: 'tag', sha, repository: gitea },
    [tagEvent({ object: null, date: null, pushedAt: now, hint: true })],
  ],
  [
    'a tag deleted',
    'delete',
    { ref: 'v1', ref_type: 'tag', pusher_type: 'user', repository: gitea },
    [tagEvent({ sha: null, object: null, date: null, deleted: true, pushedAt: now, hint: true })],
  ],
  ['a release', 'release', { action: 'updated', release: { tag_name: 'v1' }, repository: gitea }, undefined],
];

for (const [host, rows] of Object.entries({
  'a host like the published one': published,
  'a self-hosted forge': forge,
})) {
  test(`${host} is read field by field`, () => {
    for (const [what, event, payload, bodies] of rows) {
      const fields = toEvents(event, { repository, ...payload }, origin, now)?.bodies;
      assert.deepEqual(fields, bodies, what);
    }
  });
}

test('a review without id, state or time is identified by its content', () => {
  const verdicts: [event: string, type: string, state: string][] = [
    ['pull_request_approved', 'pull_request_review_approved', 'approved'],
    ['pull_request_rejected', 'pull_request_review_rejected', 'changes_requested'],
    ['pull_request_comment', 'pull_request_review_comment', 'commented'],
  ];
  const ids = new Set<string>();
  for (const [event, type, state] of verdicts) {
    for (const content of ['Ask a@b.cc', 'Ask nobody']) {
      const [fields, said] = toEvents(event, reviewed(type, content), origin, now)?.bodies ?? [];
      assert.deepEqual(fields, pullEvent('reviewed', { ...pull, labels: [] }), event);
      assert.ok(said?.event === 'comment');
      const { id, body } = said.comment;
      assert.deepEqual(said, commentEvent('reviewed', { ...giteaReview, id, body, state }));
      assert.equal(body, content.replace('a@b.cc', '[email]'));
      ids.add(id);
    }
  }
  assert.equal(ids.size, 2, 'the same words of the same person are the same review');
});

test('the id of a review does not depend on redacted text', () => {
  const idOf = (content: string) => {
    const said = toEvents('pull_request_comment', reviewed('pull_request_review_comment', content), origin, now)
      ?.bodies[1];
    assert.ok(said?.event === 'comment');
    return said.comment.id;
  };
  assert.equal(idOf('Call +1 202 555 0117'), idOf('Call +1 202 555 0118'), 'a number could be guessed from its hash');
});
