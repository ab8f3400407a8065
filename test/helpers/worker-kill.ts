/** Kills a worker process at random times under load, and compares its store with the fold of its journal. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { draftId } from '../../src/foundation/ids.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { streamState } from '../../src/journal/topology.ts';
import { Readers } from '../../src/store/readers.ts';
import { listDirectoryRepositories } from '../../src/store/tables/directory.ts';
import { readDraft } from '../../src/store/tables/drafts.ts';
import { readCursor } from '../../src/store/tables/meta.ts';
import { countEffects } from '../../src/store/tables/outbox.ts';
import { readPull } from '../../src/store/tables/pulls.ts';
import { readRange } from '../../src/store/tables/ranges.ts';
import { foldBatch } from '../../workers/partition/batch.ts';
import { dump, openTestPartition } from './partition.ts';
import { type Bench, feed, startBench } from './partition-owner.ts';
import { commandRecord, pullRecord, repositoryFields } from './partition-records.ts';
import { openLane, readStream } from './partition-stream.ts';
import { startWorker, type TestWorker } from './partition-worker.ts';
import { waitUntil } from './wait-until.ts';

const repositories = Array.from({ length: 6 }, (_, nth) => repositoryFields({ fullName: `acme/repo-${nth}` }, nth));
const rangeId = 'range_00000000000000000000000000aa';
const generate = (ticket: string) =>
  commandRecord({ name: 'generateDraft', rangeId, draftId: draftId(rangeId, 'engineer'), persona: 'engineer', ticket });
const createRange = commandRecord({
  name: 'createRange',
  rangeId,
  repoId: repositoryFields().id,
  bounds: { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 1_000_000 },
  prCount: 0,
  issueCount: 0,
  resolution: 'window',
});

/**
 * Minimum number of pull requests. With this number, each repository has some pull requests and a draft is generated.
 */
const fewest = 60;

/**
 * Enqueues pull requests until `stop` is called, but at least `fewest` pull requests. Also enqueues a request for a
 * draft after every 50th pull request. `stop` returns the number of pull requests.
 */
function startEvents(lane: Lane) {
  let going = true;
  const writing = (async () => {
    let number = 1;
    for (; going || number <= fewest; number++) {
      const repository = repositories[number % repositories.length];
      await lane.enqueue(pullRecord(number, { at: Date.now(), ...(repository && { repository }) }));
      if (number === repositories.length) await lane.enqueue(createRange);
      if (number % 50 === 0) await lane.enqueue(generate(`ticket-${number}`));
      if (number % 10 === 0) await pause(5);
    }
    return number - 1;
  })();
  return {
    stop: () => {
      going = false;
      return writing;
    },
  };
}

/** Waits until both partitions have folded all records and carried out all effects. */
async function settle({ journal, dataDir }: Bench): Promise<void> {
  const readers = new Readers(dataDir);
  await waitUntil('both partitions have settled', async () => {
    for (const name of ['p00', 'directory']) {
      const partition = readers.fresh(name);
      if (!partition || countEffects(partition) > 0) return false;
      if (readCursor(partition).seq < (await streamState(journal, name)).lastSeq) return false;
    }
    return true;
  });
  await readers.close();
}

/**
 * Kills a worker `kills` times. Afterwards, the store of the worker equals, byte for byte, the fold of the journal. The
 * directory has received every relay once.
 */
export async function killWorker(t: TestContext, kills: number): Promise<void> {
  const bench = await startBench(t);
  await openLane(t, bench.journal);
  let worker: TestWorker = startWorker(t, bench);
  await worker.ready;
  const events = startEvents(feed(bench.journal));
  const healed: number[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await pause(Math.random() * 80);
    await worker.kill();
    const started = performance.now();
    worker = startWorker(t, bench);
    // Every third worker is killed before it is ready, while it opens its store and reads the journal.
    if (kill % 3 === 2) continue;
    await worker.ready;
    healed.push(performance.now() - started);
  }
  await worker.ready;
  const last = await events.stop();
  await settle(bench);
  assert.equal(await worker.stop(), 0);
  t.diagnostic(`ready again after ${Math.round(Math.max(...healed))} ms at most; ${last} deliveries`);

  for (const name of ['p00', 'directory']) {
    const live = openTestPartition(t, name, bench.dataDir);
    const replayed = openTestPartition(t, name);
    await foldBatch(replayed, await readStream(bench.journal, name));
    assert.equal(dump(replayed), dump(live), name);
  }
  const p00 = openTestPartition(t, 'p00', bench.dataDir);
  for (let number = 1; number <= last; number++) {
    const repository = repositories[number % repositories.length];
    assert.ok(readPull(p00, repository?.id ?? '', number), `pull request ${number}`);
  }
  const mine = Math.floor(last / repositories.length);
  assert.deepEqual(
    [readRange(p00, rangeId)?.prCount, readDraft(p00, draftId(rangeId, 'engineer'))?.status],
    [mine, 'ready'],
  );
  const directory = openTestPartition(t, 'directory', bench.dataDir);
  assert.equal(listDirectoryRepositories(directory, null).length, repositories.length);
}
