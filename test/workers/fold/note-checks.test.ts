/**
 * Tests release note checks in the fold: which records request a check, how long it waits, and what an outcome changes.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { EventBody, PullSnapshot } from '../../../src/protocol/events.ts';
import type { NoteChecked } from '../../../src/protocol/note-checks.ts';
import { defaultSettings, type NotesSettings } from '../../../src/protocol/notes.ts';
import { eraseStale } from '../../../src/store/erasing/stale.ts';
import { listWaitingChecks, readNoteCheck } from '../../../src/store/tables/note-checks.ts';
import { readPull } from '../../../src/store/tables/pulls.ts';
import { dump, foldRecords, openTestPartition, rows } from '../../helpers/partition.ts';
import {
  backfilledRecord,
  commandRecord,
  epoch,
  eventRecord,
  pullSnapshot,
  repositoryFields,
  resultRecord,
} from '../../helpers/partition-records.ts';

const { id: repoId } = repositoryFields();
const delayMs = 5000;
const shas = ['a'.repeat(40), 'b'.repeat(40)] as const;
const open = { state: 'open', closedAt: null, mergedAt: null, mergeSha: null, headSha: shas[0] } as const;

function pull(number: number, second: number, fields: Partial<PullSnapshot> = {}): PullSnapshot {
  return pullSnapshot(number, { ...open, updatedAt: epoch + second * 1000, ...fields });
}

function comment(body: string, fields: object = {}): EventBody {
  const author = { login: 'ada', bot: false };
  const snapshot = {
    kind: 'discussion' as const,
    id: '1',
    number: 1,
    author,
    body,
    state: null,
    association: 'MEMBER' as const,
  };
  return {
    event: 'comment',
    action: 'created',
    comment: { ...snapshot, createdAt: epoch, updatedAt: epoch, ...fields },
  };
}

/** Opens a partition with the check turned on. Times are in seconds after `epoch`. */
async function openStage(t: TestContext, mode: NotesSettings['noteCheck']['mode'] = 'require') {
  const partition = openTestPartition(t);
  let seq = 0;
  const fold = (record: Parameters<typeof foldRecords>[2]) => foldRecords(partition, ++seq, record);
  const event = (body: EventBody, second = 0) => fold(eventRecord(body, { at: epoch + second * 1000 }));
  const pullEvent = (snapshot: PullSnapshot, action: string, second = 0) =>
    event({ event: 'pull_request', action, pull: snapshot }, second);
  const put = (to: NotesSettings['noteCheck']['mode'], second = 0) => {
    const settings = { ...defaultSettings, noteCheck: { ...defaultSettings.noteCheck, mode: to } };
    return fold(commandRecord({ name: 'putSettings', repoId, settings }, epoch + second * 1000));
  };
  const waiting = () => listWaitingChecks(partition).map(({ number, due }) => [number, (due - epoch) / 1000]);
  const row = (number = 1) => listWaitingChecks(partition).find((check) => check.number === number)?.row ?? 0;
  const outcome = (fields: Partial<NoteChecked>, second = 0) => {
    const usual = { result: 'noteChecked', repoId, number: 1, row: row(fields.number), outcome: 'written' } as const;
    return fold(resultRecord({ ...usual, shown: {}, error: null, retryAt: null, ...fields }, epoch + second * 1000));
  };
  if (mode !== 'off') await put(mode);
  return { partition, fold, event, pullEvent, put, waiting, row, outcome };
}

test('an event of an open pull request requests one check, five seconds later', async (t) => {
  const { pullEvent, waiting, row } = await openStage(t);
  await pullEvent(pull(1, 0), 'opened', 10);
  assert.deepEqual(waiting(), [[1, 15]]);
  const first = row();
  await pullEvent(pull(1, 1, { labels: ['type: fix'] }), 'labeled', 12);
  assert.deepEqual(waiting(), [[1, 15]], 'a later event does not extend the delay');
  assert.ok(row() > first, 'but it is another request');
  await pullEvent(pull(2, 1), 'opened', 13);
  assert.deepEqual(waiting(), [
    [1, 15],
    [2, 18],
  ]);
});

test('events that change nothing that the notes depend on request no check', async (t) => {
  const { event, pullEvent, waiting, outcome } = await openStage(t);
  await pullEvent(pull(1, 0), 'opened');
  await outcome({});
  assert.deepEqual(waiting(), []);
  await pullEvent(pull(1, 1), 'reviewed');
  await pullEvent(pull(1, 2), 'assigned');
  await event(comment('Nice.'));
  assert.deepEqual(waiting(), []);
  const asking: [PullSnapshot, string][] = [
    [pull(1, 3), 'ready_for_review'],
    [pull(1, 4, { title: 'Other' }), 'edited'],
    [pull(1, 5, { title: 'Other', headSha: shas[1] }), 'synchronize'],
    [pull(1, 6, { title: 'Other', headSha: shas[1], labels: ['bug'] }), 'label_updated'],
    [pull(1, 7, { title: 'Other', headSha: shas[1] }), 'unlabeled'],
  ];
  for (const [snapshot, action] of asking) {
    await pullEvent(snapshot, action);
    assert.equal(waiting().length, 1, action);
    await outcome({});
  }
  await pullEvent(pull(1, 8, { state: 'closed', closedAt: epoch + 8000 }), 'closed');
  assert.deepEqual(waiting(), [], 'a closed pull request is not checked');
  await pullEvent(pull(1, 9), 'reopened');
  assert.equal(waiting().length, 1);
});

test('a command in a comment requests a check if its author may command', async (t) => {
  const { event, pullEvent, waiting, outcome } = await openStage(t);
  await event(comment('/note Early'));
  assert.deepEqual(waiting(), [], 'the pull request is not captured yet');
  await pullEvent(pull(1, 0), 'opened');
  await outcome({});
  await event(comment('/note Mine', { id: '2', association: 'NONE' }));
  await event(comment('<!-- tidings:note-check x -->\n/note Own', { id: '3' }));
  assert.deepEqual(waiting(), [], 'strangers and the service itself do not command');
  await event(comment('/note Fast', { id: '4' }), 20);
  assert.deepEqual(waiting(), [[1, 25]]);
});

test('nothing is checked while the check is off, from a backfill, or without the newest commit', async (t) => {
  const off = await openStage(t, 'off');
  await off.pullEvent(pull(1, 0), 'opened');
  await off.event(comment('/note Fast'));
  assert.deepEqual(off.waiting(), []);
  const on = await openStage(t, 'inform');
  await on.pullEvent(pullSnapshot(200), 'closed');
  await on.fold(backfilledRecord([{ event: 'pull_request', action: 'backfilled', pull: pull(1, 0) }]));
  const { headSha: _, ...former } = pull(2, 0);
  await on.pullEvent(former, 'opened');
  assert.deepEqual(on.waiting(), []);
  assert.ok(readPull(on.partition, repoId, 1) && readPull(on.partition, repoId, 2));
  assert.equal(dump(on.partition).includes('noteChecks'), false, 'records of earlier versions leave no trace');
});

test('changed settings request checks of open pull requests', async (t) => {
  const { fold, put, pullEvent, waiting, outcome } = await openStage(t, 'off');
  await pullEvent(pullSnapshot(200), 'closed');
  const bodies = Array.from({ length: 130 }, (_, i) => i + 1).map((number) => ({
    ...{ event: 'pull_request' as const, action: 'backfilled' },
    pull: pull(number, 0, number % 10 === 0 ? { state: 'closed', closedAt: epoch } : {}),
  }));
  await fold(backfilledRecord(bodies));
  await put('off', 1);
  assert.deepEqual(waiting(), []);
  await put('require', 2);
  const checked = waiting().map(([number]) => number as number);
  assert.equal(checked.length, 100, 'at most a hundred');
  assert.ok(checked.includes(129) && !checked.includes(130) && !checked.includes(1), 'the newest open ones');
  for (const number of checked) await outcome({ number });
  await put('require', 2);
  assert.deepEqual(waiting(), [], 'the settings are the same');
  await put('off', 3);
  assert.deepEqual(waiting(), [], 'the host shows no verdict');
  await put('require', 4);
  await outcome({ number: 129, shown: { headSha: shas[0], verdict: 'v' } });
  for (const number of waiting().map(([number]) => number as number)) await outcome({ number });
  await put('off', 5);
  assert.deepEqual(waiting(), [[129, 10]], 'its verdict must not stay on the host');
});

test('an outcome ends the check and stores what the host shows', async (t) => {
  const { partition, pullEvent, waiting, outcome, row } = await openStage(t);
  await pullEvent(pull(1, 0), 'opened');
  const ended = row();
  await outcome({ shown: { headSha: shas[0], verdict: 'v1', comment: 'c1' } }, 6);
  const shown = { headSha: shas[0], verdict: 'v1', comment: 'c1', error: null, at: epoch + 6000 };
  assert.deepEqual([waiting(), readNoteCheck(partition, repoId, 1)], [[], shown]);
  await outcome({ row: ended, shown: { verdict: 'late' } }, 7);
  assert.deepEqual(readNoteCheck(partition, repoId, 1), shown, 'a duplicate changes nothing');
  await pullEvent(pull(1, 1, { title: 'Other' }), 'edited', 8);
  await outcome({ outcome: 'unchanged' }, 14);
  assert.deepEqual(readNoteCheck(partition, repoId, 1), shown, 'an unchanged verdict writes no row');
});

test('an outcome does not end a check that was requested meanwhile', async (t) => {
  const { pullEvent, waiting, outcome, row } = await openStage(t);
  await pullEvent(pull(1, 0), 'opened', 0);
  const began = row();
  await pullEvent(pull(1, 1, { title: 'Other' }), 'edited', 6);
  await outcome({ row: began }, 7);
  assert.deepEqual(waiting(), [[1, 7 + delayMs / 1000]]);
});

test('a failure is retried at its time and then ends with its reason', async (t) => {
  const { partition, pullEvent, waiting, outcome } = await openStage(t);
  await pullEvent(pull(1, 0), 'opened');
  await outcome({ outcome: 'retried', error: 'The host sleeps.', retryAt: epoch + 60_000 }, 6);
  assert.deepEqual(waiting(), [[1, 60]]);
  assert.equal(listWaitingChecks(partition)[0]?.tries, 1);
  assert.equal(readNoteCheck(partition, repoId, 1)?.error, 'The host sleeps.');
  await pullEvent(pull(1, 1, { title: 'Other' }), 'edited', 10);
  assert.deepEqual(waiting(), [[1, 15]], 'a new event does not wait for the retry');
  await outcome({ outcome: 'failed', error: 'No permission.' }, 20);
  assert.deepEqual([waiting(), readNoteCheck(partition, repoId, 1)?.error], [[], 'No permission.']);
});

test('the check is erased with its pull request', async (t) => {
  const { partition, pullEvent, outcome } = await openStage(t);
  await pullEvent(pull(1, 0), 'opened');
  await outcome({ shown: { headSha: shas[0], verdict: 'v1' } });
  await pullEvent(pull(1, 1, { title: 'Other' }), 'edited');
  const left = () => [rows(partition, 'noteChecks').length, rows(partition, 'noteChecksWaiting').length];
  assert.deepEqual(left(), [1, 1]);
  await partition.write(() => void eraseStale(partition, [repoId, 'number', 1]));
  assert.deepEqual(left(), [0, 0]);
});
