/**
 * Checks ranges that have lost changes, because these changes were erased after their retention period. The service
 * refuses to generate a draft of such a range until the changes have been read again. A request can force the draft.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { dayMs, dayOf } from '../../../src/foundation/days.ts';
import { draftId } from '../../../src/foundation/ids.ts';
import type { Command, CommandResult } from '../../../src/protocol/commands.ts';
import type { CommandRecord, JournalRecord } from '../../../src/protocol/journal.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { readDraft } from '../../../src/store/tables/drafts.ts';
import { listEffects } from '../../../src/store/tables/outbox.ts';
import { readErasedRecount, readRange } from '../../../src/store/tables/ranges.ts';
import { readResponse } from '../../../src/store/tables/responses.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { isSweeping, readSweep } from '../../../src/store/tables/retention.ts';
import { foldBatch, type Message } from '../../../workers/partition/batch.ts';
import { recount } from '../../../workers/render/recount.ts';
import { dump, openTestPartition } from '../../helpers/partition.ts';
import {
  approvalRecord,
  backfilledRecord,
  branchPush,
  commandRecord,
  dailyTicks,
  epoch,
  eventRecord,
  pullRecord,
  pullSnapshot,
  repositoryFields,
  resultRecord,
  sweepRecord,
  tagRecord,
} from '../../helpers/partition-records.ts';

const repository = repositoryFields();
const repoId = repository.id;
const rangeId = 'range_00000000000000000000000000aa';
const theDraft = draftId(rangeId, 'engineer');
const later = epoch + 400 * dayMs;
const flags = { highlights: [], contributors: [], upgradeInstructions: '' };
const before = dayOf(later) - 365;
const sweep = sweepRecord({ sweep: 'records', before, notesLosses: true }, later);
const more = sweepRecord({ sweep: 'more' }, later);
const formerSweep = sweepRecord({ sweep: 'records', before }, later);

/** A partition, together with the journal that it was folded from. A recount counts the real rows of the partition. */
class Bench {
  readonly partition: Partition;
  private readonly journal: Message[] = [];
  private readonly t: TestContext;

  constructor(t: TestContext) {
    this.t = t;
    this.partition = openTestPartition(t);
  }

  async fold(...records: JournalRecord[]): Promise<void> {
    const message = { seq: this.journal.length + 1, records };
    this.journal.push(message);
    await foldBatch(this.partition, [message]);
  }

  /** Row number of the waiting recount in the outbox, or 0 if no recount waits. */
  get row(): number {
    return listEffects(this.partition, 0, 100).find(({ effect }) => effect.effect === 'recount')?.number ?? 0;
  }

  /**
   * Counts the ranges in their current state and returns the result as a record. `row` is the row number of the recount
   * effect.
   */
  counted(row = this.row, at = later): JournalRecord {
    const counts = recount(this.partition, { task: 'recount', repoId });
    return resultRecord({ result: 'recounted', repoId, row, counts }, at);
  }

  async recount(at = later): Promise<void> {
    await this.fold(this.counted(this.row, at));
  }

  async generate(fields: { force?: true; ticket?: string } = {}): Promise<CommandResult> {
    const { ticket = 'one', ...force } = fields;
    const name = 'generateDraft';
    const record = commandRecord({ name, rangeId, draftId: theDraft, persona: 'engineer', ticket, ...force }, later);
    await this.fold(record);
    return readResult(this.partition, record.id) ?? assert.fail();
  }

  /** Folds the result of the waiting render. */
  async rendered(ticket: string): Promise<void> {
    const row = listEffects(this.partition, 0, 100).find(({ effect }) => effect.effect === 'render')?.number;
    assert.ok(row);
    const body = { result: 'rendered', draftId: theDraft, ticket, row, inputSeq: 0, bodyMd: ticket, flags } as const;
    await this.fold(resultRecord(body, later));
  }

  get lost() {
    return readRange(this.partition, rangeId)?.lost;
  }

  /** Folds the whole journal into a new partition in one batch. Checks that both partitions contain the same bytes. */
  async replay(): Promise<void> {
    const again = openTestPartition(this.t);
    await foldBatch(again, this.journal);
    assert.equal(dump(again), dump(this.partition));
  }
}

function create(bounds: Extract<Command, { name: 'createRange' }>['bounds'], at = epoch): CommandRecord {
  const counts = { prCount: 0, issueCount: 0, resolution: 'window' } as const;
  return commandRecord({ name: 'createRange', rangeId, repoId, bounds, ...counts }, at);
}

const byNumber = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 } as const;

/** Makes a range with pull requests 1 to 7. Pull requests 6 and 7 are synced 400 days after the first five. */
async function aged(t: TestContext, bounds: Parameters<typeof create>[0] = byNumber): Promise<Bench> {
  const bench = new Bench(t);
  await bench.fold(...[1, 2, 3, 4, 5].map((number) => pullRecord(number)), create(bounds));
  await bench.fold(...dailyTicks(epoch, later));
  await bench.fold(...[6, 7].map((number) => pullRecord(number, { at: later })));
  await bench.recount();
  return bench;
}

async function swept(bench: Bench, by: JournalRecord = sweep): Promise<void> {
  await bench.fold(by);
  assert.ok(bench.row > 0, 'a recount is asked for');
}

function refusal(result: CommandResult): string {
  assert.ok(!result.ok && result.kind === 'conflict', JSON.stringify(result));
  return result.message;
}

for (const [kind, bounds] of [
  ['numbers', byNumber],
  ['days', { type: 'DATE_BASED', fromDate: '2020-01-01', toDate: '2030-01-01' }],
] as const) {
  test(`refuses to generate a range of ${kind} that has lost changes, and states how many`, async (t) => {
    const bench = await aged(t, bounds);
    assert.equal((await bench.generate()).ok, true);
    await bench.rendered('one');
    await swept(bench);
    await bench.recount();
    assert.equal(
      refusal(await bench.generate({ ticket: 'two' })),
      `Release range "${rangeId}" had 7 changes (pull requests, issues and commits) and now has 2. The others were erased at the ` +
        'end of their retention period, the last of them on 2027-02-05, so a draft would lack them. Send "force": true to ' +
        'generate the draft from the remaining changes, or backfill the repository first.',
    );
    const draft = readDraft(bench.partition, theDraft);
    assert.deepEqual([draft?.status, draft?.bodyMd], ['ready', 'one'], 'the draft stays as it was');
    assert.equal((await bench.generate({ ticket: 'three', force: true })).ok, true);
    await bench.rendered('three');
    assert.equal(readDraft(bench.partition, theDraft)?.bodyMd, 'three');
    refusal(await bench.generate({ ticket: 'four' }));
    await bench.replay();
  });
}

test('refuses to generate between sweep and recount, unless forced', async (t) => {
  const bench = await aged(t);
  await swept(bench);
  const early = bench.counted(bench.row - 1);
  assert.match(refusal(await bench.generate()), /had 7 changes .* is being counted again\. Try again in a few seconds/);
  await bench.fold(resultRecord({ result: 'recounted', repoId, row: bench.row, counts: [] }, later));
  refusal(await bench.generate());
  await bench.fold(early);
  refusal(await bench.generate());
  assert.ok(readErasedRecount(bench.partition, repoId) > 0, 'counts of an earlier recount do not end the waiting');
  assert.equal((await bench.generate({ force: true })).ok, true);
  await bench.replay();
});

test('generates a range that lost nothing once it is counted', async (t) => {
  const bench = await aged(t, { type: 'PR_BASED', fromPrNumber: 6, toPrNumber: 9 });
  await swept(bench);
  refusal(await bench.generate());
  await bench.recount();
  assert.deepEqual([bench.lost, readErasedRecount(bench.partition, repoId)], [undefined, 0]);
  assert.equal((await bench.generate()).ok, true);
});

test('generates a range that was created after the erasing', async (t) => {
  const bench = new Bench(t);
  await bench.fold(...[1, 2].map((number) => pullRecord(number)), ...dailyTicks(epoch, later));
  await bench.fold(pullRecord(6, { at: later }), sweep);
  await bench.fold(create(byNumber, later));
  await bench.recount();
  assert.deepEqual([bench.lost, (await bench.generate()).ok], [undefined, true]);
});

test('a label or a revert that lowers a count is not a loss', async (t) => {
  const bench = await aged(t);
  const reopened = pullSnapshot(6, { state: 'open', mergedAt: null, closedAt: null, updatedAt: epoch + dayMs });
  await bench.fold(eventRecord({ event: 'pull_request', action: 'reopened', pull: reopened }, { at: later }));
  const seen = readRange(bench.partition, rangeId)?.prCount;
  const fewer = { rangeId, prCount: 6, issueCount: 0, resolution: 'window', commitCount: 0 } as const;
  await bench.fold(resultRecord({ result: 'recounted', repoId, row: bench.row, counts: [fewer] }, later));
  assert.deepEqual([seen, readRange(bench.partition, rangeId)?.prCount, bench.lost], [7, 6, undefined]);
  assert.equal((await bench.generate()).ok, true);
});

test('adds up the losses of several sweeps, and growth does not reduce them', async (t) => {
  const bench = await aged(t);
  await swept(bench);
  await bench.recount();
  await bench.fold(pullRecord(8, { at: later }), pullRecord(9, { at: later }));
  await bench.recount();
  assert.equal(bench.lost?.changes, 5);
  assert.match(refusal(await bench.generate()), /had 9 changes .* and now has 4\. .* the last of them on 2027-02-05,/);
  const muchLater = later + 400 * dayMs;
  await bench.fold(...dailyTicks(later, muchLater));
  const next = { sweep: 'records', before: dayOf(muchLater) - 365, notesLosses: true } as const;
  await bench.fold(sweepRecord(next, muchLater));
  await bench.recount(muchLater);
  assert.match(refusal(await bench.generate()), /had 9 changes .* and now has 0\. .* the last of them on 2028-03-11,/);
  await bench.replay();
});

test('generates again when a backfill has restored the changes', async (t) => {
  const bench = await aged(t);
  await swept(bench);
  await bench.recount();
  const name = 'startBackfill';
  await bench.fold(commandRecord({ name, backfillId: 'bf_1', repository, since: null, installationId: null }, later));
  const page = (...numbers: number[]) =>
    backfilledRecord(
      numbers.map((number) => ({ event: 'pull_request', action: 'backfilled', pull: pullSnapshot(number) })),
      { job: 'bf_1', at: later, seenAt: later },
    );
  await bench.fold(page(1, 2, 3));
  await bench.recount();
  assert.match(refusal(await bench.generate()), /had 7 changes .* and now has 5\./);
  await bench.fold(page(4, 5));
  await bench.recount();
  assert.equal(bench.lost, undefined);
  assert.equal((await bench.generate()).ok, true);
  await bench.replay();
});

test('detects lost commits that belong to no pull request', async (t) => {
  const bench = new Bench(t);
  await bench.fold(
    eventRecord({ event: 'push', push: branchPush(0, 4, { branch: 'main' }) }),
    ...[tagRecord('v1', 1), tagRecord('v2', 4)],
    create({ type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' }),
  );
  await bench.recount(epoch);
  const { prCount, commitCount } = readRange(bench.partition, rangeId) ?? assert.fail();
  assert.deepEqual([prCount, commitCount], [0, 3]);
  await bench.fold(...dailyTicks(epoch, later));
  await bench.fold(sweep);
  refusal(await bench.generate());
  await bench.recount();
  assert.match(refusal(await bench.generate()), /had 3 changes .* and now has 0\./);
});

test('commit counts change neither the response of a range nor its time', async (t) => {
  const bench = await aged(t);
  const shown = () => readResponse(bench.partition, rangeId)?.json.toString();
  const [response, { updatedAt }] = [shown(), readRange(bench.partition, rangeId) ?? assert.fail()];
  const counts = { rangeId, prCount: 7, issueCount: 0, resolution: 'window', commitCount: 3 } as const;
  await bench.fold(resultRecord({ result: 'recounted', repoId, row: 0, counts: [counts] }, later + 5));
  const after = readRange(bench.partition, rangeId);
  assert.deepEqual([after?.commitCount, after?.updatedAt, shown()], [3, updatedAt, response]);
});

test('a render fails if changes of its range were erased meanwhile', async (t) => {
  const bench = await aged(t);
  await bench.generate();
  await swept(bench);
  await bench.rendered('one');
  assert.match(readDraft(bench.partition, theDraft)?.error ?? '', /is being counted again/);
  await bench.recount();
  assert.equal((await bench.generate({ ticket: 'two', force: true })).ok, true);
  await bench.recount();
  await bench.rendered('two');
  assert.deepEqual([readDraft(bench.partition, theDraft)?.status, bench.lost?.changes], ['ready', 5]);
  await bench.replay();
});

test('sweeps of earlier versions record no losses', async (t) => {
  const bench = await aged(t);
  await swept(bench, formerSweep);
  assert.equal(readErasedRecount(bench.partition, repoId), 0);
  assert.equal((await bench.generate()).ok, true);
  await bench.recount();
  assert.deepEqual([readRange(bench.partition, rangeId)?.prCount, bench.lost], [2, undefined]);
  await bench.rendered('one');
  assert.equal((await bench.generate({ ticket: 'two' })).ok, true);
});

test('a sweep in pieces, after an approval, records all losses', async (t) => {
  const bench = new Bench(t);
  const pulls = Array.from({ length: 1600 }, (_, i) => pullRecord(i + 1));
  await bench.fold(...pulls, create({ ...byNumber, toPrNumber: 9999 }));
  await bench.recount(epoch);
  await bench.fold(...dailyTicks(epoch, later), sweep);
  while (readSweep(bench.partition)?.phase === 'counting') await bench.fold(more);
  const wait = { cause: 'records', before, records: 1600, total: 1600 } as const;
  await bench.fold(approvalRecord(wait, later));
  let pieces = 0;
  for (; isSweeping(bench.partition); pieces++) {
    await bench.fold(more);
    refusal(await bench.generate());
    await bench.recount();
  }
  assert.ok(pieces > 1, `${pieces} pieces`);
  assert.match(refusal(await bench.generate()), /had 1600 changes .* and now has 0\./);
  await bench.replay();
});
