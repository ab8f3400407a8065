/**
 * Tests the outbox under load. Each effect is carried out once. This holds even if many commits happen, or the process
 * stops, before the outcome of the effect arrives.
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

/** Returns a record that makes a new repository known. */
function newRepository(nth: number): JournalRecord {
  const id = `${repoId.slice(0, -6)}${String(nth).padStart(6, '0')}`;
  return pullRecord(1, { repository: repositoryFields({ id, hostId: String(nth), fullName: `acme/repo-${nth}` }) });
}

test('each of many rows is relayed once', async (t) => {
  const bench = await startBench(t);
  const directory = await ownWithOutbox(t, bench, 'directory');
  const { owner } = await ownWithOutbox(t, bench);
  const lane = feed(bench.journal);
  await enqueueAndFold(
    owner,
    lane,
    Array.from({ length: 250 }, (_, nth) => newRepository(nth)),
  );
  for (let nth = 250; nth < 450; nth++) await lane.enqueue(newRepository(nth));
  await waitUntil('all have left', () => countEffects(owner.partition) === 0);
  await waitUntil('all have arrived', () => listDirectoryRepositories(directory.owner.partition, null).length === 450);
  const relays = (await records(bench, 'directory')).filter((record) => record.kind === 'relay');
  assert.equal(relays.length, 450);
});

test('rows left by a stop in the middle are relayed', async (t) => {
  const bench = await startBench(t);
  const directory = await ownWithOutbox(t, bench, 'directory');
  const first = await ownWithOutbox(t, bench);
  await enqueueAndFold(
    first.owner,
    feed(bench.journal),
    Array.from({ length: 300 }, (_, nth) => newRepository(nth)),
  );
  await first.close();
  const { owner } = await ownWithOutbox(t, bench);
  await waitUntil('all have left', () => countEffects(owner.partition) === 0);
  await waitUntil('all have arrived', () => listDirectoryRepositories(directory.owner.partition, null).length === 300);
});

test('a draft is rendered once among other commits', async (t) => {
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

test('a burst of changes causes few recounts and correct counts', async (t) => {
  const bench = await startBench(t);
  await ownWithOutbox(t, bench, 'directory');
  const { owner } = await ownWithOutbox(t, bench);
  const lane = feed(bench.journal);
  await enqueueAndFold(owner, lane, [pullRecord(1), createRange]);
  const started = performance.now();
  for (let number = 2; number <= 120; number++) await enqueueAndFold(owner, lane, [pullRecord(number)]);
  await waitUntil('all have left', () => countEffects(owner.partition) === 0);
  assert.equal(readRange(owner.partition, rangeId)?.prCount, 120);
  const max = (performance.now() - started) / 250 + 2;
  const counted = await results(bench, 'recounted');
  assert.ok(counted <= max, `${counted} recounts`);
});
