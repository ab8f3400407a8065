/**
 * Checks the life cycle of a draft: tickets, kept edits, late and duplicate results, and retention periods.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftId, idAt } from '../../../src/foundation/ids.ts';
import type { Command } from '../../../src/protocol/commands.ts';
import type { AbsentChange } from '../../../src/protocol/conflicts.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { deliveryKey, isFolded } from '../../../src/store/tables/deliveries.ts';
import { readDraft } from '../../../src/store/tables/drafts.ts';
import { listEffects } from '../../../src/store/tables/outbox.ts';
import { readRange } from '../../../src/store/tables/ranges.ts';
import { readResponse } from '../../../src/store/tables/responses.ts';
import { readResult } from '../../../src/store/tables/results.ts';
import { deliveryKeepingMs, resultKeepingMs } from '../../../workers/fold/tick.ts';
import { render } from '../../../workers/render/render.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import {
  commandRecord,
  dailyTicks,
  epoch,
  eventRecord,
  pullRecord,
  pullSnapshot,
  repositoryFields,
  resultRecord,
  tickRecord,
} from '../../helpers/partition-records.ts';

const repository = repositoryFields();
const rangeId = 'range_00000000000000000000000000aa';
const id = draftId(rangeId, 'engineer');
const createRange: Command = {
  name: 'createRange',
  rangeId,
  repoId: repository.id,
  bounds: { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 },
  prCount: 1,
  issueCount: 0,
  resolution: 'window',
};
const generate = (ticket: string): Command => ({
  name: 'generateDraft',
  rangeId,
  draftId: id,
  persona: 'engineer',
  ticket,
});
const edit = (bodyMd: string): Command => ({ name: 'updateDraft', draftId: id, bodyMd });
const flags = { highlights: [], contributors: [], upgradeInstructions: '' };
const rendered = (ticket: string, bodyMd: string, row = 0) =>
  resultRecord({ result: 'rendered', draftId: id, ticket, row, inputSeq: 0, bodyMd, flags }, epoch + 5);

/** Opens a partition with a repository, a pull request and a range. */
async function withRange(t: Parameters<typeof openTestPartition>[0]): Promise<Partition> {
  const partition = openTestPartition(t);
  await foldRecords(partition, 1, pullRecord(1), commandRecord(createRange));
  return partition;
}

function renders(partition: Partition): number[] {
  return listEffects(partition, 0, 100).flatMap(({ number, effect }) => (effect.effect === 'render' ? number : []));
}

test('takes the first result of a ticket and ignores others', async (t) => {
  const partition = await withRange(t);
  await foldRecords(partition, 2, commandRecord(generate('one')));
  assert.equal(readDraft(partition, id)?.status, 'processing');
  assert.equal(readResponse(partition, id)?.processing, true);
  const [row] = renders(partition);
  await foldRecords(
    partition,
    3,
    rendered('none', 'stray'),
    rendered('one', 'first', row),
    rendered('one', 'second', row),
  );
  const draft = readDraft(partition, id);
  assert.deepEqual([draft?.status, draft?.bodyMd, draft?.revision, draft?.ticket], ['ready', 'first', 1, null]);
  assert.deepEqual(renders(partition), []);
  assert.equal(readResponse(partition, id)?.processing, false);
});

test('starts one render for several requests', async (t) => {
  const partition = await withRange(t);
  await foldRecords(
    partition,
    2,
    commandRecord(generate('one')),
    commandRecord(generate('two')),
    commandRecord(generate('three')),
  );
  assert.equal(renders(partition).length, 1);
  assert.equal(readDraft(partition, id)?.ticket, 'one');
});

test('a failed render stores its reason and can be requested again', async (t) => {
  const partition = await withRange(t);
  await foldRecords(partition, 2, commandRecord(generate('one')));
  const failed = {
    result: 'renderFailed',
    draftId: id,
    ticket: 'one',
    row: renders(partition)[0] ?? 0,
    error: 'too long',
  } as const;
  await foldRecords(partition, 3, resultRecord(failed));
  assert.deepEqual([readDraft(partition, id)?.status, readDraft(partition, id)?.error], ['failed', 'too long']);
  await foldRecords(partition, 4, commandRecord(generate('two')), rendered('two', 'text'));
  assert.deepEqual([readDraft(partition, id)?.status, readDraft(partition, id)?.error], ['ready', null]);
});

test('a render never overwrites an edit', async (t) => {
  const partition = await withRange(t);
  await foldRecords(partition, 2, commandRecord(generate('one')), rendered('one', 'Generated.\n'));
  await foldRecords(
    partition,
    3,
    commandRecord(generate('two')),
    commandRecord(edit('By hand.\n')),
    rendered('two', 'Generated again.\n'),
  );
  const draft = readDraft(partition, id);
  assert.match(draft?.bodyMd ?? '', /By hand\./);
  assert.deepEqual([draft?.status, draft?.generatedMd], ['ready', 'Generated again.\n']);
});

test('a merge reports conflicts, unless an earlier version wrote the record', async (t) => {
  const entry = (words: string): string => `- ${words} <!-- rn:pr:1 -->\n- Other <!-- rn:pr:2 -->\n`;
  const next = '- Other <!-- rn:pr:2 -->\n';
  const absent: AbsentChange[] = [{ id: 'pr:1', reason: 'reverted', detail: '#3' }];
  const cases: [{ absent?: AbsentChange[] }, string][] = [
    [{ absent }, entry('Mine').replace('\n', '\n  <!-- rn:gone pr:1 reverted by #3 -->\n')],
    [{ absent: [] }, entry('Mine').replace('\n', '\n  <!-- rn:gone pr:1 not in the range any more -->\n')],
    [{}, entry('Mine')],
  ];
  for (const [more, body] of cases) {
    const partition = await withRange(t);
    const outcome = { result: 'rendered', draftId: id, row: 0, inputSeq: 0, flags } as const;
    await foldRecords(partition, 2, commandRecord(generate('one')), rendered('one', entry('One')));
    await foldRecords(partition, 3, commandRecord(edit(entry('Mine'))), commandRecord(generate('two')));
    await foldRecords(partition, 4, resultRecord({ ...outcome, ticket: 'two', bodyMd: next, ...more }, epoch + 9));
    assert.equal(readDraft(partition, id)?.bodyMd, body);
    const { conflicts } = JSON.parse(String(readResponse(partition, id)?.json));
    assert.equal(conflicts.length, 'absent' in more ? 1 : 0);
    await foldRecords(partition, 5, commandRecord(edit(next)));
    assert.deepEqual(JSON.parse(String(readResponse(partition, id)?.json)).conflicts, []);
  }
});

/** Renders the draft. Returns the result as a record of the journal. */
function rendering(partition: Partition, ticket: string) {
  const { bodyMd, flags, absent, inputSeq } = render(
    partition,
    { task: 'render', rangeId, persona: 'engineer' },
    () => {},
  );
  return resultRecord({ result: 'rendered', draftId: id, ticket, row: 0, inputSeq, bodyMd, flags, absent }, epoch + 9);
}

/** Returns the event of a change to a merged pull request. */
function changed(number: number, fields: Parameters<typeof pullSnapshot>[1]) {
  return eventRecord({ event: 'pull_request', action: 'closed', pull: pullSnapshot(number, fields) });
}

/** Returns the conflicts of the draft as the API shows them, each as `ID REASON DETAIL`. */
function conflictsShown(partition: Partition): string[] {
  const { conflicts } = JSON.parse(String(readResponse(partition, id)?.json)) as { conflicts: AbsentChange[] };
  return conflicts.map(({ id, reason, detail }) => `${id} ${reason} ${detail}`);
}

test('an edit during a render is merged with the reasons of the render', async (t) => {
  const partition = await withRange(t);
  await foldRecords(partition, 2, pullRecord(2), commandRecord(generate('one')));
  await foldRecords(partition, 3, rendering(partition, 'one'));
  const revert = changed(5, { title: 'Revert "Change 2"', body: 'Reverts #2' });
  await foldRecords(partition, 4, revert, commandRecord(generate('two')));
  const outcome = rendering(partition, 'two');
  const body = readDraft(partition, id)?.bodyMd.replace('Change 2', 'Land softly') ?? '';
  await foldRecords(partition, 5, commandRecord(edit(body)));
  await foldRecords(partition, 6, outcome);
  assert.deepEqual(conflictsShown(partition), ['pr:2 reverted #5']);
});

test('of very many changes that are gone, the one that a person has edited has its full reason', async (t) => {
  const partition = openTestPartition(t);
  const numbers = Array.from({ length: 1_200 }, (_, index) => index + 1);
  const bounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 2_000 } as const;
  await foldRecords(partition, 1, ...numbers.map((number) => pullRecord(number)));
  await foldRecords(partition, 2, commandRecord({ ...createRange, bounds }), commandRecord(generate('one')));
  await foldRecords(partition, 3, rendering(partition, 'one'));
  const body = readDraft(partition, id)?.bodyMd.replace('Change 1200', 'Land softly') ?? '';
  await foldRecords(partition, 4, commandRecord(edit(body)));
  const labelled = { labels: ['no changelog'], updatedAt: epoch + 9_000_000 };
  await foldRecords(partition, 5, ...numbers.map((number) => changed(number, labelled)));
  await foldRecords(partition, 6, commandRecord(generate('two')));
  await foldRecords(partition, 7, rendering(partition, 'two'));
  assert.deepEqual(conflictsShown(partition), ['pr:1200 label no changelog']);
});

test('carries out a repeated command once', async (t) => {
  const partition = await withRange(t);
  await foldRecords(partition, 2, commandRecord(generate('one')), rendered('one', 'text'));
  const command = commandRecord(edit('edited'));
  await foldRecords(partition, 3, command, command);
  assert.deepEqual([readDraft(partition, id)?.revision, readResult(partition, command.id)?.ok], [2, true]);
});

test('stores the failure of an invalid command as its result', async (t) => {
  const partition = await withRange(t);
  const commands: Command[] = [
    { ...createRange, rangeId: 'other', repoId: 'repo_none' },
    { name: 'generateDraft', rangeId: 'none', draftId: 'none', persona: 'engineer', ticket: 'x' },
    { name: 'updateDraft', draftId: 'none', bodyMd: '' },
  ];
  for (const [i, command] of commands.entries()) {
    const record = commandRecord(command);
    await foldRecords(partition, 2 + i, record);
    const result = readResult(partition, record.id);
    assert.ok(result && !result.ok && result.kind === 'notFound');
  }
});

test('the ready response changes with every recount and rename', async (t) => {
  const partition = await withRange(t);
  const range = () => JSON.parse(String(readResponse(partition, rangeId)?.json));
  const counts = (prCount: number) =>
    resultRecord({
      result: 'recounted',
      repoId: repository.id,
      row: 0,
      counts: [{ rangeId, prCount, issueCount: 2, resolution: 'window' }],
    });
  await foldRecords(partition, 2, counts(7), counts(7));
  assert.deepEqual([range().prCount, range().issueCount], [7, 2]);
  // After the repository is renamed, the stored bytes of the range's reply are outdated. The reply is then encoded from
  // the range's record.
  await foldRecords(partition, 3, pullRecord(2, { repository: repositoryFields({ fullName: 'acme/moon' }) }));
  assert.deepEqual([range().prCount, readRange(partition, rangeId)?.prCount], [7, 7]);
  assert.equal(readResponse(partition, 'range_none'), undefined);
});

test('a recount sets and removes that a range is assumed', async (t) => {
  const partition = openTestPartition(t);
  await foldRecords(
    partition,
    1,
    pullRecord(1),
    commandRecord({ ...createRange, resolution: 'commits', assumed: true }),
  );
  const assumed = () => [
    readRange(partition, rangeId)?.assumed,
    JSON.parse(String(readResponse(partition, rangeId)?.json)).assumed,
  ];
  const recount = (fields: { assumed?: true }) => {
    const counts = [{ rangeId, prCount: 1, issueCount: 0, resolution: 'commits' as const, ...fields }];
    return resultRecord({ result: 'recounted', repoId: repository.id, row: 0, counts });
  };
  assert.deepEqual(assumed(), [true, true]);
  await foldRecords(partition, 2, recount({}));
  assert.deepEqual(assumed(), [undefined, undefined]);
  await foldRecords(partition, 3, recount({ assumed: true }));
  assert.deepEqual(assumed(), [true, true]);
});

test('requests a recount when the default branch changes', async (t) => {
  const partition = await withRange(t);
  const recounts = () =>
    listEffects(partition, 0, 100).flatMap(({ number, effect }) => (effect.effect === 'recount' ? number : []));
  const [row = 0] = recounts();
  await foldRecords(partition, 2, resultRecord({ result: 'recounted', repoId: repository.id, row, counts: [] }));
  const about = (fields: Partial<typeof repository>, second: number) =>
    eventRecord(
      { event: 'repository', action: 'edited', formerName: null, seenAt: epoch + second * 1000 },
      { repository: repositoryFields(fields) },
    );
  await foldRecords(partition, 3, about({ private: true }, 20));
  assert.deepEqual(recounts(), [], 'whether it is private changes no count');
  await foldRecords(partition, 4, about({ private: true, defaultBranch: 'next' }, 30));
  assert.equal(recounts().length, 1);
});

test('forgets deliveries and results after their retention periods', async (t) => {
  const partition = openTestPartition(t);
  const delivered = pullRecord(1);
  const command = { ...commandRecord(createRange), id: idAt(epoch) };
  await foldRecords(partition, 1, delivered, command);
  const key = deliveryKey(delivered.delivery, 'pull_request', '', 0);
  await foldRecords(partition, 2, tickRecord(epoch), tickRecord(epoch + resultKeepingMs));
  assert.ok(readResult(partition, command.id) && isFolded(partition, key));
  await foldRecords(partition, 3, tickRecord(epoch + resultKeepingMs + 1));
  assert.equal(readResult(partition, command.id), undefined);
  await foldRecords(partition, 4, ...dailyTicks(epoch, epoch + deliveryKeepingMs));
  assert.ok(isFolded(partition, key));
  await foldRecords(partition, 5, tickRecord(epoch + deliveryKeepingMs + 1));
  assert.equal(isFolded(partition, key), false);
});
