/**
 * Tests which changes the fold of a batch collects for live events. A change that was rolled back is not among them.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { draftId as draftIdOf } from '../../../src/foundation/ids.ts';
import type { Command } from '../../../src/protocol/commands.ts';
import type { JournalRecord, RelayRecord } from '../../../src/protocol/journal.ts';
import type { FoldedEvent } from '../../../src/protocol/live-events.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { listDeadLetters } from '../../../src/store/tables/dead-letters.ts';
import { foldBatch } from '../../../workers/partition/batch.ts';
import { openTestPartition, toMessages } from '../../helpers/partition.ts';
import {
  backfilledRecord,
  backfillProgress,
  commandRecord,
  epoch,
  eventRecord,
  poisonRecord,
  pullRecord,
  repositoryFields,
  resultRecord,
  tagPush,
  tagRecord,
} from '../../helpers/partition-records.ts';

const repository = repositoryFields();
const { id: repoId } = repository;
const rangeId = 'range_00000000000000000000000000aa';
const draftId = draftIdOf(rangeId, 'engineer');
const connection = { orgId: 'org_1', repoId: null, settings: {}, secrets: {}, receiver: 'here' };
const counts = { prCount: 1, issueCount: 0, resolution: 'compare' } as const;

class Stage {
  readonly partition: Partition;
  private seq = 0;

  constructor(t: TestContext, name = 'p00') {
    this.partition = openTestPartition(t, name);
  }

  /** Folds records as one batch of a message each, and returns what they changed. */
  async fold(...records: JournalRecord[]): Promise<readonly FoldedEvent[]> {
    const messages = toMessages(
      records.map((record) => [record]),
      this.seq + 1,
    );
    this.seq += messages.length;
    const { changes } = await foldBatch(this.partition, messages, { collects: true });
    return changes?.take()?.events ?? [];
  }

  command(command: Command): Promise<readonly FoldedEvent[]> {
    return this.fold(commandRecord(command, epoch + this.seq));
  }

  async ready(): Promise<void> {
    await this.fold(pullRecord(1));
    const bounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' } as const;
    await this.command({ name: 'createRange', rangeId, repoId, bounds, ...counts });
    await this.command({ name: 'generateDraft', draftId, rangeId, persona: 'engineer', ticket: 'ticket' });
    const flags = { highlights: [], contributors: [], upgradeInstructions: '' };
    await this.fold(
      resultRecord({ result: 'rendered', draftId, ticket: 'ticket', row: 0, inputSeq: 0, bodyMd: '- One\n', flags }),
    );
  }
}

test('events of a repository are one change, which is named if all events are of one kind', async (t) => {
  const stage = new Stage(t);
  const first = pullRecord(1);
  assert.deepEqual(await stage.fold(first, pullRecord(2)), [
    { event: 'repo.event', data: { repoId, event: 'pull_request' } },
  ]);
  const removed = eventRecord({ event: 'issue_removed', number: 9, seenAt: epoch });
  assert.deepEqual(await stage.fold(removed), [{ event: 'repo.event', data: { repoId, event: 'issues' } }]);
  assert.deepEqual(await stage.fold(pullRecord(3), tagRecord('v1', 3)), [{ event: 'repo.event', data: { repoId } }]);
  assert.deepEqual(await stage.fold(first), [], 'a repeated delivery changes nothing');
});

test('a range, its draft and a publication are changes with their newest states', async (t) => {
  const stage = new Stage(t);
  await stage.fold(pullRecord(1));
  const bounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' } as const;
  assert.deepEqual(await stage.command({ name: 'createRange', rangeId, repoId, bounds, ...counts }), [
    { event: 'range.counts', data: { repoId, rangeId, counts } },
  ]);
  const more = { ...counts, prCount: 2 };
  const recounted = resultRecord({ result: 'recounted', repoId, row: 0, counts: [{ rangeId, ...more }] });
  assert.deepEqual(await stage.fold(recounted), [{ event: 'range.counts', data: { repoId, rangeId, counts: more } }]);
  assert.deepEqual(await stage.fold({ ...recounted, id: 'again' }), [], 'the same counts change nothing');
  await stage.ready();
  const draft = { repoId, rangeId, draftId, persona: 'engineer', status: 'ready', outdated: false } as const;
  assert.deepEqual(await stage.command({ name: 'updateDraft', draftId, bodyMd: '- Two\n' }), [
    { event: 'draft.status', data: { ...draft, revision: 2 } },
  ]);
  const publicationId = 'pub_1';
  const what = { publicationId, draftId, revision: 2, channel: 'workspace_chat', asDraft: false } as const;
  const publication = { repoId, draftId, publicationId, channel: 'workspace_chat' } as const;
  const command: Command = { name: 'publish', ...what, connection, pagesUrl: null };
  assert.deepEqual(await stage.command(command), [
    { event: 'publication.status', data: { ...publication, status: 'pending' } },
  ]);
  assert.deepEqual(await stage.command({ name: 'deletePublication', publicationId }), [
    { event: 'publication.status', data: { ...publication, status: 'deleted' } },
  ]);
});

test('a page of a backfill reports progress, and a new tag that was read from the host reports its repository', async (t) => {
  const stage = new Stage(t);
  await stage.command({ name: 'startBackfill', backfillId: 'bf_1', repository, since: null, installationId: null });
  const page = backfilledRecord([], { job: 'bf_1', progress: backfillProgress(2, { counts: { pulls: 7 } }) });
  assert.deepEqual(await stage.fold(page), [
    {
      event: 'backfill.progress',
      data: { repoId, backfillId: 'bf_1', state: 'running', percent: 0, counts: { pulls: 7 } },
    },
  ]);
  assert.deepEqual(await stage.fold(backfilledRecord([{ event: 'tag', tag: tagPush('v3', 3) }], { job: null })), [
    { event: 'repo.event', data: { repoId, event: 'tag' } },
  ]);
});

test('the directory reports a repository when it lists or changes it', async (t) => {
  const stage = new Stage(t, 'directory');
  const body = { relay: 'repositorySeen', repository, seenAt: epoch } as const;
  const relay: RelayRecord = { id: 'relay-1', at: epoch, kind: 'relay', source: 'p00', row: 1, body };
  assert.deepEqual(await stage.fold(relay), [{ event: 'repo.event', data: { repoId, event: 'repository' } }]);
});

test('an attempt that is rolled back leaves no changes, and a dead letter has none', async (t) => {
  const stage = new Stage(t);
  const lost = repositoryFields({}, 1);
  const poison = poisonRecord({ delivery: 'poison', repository: lost });
  assert.deepEqual(await stage.fold(pullRecord(1), poison, pullRecord(2)), [
    { event: 'repo.event', data: { repoId, event: 'pull_request' } },
  ]);
  assert.equal(listDeadLetters(stage.partition).length, 1);
});

test('a record that fails after it has noted a change leaves no change', async (t) => {
  const stage = new Stage(t);
  await stage.ready();
  const { responses } = stage.partition;
  const putSync = responses.putSync.bind(responses);
  let isBroken = true;
  Object.assign(responses, {
    putSync: (...row: Parameters<typeof putSync>) => {
      if (isBroken) throw new Error('the reply of the draft cannot be written');
      return putSync(...row);
    },
  });
  assert.deepEqual(await stage.command({ name: 'updateDraft', draftId, bodyMd: '- Two\n' }), []);
  assert.equal(listDeadLetters(stage.partition).length, 1);
  isBroken = false;
  assert.equal((await stage.command({ name: 'updateDraft', draftId, bodyMd: '- Three\n' })).length, 1);
});

test('nothing is collected unless somebody asks for it', async (t) => {
  const { partition } = new Stage(t);
  assert.equal((await foldBatch(partition, toMessages([[pullRecord(1)]]))).changes, undefined);
});
