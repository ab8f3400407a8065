/**
 * Tests every published payload of every event: captured payloads become events that are small enough for the journal,
 * all other payloads are ignored, and no payload fails.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from '@sinclair/typebox/value';
import { toEvents } from '../../../src/intake/events.ts';
import { EventBodySchema } from '../../../src/protocol/events.ts';
import { EventRepositorySchema } from '../../../src/protocol/repository.ts';
import { readExamples } from '../../helpers/examples.ts';

const origin = 'https://github.com';
const now = 1_767_225_600_000;
const examples = readExamples();

/** The number of captured payloads per event and action. No payload of any other event or action is captured. */
const captured: Record<string, number> = {
  create: 5,
  delete: 4,
  'issue_comment created': 5,
  'issue_comment deleted': 2,
  'issue_comment edited': 2,
  'issues deleted': 1,
  'issues transferred': 1,
  'label deleted': 2,
  'pull_request_review dismissed': 1,
  'pull_request_review submitted': 3,
  'pull_request_review_comment created': 3,
  'pull_request_review_comment deleted': 1,
  'pull_request_review_comment edited': 1,
  'repository created': 2,
  'repository edited': 2,
  'repository privatized': 2,
  'repository publicized': 3,
  'repository renamed': 1,
  'repository transferred': 3,
  'issues assigned': 3,
  'issues demilestoned': 2,
  'issues edited': 3,
  'issues labeled': 2,
  'issues locked': 2,
  'issues milestoned': 2,
  'issues opened': 4,
  'issues pinned': 1,
  'issues reopened': 1,
  'issues unassigned': 2,
  'issues unlabeled': 2,
  'issues unlocked': 2,
  'issues unpinned': 1,
  'pull_request assigned': 2,
  'pull_request closed': 2,
  'pull_request converted_to_draft': 3,
  'pull_request labeled': 2,
  'pull_request locked': 2,
  'pull_request opened': 4,
  'pull_request ready_for_review': 3,
  'pull_request reopened': 2,
  'pull_request review_request_removed': 1,
  'pull_request review_requested': 1,
  'pull_request synchronize': 1,
  'pull_request unassigned': 2,
  'pull_request unlabeled': 2,
  'pull_request unlocked': 2,
  push: 7,
};

test('all published payloads are loaded', () => {
  assert.ok(examples.length >= 320, `${examples.length} payloads`);
  assert.ok(new Set(examples.map(({ event }) => event)).size >= 55);
});

test('captured payloads match the table', () => {
  const counts: Record<string, number> = {};
  for (const { event, action, payload } of examples) {
    const key = `${event} ${action}`.trim();
    if (toEvents(event, payload, origin, now)) counts[key] = (counts[key] ?? 0) + 1;
  }
  assert.deepEqual(counts, captured);
});

test('captured payloads fit the journal', () => {
  for (const { event, payload, title } of examples) {
    const minimised = toEvents(event, payload, origin, now);
    if (!minimised) continue;
    assert.ok(Value.Check(EventRepositorySchema, minimised.repository), title);
    assert.ok(minimised.bodies.length > 0, title);
    for (const body of minimised.bodies) assert.ok(Value.Check(EventBodySchema, body), title);
  }
});

test('payloads of one repository share its id', () => {
  const ids = new Map<string, string>();
  for (const { event, payload, title } of examples) {
    const repository = toEvents(event, payload, origin, now)?.repository;
    if (!repository) continue;
    assert.equal(ids.get(repository.hostId) ?? repository.id, repository.id, title);
    ids.set(repository.hostId, repository.id);
  }
  assert.equal(ids.size, 3);
});

test('times and states are those of the payload', () => {
  for (const { event, payload, title } of examples) {
    const [body] = toEvents(event, payload, origin, now)?.bodies ?? [];
    if (body?.event !== 'pull_request') continue;
    const pull = payload.pull_request as Record<string, string | boolean | null>;
    const expected = pull.merged === true ? 'merged' : pull.state;
    assert.equal(body.pull.state, expected, title);
    assert.equal(body.pull.updatedAt, Date.parse(String(pull.updated_at)), title);
    assert.equal(body.pull.mergedAt === null, expected !== 'merged', title);
    assert.equal(body.pull.mergeSha === null, expected !== 'merged', title);
  }
});

test('tag pushes contain commit and tag object', () => {
  const tags = examples.flatMap(({ event, payload }) =>
    (toEvents(event, payload, origin, now)?.bodies ?? []).flatMap((body) =>
      body.event === 'tag' && !body.tag.hint ? body.tag : [],
    ),
  );
  assert.equal(tags.length, 5);
  for (const tag of tags) {
    assert.match(tag.name, /^[^/]\S*$/);
    assert.equal(tag.deleted, tag.sha === null);
    assert.match(String(tag.object), /^(?!0+$)[0-9a-f]{40}$/);
  }
});
