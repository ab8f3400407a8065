/**
 * Starts nodes of a cluster in this process: each has a data directory, a connection, an owner and a keeper of one
 * partition. All of them share the stream of a bench. Timers do not fire, except the announcements, so a test decides when
 * a node acts.
 */
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Journal } from '../../src/journal/connect.ts';
import type { Lane } from '../../src/journal/lane.ts';
import { ensureStream } from '../../src/journal/topology.ts';
import { readLead } from '../../src/store/tables/lead.ts';
import type { NamedByLead } from '../../workers/partition/batch.ts';
import type { FetchLimits } from '../../workers/partition/fetch.ts';
import { HandOver } from '../../workers/partition/hand-over.ts';
import { Keeper } from '../../workers/partition/housekeeping.ts';
import { Lead } from '../../workers/partition/lead.ts';
import { PartitionOwner } from '../../workers/partition/owner.ts';
import { Peers } from '../../workers/partition/peers.ts';
import { Standing } from '../../workers/partition/standing.ts';
import { afterwards } from './cleanup.ts';
import { quiet, type TestNats } from './journal.ts';
import { feed } from './partition-owner.ts';
import { streamBytes } from './partition-stream.ts';
import { temporaryFolder } from './ports.ts';

/** A running node. */
export interface PartitionNode {
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

/** A running node that takes part in elections, and compares its state with that of the others. */
export interface ComparingNode extends PartitionNode {
  lead: Lead;
  standing: Standing;
  /** Monotonic clock of the candidate for the lead. */
  clock: { ms: number };
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

/** How a node is connected with the parts that a worker has beside its owner. */
interface Hooks {
  onCommitted: (heardTerm: number | undefined) => void;
  onNamed: (named: NamedByLead) => void;
  standing: (parts: Pick<PartitionNode, 'owner' | 'peers' | 'lane' | 'dataDir'> & { journal: Journal }) => Standing;
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
  hooks?: Hooks,
): Promise<PartitionNode> {
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
    ...{ dataDir, name: 'p00', journal, logger: quiet, onCommitted: (_, term) => hooks?.onCommitted(term) },
    onNamed: (named) => hooks?.onNamed(named),
    source: { peers, limits: { ...quick, ...options.limits } },
    onLost: (_, error) => void lost.push(error),
  });
  const lane = feed(journal);
  peers.serve(owner, hooks?.standing({ owner, peers, lane, dataDir, journal }));
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

/** How long a difference may be open before a node stops serving, in milliseconds. The nodes answer at once. */
const openMs = 600;

/** Starts a node that takes part in elections, and compares its state with that of the others. It ticks on request. */
export async function startComparing(
  t: TestContext,
  bench: { nats: Pick<TestNats, 'connect'> },
  node: string,
  options: NodeOptions = {},
): Promise<ComparingNode> {
  const clock = { ms: 0 };
  let lead: Lead | undefined;
  let standing: Standing | undefined;
  const started = await startNode(t, bench, node, options, {
    onCommitted: (heardTerm) => lead?.folded(heardTerm),
    onNamed: (named) => standing?.named(named),
    standing: ({ owner, peers, lane, dataDir, journal }) => {
      const none = () => {};
      lead = new Lead({
        ...{ node, lane, logger: quiet, owner, leaseMs: 15_000, now: () => clock.ms },
        ...{ onGained: none, onLost: none },
      });
      const handOver = new HandOver(journal, quiet);
      afterwards(t, () => handOver.stop());
      handOver.add({ name: 'p00', lead, owner, endLeading: async () => {}, resumeLeading: none });
      standing = new Standing({
        ...{ dataDir, logger: quiet, owner, peers, lead, openMs },
        nodeOf: (term) => {
          const known = readLead(owner.partition);
          return known?.term === term && known.node !== node ? known.node : undefined;
        },
        handOver: () => handOver.handOver('p00'),
      });
      return standing;
    },
  });
  if (!lead || !standing) throw new Error('the node has no lead');
  const running = { lead, standing };
  const stop = () => {
    running.lead.close();
    running.standing.close();
  };
  afterwards(t, stop);
  running.lead.start();
  const close = async () => {
    stop();
    await started.close();
  };
  return { ...started, ...running, clock, close };
}
