/** Tests that an unreleased range exists once, follows its branch, and becomes the range of the tag that arrives. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { draftId } from '../../../src/foundation/ids.ts';
import type { Command } from '../../../src/protocol/commands.ts';
import type { JournalRecord } from '../../../src/protocol/journal.ts';
import type { RangeRecord } from '../../../src/protocol/stored.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { readDraft } from '../../../src/store/tables/drafts.ts';
import { listEffects } from '../../../src/store/tables/outbox.ts';
import { listRanges, readRange } from '../../../src/store/tables/ranges.ts';
import { readResponse } from '../../../src/store/tables/responses.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { readUnreleased } from '../../../src/store/tables/unreleased-ranges.ts';
import { preview } from '../../../workers/render/preview.ts';
import { recount } from '../../../workers/render/recount.ts';
import { render } from '../../../workers/render/render.ts';
import { dump, foldRecords, openTestPartition } from '../../helpers/partition.ts';
import {
  branchPush,
  commandRecord,
  epoch,
  eventRecord,
  pullRecord,
  repositoryFields,
  resultRecord,
  tagPush,
  tagRecord,
} from '../../helpers/partition-records.ts';

const repoId = repositoryFields().id;
const rangeId = 'range_00000000000000000000000000aa';
const otherId = 'range_00000000000000000000000000bb';
const bounds = { type: 'UNRELEASED' } as const;
const pushed = (from: number, to: number, fields = {}) =>
  eventRecord({ event: 'push', push: branchPush(from, to, fields) });

/** Folds records into a partition, one message per call. Keeps all records, so that they can be folded again. */
class Story {
  readonly partition: Partition;
  readonly records: JournalRecord[][] = [];

  constructor(t: TestContext) {
    this.partition = openTestPartition(t);
  }

  async fold(...records: JournalRecord[]): Promise<void> {
    this.records.push(records);
    await foldRecords(this.partition, this.records.length, ...records);
  }

  /** Creates an unreleased range as the API does. */
  async create(id = rangeId, wanted: Partial<RangeRecord['bounds']> = {}): Promise<unknown> {
    const own = { ...bounds, ...wanted };
    const counts = preview(this.partition, { task: 'preview', repoId, bounds: own });
    const command: Command = { name: 'createRange', rangeId: id, repoId, bounds: own, ...counts };
    const record = commandRecord(command);
    await this.fold(record);
    return readResult(this.partition, record.id);
  }

  /** Carries out a recount and folds its outcome. */
  async recount(): Promise<void> {
    const row = listEffects(this.partition, 0, 100).find(({ effect }) => effect.effect === 'recount')?.number ?? 0;
    const counts = recount(this.partition, { task: 'recount', repoId });
    await this.fold(resultRecord({ result: 'recounted', repoId, row, counts }, epoch + 50));
  }

  /** Carries out the open render of a draft and folds its outcome. */
  async render(id: string): Promise<void> {
    for (const { number: row, effect } of listEffects(this.partition, 0, 100)) {
      if (effect.effect !== 'render' || effect.draftId !== id) continue;
      const { rangeId, persona, ticket, draftId } = effect;
      const rendered = render(this.partition, { task: 'render', rangeId, persona }, () => {});
      await this.fold(resultRecord({ result: 'rendered', draftId, ticket, row, ...rendered }, epoch + 60));
    }
  }

  range(id = rangeId): RangeRecord {
    return readRange(this.partition, id) as RangeRecord;
  }

  reply(id = rangeId): Record<string, unknown> {
    return JSON.parse(String(readResponse(this.partition, id)?.json));
  }
}

/** Opens a story with v1.0.0 on commit 1 and two merged pull requests after it. */
async function begun(t: TestContext): Promise<Story> {
  const story = new Story(t);
  await story.fold(pushed(0, 1), tagRecord('v1.0.0', 1), pullRecord(2), pullRecord(3), pushed(1, 2), pushed(2, 3));
  return story;
}

test('a branch and pattern have one unreleased range', async (t) => {
  const story = await begun(t);
  await story.create();
  const again = (await story.create(otherId)) as { ok: boolean; value: { id: string } };
  assert.deepEqual([again.ok, again.value.id], [true, rangeId]);
  await story.create(otherId, { tagPattern: 'pkg@*' });
  assert.deepEqual(
    listRanges(story.partition, repoId).map(({ id }) => id),
    [rangeId, otherId],
  );
});

test('the reply shows the open end and the head', async (t) => {
  const story = await begun(t);
  await story.create();
  const { fromTag, toTag, branch, head, prCount, compareUrl } = story.reply();
  assert.deepEqual([fromTag, toTag, branch, prCount], ['v1.0.0', null, 'main', 2]);
  assert.equal(head, branchPush(2, 3).after);
  assert.equal(compareUrl, 'https://scm.example/acme/rocket/compare/v1.0.0...main');
});

test('the range follows the branch', async (t) => {
  const story = await begun(t);
  await story.create();
  await story.fold(pullRecord(4), pushed(3, 4));
  await story.recount();
  assert.deepEqual([story.reply().prCount, story.reply().head], [3, branchPush(3, 4).after]);
});

test('the range becomes the range of the tag that arrives, and the next one begins there', async (t) => {
  const story = await begun(t);
  await story.create();
  await story.fold(tagRecord('v1.1.0', 3), pullRecord(4), pushed(3, 4));
  await story.recount();
  const { type, fromTag, toTag, head, prCount } = story.reply();
  assert.deepEqual([type, fromTag, toTag, head, prCount], ['TAG_BASED', 'v1.0.0', 'v1.1.0', undefined, 2]);
  assert.equal(story.range().openEnds, undefined);
  assert.equal(readUnreleased(story.partition, repoId, bounds), undefined);
  await story.create(otherId);
  assert.deepEqual([story.reply(otherId).fromTag, story.reply(otherId).prCount], ['v1.1.0', 1]);
});

test('a tag that is delivered before the push of its commit ends the range once the push arrives', async (t) => {
  const story = await begun(t);
  await story.create();
  await story.fold(tagRecord('v1.1.0', 4));
  await story.recount();
  assert.equal(story.range().bounds.type, 'UNRELEASED');
  await story.fold(pushed(3, 4));
  await story.recount();
  assert.deepEqual(story.range().bounds, { type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v1.1.0' });
});

test('the first tag makes a first release', async (t) => {
  const story = new Story(t);
  await story.fold(pullRecord(2), pushed(0, 2));
  await story.create();
  assert.deepEqual([story.reply().fromTag, story.reply().toTag], [null, null]);
  await story.fold(tagRecord('v0.1.0', 2));
  await story.recount();
  const { type, fromTag, toTag } = story.reply();
  assert.deepEqual([type, fromTag, toTag], ['FIRST_RELEASE', null, 'v0.1.0']);
});

test('tags that a backfill brings later move the beginning of the range', async (t) => {
  const story = await begun(t);
  await story.create();
  const old = tagPush('v1.0.1', 2, { pushedAt: epoch + 2000, date: epoch + 2000 });
  await story.fold(eventRecord({ event: 'tag', tag: old }));
  await story.recount();
  assert.deepEqual([story.reply().type, story.reply().fromTag, story.reply().prCount], ['UNRELEASED', 'v1.0.1', 1]);
});

test('the drafts are generated again for the tag, and keep the words of a person', async (t) => {
  const story = await begun(t);
  await story.create();
  const id = draftId(rangeId, 'engineer');
  await story.fold(commandRecord({ name: 'generateDraft', rangeId, draftId: id, persona: 'engineer', ticket: 'one' }));
  await story.render(id);
  const { bodyMd } = readDraft(story.partition, id) ?? {};
  assert.match(bodyMd ?? '', /v1\.0\.0\.\.\.main/);
  await story.fold(
    commandRecord({ name: 'updateDraft', draftId: id, bodyMd: bodyMd?.replace('Change 2', 'In words of a person') }),
  );
  await story.fold(pullRecord(4), pushed(3, 4), tagRecord('v1.1.0', 4));
  await story.recount();
  assert.equal(readDraft(story.partition, id)?.status, 'processing');
  await story.render(id);
  const after = readDraft(story.partition, id);
  assert.equal(after?.status, 'ready');
  assert.match(after?.bodyMd ?? '', /In words of a person/);
  assert.match(after?.bodyMd ?? '', /Change 4/);
  assert.match(after?.bodyMd ?? '', /v1\.0\.0\.\.\.v1\.1\.0/);
});

test('a render that began before the tag arrived is dropped', async (t) => {
  const story = await begun(t);
  await story.create();
  const id = draftId(rangeId, 'engineer');
  await story.fold(commandRecord({ name: 'generateDraft', rangeId, draftId: id, persona: 'engineer', ticket: 'one' }));
  const early = render(story.partition, { task: 'render', rangeId, persona: 'engineer' }, () => {});
  await story.fold(tagRecord('v1.1.0', 3));
  await story.recount();
  await story.fold(resultRecord({ result: 'rendered', draftId: id, ticket: 'one', row: 0, ...early }, epoch + 70));
  assert.equal(readDraft(story.partition, id)?.status, 'processing');
  await story.render(id);
  assert.match(readDraft(story.partition, id)?.bodyMd ?? '', /v1\.0\.0\.\.\.v1\.1\.0/);
});

test('outcomes that are folded twice change nothing, and a replay gives the same bytes', async (t) => {
  const story = await begun(t);
  await story.create();
  await story.fold(tagRecord('v1.1.0', 3));
  const late = recount(story.partition, { task: 'recount', repoId });
  await story.recount();
  const expected = dump(story.partition);
  await story.fold(resultRecord({ result: 'recounted', repoId, row: 0, counts: late }, epoch + 80));
  assert.deepEqual(story.range().bounds, { type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v1.1.0' });
  const copy = openTestPartition(t);
  for (const [seq, records] of story.records.slice(0, -1).entries()) await foldRecords(copy, seq + 1, ...records);
  assert.equal(dump(copy), expected);
});
