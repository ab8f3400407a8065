/**
 * Tests the checks of drafts: when a check is requested, which verdicts count, and what a new generation does with them.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { digestOf } from '../../../src/foundation/etag.ts';
import { draftId as draftIdOf } from '../../../src/foundation/ids.ts';
import type { DraftFacts, DraftVerdict } from '../../../src/protocol/outdated.ts';
import { readFacts } from '../../../src/store/tables/draft-facts.ts';
import { readDraft } from '../../../src/store/tables/drafts.ts';
import { listEffects } from '../../../src/store/tables/outbox.ts';
import { readResponse } from '../../../src/store/tables/responses.ts';
import { foldRecords, openTestPartition, reportedEvents } from '../../helpers/partition.ts';
import {
  commandRecord,
  epoch,
  eventRecord,
  pullRecord,
  repositoryFields,
  resultRecord,
} from '../../helpers/partition-records.ts';

const { id: repoId } = repositoryFields();
const rangeId = 'range_00000000000000000000000000aa';
const draftId = draftIdOf(rangeId, 'engineer');
const bounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' } as const;
const counts = { prCount: 1, issueCount: 0, resolution: 'compare' } as const;
const flags = { highlights: [], contributors: ['ada'], upgradeInstructions: '' };
const facts: DraftFacts = { marks: { 'pr:1': 'aaaabbbbcccc' }, settings: 'dddd', ends: [null, 'sha2'] };
const merged: DraftVerdict['because'] = [{ number: 2, what: 'merged' }];

/** Opens a partition with a range. Returns functions that fold the records of its draft. */
async function openStage(t: TestContext) {
  const partition = openTestPartition(t);
  let seq = 1;
  const fold = (record: Parameters<typeof foldRecords>[2]) => {
    seq += 1;
    return foldRecords(partition, seq, record);
  };
  await foldRecords(
    partition,
    1,
    pullRecord(1),
    commandRecord({ name: 'createRange', rangeId, repoId, bounds, ...counts }),
  );
  const generate = (ticket: string) =>
    fold(commandRecord({ name: 'generateDraft', draftId, rangeId, persona: 'engineer', ticket }));
  const finish = (ticket: string, bodyMd: string, given: { facts?: DraftFacts } = { facts }) =>
    fold(
      resultRecord({ result: 'rendered', draftId, ticket, row: 0, inputSeq: 1, bodyMd, flags, absent: [], ...given }),
    );
  const recount = (marks: { checks?: true } = { checks: true }) =>
    fold(
      resultRecord({ result: 'recounted', repoId, row: 0, ...marks, counts: [{ rangeId, ...counts, commitCount: 0 }] }),
    );
  const check = (base: string | null, because: DraftVerdict['because'], row = 0) =>
    fold(resultRecord({ result: 'checked', repoId, row, drafts: [{ draftId, base, because }] }, epoch + seq));
  const checks = () =>
    listEffects(partition, 0, 1000).flatMap((row) => (row.effect.effect === 'outdated' ? [row.number] : []));
  const because = () => readDraft(partition, draftId)?.outdatedBecause;
  const etag = () => readResponse(partition, draftId)?.etag ?? '';
  return { partition, fold, generate, finish, recount, check, checks, because, etag };
}

test('a recount requests one check of a repository that has a draft', async (t) => {
  const { generate, finish, recount, check, checks } = await openStage(t);
  await recount();
  assert.deepEqual(checks(), [], 'the repository has no draft');
  await generate('t1');
  await finish('t1', 'one');
  await recount({});
  assert.deepEqual(checks(), [], 'a record of an earlier version requests no check');
  await recount();
  await recount();
  const [row, ...others] = checks();
  assert.deepEqual(others, []);
  await check(digestOf('one'), [], row);
  assert.deepEqual(checks(), []);
});

test('a verdict makes a draft outdated, changes its ETag and sends one event', async (t) => {
  const { partition, generate, finish, check, because, etag } = await openStage(t);
  await generate('t1');
  await finish('t1', 'one');
  const [plain, digest] = [etag(), readDraft(partition, draftId)?.digest];
  await check(digestOf('one'), merged);
  assert.deepEqual(because(), merged);
  const first = etag();
  assert.match(first, new RegExp(`^${plain.slice(0, -1)}\\.\\d+"$`));
  await check(digestOf('one'), [...merged, { what: 'settings' }]);
  assert.ok(etag() !== first && etag() !== plain);
  assert.equal(readDraft(partition, draftId)?.digest, digest, 'the content is the same');
  const events = reportedEvents(partition).filter(({ event }) => event === 'draft.outdated');
  assert.deepEqual(
    events.map(({ data }) => data),
    [{ draftId, persona: 'engineer', releaseRangeId: rangeId, because: merged }],
  );
  await check(digestOf('one'), []);
  assert.deepEqual([because(), etag()], [undefined, plain]);
  const shown = JSON.parse(String(readResponse(partition, draftId)?.json));
  assert.deepEqual([shown.outdated, shown.outdatedBecause], [false, []]);
});

test('an edit with the ETag of the text is accepted after the draft became outdated', async (t) => {
  const { partition, fold, generate, finish, check, because } = await openStage(t);
  await generate('t1');
  await finish('t1', 'one');
  const digest = readDraft(partition, draftId)?.digest as string;
  await check(digestOf('one'), merged);
  await fold(commandRecord({ name: 'updateDraft', draftId, bodyMd: 'mine', ifMatch: [digest] }));
  assert.equal(readDraft(partition, draftId)?.bodyMd, 'mine');
  assert.deepEqual(because(), merged, 'an edit does not change the generated text');
});

test('a verdict about another generated text does not count', async (t) => {
  const { generate, finish, check, because } = await openStage(t);
  await generate('t1');
  await finish('t1', 'one');
  await check(digestOf('former'), merged);
  assert.equal(because(), undefined);
});

test('a new generation clears the verdict and replaces the facts', async (t) => {
  const { partition, generate, finish, check, because } = await openStage(t);
  await generate('t1');
  await finish('t1', 'one');
  assert.deepEqual(readFacts(partition, draftId, 'one')?.marks, facts.marks);
  await check(digestOf('one'), merged);
  await generate('t2');
  assert.deepEqual(because(), merged, 'the text is outdated until the new one is there');
  await finish('t2', 'two', {});
  assert.equal(because(), undefined);
  assert.equal(readFacts(partition, draftId, 'two'), undefined, 'an earlier version wrote the record');
  assert.equal(readFacts(partition, draftId, 'one'), undefined);
});

test('a draft that was being generated during a check is checked again', async (t) => {
  const { generate, finish, check, checks, because } = await openStage(t);
  await generate('t1');
  await check(null, []);
  assert.deepEqual(checks(), []);
  await finish('t1', 'one');
  assert.equal(checks().length, 1, 'the generation may have read the data before it changed');
  await check(digestOf('one'), merged, checks()[0]);
  await generate('t2');
  await check(digestOf('one'), [], 0);
  assert.deepEqual(because(), merged, 'the verdict of a draft that is being generated waits');
  await finish('t2', 'two');
  await check(null, [], checks()[0]);
  assert.equal(checks().length, 1, 'the check began before the generation ended');
});

test('a restored text is checked again', async (t) => {
  const { partition, fold, generate, finish, check, checks, because } = await openStage(t);
  await generate('t1');
  await finish('t1', 'one');
  await generate('t2');
  await finish('t2', 'two');
  await check(digestOf('two'), merged);
  await fold(commandRecord({ name: 'restoreDraft', draftId, revision: 1, checks: true }));
  assert.equal(readDraft(partition, draftId)?.generatedMd, 'one');
  assert.deepEqual([because(), checks().length], [undefined, 1]);
});

test('a renamed label requests a check', async (t) => {
  const { fold, generate, finish, checks } = await openStage(t);
  await generate('t1');
  await finish('t1', 'one');
  await fold(eventRecord({ event: 'label', from: 'a', to: 'b', seenAt: 1 }));
  assert.deepEqual(checks(), [], 'a record of an earlier version requests no check');
  await fold(eventRecord({ event: 'label', from: 'b', to: 'c', seenAt: 2, checks: true }));
  assert.equal(checks().length, 1);
});
