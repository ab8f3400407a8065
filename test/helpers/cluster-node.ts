/**
 * Starts nodes of a cluster in this process: each has a data directory, a connection, an owner and a keeper of one
 * partition. All of them share the stream of a bench. Timers do not fire, except the announcements, so a test decides when
 * a node acts.
 */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Lane } from '../../src/journal/lane.ts';
import { ensureStream } from '../../src/journal/topology.ts';
import type { FetchLimits } from '../../workers/partition/fetch.ts';
import { Keeper } from '../../workers/partition/housekeeping.ts';
import { PartitionOwner } from '../../workers/partition/owner.ts';
import { Peers } from '../../workers/partition/peers.ts';
import { afterwards } from './cleanup.ts';
import { quiet, type TestNats } from './journal.ts';
import { feed } from './partition-owner.ts';
import { streamBytes } from './partition-stream.ts';
import { temporaryFolder } from './ports.ts';

/** A running node. */
export interface ClusterNode {
  owner: PartitionOwner;
  peers: Peers;
  keeper: Keeper;
  lane: Lane;
  dataDir: string;
  /** Errors after which the owner gave up the partition. */
  lost: Error[];
  /** What the node was waiting for, in the order of the reports. */
  waited: string[];
  /** Lets a time pass for the node's view of the others, in steps of 15 seconds. */
  pass(ms: number): Promise<void>;
  /** Waits until the server has received everything from this node, and this node everything from the server. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** How a node starts. Everything is optional. */
export interface NodeOptions {
  dataDir?: string;
  leads?: boolean;
  maxBytes?: number;
  /** Interval between two checks of the keeper; by default, it never checks. */
  pollMs?: number;
  bytesPerSecond?: number;
  limits?: Partial<FetchLimits>;
}

const maxTimerMs = 2 ** 31 - 1;
const announceMs = 20;
const quick: Partial<FetchLimits> = { offersMs: 200, waitMs: 5000, retryMs: 20 };

/** Starts a node, which stops when the test ends. */
export async function startNode(
  t: TestContext,
  bench: { nats: Pick<TestNats, 'connect'> },
  node: string,
  options: NodeOptions = {},
): Promise<ClusterNode> {
  const { dataDir = join(temporaryFolder(t), 'data'), maxBytes = streamBytes, pollMs = maxTimerMs } = options;
  const journal = { ...(await bench.nats.connect()), node };
  await ensureStream(journal, 'p00', maxBytes);
  const lost: Error[] = [];
  const waited: string[] = [];
  const clock = { ms: 0 };
  const peers = new Peers(['p00'], {
    ...{ journal, dataDir, logger: quiet, announceMs },
    onWaiting: (_, state) => void (state && waited.push(state)),
    now: () => clock.ms,
    ...(options.bytesPerSecond && { bytesPerSecond: options.bytesPerSecond }),
  });
  afterwards(t, () => peers.close());
  const owner = await PartitionOwner.open({
    ...{ dataDir, name: 'p00', journal, logger: quiet, onCommitted: () => {} },
    source: { peers, limits: { ...quick, ...options.limits } },
    onLost: (_, error) => void lost.push(error),
  });
  peers.serve(owner);
  const lane = feed(journal);
  const company = { peers, leads: () => options.leads === true };
  const keeper = new Keeper(owner, { lane, snapshotMs: maxTimerMs, pollMs, company });
  const close = async () => {
    await keeper.close();
    await peers.close();
    await lane.close();
    await owner.close();
  };
  afterwards(t, close);
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 15_000) {
      clock.ms += 15_000;
      await peers.floor(owner);
    }
  };
  return { owner, peers, keeper, lane, dataDir, lost, waited, pass, flush: () => journal.connection.flush(), close };
}
