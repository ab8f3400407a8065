/**
 * Tests payloads as Gitea and Forgejo send them: with fewer fields, other actions, and nulls instead of absent fields.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toEvents } from '../../../src/intake/events.ts';
import type { EventBody } from '../../../src/protocol/events.ts';

const origin = 'https://git.example.com';
const now = Date.UTC(2026, 5, 1);
const sha = 'b'.repeat(40);
const zeros = '0'.repeat(40);

const user = { id: 1, login: 'ada', full_name: 'Ada', email: 'ada@example.com', username: 'ada' };
const repository = {
  id: 12,
  owner: user,
  name: 'rocket',
  full_name: 'acme/rocket',
  private: true,
  html_url: 'https://git.example.com/acme/rocket',
  default_branch: 'main',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-02T00:00:00Z',
};

function only(event: string, payload: object): EventBody {
  const bodies = toEvents(event, { secret: 'old-secret', repository, sender: user, ...payload }, origin, now)?.bodies;
  assert.equal(bodies?.length, 1);
  return bodies?.[0] as EventBody;
}

test('a pull request merged without a closing time is merged', () => {
  const body = only('pull_request', {
    action: 'closed',
    number: 3,
    pull_request: {
      id: 9,
      number: 3,
      user,
      title: 'Faster start',
      body: 'closes #2',
      labels: [],
      state: 'closed',
      merged: true,
      merged_at: '2026-01-02T12:00:00+02:00',
      merge_commit_sha: sha,
      merged_by: user,
      base: { label: 'main', ref: 'main', sha, repo_id: 12, repo: repository },
      head: { label: 'fast', ref: 'fast', sha, repo_id: 12, repo: repository },
      html_url: 'https://git.example.com/acme/rocket/pulls/3',
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-02T10:00:00Z',
      closed_at: null,
    },
  });
  assert.ok(body.event === 'pull_request');
  const { state, mergedAt, closedAt, mergeSha, headSha, author, url } = body.pull;
  assert.equal(headSha, sha);
  assert.deepEqual([state, mergeSha, author], ['merged', sha, { login: 'ada', bot: false }]);
  assert.deepEqual([mergedAt, closedAt], [Date.UTC(2026, 0, 2, 10), Date.UTC(2026, 0, 2, 10)]);
  assert.equal(url, 'https://git.example.com/acme/rocket/pulls/3');
  assert.doesNotMatch(JSON.stringify(body), /old-secret|example\.com"/);
});

test('an issue closed without a time keeps none', () => {
  const issue = {
    id: 4,
    number: 2,
    user,
    title: 'It leaks',
    body: '',
    labels: [{ id: 1, name: 'type: bug', color: 'ee0701' }],
    assignees: null,
    state: 'closed',
    comments: 0,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-02T00:00:00Z',
    due_date: null,
    pull_request: null,
  };
  const body = only('issues', { action: 'closed', number: 2, issue });
  assert.ok(body.event === 'issues');
  const { state, closedAt, updatedAt, labels } = body.issue;
  assert.deepEqual([state, closedAt, updatedAt, labels], ['closed', null, Date.UTC(2026, 0, 2), ['type: bug']]);
  assert.ok(only('issues', { action: 'label_cleared', number: 2, issue: { ...issue, labels: null } }));
});

test('a cut list of commits is marked as a gap', () => {
  const commit = {
    id: sha,
    message: 'Faster\n',
    url: '',
    author: { name: 'Ada', email: 'a@b.c', username: 'ada' },
    timestamp: '2026-01-02T12:00:00+02:00',
  };
  const push = {
    ref: 'refs/heads/main',
    before: 'c'.repeat(40),
    after: sha,
    compare_url: '',
    head_commit: commit,
    pusher: user,
  };
  const cut = only('push', { ...push, commits: Array(5).fill(commit), total_commits: 40 });
  assert.ok(cut.event === 'push');
  assert.deepEqual([cut.push.gap, cut.push.commits.length, cut.push.pushedAt], [true, 5, now]);
  const whole = only('push', { ...push, commits: [commit], total_commits: 1 });
  assert.ok(whole.event === 'push' && !whole.push.gap);
  const empty = only('push', { ...push, commits: null, total_commits: 0 });
  assert.ok(empty.event === 'push' && !empty.push.gap);
});

test('a moved tag is captured like any other tag', () => {
  const head_commit = { id: sha, message: 'x', timestamp: '2026-01-02T12:00:00+02:00' };
  const body = only('push', {
    ref: 'refs/tags/v1.0.0',
    before: zeros,
    after: sha,
    commits: [],
    total_commits: 0,
    head_commit,
  });
  assert.ok(body.event === 'tag');
  assert.deepEqual([body.tag.name, body.tag.sha, body.tag.deleted], ['v1.0.0', sha, false]);
  const bare = only('push', { ref: 'refs/tags/v1.0.0', before: zeros, after: sha, commits: null, head_commit: null });
  assert.ok(bare.event === 'tag');
  assert.deepEqual([bare.tag.sha, bare.tag.object, bare.tag.date], [null, sha, null]);
});
