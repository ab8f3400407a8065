/**
 * Sends whole histories through the real intake and the real fold. Hosts report such histories for a pull request, an
 * issue, their comments, tags, branches and the repository's names. Neither the order of payloads nor duplicates
 * change the records.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { repositoryId } from '../../../src/foundation/ids.ts';
import { toEvents } from '../../../src/intake/events.ts';
import type { EventRecord } from '../../../src/protocol/journal.ts';
import { dumpRepository } from '../../../src/store/dump.ts';
import { openPartition, type Partition } from '../../../src/store/partition.ts';
import { listComments } from '../../../src/store/tables/comments.ts';
import { listDeadLetters } from '../../../src/store/tables/dead-letters.ts';
import { readIssue } from '../../../src/store/tables/issues.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { readPush } from '../../../src/store/tables/pushes.ts';
import { readRepository } from '../../../src/store/tables/repositories.ts';
import { readTag } from '../../../src/store/tables/tags.ts';
import { foldBatch } from '../../../workers/partition/batch.ts';
import { eventRecord } from '../../helpers/partition-records.ts';
import {
  issuePayload,
  pullPayload,
  pushPayload,
  repositoryPayload,
  shaOf,
  tagPayload,
} from '../../helpers/payloads.ts';
import { temporaryFolder } from '../../helpers/ports.ts';

const origin = 'https://scm.example';
const received = Date.UTC(2026, 5, 1);
const repoId = repositoryId(origin, '1001');
/** Returns the host's time `n` seconds after the start of the histories in this file. */
const at = (n: number): string => new Date(Date.UTC(2026, 2, 1) + n * 1000).toISOString().replace('.000Z', 'Z');
const epochAt = (n: number): number => Date.parse(at(n)) / 1000;

type HostDelivery = [event: string, payload: object];

const open = { state: 'open', merged: false, merged_at: null, closed_at: null, merge_commit_sha: shaOf(999) };
const label = (...names: string[]) => ({ labels: names.map((name) => ({ name })) });
/**
 * Changes the pull request of an event into the form that reviews and lists contain. This form has no `merged` and no
 * `merged_by`.
 */
const simple = { merged: undefined, merged_by: undefined };
const pull = (second: number, action: string, fields: object, repository = {}): HostDelivery => [
  'pull_request',
  pullPayload(7, { created_at: at(0), updated_at: at(second), ...fields }, repository, action),
];
const merged = (second: number) => ({
  ...label('type: bug'),
  merged_at: at(20),
  closed_at: at(20),
  updated_at: at(second),
});

const pullHistory: HostDelivery[] = [
  pull(0, 'opened', { ...open, title: 'First' }),
  pull(1, 'labeled', { ...open, ...label('bug'), title: 'First' }),
  pull(1, 'labeled', { ...open, ...label('bug', 'area: x'), title: 'First' }),
  pull(2, 'edited', { ...open, ...label('bug', 'area: x'), title: 'Second', body: 'Fixes #3' }),
  pull(3, 'synchronize', { ...open, labels: undefined, title: 'Second', body: 'Fixes #3' }),
  pull(4, 'closed', { ...open, state: 'closed', closed_at: at(4), title: 'Second' }),
  pull(5, 'reopened', { ...open, ...label('bug'), title: 'Second' }),
  pull(20, 'closed', { ...merged(20), title: 'Second', body: 'Fixes #3' }),
  pull(25, 'edited', { ...merged(25), title: 'Third', body: 'Fixes #4, fixes acme/old#5, fixes acme/rocket#6' }),
  [
    'pull_request_review',
    {
      ...pullPayload(
        7,
        { ...merged(25), ...simple, title: 'Third', body: 'Fixes #4, fixes acme/old#5, fixes acme/rocket#6' },
        {},
        'submitted',
      ),
      review: { id: 31, state: 'approved', body: 'Good', user: { login: 'bo' }, submitted_at: at(24) },
    },
  ],
  [
    'pull_request_review_comment',
    {
      ...pullPayload(7, { ...open, ...simple, updated_at: at(3), title: 'Second' }, {}, 'created'),
      comment: { id: 32, body: 'Here', user: { login: 'bo' }, created_at: at(3), updated_at: at(3) },
    },
  ],
  [
    'issue_comment',
    {
      ...issuePayload(7, { pull_request: { merged_at: at(20) }, updated_at: at(30), title: 'Of an issue' }),
      action: 'created',
      comment: { id: 33, body: 'Merged', user: null, created_at: at(30), updated_at: at(30) },
    },
  ],
];

const issue = (second: number, action: string, fields: object): HostDelivery => [
  'issues',
  issuePayload(3, { created_at: at(0), updated_at: at(second), ...fields }, {}, action),
];
const said = (action: string, second: number, body: string, comment = 41): HostDelivery => [
  'issue_comment',
  {
    ...issuePayload(3, { updated_at: at(second), state: 'open', closed_at: null, title: 'It leaks' }),
    action,
    comment: { id: comment, body, user: { login: 'bo' }, created_at: at(6), updated_at: at(second) },
  },
];
const issueHistory: HostDelivery[] = [
  issue(0, 'opened', { state: 'open', closed_at: null, title: 'It leaks' }),
  issue(5, 'closed', { closed_at: at(5), ...label('bug'), state_reason: 'completed', title: 'It leaks' }),
  // A reopened issue can carry the time at which it was closed. Payloads of pinned issues lack labels and state.
  issue(8, 'reopened', { state: 'open', closed_at: at(5), ...label('bug', 'p1'), title: 'It leaks' }),
  issue(9, 'pinned', { state: undefined, labels: undefined, closed_at: null, title: 'It leaks' }),
  issue(10, 'edited', { state: 'open', closed_at: null, ...label('bug'), title: 'It leaks a lot' }),
  said('created', 6, 'one'),
  said('edited', 7, 'two'),
  said('edited', 7, 'two, rather'),
  said('created', 7, 'gone', 42),
  said('edited', 8, 'gone, edited', 42),
  said('deleted', 7, 'gone', 42),
];

const moved = (second: number, number: number, fields: object = {}): HostDelivery => [
  'push',
  { ...tagPayload('v1', number), repository: repositoryPayload({ pushed_at: epochAt(second) }), ...fields },
];
const deleted = { after: '0'.repeat(40), deleted: true, created: false, head_commit: null, before: shaOf(2) };
const created = (event: 'create' | 'delete', second: number, fields: object = {}): HostDelivery => [
  event,
  { ref: 'v1', ref_type: 'tag', repository: repositoryPayload({ pushed_at: at(second) }), ...fields },
];
const tagHistory: HostDelivery[] = [
  moved(10, 1),
  created('create', 10),
  moved(11, 2, { before: shaOf(1), created: false }),
  // Gitea sends zeros in `before` even for a tag that moved.
  moved(11, 2, { before: '0'.repeat(40) }),
  moved(12, 2, deleted),
  created('delete', 12),
  created('create', 13, { sha: shaOf(3) }),
  moved(13, 3, { after: 'f'.repeat(40), head_commit: { id: shaOf(3), timestamp: at(9) } }),
];

const pushHistory: HostDelivery[] = [
  ['push', pushPayload([1, 2], shaOf(0))],
  ['push', pushPayload([3], shaOf(2))],
  ['push', { ...pushPayload([1, 2, 3], shaOf(0)), forced: true }],
  ['push', { ...pushPayload([2, 3], shaOf(1)), repository: repositoryPayload({ pushed_at: epochAt(3) }) }],
  ['push', { ...pushPayload([3], shaOf(2), 'v1'), commits: [{ id: shaOf(3), message: 'Change 3 (#3)', author: {} }] }],
  ['push', { ...pushPayload([4], shaOf(3)), total_commits: 40 }],
];

const named = (second: number, full_name: string): HostDelivery =>
  pull(second, 'edited', { ...merged(20), updated_at: at(second), title: `At ${second}` }, { full_name });
const nameHistory: HostDelivery[] = [
  named(20, 'acme/old'),
  [
    'repository',
    {
      action: 'renamed',
      changes: { repository: { name: { from: 'old' } } },
      repository: { ...repositoryPayload({ full_name: 'acme/new' }), updated_at: at(21) },
    },
  ],
  // A delivery in the same second as the rename still contains the old name.
  named(21, 'acme/old'),
  [
    'repository',
    {
      action: 'transferred',
      changes: { owner: { from: { user: { login: 'acme', id: 77 } } } },
      repository: {
        ...repositoryPayload({ full_name: 'umbra/new', owner: { login: 'umbra', id: 78 } }),
        updated_at: at(23),
      },
    },
  ],
  named(22, 'acme/new'),
  pull(
    24,
    'edited',
    { ...merged(24), body: 'fixes acme/old#5, fixes umbra/new#6, fixes acme/new#8, fixes x/y#9' },
    {
      full_name: 'umbra/new',
      owner: { login: 'umbra', id: 78 },
    },
  ),
];

const histories = { pullHistory, issueHistory, tagHistory, pushHistory, nameHistory };

/**
 * Makes the records of the payloads. All records have the same time of receipt. Therefore the stored times do not
 * depend on the order of the payloads, or on duplicates.
 */
function recordsOf(deliveries: readonly HostDelivery[]): EventRecord[][] {
  return deliveries.map(([event, payload]) => {
    const minimised = toEvents(event, payload, origin, received);
    assert.ok(minimised, event);
    const { repository } = minimised;
    return minimised.bodies.map((body) => eventRecord(body, { repository, at: received }));
  });
}

/** Returns a function that opens a new partition at each call. All these partitions are in one folder. */
function partitionsOf(t: TestContext): () => Partition {
  const dataDir = temporaryFolder(t);
  let count = 0;
  return () => {
    count += 1;
    return openPartition(dataDir, `p${count}`);
  };
}

async function foldAll(partition: Partition, records: readonly EventRecord[][]): Promise<void> {
  // Each record gets a new delivery id, so the table of deliveries does not reject duplicates. The fold of the content
  // itself must be idempotent.
  const messages = records.map((delivery, i) => ({
    seq: i + 1,
    records: delivery.map((record) => ({ ...record, delivery: `delivery ${i}` })),
  }));
  await foldBatch(partition, messages);
  assert.deepEqual(listDeadLetters(partition), []);
}

const dump = (partition: Partition): string => [...dumpRepository(partition, repoId)].join('');

for (const [name, deliveries] of Object.entries(histories)) {
  test(`folds the ${name} to the same records in any order`, async (t) => {
    const next = partitionsOf(t);
    const records = recordsOf(deliveries);
    const expected = next();
    await foldAll(expected, records);
    const orders = fc.shuffledSubarray([...records, ...records], { minLength: records.length * 2 });
    const parts = fc.tuple(orders, fc.shuffledSubarray(records, { minLength: records.length }));
    const anyOrder = fc.oneof(
      orders,
      parts.map((both) => both.flat()),
    );
    await assertAlike(anyOrder, expected, next, 60);
    await expected.close();
  });
}

/**
 * Folds the records in many different orders, each order into a new partition. Compares the rows of each partition with
 * those of `expected`, byte for byte.
 */
async function assertAlike(
  anyOrder: fc.Arbitrary<EventRecord[][]>,
  expected: Partition,
  next: () => Partition,
  numRuns: number,
): Promise<void> {
  const alike = fc.asyncProperty(anyOrder, async (order) => {
    const partition = next();
    await foldAll(partition, order);
    const left = dump(partition);
    await partition.close();
    assert.equal(left, dump(expected));
  });
  await fc.assert(alike, { numRuns });
}

test('folds all histories together to the same records in any order', async (t) => {
  const next = partitionsOf(t);
  const records = recordsOf(Object.values(histories).flat());
  const expected = next();
  await foldAll(expected, records);
  const anyOrder = fc.shuffledSubarray([...records, ...records], { minLength: records.length * 2 });
  await assertAlike(anyOrder, expected, next, 25);
  await expected.close();
});

test('the last states of the host are stored', async (t) => {
  const partition = partitionsOf(t)();
  await foldAll(partition, recordsOf([...pullHistory, ...issueHistory, ...tagHistory, ...pushHistory]).reverse());
  const { title, state, labels, mergeSha, linkedIssues } = readPull(partition, repoId, 7) ?? {};
  assert.deepEqual([title, state, labels, mergeSha], ['Third', 'merged', ['type: bug'], shaOf(7)]);
  assert.deepEqual(linkedIssues, [4, 6]);
  const leak = readIssue(partition, repoId, 3);
  assert.deepEqual([leak?.title, leak?.state, leak?.closedAt, leak?.labels], ['It leaks a lot', 'open', null, ['bug']]);
  assert.deepEqual(
    listComments(partition, repoId, 3).map(({ body }) => body),
    ['two, rather'],
  );
  const tag = readTag(partition, repoId, 'v1');
  assert.deepEqual([tag?.sha, tag?.tagObject, tag?.deleted], [shaOf(3), 'f'.repeat(40), false]);
  assert.deepEqual(readPush(partition, repoId, 'main', shaOf(3))?.shas, [shaOf(2), shaOf(3)]);
  await partition.close();
});

test('links under former names count, and a former name never returns', async (t) => {
  const partition = partitionsOf(t)();
  await foldAll(partition, recordsOf(nameHistory).reverse());
  const { fullName, formerNames, owner } = readRepository(partition, repoId) ?? {};
  assert.deepEqual([fullName, formerNames, owner?.login], ['umbra/new', ['acme/new', 'acme/old'], 'umbra']);
  assert.deepEqual(readPull(partition, repoId, 7)?.linkedIssues, [5, 6, 8]);
  await partition.close();
});

test('a name taken by another repository stays with that repository', async (t) => {
  const partition = partitionsOf(t)();
  const other = issuePayload(1, { updated_at: at(40) }, { id: 2002, full_name: 'acme/old' });
  await foldAll(partition, recordsOf([...nameHistory, ['issues', other], named(19, 'acme/old')]));
  assert.equal(readRepository(partition, repoId)?.fullName, 'umbra/new');
  assert.equal(readRepository(partition, repositoryId(origin, '2002'))?.fullName, 'acme/old');
  await partition.close();
});

test('a removed issue takes its comments along, whatever arrives late', async (t) => {
  const next = partitionsOf(t);
  for (const action of ['deleted', 'transferred']) {
    const gone = issue(12, action, { state: 'open', closed_at: null, title: 'It leaks' });
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(recordsOf([...issueHistory, gone]), { minLength: issueHistory.length + 1 }),
        async (order) => {
          const partition = next();
          await foldAll(partition, order);
          assert.deepEqual([readIssue(partition, repoId, 3), listComments(partition, repoId, 3)], [undefined, []]);
          await partition.close();
        },
      ),
      { numRuns: 20 },
    );
  }
});
