/**
 * Tests the conversion of a payload's fields to a snapshot. The tested fields include unusual forms that hosts send,
 * and hostile values.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sampleHistory } from '../../../demo/history/index.ts';
import { slotOf, slotOfId } from '../../../src/foundation/ids.ts';
import { toEvents } from '../../../src/intake/events.ts';
import { minimiseCommit } from '../../../src/intake/minimise.ts';
import type { IssueSnapshot, PullSnapshot } from '../../../src/protocol/events.ts';
import { issuePayload, pullPayload, repositoryPayload, timeOf } from '../../helpers/payloads.ts';

const origin = 'https://github.com';
const now = Date.UTC(2026, 5, 1);

function pull(fields: Record<string, unknown> = {}, action = 'closed'): PullSnapshot {
  const body = toEvents('pull_request', pullPayload(1, fields, {}, action), origin, now)?.bodies[0];
  assert.ok(body?.event === 'pull_request');
  return body.pull;
}

function issue(fields: Record<string, unknown> = {}, action = 'closed'): IssueSnapshot {
  const body = toEvents('issues', issuePayload(1, fields, {}, action), origin, now)?.bodies[0];
  assert.ok(body?.event === 'issues');
  return body.issue;
}

function repository(fields: Record<string, unknown>) {
  const minimised = toEvents('pull_request', pullPayload(1, {}, fields), origin, now);
  assert.ok(minimised);
  return minimised.repository;
}

test('the smallest payload of the spec is captured (spec 4)', () => {
  const payload = {
    action: 'closed',
    pull_request: {
      number: 7,
      title: 'Faster start',
      body: 'text',
      state: 'closed',
      merged: true,
      merged_at: '2026-03-01T10:00:00Z',
      user: { login: 'ada' },
      labels: [{ name: 'type: feature' }],
    },
    repository: { full_name: 'Acme/rocket' },
  };
  const minimised = toEvents('pull_request', payload, origin, now);
  assert.equal(minimised?.repository.hostId, 'name:acme/rocket');
  assert.equal(minimised.repository.owner.id, 'name:acme');
  assert.equal(minimised.repository.url, 'https://github.com/Acme/rocket');
  const [body] = minimised.bodies;
  assert.ok(body?.event === 'pull_request');
  assert.equal(body.pull.state, 'merged');
  assert.deepEqual([body.pull.updatedAt, body.pull.undated, body.pull.mergedAt], [now, true, Date.UTC(2026, 2, 1, 10)]);
  assert.equal(body.pull.url, 'https://github.com/Acme/rocket/pull/7');
});

test('a merge is recognized by its flag, time or action', () => {
  const time = Date.parse(timeOf(1));
  const merges = [pull(), pull({ merged: undefined }), pull({ merged: null }), pull({ merged_at: null })];
  for (const { state, mergedAt } of [...merges, pull({ merged: undefined, merged_at: null }, 'merged')]) {
    assert.equal(state, 'merged');
    assert.equal(mergedAt, time);
  }
  assert.equal(pull({ closed_at: null }).closedAt, time, 'Gitea sends no closed_at with a merge');
});

test('an open pull request has no merge commit', () => {
  const open = pull({ state: 'open', merged: false, merged_at: null, closed_at: null }, 'synchronize');
  assert.deepEqual([open.state, open.mergeSha, open.mergedAt, open.closedAt], ['open', null, null, null]);
});

test('a pull request closed without a merge is closed', () => {
  const closed = pull({ merged: false, merged_at: null });
  assert.deepEqual([closed.state, closed.mergeSha, closed.mergedAt], ['closed', null, null]);
});

test('a missing author becomes ghost', () => {
  assert.deepEqual(pull({ user: null }).author, { login: 'ghost', bot: false });
  assert.deepEqual(issue({ user: undefined }).author, { login: 'ghost', bot: false });
});

test('a login that no host allows becomes ghost, and the rest is captured', () => {
  const odd = [
    'a\n\n## Forged',
    'a b',
    'a/b',
    '../x',
    '..',
    '',
    'a\u009bb',
    'a\u202eb',
    '<b>',
    '[x](y)',
    'a@b',
    'é',
    '[bot]',
  ];
  for (const login of odd) {
    assert.deepEqual(pull({ user: { login } }).author, { login: 'ghost', bot: false }, JSON.stringify(login));
    assert.equal(pull({ user: { login }, title: 'Kept' }).title, 'Kept');
    assert.equal(minimiseCommit({ id: 'a1', author: { username: login } }, now).author, null, JSON.stringify(login));
  }
  const usual = ['ada', 'Ada-L', 'ada_short', 'a.b', '-x-', 'ghost', 'deleted', 'gitea-actions', 'x'.repeat(39), '007'];
  for (const login of usual) {
    assert.deepEqual(pull({ user: { login } }).author, { login, bot: false });
    assert.equal(minimiseCommit({ id: 'a1', author: { username: login } }, now).author, login);
  }
  assert.deepEqual(pull({ user: { login: 'github-actions[bot]' } }).author, {
    login: 'github-actions[bot]',
    bot: true,
  });
});

test('bots are recognized by type or name', () => {
  assert.equal(pull({ user: { login: 'dependabot[bot]' } }).author.bot, true);
  assert.equal(pull({ user: { login: 'renovate', type: 'Bot' } }).author.bot, true);
  assert.equal(pull({ user: { login: 'botanist', type: 'User' } }).author.bot, false);
});

test('the association of the author shows a first contribution', () => {
  const open = { state: 'open', merged: false, merged_at: null, closed_at: null };
  const first = (author_association: unknown, fields: Record<string, unknown> = {}) =>
    pull({ author_association, ...fields }).firstTime;
  for (const word of ['FIRST_TIME_CONTRIBUTOR', 'FIRST_TIMER']) {
    assert.equal(first(word, open), true, word);
    assert.equal(first(word), true, `${word} after the merge`);
  }
  assert.equal(first('CONTRIBUTOR', open), false);
  assert.equal(first('CONTRIBUTOR', { ...open, merged: undefined }), false, 'a review leaves `merged` out');
  const inReview = { state: 'open', merged: undefined };
  assert.equal(first('CONTRIBUTOR', inReview), undefined, 'the time of the merge counts too');
  assert.equal(first('CONTRIBUTOR'), undefined, 'the merge made the author a contributor');
  assert.equal(first('CONTRIBUTOR', { state: 'closed', merged: false, merged_at: null }), undefined);
  assert.equal(first('CONTRIBUTOR', { ...open, state: undefined }), undefined);
  for (const word of ['OWNER', 'MEMBER', 'COLLABORATOR', 'MANNEQUIN', 'NONE'])
    assert.equal(first(word, open), undefined, word);
});

test('an unknown association is dropped, and the rest is captured', () => {
  const before = JSON.stringify(pull());
  for (const value of [
    null,
    undefined,
    '',
    'first_timer',
    'FIRST_TIMER\n## Forged',
    '__proto__',
    7,
    true,
    {},
    ['FIRST_TIMER'],
    'x'.repeat(100_000),
  ])
    assert.equal(JSON.stringify(pull({ author_association: value })), before, String(value).slice(0, 40));
});

test('the number of reactions to an issue is kept if it is a plausible number', () => {
  const counted = (total_count: unknown) => issue({ reactions: { url: 'https://x.test', total_count, heart: 9 } });
  for (const count of [0, 1, 127, 1_000_000]) assert.equal(counted(count).reactions, count);
  const before = JSON.stringify(issue());
  for (const count of [-1, 0.5, 1_000_001, 1e300, 2 ** 53, '7', null, undefined, true, [3], { valueOf: 3 }])
    assert.equal(JSON.stringify(counted(count)), before, String(count));
  for (const reactions of [null, 5, 'many', [], { count: 3 }, [{ total_count: 3 }]])
    assert.equal(JSON.stringify(issue({ reactions })), before, JSON.stringify(reactions));
});

test('reviews and comments carry both fields too', () => {
  const open = { state: 'open', merged: undefined, merged_at: null, author_association: 'FIRST_TIMER' };
  const { pull_request, repository } = pullPayload(1, open);
  const review = { action: 'submitted', review: { id: 3, state: 'approved', user: { login: 'bob' } } };
  const comment = { action: 'created', comment: { id: 3, body: 'Nice', user: { login: 'bob' } } };
  const reactions = { total_count: 12 };
  const first = (event: string, payload: object) => toEvents(event, payload, origin, now)?.bodies[0];
  for (const [event, payload] of [
    ['pull_request_review', review],
    ['pull_request_review_comment', comment],
  ] as const) {
    const body = first(event, { ...payload, pull_request, repository });
    assert.ok(body?.event === 'pull_request');
    assert.equal(body.pull.firstTime, true, event);
  }
  const commented = first('issue_comment', { ...comment, ...issuePayload(2, { reactions }), action: 'created' });
  assert.ok(commented?.event === 'issues');
  assert.equal(commented.issue.reactions, 12);
});

test('absent labels differ from empty labels', () => {
  assert.equal('labels' in pull({ labels: undefined }), false);
  assert.deepEqual(pull({ labels: null }).labels, []);
  assert.deepEqual(pull({ labels: [{ name: ':bug: Bugfix', color: 'red' }] }).labels, [':bug: Bugfix']);
});

test('line ends, NUL and lone surrogates are normalized', () => {
  const { title, body } = pull({ title: 'a\u0000b\ud800', body: 'one\r\ntwo\rthree\u0000\udc00 🚀' });
  assert.equal(title, 'ab\ufffd');
  assert.equal(body, 'one\ntwo\nthree\ufffd 🚀');
  assert.equal(pull({ body: null }).body, '');
});

test('any text becomes well-formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
      const { title, author, labels } = pull({ title: text, user: { login: text }, labels: [{ name: text }] });
      for (const kept of [title, author.login, labels?.[0] ?? '']) {
        assert.ok(kept.isWellFormed() && !/[\0\r]/.test(kept));
      }
    }),
  );
});

test('times with an offset and seconds since 1970 are converted', () => {
  const instant = Date.UTC(2021, 3, 29, 2, 32, 21);
  for (const time of ['2021-04-28T22:32:21.000-04:00', '2021-04-29T02:32:21Z', instant / 1000]) {
    assert.equal(pull({ merged_at: time }).mergedAt, instant, String(time));
  }
});

test('times ahead of their receipt are capped at five minutes after it, in every event', () => {
  const kinds = new Set<string>();
  for (const { event, body } of sampleHistory()) {
    const ahead = JSON.stringify(body).replace(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"2099-01-01T00:00:00Z"');
    const seconds = ahead.replace(/"pushed_at":\d+/g, '"pushed_at":4070908800');
    for (const each of toEvents(event, JSON.parse(seconds), origin, now)?.bodies ?? []) {
      const times =
        JSON.stringify(each)
          .match(/\b\d{13}\b/g)
          ?.map(Number) ?? [];
      assert.ok(
        times.every((time) => time <= now + 300_000),
        JSON.stringify(each),
      );
      if (times.includes(now + 300_000)) kinds.add(each.event);
    }
  }
  for (const kind of ['pull_request', 'issues', 'push', 'tag', 'comment']) assert.ok(kinds.has(kind), kind);
  const renamed = { action: 'renamed', repository: { ...repositoryPayload(), updated_at: '2099-01-01T00:00:00Z' } };
  const [body] = toEvents('repository', renamed, origin, now)?.bodies ?? [];
  assert.equal((body as { seenAt: number }).seenAt, now + 300_000);
});

test('invalid times count as missing', () => {
  for (const time of ['', 'yesterday', '2026-13-45T00:00:00Z', -5, 1e15, 1e300, '+275760-09-13T00:00:00Z']) {
    const { createdAt, updatedAt, undated } = pull({ created_at: time, updated_at: time });
    assert.equal(createdAt, null, String(time));
    assert.deepEqual([updatedAt, undated], [now, true], 'the time of the receipt stands in');
  }
  const bare = { updated_at: null, closed_at: null, merged_at: null, merged: false, state: 'open' };
  assert.equal(pull(bare, 'opened').updatedAt, now);
});

test('a snapshot without a time counts as of its receipt, even with a time of merge or close', () => {
  const [first, second] = [pull({ updated_at: undefined }), issue({ updated_at: undefined })];
  assert.deepEqual([first.updatedAt, first.undated, first.mergedAt], [now, true, Date.parse(timeOf(1))]);
  assert.deepEqual([second.updatedAt, second.undated, second.closedAt], [now, true, Date.parse(timeOf(1))]);
  assert.equal('undated' in pull(), false);
  assert.equal('undated' in issue(), false);
});

test('a reopened issue has no closing time', () => {
  assert.equal(issue({ state: 'open' }, 'reopened').closedAt, null);
  assert.equal(issue().closedAt, Date.parse(timeOf(1)));
  assert.equal(issue({ closed_at: undefined }).closedAt, null);
});

test('an issue without state keeps what is known', () => {
  const pinned = issue({ state: undefined, labels: undefined }, 'pinned');
  assert.equal('state' in pinned, false);
  assert.equal('labels' in pinned, false);
  assert.equal('state' in issue({ state: 'half-open' }), false);
});

test('a repository is identified by its number', () => {
  const { id, hostId } = repository({ id: 5_000_000_000 });
  assert.equal(hostId, '5000000000');
  assert.equal(slotOfId(id, 'repo'), slotOf(origin, '5000000000'));
  assert.equal(repository({ id: 5_000_000_000, full_name: 'other/name' }).id, id, 'a new name keeps the id');
  assert.equal(repository({ id: '5000000000' }).id, id, 'digits in quotes are the same number');
});

test('secrets in titles and bodies are removed', () => {
  const token = `ghp_${'A1b2'.repeat(9)}`;
  assert.doesNotMatch(JSON.stringify([pull({ title: token, body: `x ${token}` }), issue({ body: token })]), /ghp_/);
});
