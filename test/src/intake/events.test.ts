/** Tests which events and actions are captured. Also tests the messages about faults in incomplete events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ErrorDetails, ServiceError } from '../../../src/foundation/errors.ts';
import { toEvents } from '../../../src/intake/events.ts';
import { issuePayload, pullPayload, pushPayload, tagPayload, timeOf } from '../../helpers/payloads.ts';
import { processorMs } from '../../helpers/processor-time.ts';

const now = Date.UTC(2026, 5, 1);

function take(event: string, payload: object) {
  return toEvents(event, payload, 'https://github.com', now);
}

function faultsOf(event: string, payload: object): ErrorDetails {
  try {
    take(event, payload);
  } catch (error) {
    assert.ok(error instanceof ServiceError && error.kind === 'invalid');
    return error.details ?? {};
  }
  return {};
}

test('the three events are converted to their kinds', () => {
  assert.equal(take('pull_request', pullPayload(1))?.bodies[0]?.event, 'pull_request');
  assert.equal(take('issues', issuePayload(1))?.bodies[0]?.event, 'issues');
  assert.equal(take('push', pushPayload([1], 'a1'))?.bodies[0]?.event, 'push');
  assert.equal(take('push', tagPayload('v1', 1))?.bodies[0]?.event, 'tag');
});

test('events that are not captured are ignored, even incomplete ones', () => {
  for (const event of ['star', 'fork', 'release', 'Pull_Request', 'check_run', '']) {
    assert.equal(take(event, {}), undefined, event);
  }
});

test('names of built-in properties are ignored as events', () => {
  for (const event of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']) {
    assert.equal(take(event, { action: 'opened' }), undefined, event);
  }
});

test('actions that remove an issue keep only its number', () => {
  for (const action of ['deleted', 'transferred']) {
    const [body] = take('issues', issuePayload(7, {}, {}, action))?.bodies ?? [];
    assert.deepEqual(body, { event: 'issue_removed', number: 7, seenAt: Date.parse(timeOf(7)) });
  }
  assert.ok(take('issues', issuePayload(1, {}, {}, 'an action of tomorrow')));
});

test('missing fields are all named', () => {
  assert.deepEqual(Object.keys(faultsOf('pull_request', {})).sort(), ['action', 'pull_request', 'repository']);
  assert.deepEqual(Object.keys(faultsOf('issues', { action: 'opened', issue: {}, repository: {} })).sort(), [
    'issue.number',
    'issue.title',
    'repository.full_name',
  ]);
  assert.deepEqual(Object.keys(faultsOf('push', {})).sort(), ['after', 'before', 'ref', 'repository']);
});

test('a missing number is named', () => {
  const faults = faultsOf('pull_request', pullPayload(1, { number: undefined }));
  assert.deepEqual(Object.keys(faults), ['pull_request.number']);
  assert.match(faults['pull_request.number'] ?? '', /integer.*got nothing/);
});

test('invalid numbers are refused', () => {
  for (const number of [0, -1, '12', 1.5, null, true, 2 ** 31, 1e300, [], {}]) {
    assert.deepEqual(Object.keys(faultsOf('issues', issuePayload(1, { number }))), ['issue.number'], String(number));
  }
});

test('an empty or missing title is refused', () => {
  for (const title of ['', null, 5, undefined]) {
    assert.deepEqual(Object.keys(faultsOf('pull_request', pullPayload(1, { title }))), ['pull_request.title']);
  }
});

test('a repository name without exactly two parts is refused', () => {
  for (const full_name of ['rocket', 'acme/', '/rocket', 'a/b/c', 'acme/roc ket', '', null, 7]) {
    const payload = { ...pullPayload(1), repository: { id: 1, full_name } };
    assert.deepEqual(Object.keys(faultsOf('pull_request', payload)), ['repository.full_name'], String(full_name));
  }
});

test('wrong types of optional fields are named', () => {
  const fields = { body: 5, merged: 'yes', labels: [{}], user: { login: 7 }, merged_at: {}, base: [] };
  const named = Object.keys(faultsOf('pull_request', pullPayload(1, fields)));
  for (const field of Object.keys(fields)) {
    assert.ok(
      named.some((name) => name.startsWith(`pull_request.${field}`)),
      `${field} not in ${named.join(', ')}`,
    );
  }
});

test('a payload with a million faults is refused in time', () => {
  const payload = { ...pushPayload([1], 'a1'), commits: Array.from({ length: 1_000_000 }, () => ({})) };
  const took = processorMs(() => assert.deepEqual(Object.keys(faultsOf('push', payload)), ['commits']));
  assert.ok(took < 2000, 'one hostile delivery must not stop the gateway');
});

test('any payload is captured, ignored or refused', () => {
  const event = fc.constantFrom('pull_request', 'issues', 'push');
  const field = fc.oneof(fc.jsonValue(), fc.constant(undefined));
  const object = fc.record({ number: field, title: field, body: field, user: field, labels: field, state: field });
  const payload = fc.record(
    {
      action: field,
      pull_request: fc.oneof(field, object),
      issue: fc.oneof(field, object),
      ref: fc.oneof(field, fc.constantFrom('refs/heads/main', 'refs/tags/v1')),
      before: field,
      after: field,
      commits: field,
      head_commit: field,
      repository: fc.oneof(
        field,
        fc.record({ full_name: fc.oneof(field, fc.constant('a/b')), id: field, owner: field }),
      ),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(event, payload, (name, value) => {
      try {
        take(name, value);
      } catch (error) {
        assert.ok(error instanceof ServiceError, String(error));
        assert.ok(Object.keys(error.details ?? {}).length > 0);
      }
    }),
    { numRuns: 2000 },
  );
});
