/**
 * restart-replay: measures how fast a node comes back. First, its journal has a million records and its stores are
 * missing, so all records are folded again. Then it restarts with its stores, and at last with snapshots only.
 */
import { readdirSync, rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createProgress } from '../../src/cli/progress.ts';
import { createLogger } from '../../src/foundation/logger.ts';
import { partitionNames } from '../../src/foundation/partition-names.ts';
import { connectJournal } from '../../src/journal/connect.ts';
import { ask } from '../../src/journal/query.ts';
import { partitionFolder } from '../../src/store/generation.ts';
import { listSnapshots } from '../../src/store/snapshot.ts';
import { localJournal } from '../../src/supervisor/nats-server.ts';
import { machineSeconds, ownSeconds } from '../cpu.ts';
import { mixedTraffic, type TrafficOptions } from '../fill/traffic.ts';
import { type Filled, fillJournal } from '../fill.ts';
import { memoryOf, memoryText } from '../memory.ts';
import {
  type CaughtUp,
  type Cursors,
  caughtUp,
  cursorsOf,
  makeDataDir,
  type Starting,
  secondsUntilReady,
} from '../node.ts';
import type { BenchContext, Figure, Measured, Scenario } from '../scenario.ts';
import { type BenchService, startBenchService } from '../service.ts';

/** Number of records that the lines are for. */
const wholeSize = 1_000_000;
const lines = { perSecond: 40_000, readySeconds: 30, snapshotSeconds: 5 } as const;
const repositories = 200;
const snapshotMs = 120_000;
const countedMs = 5_000;

export const restartReplay: Scenario = {
  name: 'restart-replay',
  question: 'How long does a node with a million records need until it is ready after a restart?',
  run: async (context) => {
    const size = context.size ?? wholeSize;
    const dataDir = makeDataDir(context);
    const traffic = (options: TrafficOptions) => mixedTraffic({ ...options, repositories, records: size });
    const filled = await fillJournal(dataDir, traffic, { label: 'restart-replay, fill', expected: size });
    const cursors = () => cursorsOf(dataDir, filled.partitions);
    const replayed = await replay(context, filled);
    const restarted = await restart(context, dataDir, await cursors(), 'with its stores');
    const goal = await cursors();
    removeStores(filled);
    const restored = await restart(context, dataDir, goal, 'from snapshots, without stores');
    const measured = [replayed, restarted, restored];
    return size === wholeSize ? measured : measured.map(unjudged);
  },
};

async function replay(context: BenchContext, filled: Filled): Promise<Measured> {
  const { records, messages } = filled;
  const progress = createProgress({ label: 'restart-replay, messages', total: messages, stream: process.stderr });
  const before = machineUse();
  const node = await start(context, filled.dataDir);
  const [ready, folded] = await Promise.all([
    secondsUntilReady(node),
    caughtUp(node, filled.lastSeq, (count) => progress.advance(count)),
  ]);
  progress.done();
  const memory = memoryOf(node.service.pids);
  const measured = toMeasured('without stores: the whole journal is folded', ready, folded, lines.readySeconds);
  const rate = records / (folded.seconds - folded.firstFoldedAt);
  const workers = Object.entries(folded.cpu).filter(([name]) => name.startsWith('worker'));
  const perRecord = (workers.reduce((sum, [, seconds]) => sum + seconds, 0) * 1e6) / records;
  measured.figures.unshift(
    { name: 'records folded per second', value: rate, unit: '/s', line: { atLeast: lines.perSecond } },
    { name: 'processor time of the workers per record', value: perRecord, unit: 'µs', line: null },
  );
  measured.othersShare = othersSince(before, folded);
  measured.faults.push(...(await faultsOf(node.service, filled)));
  measured.notes.push(
    `The journal had ${records} records in ${messages} messages, ${(filled.bytes / 1e6).toFixed(0)} MB.`,
    `Memory in MB when everything was folded: ${memoryText(memory)}`,
  );
  await takeSnapshots(node.service);
  await node.service.stop();
  return measured;
}

async function restart(context: BenchContext, dataDir: string, goal: Cursors, how: string): Promise<Measured> {
  const before = machineUse();
  const node = await start(context, dataDir);
  const [ready, folded] = await Promise.all([secondsUntilReady(node), caughtUp(node, goal)]);
  const measured = toMeasured(how, ready, folded, lines.snapshotSeconds);
  measured.othersShare = othersSince(before, folded);
  await node.service.stop();
  return measured;
}

async function start(context: BenchContext, dataDir: string): Promise<Starting> {
  const startedAt = performance.now();
  // A partition that is restored from a snapshot is logged as an error. Here it is what the scenario wants.
  const env = { TIDINGS_LOG_LEVEL: 'fatal' };
  return { service: await startBenchService(context, 'https://github.com', { dataDir, env }), startedAt };
}

/** A node counts as ready when `/readyz` reports it and every partition has folded its journal. */
function toMeasured(load: string, ready: number, folded: CaughtUp, atMost: number): Measured {
  const figures: Figure[] = [
    { name: 'time until the node is ready', value: Math.max(ready, folded.seconds), unit: 's', line: { atMost } },
    { name: 'time until /readyz reports ready', value: ready, unit: 's', line: null },
  ];
  const cpu = Object.entries(folded.cpu).map(([name, seconds]) => `${name} ${seconds.toFixed(2)}`);
  const notes = [`Processor time in s until the node was ready: ${cpu.join(', ')}`];
  return { load, connections: null, subjects: [], figures, othersShare: 0, faults: [], notes };
}

/** Returns a result whose figures have no lines, because the lines are for the whole size only. */
function unjudged(measured: Measured): Measured {
  return { ...measured, figures: measured.figures.map((figure) => ({ ...figure, line: null })) };
}

/**
 * Checks that every record was folded once and none became a dead letter. A worker counts the records of a commit a
 * moment after the commit, so the check waits for the count.
 */
async function faultsOf(service: BenchService, { records }: Filled): Promise<string[]> {
  let metrics = await service.metrics();
  const deadline = performance.now() + countedMs;
  while (metrics.sum('tidings_fold_records_total', 'kind="event"') < records && performance.now() < deadline) {
    await pause(100);
    metrics = await service.metrics();
  }
  const folded = metrics.sum('tidings_fold_records_total', 'kind="event"');
  const dead = metrics.sum('tidings_fold_dead_letters_total');
  const repeated = metrics.sum('tidings_duplicates_total');
  return [
    ...(folded === records ? [] : [`${folded} of ${records} records were folded`]),
    ...(dead > 0 ? [`${dead} records became dead letters`] : []),
    ...(repeated > 0 ? [`${repeated} records were taken for duplicates`] : []),
  ];
}

/** Takes two snapshots of each partition. The journal is then purged, because both contain its records. */
async function takeSnapshots({ settings }: BenchService): Promise<void> {
  const { dataDir, natsPort, partitions } = settings;
  const progress = createProgress({
    label: 'restart-replay, snapshots',
    total: 2 * (partitions + 1),
    stream: process.stderr,
  });
  const client = { role: 'cli', name: 'tidings bench', waits: false } as const;
  const journal = await connectJournal(localJournal(dataDir, natsPort, 'cli'), client, createLogger('bench', 'error'));
  for (const name of partitionNames(partitions)) {
    for (let wanted = 1; wanted <= 2; wanted++) {
      // A snapshot of a large store takes longer than a question may take. The owner finishes it nevertheless.
      await ask(journal, name, { task: 'snapshot' }).catch(() => {});
      const deadline = performance.now() + snapshotMs;
      while (listSnapshots(dataDir, name).length < wanted) {
        if (performance.now() > deadline)
          throw new Error(`There is no snapshot of ${name} after ${snapshotMs / 1000} s`);
        await pause(100);
      }
      progress.advance();
    }
  }
  progress.done();
  await journal.close();
}

/** Removes the stores of a stopped node. Its snapshots and its journal stay. */
function removeStores({ dataDir, partitions }: Filled): void {
  for (const partition of partitionNames(partitions)) {
    const folder = partitionFolder(dataDir, partition);
    for (const name of readdirSync(folder).filter((each) => /^g\d{6}$/.test(each)))
      rmSync(join(folder, name), { recursive: true });
  }
}

/** Processor seconds that the machine and this process have used. */
interface Use {
  machine: number | undefined;
  own: number;
}

function machineUse(): Use {
  return { machine: machineSeconds(), own: ownSeconds() };
}

/** Returns the share of the machine's processors that other programs used since `before`. */
function othersSince(before: Use, { seconds, cpu }: CaughtUp): number {
  const after = machineUse();
  if (before.machine === undefined || after.machine === undefined) return 0;
  const own = Object.values(cpu).reduce((sum, used) => sum + used, after.own - before.own);
  return Math.max(0, (after.machine - before.machine - own) / (cpus().length * seconds));
}
