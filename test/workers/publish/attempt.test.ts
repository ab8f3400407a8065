/**
 * Checks when an attempt to publish may begin. The stores are real; the journal folds each record at once, and nothing is
 * sent.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { draftId as draftIdOf } from '../../../src/foundation/ids.ts';
import type { JournalRecord } from '../../../src/protocol/journal.ts';
import type { PublicationRecord } from '../../../src/protocol/publications.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { readPublication } from '../../../src/store/tables/publications.ts';
import { Attempt } from '../../../workers/publish/attempt.ts';
import { Breakers } from '../../../workers/publish/breakers.ts';
import type { PublishContext } from '../../../workers/publish/context.ts';
import { quiet } from '../../helpers/journal.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { claimRecord, commandRecord, pullRecord, repositoryFields } from '../../helpers/partition-records.ts';

const repoId = repositoryFields().id;
const rangeId = 'range_00000000000000000000000000aa';
const draftId = draftIdOf(rangeId, 'engineer');
const publicationId = 'pub_00000000000000000000000000aa';
const connection = { orgId: 'org_1', repoId: null, settings: {}, secrets: {}, receiver: 'here' };

/** A partition with one publication that is due, led under term 1, and the records that its attempts journal. */
class Stage {
  readonly partition: Partition;
  readonly lead = { acts: true, holds: true, stamp: { term: 1 } as { term?: number } };
  readonly journaled: JournalRecord[] = [];
  /** Called while the attempt is prepared. */
  onPrepared = (): void => {};
  /** Called after a record of the attempt is folded. */
  onFolded = (): void => {};
  private seq = 0;

  constructor(t: TestContext) {
    this.partition = openTestPartition(t);
  }

  async fold(...records: JournalRecord[]): Promise<number> {
    await foldRecords(this.partition, ++this.seq, ...records);
    return this.seq;
  }

  get publication(): PublicationRecord {
    const found = readPublication(this.partition, publicationId);
    assert.ok(found);
    return found;
  }

  /** Makes an attempt. Its channel has no receiver, so a delivery fails at once. */
  attempt(): Promise<void> {
    const context = {
      ...{ dataDir: '', logger: quiet, sealer: undefined, egress: undefined, publicUrl: '', formerMayLive: true },
      ...{ breakers: new Breakers(), directory: () => this.partition, lead: this.lead },
      pool: { run: async () => ({ payload: this.onPrepared() }) },
      lane: {
        enqueue: async (record: JournalRecord) => {
          this.journaled.push(record);
          const seq = await this.fold(record);
          this.onFolded();
          return { seq, index: 0 };
        },
      },
      partition: () => this.partition,
      folded: () => this.seq,
    } as unknown as PublishContext;
    return new Attempt(context, this.publication, 'run-1', new AbortController().signal).run();
  }
}

async function startStage(t: TestContext): Promise<Stage> {
  const stage = new Stage(t);
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 1 } as const;
  const counts = { prCount: 1, issueCount: 0, resolution: 'window' } as const;
  await stage.fold(claimRecord(1, 'life-1'), pullRecord(1));
  await stage.fold(commandRecord({ name: 'createRange', rangeId, repoId, bounds, ...counts }));
  await stage.fold(commandRecord({ name: 'generateDraft', draftId, rangeId, persona: 'engineer', ticket: 't' }));
  await stage.fold(commandRecord({ name: 'updateDraft', draftId, bodyMd: 'First.\n' }));
  const what = { publicationId, draftId, revision: 1, channel: 'workspace_chat', asDraft: false } as const;
  await stage.fold(commandRecord({ name: 'publish', ...what, connection, pagesUrl: null }));
  return stage;
}

test('an attempt begins and ends under the term of the lead', async (t) => {
  const stage = await startStage(t);
  await stage.attempt();
  assert.deepEqual(
    stage.journaled.map((record) => record.term),
    [1, undefined],
  );
  assert.equal(stage.publication.status, 'failed');
  assert.equal(stage.publication.outcomeUnknown, false);
});

test('an attempt that is prepared while the lead is handed over or lost begins nothing', async (t) => {
  for (const change of [{ acts: false }, { acts: false, holds: false, stamp: {} }]) {
    const stage = await startStage(t);
    stage.onPrepared = () => void Object.assign(stage.lead, change);
    await stage.attempt();
    assert.deepEqual(stage.journaled, []);
    assert.equal(stage.publication.sending, null, 'the next lead knows that nothing was sent');
  }
});

test('an attempt that has begun is completed while the lead is handed over', async (t) => {
  const stage = await startStage(t);
  stage.onFolded = () => {
    stage.lead.acts = false;
  };
  await stage.attempt();
  assert.equal(stage.publication.sending, null);
  assert.equal(stage.publication.attempted, 1);
  assert.equal(stage.publication.outcomeUnknown, false);
});

test('an attempt that has begun sends nothing after the lease has ended', async (t) => {
  const stage = await startStage(t);
  stage.onFolded = () => void Object.assign(stage.lead, { acts: false, holds: false });
  await stage.attempt();
  assert.equal(stage.journaled.length, 1);
  assert.equal(stage.publication.sending?.attempt, 1);
});
