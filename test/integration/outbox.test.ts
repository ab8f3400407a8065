/**
 * The outbox under load: each effect is carried out once, however many commits pass while its outcome is on its way, and
 * again after a stop in the middle.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draftId } from '../../src/foundation/ids.ts';
import type { JournalRecord } from '../../src/protocol/journal.ts';
import { listDirectoryRepositories } from '../../src/store/tables/directory.ts';
import { readDraft } from '../../src/store/tables/drafts.ts';
import { countEffects } from '../../src/store/tables/outbox.ts';
import { readRange } from '../../src/store/tables/ranges.ts';
import { type Bench, enqueueAndFold, feed, ownWithOutbox, startBench } from '../helpers/partition-owner.ts';
import { commandRecord, pullRecord, repositoryFields } from '../helpers/partition-records.ts';
import { readStream } from '../helpers/partition-stream.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const repoId = repositoryFields().id;
const rangeId = 'range_00000000000000000000000000aa';
const createRange = commandRecord({
  name: 'createRange',
  rangeId,
  repoId,
  bounds: { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 1000 },
  prCount: 0,
  issueCount: 0,
  resolution: 'window',
});

async function records({ journal }: Bench, name: string): Promise<JournalRecord[]> {
  return (await readStream(journal, name)).flatMap((message) => message.records);
}

async function results(bench: Bench, result: string): Promise<number> {
  const all = await records(bench, 'p00');
  return all.filter((record) => record.kind === 'result' && record.body.result === result).length;
}

/** A record of a repository of its own, met for the first time. */
function meeting(nth: number): JournalRecord {
  const id = `${repoId.slice(0, -6)}${String(nth).padStart(6, '0')}`;
  return pullRecord(1, { repository: repositoryFields({ id, hostId: String(nth), fullName: `acme/repo-${nth}` }) });
}

test('relays each of many rows once', async (t) => {
  const bench = await startBench(t);
  const directory = await ownWithOutbox(t, bench, 'directory');
  const { owner } = await ownWithOutbox(t, bench);
  const lane = feed(bench.journal);
  await enqueueAndFold(
    owner,
    lane,
    Array.from({ length: 250 }, (_, nth) => meeting(nth)),
  );
  for (let nth = 250; nth < 450; nth++) await lane.enqueue(meeting(nth));
  await waitUntil('all have left', () => countEffects(owner.partition) === 0);
  await waitUntil('all have arrived', () => listDirectoryRepositories(directory.owner.partition, null).length === 450);
  const relays = (await records(bench, 'directory')).filter((record) => record.kind === 'relay');
  assert.equal(relays.length, 450);
});

test('relays what was left by a stop in the middle', async (t) => {
  const bench = await startBench(t);
  const directory = await ownWithOutbox(t, bench, 'directory');
  const first = await ownWithOutbox(t, bench);
  await enqueueAndFold(
    first.owner,
    feed(bench.journal),
    Array.from({ length: 300 }, (_, nth) => meeting(nth)),
  );
  await first.close();
  const { owner } = await ownWithOutbox(t, bench);
  await waitUntil('all have left', () => countEffects(owner.partition) === 0);
  await waitUntil('all have arrived', () => listDirectoryRepositories(directory.owner.partition, null).length === 300);
});

test('renders a draft once among other commits', async (t) => {
  const bench = await startBench(t);
  await ownWithOutbox(t, bench, 'directory');
  const { owner } = await ownWithOutbox(t, bench);
  const lane = feed(bench.journal);
  await enqueueAndFold(owner, lane, [pullRecord(1), createRange]);
  const id = draftId(rangeId, 'engineer');
  const generate = { name: 'generateDraft', rangeId, draftId: id, persona: 'engineer', ticket: 'one' } as const;
  await lane.enqueue(commandRecord(generate));
  for (let number = 2; number <= 400; number++) await lane.enqueue(pullRecord(number));
  await waitUntil('it is ready', () => readDraft(owner.partition, id)?.status === 'ready');
  await waitUntil('all have left', () => countEffects(owner.partition) === 0);
  assert.equal(await results(bench, 'rendered'), 1);
  assert.equal(readDraft(owner.partition, id)?.revision, 1);
});

test('counts a burst of changes few times and rightly', async (t) => {
  const bench = await startBench(t);
  await ownWithOutbox(t, bench, 'directory');
  const { owner } = await ownWithOutbox(t, bench);
  const lane = feed(bench.journal);
  await enqueueAndFold(owner, lane, [pullRecord(1), createRange]);
  const started = performance.now();
  for (let number = 2; number <= 120; number++) await enqueueAndFold(owner, lane, [pullRecord(number)]);
  await waitUntil('all have left', () => countEffects(owner.partition) === 0);
  assert.equal(readRange(owner.partition, rangeId)?.prCount, 120);
  const most = (performance.now() - started) / 250 + 2;
  const counted = await results(bench, 'recounted');
  assert.ok(counted <= most, `${counted} recounts`);
});
