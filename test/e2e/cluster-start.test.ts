/**
 * Tests the start of a node whose journal begins too late for it: the service is not ready and says why, until another
 * node offers a snapshot.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { connectJournal } from '../../src/journal/connect.ts';
import { purgeStream } from '../../src/journal/topology.ts';
import { listSnapshots } from '../../src/store/snapshot.ts';
import { Peers } from '../../workers/partition/peers.ts';
import { afterwards } from '../helpers/cleanup.ts';
import { clusterServer, noCluster } from '../helpers/cluster-options.ts';
import { externalSettings, startExternal } from '../helpers/external-nats.ts';
import { quiet } from '../helpers/journal.ts';
import { makeNodeDataDir } from '../helpers/node-data-dir.ts';
import { startNode } from '../helpers/partition-node.ts';
import { enqueueAndFold } from '../helpers/partition-owner.ts';
import { pullRecord } from '../helpers/partition-records.ts';
import { streamBytes } from '../helpers/partition-stream.ts';
import { startService } from '../helpers/service.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Starts a nats-server that a node accepts. */
async function startClusterBench(t: TestContext) {
  const settings = externalSettings(
    `nats://127.0.0.1:${await startExternal(t, '', undefined, '', clusterServer?.path)}`,
  );
  const connect = async () => {
    const journal = await connectJournal(settings, { role: 'cli', name: 'test' }, quiet);
    afterwards(t, () => journal.close());
    return journal;
  };
  return { nats: { settings, connect }, journal: await connect() };
}

test('a node waits for the snapshot of another node before it is ready', { skip: noCluster }, async (t) => {
  const bench = await startClusterBench(t);
  const a = await startNode(t, bench, 'a');
  for (const number of [1, 2, 3]) await enqueueAndFold(a.owner, a.lane, [pullRecord(number)]);
  await a.owner.snapshot();
  await a.peers.close();
  await purgeStream(bench.journal, 'p00', 2);
  const service = await startService(t, {
    dataDir: makeNodeDataDir(t, 1),
    waits: false,
    env: {
      TIDINGS_NODE: 'b',
      TIDINGS_NATS_URL: bench.nats.settings.natsUrl,
      TIDINGS_PARTITIONS: '1',
      TIDINGS_JOURNAL_MAX_BYTES: String(streamBytes),
    },
  });
  const waitingFor = async (): Promise<string[]> => {
    const answer = await fetch(`${service.opsUrl}/readyz`);
    return ((await answer.json()) as { waitingFor: string[] }).waitingFor;
  };
  await waitUntil('it says what it waits for', async () =>
    (await waitingFor().catch((): string[] => [])).includes('p00: waits for a snapshot of another node'),
  );
  assert.ok((await waitingFor()).some((name) => name.startsWith('worker 0')));
  const journal = { ...(await bench.nats.connect()), node: 'a' };
  const back = new Peers(['p00'], { journal, dataDir: a.dataDir, logger: quiet });
  afterwards(t, () => back.close());
  back.serve(a.owner);
  await service.ready();
  const [fetched] = listSnapshots(service.dataDir, 'p00');
  assert.equal(fetched?.seq, 3);
  assert.deepEqual(await waitingFor(), []);
  assert.equal(await service.metric('tidings_snapshot_fetches_total'), 1);
});
