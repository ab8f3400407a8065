/**
 * Tests which fields of comments, reviews, refs, labels and installations are kept, and which fields are never kept.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toEvents } from '../../../src/intake/events.ts';
import { toInstallation } from '../../../src/intake/installations.ts';
import { issuePayload, pullPayload, repositoryPayload } from '../../helpers/payloads.ts';

const origin = 'https://github.com';
const now = 1_767_657_600_000;
const at = '2026-01-05T00:00:00Z';

function bodies(event: string, payload: Record<string, unknown>) {
  return toEvents(event, payload, origin, now)?.bodies ?? [];
}

function comment(fields: Record<string, unknown> = {}) {
  return {
    id: 3_065_773_662,
    body: 'Mail a@b.example',
    user: { login: 'bo' },
    created_at: at,
    updated_at: at,
    ...fields,
  };
}

test('a comment is kept without personal data', () => {
  const payload = { ...issuePayload(4), action: 'created', comment: comment() };
  const [issue, body] = bodies('issue_comment', payload);
  assert.equal(issue?.event, 'issues');
  assert.deepEqual(body?.event === 'comment' && body.comment, {
    id: '3065773662',
    author: { login: 'bo', bot: false },
    body: 'Mail [email]',
    state: null,
    createdAt: Date.parse(at),
    updatedAt: Date.parse(at),
    association: null,
    kind: 'discussion',
    number: 4,
  });
});

test('the relation of the author to the repository is one of the words of the host', () => {
  const related = (fields: object, rest: object = {}) => {
    const [, body] = bodies('issue_comment', {
      ...issuePayload(4),
      action: 'created',
      comment: comment({ ...fields }),
      ...rest,
    });
    return body?.event === 'comment' && body.comment.association;
  };
  assert.equal(related({ author_association: 'MEMBER' }), 'MEMBER');
  for (const unknown of ['member', 'ADMIN', '', 7, ['OWNER'], null])
    assert.equal(related({ author_association: unknown }), null);
  const permitted = (push: unknown) => ({ repository: { ...repositoryPayload(), permissions: { push } } });
  const sender = { login: 'bo' };
  assert.equal(related({}, { sender, ...permitted(true) }), 'COLLABORATOR');
  assert.equal(related({}, { sender, ...permitted(false) }), 'NONE');
  assert.equal(related({}, { sender, ...permitted('true') }), null);
  assert.equal(related({}, permitted(true)), null);
  assert.equal(related({}, { sender: { login: 'ada' }, ...permitted(true) }), null);
  assert.equal(related({ author_association: 'NONE' }, { sender, ...permitted(true) }), 'NONE');
});

test('reviews and review comments have the relation of their author', () => {
  const named = { author_association: 'OWNER' };
  const line = { ...pullPayload(9), action: 'created', comment: comment(named) };
  const review = { id: 5, state: 'approved', user: { login: 'bo' }, submitted_at: at, ...named };
  const verdict = { ...pullPayload(9), action: 'submitted', review };
  for (const [event, payload] of [
    ['pull_request_review_comment', line] as const,
    ['pull_request_review', verdict] as const,
  ]) {
    const [, body] = bodies(event, payload);
    assert.equal(body?.event === 'comment' && body.comment.association, 'OWNER', event);
  }
});

test('a comment is captured when its issue has only a number', () => {
  for (const issue of [{ number: 4 }, { number: 4, title: '' }, { number: 4, title: null }]) {
    const payload = { ...issuePayload(4), action: 'created', comment: comment(), issue };
    const [found, ...others] = bodies('issue_comment', payload);
    assert.deepEqual([found?.event === 'comment' && found.comment.number, others], [4, []]);
  }
  const payload = { ...issuePayload(4), action: 'created', comment: comment(), issue: { number: 4, title: 7 } };
  assert.throws(() => bodies('issue_comment', payload), /issue|incomplete|payload/i);
});

test('a comment on a pull request does not change the pull request', () => {
  for (const mark of [
    { is_pull: true },
    { issue: { ...(issuePayload(4).issue as object), pull_request: { url: 'x' } } },
  ]) {
    const found = bodies('issue_comment', { ...issuePayload(4), action: 'created', comment: comment(), ...mark });
    assert.deepEqual(
      found.map(({ event }) => event),
      ['comment'],
    );
  }
});

test('a review comment is kept without the code under review', () => {
  const code = { diff_hunk: '@@ secret code', path: 'src/a.ts', position: 3 };
  const found = bodies('pull_request_review_comment', { ...pullPayload(9), action: 'created', comment: comment(code) });
  assert.doesNotMatch(JSON.stringify(found), /secret code|src\/a\.ts/);
  assert.equal(found[1]?.event === 'comment' && found[1].comment.kind, 'review_comment');
});

test('both forms of reviews that hosts send are captured', () => {
  const hosts = [
    ['pull_request_review', { id: 5, state: 'APPROVED', body: null, submitted_at: at, user: { login: 'bo' } }],
    ['pull_request_approved', { type: 'pull_request_review_approved', content: 'Good' }],
  ] as const;
  for (const [event, review] of hosts) {
    const payload = { ...pullPayload(9), action: event === 'pull_request_review' ? 'submitted' : 'reviewed', review };
    const [, body] = bodies(event, { ...payload, sender: { login: 'bo' } });
    assert.ok(body?.event === 'comment', event);
    assert.deepEqual([body.comment.state, body.comment.author.login], ['approved', 'bo']);
  }
});

test('the creation or deletion of a tag is marked as a hint', () => {
  const payload = { ref: 'v1', ref_type: 'tag', repository: repositoryPayload({ pushed_at: 1000 }) };
  const [made] = bodies('create', payload);
  const [gone] = bodies('delete', payload);
  assert.deepEqual(made?.event === 'tag' && [made.tag.name, made.tag.hint, made.tag.deleted], ['v1', true, false]);
  assert.deepEqual(gone?.event === 'tag' && [gone.tag.deleted, gone.tag.pushedAt], [true, 1_000_000]);
  assert.deepEqual(bodies('create', { ...payload, ref_type: 'branch' }), []);
});

test('a renamed or deleted label keeps its former name', () => {
  const payload = { label: { name: 'type: bug' }, repository: repositoryPayload() };
  const renamed = bodies('label', { ...payload, action: 'edited', changes: { name: { from: 'bug' } } });
  assert.deepEqual(renamed, [{ event: 'label', from: 'bug', to: 'type: bug', seenAt: now, checks: true }]);
  assert.deepEqual(bodies('label', { ...payload, action: 'edited', changes: {} }), []);
  assert.deepEqual(bodies('label', { ...payload, action: 'deleted' }), [
    { event: 'label', from: 'type: bug', to: null, seenAt: now, checks: true },
  ]);
});

test('a renamed repository keeps its former name', () => {
  const changes = { repository: { name: { from: 'boat' } } };
  const [body] = bodies('repository', { action: 'renamed', changes, repository: repositoryPayload() });
  assert.equal(body?.event === 'repository' && body.formerName, 'acme/boat');
});

test('an installation contains its owner and repositories', () => {
  const payload = {
    action: 'created',
    installation: { id: 8, account: { login: 'acme', id: 77 } },
    repositories: [{ id: 1001, full_name: 'acme/rocket', private: true }],
  };
  const [body] = toInstallation('installation', payload, origin) ?? [];
  assert.deepEqual(
    [body?.action, body?.owner, body?.added[0]?.fullName],
    ['installed', { id: '77', login: 'acme' }, 'acme/rocket'],
  );
  assert.equal(toInstallation('installation', { action: 'new_permissions_accepted' }, origin), undefined);
  assert.equal(toInstallation('push', {}, origin), undefined);
  assert.throws(() => toInstallation('installation', { action: 'created' }, origin), /installation/);
});
