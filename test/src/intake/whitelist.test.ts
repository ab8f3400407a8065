/**
 * Tests that only the listed fields leave the ingress (spec part 2). All other fields of every captured payload contain
 * a canary text, and no canary may appear in an event.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toEvents } from '../../../src/intake/events.ts';
import { readExamples } from '../../helpers/examples.ts';
import { issuePayload, pullPayload, pushPayload, tagPayload } from '../../helpers/payloads.ts';

const canary = 'Canary';
const canaryNumber = 987_654_321;

const repository = [
  'repository.id',
  'repository.full_name',
  'repository.default_branch',
  'repository.html_url',
  'repository.private',
  'repository.pushed_at',
  'repository.owner.id',
  'repository.owner.login',
];

const snapshot = (object: string, ...more: string[]): string[] =>
  [
    'number',
    'title',
    'body',
    'state',
    'created_at',
    'updated_at',
    'closed_at',
    'html_url',
    'labels.name',
    'user.login',
    'user.type',
    ...more,
  ].map((field) => `${object}.${field}`);

/** All captured fields, by event. */
const whitelist: Record<string, ReadonlySet<string>> = {
  pull_request: new Set([
    'action',
    ...repository,
    ...snapshot('pull_request', 'merged', 'merged_at', 'merge_commit_sha', 'base.ref', 'head.ref'),
    'pull_request.author_association',
  ]),
  issues: new Set(['action', ...repository, ...snapshot('issue', 'state_reason', 'reactions.total_count')]),
  push: new Set([
    'ref',
    'before',
    'after',
    'forced',
    'deleted',
    'base_ref',
    'total_commits',
    ...repository,
    ...['id', 'message', 'timestamp', 'author.username'].map((field) => `commits.${field}`),
    ...['id', 'timestamp'].map((field) => `head_commit.${field}`),
  ]),
};

/** Fields that must not be stored. The test adds them to every object of a payload. */
const extras = {
  email: `${canary}@example.com`,
  name: canary,
  diff_hunk: `@@ ${canary}`,
  patch: canary,
  secret: canary,
  config: { secret: canary, token: canary },
  changes: { body: { from: canary } },
  pusher: { name: canary, email: canary },
  added: [canary],
  path: canary,
  position: canaryNumber,
};

/** Returns a copy of the payload with a canary in every field that is not on the list. */
function withCanaries(value: unknown, allowed: ReadonlySet<string>, path = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withCanaries(item, allowed, path));
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([name, field]): [string, unknown] => {
      const at = path === '' ? name : `${path}.${name}`;
      return [name, allowed.has(at) ? field : withCanaries(field, allowed, at)];
    });
    return { ...unlisted(path, allowed), ...Object.fromEntries(fields) };
  }
  if (typeof value === 'string') return `${canary} of ${path}`;
  return typeof value === 'number' ? canaryNumber : value;
}

function unlisted(path: string, allowed: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(extras).filter(([name]) => !allowed.has(path === '' ? name : `${path}.${name}`)),
  );
}

function assertSilent(event: string, payload: object, title: string): void {
  const minimised = toEvents(event, payload, 'https://github.com', 1_767_225_600_000);
  assert.ok(minimised, title);
  const text = JSON.stringify(minimised);
  assert.doesNotMatch(text, new RegExp(`.{0,60}${canary}.{0,60}|${canaryNumber}`), title);
}

test('no unlisted field is captured', () => {
  let count = 0;
  for (const { event, action, payload, title } of readExamples()) {
    const allowed = whitelist[event];
    if (!allowed || action === 'deleted' || action === 'transferred') continue;
    assertSilent(event, withCanaries(payload, allowed) as object, title);
    count += 1;
  }
  assert.equal(count, 63);
});

test('merged pull requests and tags leak no unlisted field either', () => {
  const payloads: [string, object][] = [
    ['pull_request', pullPayload(1)],
    ['pull_request', pullPayload(2, { merged: undefined, merged_by: { login: canary, email: canary } })],
    ['issues', issuePayload(3)],
    ['push', pushPayload([1, 2, 3], '0'.repeat(40))],
    ['push', tagPayload('v1', 3)],
  ];
  for (const [event, payload] of payloads) {
    assertSilent(event, withCanaries(payload, whitelist[event] as ReadonlySet<string>) as object, event);
  }
});

test('the text before an edit is dropped', () => {
  const payload = pullPayload(1, { body: 'clean now' }, {}, 'edited');
  assertSilent('pull_request', { ...payload, changes: { body: { from: canary }, title: { from: canary } } }, 'edited');
});

test('a person is kept by handle only', () => {
  const user = { login: 'ada', id: 5, type: 'User', name: canary, email: canary, avatar_url: canary, bio: canary };
  assertSilent('pull_request', pullPayload(1, { user, assignee: user, requested_reviewers: [user] }), 'user');
});

test('the check detects a canary that was captured', () => {
  assert.throws(() => assertSilent('pull_request', pullPayload(1, { title: `Says ${canary}` }), 'title'));
  assert.throws(() => assertSilent('issues', issuePayload(canaryNumber), 'number'));
});
