/**
 * Checks that the captured records depend neither on the order of snapshots nor on duplicates. Tests each rule first,
 * then permutations of random histories.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EventBody, IssueSnapshot, PullSnapshot } from '../../../src/protocol/events.ts';
import type { EventRecord } from '../../../src/protocol/journal.ts';
import type { IssueRecord, PullRecord } from '../../../src/protocol/stored.ts';
import type { TableName } from '../../../src/store/partition.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { readTag } from '../../../src/store/tables/tags.ts';
import { mergeIssue, mergePull } from '../../../workers/fold/capture.ts';
import { foldBatch } from '../../../workers/partition/batch.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import {
  backfilledRecord,
  epoch,
  eventRecord,
  issueSnapshot,
  pullRecord,
  pullSnapshot,
  repositoryFields,
  shaNumber,
  tagPush,
} from '../../helpers/partition-records.ts';
import { anyBody } from '../../helpers/partition-steps.ts';

const repository = { ...repositoryFields(), formerNames: [], createdAt: 0, seenAt: 0, revision: 1 };
const at = (second: number) => epoch + second * 1000;

type PullStep = [action: string, fields: Partial<PullSnapshot>];
type IssueStep = [action: string, fields: Partial<IssueSnapshot>];

/** Folds snapshots in every order, checks that the outcome is the same, and returns it. */
function pullAfter(...steps: PullStep[]): PullRecord {
  const outcomes = permutations(steps).map((order) =>
    order.reduce<PullRecord | undefined>(
      (before, [action, fields]) => mergePull(before, pullSnapshot(1, fields), action, repository),
      undefined,
    ),
  );
  return theOne(outcomes);
}

function issueAfter(...steps: IssueStep[]): IssueRecord {
  const outcomes = permutations(steps).map((order) =>
    order.reduce<IssueRecord | undefined>(
      (before, [action, fields]) => mergeIssue(before, issueSnapshot(1, fields), action),
      undefined,
    ),
  );
  return theOne(outcomes);
}

const open = { state: 'open', closedAt: null, mergedAt: null, mergeSha: null } as const;
const closed = (second: number) => ({ ...open, state: 'closed', closedAt: at(second), updatedAt: at(second) }) as const;
const without = <K extends string>(...keys: K[]) => Object.fromEntries(keys.map((key) => [key, undefined]));

test('never undoes a proved merge', () => {
  const pull = pullAfter(
    ['closed', { updatedAt: at(3), title: 'Merged' }],
    ['edited', { ...closed(9), title: 'Edited' }],
    ['labeled', { ...open, updatedAt: at(1), title: 'Opened' }],
  );
  const { title, state, mergedAt, mergeSha } = pull;
  assert.deepEqual(
    { title, state, mergedAt, mergeSha },
    { title: 'Edited', state: 'merged', mergedAt: at(1), mergeSha: shaNumber(1) },
  );
});

test('takes the merge commit from any snapshot that has one', () => {
  const pull = pullAfter(['closed', { updatedAt: at(3) }], ['labeled', { updatedAt: at(5), mergeSha: null }]);
  assert.equal(pull.mergeSha, shaNumber(1));
});

test('takes the newest merge commit', () => {
  const labeled = (second: number, mergeSha: string | null): PullStep => [
    'labeled',
    { updatedAt: at(second), mergeSha },
  ];
  assert.equal(pullAfter(labeled(3, shaNumber(9)), labeled(5, shaNumber(2)), labeled(7, null)).mergeSha, shaNumber(2));
  assert.equal(pullAfter(labeled(3, shaNumber(2)), labeled(5, shaNumber(9)), labeled(7, null)).mergeSha, shaNumber(9));
  assert.equal(pullAfter(labeled(3, shaNumber(2)), labeled(3, shaNumber(9))).mergeSha, shaNumber(9), 'of one second');
});

test('the newest commit is the one of the newest snapshot', () => {
  const pushed = (second: number, number: number, action = 'synchronize'): PullStep => [
    action,
    { ...open, updatedAt: at(second), headSha: shaNumber(number) },
  ];
  assert.equal(pullAfter(pushed(3, 9), pushed(5, 2), pushed(4, 5)).headSha, shaNumber(2));
  assert.equal(pullAfter(pushed(3, 9, 'opened'), pushed(3, 2)).headSha, shaNumber(2), 'of one second');
  assert.equal(pullAfter(['edited', { ...open, updatedAt: at(3) }], pushed(3, 2, 'edited')).headSha, shaNumber(2));
});

test('a later reopening wins over a close', () => {
  const { state, closedAt } = pullAfter(['closed', closed(3)], ['reopened', { ...open, updatedAt: at(4) }]);
  assert.deepEqual([state, closedAt], ['open', null]);
});

test('prefers closed to open within one second', () => {
  const { state } = pullAfter(['opened', { ...open, updatedAt: at(3) }], ['closed', closed(3)]);
  assert.equal(state, 'closed');
});

test('keeps labels that a later snapshot leaves out', () => {
  const steps: PullStep[] = [
    ['labeled', { updatedAt: at(2), labels: ['bug'] }],
    ['edited', { updatedAt: at(5), ...without('labels'), title: 'Later' }],
    ['labeled', { updatedAt: at(1), labels: ['old', 'bug'] }],
  ];
  const { labels, title } = pullAfter(...steps);
  assert.deepEqual([labels, title], [['bug'], 'Later']);
  const issue = issueAfter(...(steps as IssueStep[]));
  assert.deepEqual([issue.labels, issue.title], [['bug'], 'Later']);
});

test('removes all labels when a snapshot lists none', () => {
  const { labels } = pullAfter(['labeled', { updatedAt: at(2), labels: ['bug'] }], ['unlabeled', { updatedAt: at(3) }]);
  assert.deepEqual(labels, []);
});

test('takes the larger label set of one second of labeling', () => {
  const steps: PullStep[] = [['bug'], ['bug', 'area'], ['docs']].map((labels) => ['labeled', { labels }]);
  assert.deepEqual(pullAfter(...steps).labels, ['bug', 'area']);
});

test('takes the smaller label set of one second of unlabeling', () => {
  const steps: PullStep[] = [['bug', 'area'], ['area'], []].map((labels) => ['unlabeled', { labels }]);
  assert.deepEqual(pullAfter(...steps).labels, []);
});

test('keeps an issue closed when a later pin leaves out the state', () => {
  const issue = issueAfter(
    ['closed', { updatedAt: at(2), closedAt: at(2) }],
    ['pinned', { updatedAt: at(5), ...without('state'), closedAt: null }],
    ['opened', { updatedAt: at(1), state: 'open', closedAt: null }],
  );
  assert.deepEqual([issue.state, issue.closedAt, issue.updatedAt], ['closed', at(2), at(5)]);
});

test('an open issue has no closing time', () => {
  const issue = issueAfter(
    ['closed', { updatedAt: at(2) }],
    ['reopened', { updatedAt: at(3), state: 'open', closedAt: at(2) }],
  );
  assert.deepEqual([issue.state, issue.closedAt], ['open', null]);
});

test('stores the fields in one order, whatever the snapshots leave out', () => {
  const first = { ...issueSnapshot(1, { updatedAt: at(2) }) };
  const bare = { ...issueSnapshot(1, { updatedAt: at(2) }) };
  delete bare.state;
  delete bare.labels;
  const fold = (...snapshots: IssueSnapshot[]) =>
    snapshots.reduce<IssueRecord | undefined>((before, snapshot) => mergeIssue(before, snapshot, 'edited'), undefined);
  const orders = [fold(first, bare), fold(bare, first), fold(bare, bare, first)].map((issue) => JSON.stringify(issue));
  assert.deepEqual(new Set(orders).size, 1, orders.join('\n'));
  const merged = pullSnapshot(1);
  const unlabelled = { ...merged };
  delete unlabelled.labels;
  const pulls = [
    [merged, unlabelled],
    [unlabelled, merged],
  ].map((order) =>
    order.reduce<PullRecord | undefined>((before, pull) => mergePull(before, pull, 'edited', repository), undefined),
  );
  assert.equal(JSON.stringify(pulls[0]), JSON.stringify(pulls[1]));
});

test('keeps that a pull request was its author’s first one, in every order', () => {
  const opened: PullStep = ['opened', { ...open, updatedAt: at(1), firstTime: true }];
  const labeled: PullStep = ['labeled', { ...open, updatedAt: at(2), firstTime: false }];
  const merged: PullStep = ['closed', { updatedAt: at(3) }];
  const read: PullStep = ['backfilled', { updatedAt: at(4) }];
  assert.equal(pullAfter(opened, merged, read).firstTime, true, 'the host shows nothing after the merge');
  assert.equal(pullAfter(opened, labeled, merged, read).firstTime, true, 'another pull request was merged meanwhile');
  assert.equal(pullAfter(labeled, merged, read).firstTime, false);
  assert.equal('firstTime' in pullAfter(merged, read), false);
});

test('takes the newest number of reactions, and keeps it when a later snapshot leaves it out', () => {
  const counted = (second: number, reactions?: number, action = 'edited'): IssueStep => [
    action,
    { updatedAt: at(second), ...(reactions !== undefined && { reactions }) },
  ];
  const numbers = (...steps: IssueStep[]) => {
    const { reactions, reactionsAt } = issueAfter(...steps);
    return [reactions, reactionsAt];
  };
  assert.deepEqual(numbers(counted(1, 3), counted(2, 40), counted(3, 5)), [5, undefined]);
  assert.deepEqual(numbers(counted(1, 3), counted(2, 0), counted(3)), [0, at(2)]);
  assert.deepEqual(numbers(counted(1), counted(2, 7), counted(3), counted(3, undefined, 'closed')), [7, at(2)]);
  assert.deepEqual(numbers(counted(1), counted(2)), [undefined, undefined]);
  // A reaction does not change the time of the issue. So a backfill can read a larger number at the same time.
  assert.deepEqual(numbers(counted(2, 9, 'closed'), counted(2, 10, 'backfilled')), [10, undefined]);
});

test('a snapshot without a time keeps both fields as well', () => {
  const receipt = { at: at(9) };
  const first = mergePull(undefined, pullSnapshot(1, { ...open, firstTime: true }), 'opened', repository, receipt);
  const pull = mergePull(first, pullSnapshot(1, { undated: true, updatedAt: at(9) }), 'closed', repository, receipt);
  assert.deepEqual([pull.firstTime, pull.state], [true, 'merged']);
  const issue = mergeIssue(undefined, issueSnapshot(1, { updatedAt: at(1), reactions: 4 }), 'edited', receipt);
  const edited = mergeIssue(issue, issueSnapshot(1, { undated: true, updatedAt: at(9) }), 'edited', receipt);
  assert.deepEqual([edited.reactions, edited.reactionsAt], [4, at(1)]);
  const counted = { undated: true as const, updatedAt: at(9), reactions: 2 };
  assert.equal(mergeIssue(edited, issueSnapshot(1, counted), 'edited', receipt).reactions, 2);
});

test('records without first-time marks and reactions have the fields of earlier versions', () => {
  const edited = { title: 'Edited', updatedAt: at(9) };
  const pull = pullAfter(['closed', {}], ['edited', edited]);
  const issue = issueAfter(['closed', {}], ['edited', edited]);
  assert.equal(
    Object.keys(pull).join(),
    'number,title,body,state,labels,author,createdAt,updatedAt,closedAt,mergedAt,mergeSha,baseRef,headRef,url,linkedIssues,rank',
  );
  assert.equal(
    Object.keys(issue).join(),
    'number,title,body,state,stateReason,labels,author,createdAt,updatedAt,closedAt,url,rank',
  );
});

test('the new fields add few bytes to a record', async (t) => {
  const partition = openTestPartition(t);
  const bytesOf = (pull: PullRecord, issue: IssueRecord) => {
    partition.root.transactionSync(() => {
      partition.tables.pulls.putSync(['bytes', 1], pull);
      partition.tables.issues.putSync(['bytes', 1], issue);
    });
    return (['pulls', 'issues'] as const).map((table) => partition.tables[table].getBinary(['bytes', 1])?.length ?? 0);
  };
  const [pull, issue] = [pullAfter(['closed', {}]), issueAfter(['closed', {}])];
  const before = bytesOf(pull, issue);
  const marked = pullAfter(['opened', { ...open, updatedAt: at(0), firstTime: true }], ['closed', {}]);
  const counted = issueAfter(['closed', { reactions: 127 }]);
  const grown = bytesOf(marked, counted).map((bytes, i) => bytes - (before[i] as number));
  assert.deepEqual(grown, [11, 11]);
});

test('stores the reactions to a pull request, whether the pull request or the number comes first', async (t) => {
  const [one, other] = [openTestPartition(t), openTestPartition(t, 'p01')];
  const page = (reactions: number) => backfilledRecord([{ event: 'pull_reactions', number: 1, reactions }]);
  await foldRecords(one, 1, pullRecord(2), pullRecord(1), page(7));
  await foldRecords(other, 1, pullRecord(2), page(3), page(7), pullRecord(1));
  for (const partition of [one, other]) {
    assert.equal(readPull(partition, repository.id, 1)?.reactions, 7);
    assert.equal(partition.tables.earlyReactions.getKeysCount({}), 0);
  }
  assert.equal(JSON.stringify(stored(other, repository.id)), JSON.stringify(stored(one, repository.id)));
  const edited = { event: 'pull_request', action: 'edited', pull: pullSnapshot(1, { updatedAt: at(9) }) } as const;
  await foldRecords(one, 2, eventRecord(edited));
  assert.equal(readPull(one, repository.id, 1)?.reactions, 7, 'an event leaves the number out');
  await foldRecords(one, 3, page(0));
  assert.equal('reactions' in (readPull(one, repository.id, 1) ?? assert.fail()), false);
  await foldRecords(other, 2, backfilledRecord([{ event: 'pull_reactions', number: 5, reactions: 0 }]));
  assert.equal(other.tables.earlyReactions.getKeysCount({}), 0);
});

test('a late push does not restore a deleted tag, and a newer one does', async (t) => {
  const partition = openTestPartition(t);
  const tag = (number: number, fields = {}): EventRecord =>
    eventRecord({ event: 'tag', tag: tagPush('v1', number, fields) });
  await foldRecords(partition, 1, tag(5, { deleted: true, sha: null, date: null }), tag(3));
  assert.equal(readTag(partition, repository.id, 'v1')?.deleted, true);
  await foldRecords(partition, 2, tag(7));
  assert.deepEqual(
    [readTag(partition, repository.id, 'v1')?.deleted, readTag(partition, repository.id, 'v1')?.sha],
    [false, shaNumber(7)],
  );
});

const captured: TableName[] = [
  'pulls',
  'pullsByMergeSha',
  'pullsByMergedAt',
  'weeks',
  'pullsByAuthor',
  'earlyReactions',
  'issues',
  'issuesByClosedAt',
  'commits',
  'pushes',
  'tags',
];

test('captures the same records in any order and with duplicates', async (t) => {
  const [one, other] = [openTestPartition(t), openTestPartition(t, 'p01')];
  const cases = fc.array(anyBody, { minLength: 1, maxLength: 14 }).chain((bodies) =>
    fc.record({
      bodies: fc.constant(bodies),
      again: fc.shuffledSubarray([...bodies, ...bodies], { minLength: bodies.length * 2 }),
    }),
  );
  let round = 0;
  await fc.assert(
    fc.asyncProperty(cases, async ({ bodies, again }) => {
      round += 1;
      const repo = { ...repositoryFields(), id: `repo_${round}` };
      await foldBodies(one, bodies, repo);
      await foldBodies(other, again, repo);
      assert.equal(JSON.stringify(stored(other, repo.id)), JSON.stringify(stored(one, repo.id)));
    }),
    { numRuns: 150 },
  );
});

async function foldBodies(
  partition: ReturnType<typeof openTestPartition>,
  bodies: readonly EventBody[],
  repo: ReturnType<typeof repositoryFields>,
): Promise<void> {
  await foldBatch(partition, [{ seq: 1, records: bodies.map((body) => eventRecord(body, { repository: repo })) }]);
}

function stored(partition: ReturnType<typeof openTestPartition>, repoId: string): unknown {
  return captured.map((table) => [...partition.tables[table].getRange({ start: [repoId], end: [`${repoId}\u0001`] })]);
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, i) => permutations(items.filter((_, at) => at !== i)).map((rest) => [item, ...rest]));
}

function theOne<T>(outcomes: readonly (T | undefined)[]): T {
  for (const outcome of outcomes) assert.equal(JSON.stringify(outcome), JSON.stringify(outcomes[0]));
  return outcomes[0] as T;
}
