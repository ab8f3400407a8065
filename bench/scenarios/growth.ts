/**
 * growth: compares services whose repository has a thousand, a hundred thousand and a million pull requests. The
 * services run at the same time and are loaded in turns, so other programs affect all of them equally.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createProgress } from '../../src/cli/progress.ts';
import { partitionOf, repositoryId, slotOfId } from '../../src/foundation/ids.ts';
import { partitionName } from '../../src/foundation/partition-names.ts';
import { heapLimits, usualHeapMb } from '../../workers/render/heap.ts';
import { answerFaults, cpuOf, median, othersShare, ratio, toSubject } from '../figures.ts';
import { rangePulls, rangeTags, repositoryHistory, type TrafficOptions } from '../fill/traffic.ts';
import { fillJournal } from '../fill.ts';
import { foldFaults } from '../folded.ts';
import { type Load, startLoad } from '../load.ts';
import { type Memory, memoryOf, memoryText } from '../memory.ts';
import { caughtUp, makeDataDir, secondsUntilReady } from '../node.ts';
import { repositoryOf } from '../payload.ts';
import { acknowledgedIn, serviceTarget, startDeliveries } from '../receivers.ts';
import { runRounds, type Sender, type Target, type TargetRuns } from '../rounds.ts';
import { authorization, call, until } from '../sample-draft.ts';
import type { BenchContext, Figure, Measured, Scenario, Subject } from '../scenario.ts';
import { type BenchService, startBenchService } from '../service.ts';

const wholeSize = 1_000_000;
/** The smallest size. It must be larger than the range that is rendered. */
const smallestSize = 400;
const connections = 64;
const rendersPerRound = 20;
const costLine = { atMost: 1 / 0.9 } as const;
const renderLine = { atMost: 1.2 } as const;
const memoryLine = { atMost: 400 } as const;
/** A read stores nothing, so its reply promises nothing about the disk. */
const noDurability = '–';

export const growth: Scenario = {
  name: 'growth',
  question: 'What do deliveries, reads and renders cost when a repository has a million pull requests?',
  run: async (context) => {
    const largest = context.size ?? wholeSize;
    const sizes = [largest / 1000, largest / 10, largest].map((size) => Math.max(smallestSize, Math.round(size)));
    const stages: Stage[] = [];
    for (const size of new Set(sizes)) stages.push(await prepare(context, size));
    await measureDeliveries(context, stages);
    await measureReads(context, stages, 'draft');
    await measureReads(context, stages, 'list');
    await measureRenders(context, stages);
    return [...stages.flatMap(toMeasured), compare(stages, largest === wholeSize)];
  },
};

/** A service with one large repository, and what was measured of it. */
interface Stage {
  pulls: number;
  service: BenchService;
  rangeId: string;
  paths: { draft: string; list: string };
  /** Renders in the same way as a worker's render thread. */
  thread: Worker;
  results: { accept?: Result; draft?: Result; list?: Result };
  /** Times of renders, and the processor time per render in each round, in milliseconds. */
  renders: { times: number[]; cpu: number[] };
  /** The largest resident memory of each process that was seen after a load. */
  memory: Record<string, Memory>;
}

/** The result of one load on one service. */
interface Result {
  subject: Subject;
  othersShare: number;
  faults: string[];
}

async function prepare(context: BenchContext, pulls: number): Promise<Stage> {
  const dataDir = makeDataDir(context);
  const repository = repositoryOf(0);
  const label = `growth, ${pulls.toLocaleString('en-GB')} pull requests`;
  const traffic = (options: TrafficOptions) => repositoryHistory({ ...options, repository, pulls });
  const filled = await fillJournal(dataDir, traffic, { label: `${label}, fill`, expected: Math.round(pulls * 1.1) });
  const startedAt = performance.now();
  const service = await startBenchService(context, 'https://github.com', { dataDir });
  const progress = createProgress({ label: `${label}, fold`, total: filled.messages, stream: process.stderr });
  await caughtUp({ service, startedAt }, filled.lastSeq, (messages) => progress.advance(messages));
  progress.done();
  await secondsUntilReady({ service, startedAt });
  const { hostOrigin, partitions } = service.settings;
  const repoId = repositoryId(hostOrigin, String(repository.hostId));
  await until('repository', async () => {
    const { repos } = await call<{ repos: { id: string }[] }>(service, 'GET', '/api/repos');
    return repos.find(({ id }) => id === repoId);
  });
  const range = { type: 'TAG_BASED', repoId, ...rangeTags };
  const { id: rangeId } = await call<{ id: string }>(service, 'POST', '/api/ranges', range);
  const partition = partitionName(partitionOf(slotOfId(repoId) as number, partitions));
  const thread = new Worker(new URL('../render-thread.js', import.meta.url), {
    workerData: { dataDir, partition },
    resourceLimits: heapLimits(usualHeapMb),
  });
  context.defer(() => thread.terminate());
  return {
    pulls,
    service,
    rangeId,
    paths: { draft: await makeDraft(service, rangeId), list: `/api/ranges?repoId=${repoId}` },
    thread,
    results: {},
    renders: { times: [], cpu: [] },
    memory: {},
  };
}

/** Generates a draft of a range, and waits until it is ready. Returns its path. */
async function makeDraft(service: BenchService, rangeId: string): Promise<string> {
  const body = { persona: 'engineer' };
  const draft = await call<{ id: string }>(service, 'POST', `/api/drafts/${rangeId}/generate`, body);
  const path = `/api/drafts/${draft.id}`;
  return until('draft', async () => {
    const { status } = await call<{ status: string }>(service, 'GET', path);
    return status === 'ready' ? path : undefined;
  });
}

async function measureDeliveries(context: BenchContext, stages: readonly Stage[]): Promise<void> {
  const { secret } = (stages[0] as Stage).service;
  const { load, run } = await startDeliveries(context, secret, { repeats: false, repositories: 1 });
  const targets = stages.map(({ service }) => serviceTarget(service, run));
  const send: Sender = ({ url }, seconds) => load.run({ url, connections, seconds });
  const results = await runRounds('growth, deliveries', targets, send, context, load.pid);
  await load.stop();
  for (const [index, stage] of stages.entries()) {
    const result = results[index] as TargetRuns;
    stage.results.accept = toResult(result, 202);
    const { faults } = await foldFaults(stage.service, [{ run, acknowledged: acknowledgedIn(result.all) }]);
    stage.results.accept.faults.push(...faults);
  }
}

async function measureReads(context: BenchContext, stages: readonly Stage[], kind: 'draft' | 'list'): Promise<void> {
  const loads = new Map<string, Load>();
  for (const { service, paths } of stages) loads.set(service.url, await startRead(context, service, paths[kind]));
  const targets = stages.map(({ service: { url, pids } }): Target => {
    return { name: 'tidings', durability: noDurability, url, pids, settle: async () => {} };
  });
  const send: Sender = ({ url }, seconds) => (loads.get(url) as Load).run({ url, connections, seconds });
  const results = await runRounds(`growth, reads of a ${kind}`, targets, send, context);
  for (const load of loads.values()) await load.stop();
  for (const [index, stage] of stages.entries()) stage.results[kind] = toResult(results[index] as TargetRuns, 200);
  for (const stage of stages) noteMemory(stage);
}

async function startRead(context: BenchContext, service: BenchService, path: string): Promise<Load> {
  const headers = authorization(service);
  const response = await fetch(service.url + path, { headers });
  if (response.status !== 200) throw new Error(`GET ${path} returned ${response.status}`);
  const expectedBody = new Uint8Array(await response.arrayBuffer());
  const load = await startLoad({ kind: 'get', path, headers, expectedBody });
  context.defer(load.stop);
  return load;
}

function toResult({ target: { name, durability }, runs, all }: TargetRuns, wantedStatus: number): Result {
  return {
    subject: toSubject({ name, durability, hasRate: true }, runs),
    othersShare: othersShare(runs),
    faults: answerFaults(name, all, wantedStatus),
  };
}

/** Renders the range of each service in turns. The first round is a warm-up and is not counted. */
async function measureRenders(context: BenchContext, stages: readonly Stage[]): Promise<void> {
  const total = (1 + context.rounds) * stages.length;
  const progress = createProgress({ label: 'growth, renders', total, stream: process.stderr });
  for (let round = 0; round <= context.rounds; round++) {
    for (const { thread, rangeId, renders } of stages) {
      const { times, cpu } = await renderAll(thread, rangeId);
      progress.advance();
      if (round === 0) continue;
      renders.times.push(...times);
      renders.cpu.push(cpu);
    }
  }
  progress.done();
}

/** Renders a range several times. Returns the times, and the processor time per render, in milliseconds. */
async function renderAll(thread: Worker, rangeId: string): Promise<{ times: number[]; cpu: number }> {
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let count = 0; count < rendersPerRound; count++) {
    const begun = performance.now();
    const answer = once(thread, 'message') as Promise<[string]>;
    thread.postMessage(rangeId);
    const [text] = await answer;
    times.push(performance.now() - begun);
    const entries = text.match(/<!-- rn:pr:/g)?.length ?? 0;
    if (entries < rangePulls) throw new Error(`The draft has only ${entries} of ${rangePulls} changes`);
  }
  const { user, system } = process.cpuUsage(before);
  return { times, cpu: (user + system) / 1000 / rendersPerRound };
}

function noteMemory(stage: Stage): void {
  for (const [name, memory] of Object.entries(memoryOf(stage.service.pids))) {
    const known = stage.memory[name];
    if (!known || known.resident < memory.resident) stage.memory[name] = memory;
  }
}

function toMeasured({ pulls, results, renders, memory }: Stage): Measured[] {
  const where = `repository with ${pulls.toLocaleString('en-GB')} pull requests`;
  const rest = { size: pulls, connections: null, subjects: [], othersShare: 0, faults: [], notes: [] };
  const loaded = (load: string, result: Result | undefined): Measured[] => {
    if (!result) return [];
    const { subject, othersShare, faults } = result;
    return [{ ...rest, load: `${load}, ${where}`, connections, subjects: [subject], figures: [], othersShare, faults }];
  };
  const largest = largestOf(memory);
  return [
    ...loaded('deliveries', results.accept),
    ...loaded('GET of a draft', results.draft),
    ...loaded('GET of a list of ranges', results.list),
    {
      ...rest,
      load: `draft of ${rangePulls} changes, ${where}`,
      figures: [
        { name: 'time of a render', value: median(renders.times), unit: 'ms', line: null },
        { name: 'processor time of a render', value: median(renders.cpu), unit: 'ms', line: null },
      ],
    },
    {
      ...rest,
      load: `memory, ${where}`,
      figures: [
        { name: 'resident memory of the largest process', value: largest.resident, unit: 'MB', line: null },
        { name: 'the same without pages of mapped files', value: largest.own, unit: 'MB', line: null },
      ],
      notes: [`Memory in MB after the loads: ${memoryText(memory)}`],
    },
  ];
}

/** Compares the largest repository with the smallest one. */
function compare(stages: readonly Stage[], isJudged: boolean): Measured {
  const small = stages[0] as Stage;
  const large = stages.at(-1) as Stage;
  const cost = (kind: keyof Stage['results'], stage: Stage) => cpuOf((stage.results[kind] as Result).subject);
  const costRatio = (kind: keyof Stage['results']) => cost(kind, large) / cost(kind, small);
  const renderRatio = (kind: keyof Stage['renders']) => median(large.renders[kind]) / median(small.renders[kind]);
  const figures: Figure[] = [
    ratio('processor time per delivery, of the smallest', costRatio('accept'), { line: costLine }),
    ratio('processor time per read of a draft, of the smallest', costRatio('draft'), { line: costLine }),
    ratio('processor time per read of a list, of the smallest', costRatio('list'), { line: costLine }),
    ratio('time of a render, of the smallest', renderRatio('times'), { line: renderLine }),
    ratio('processor time of a render, of the smallest', renderRatio('cpu')),
    {
      name: 'resident memory of the largest process',
      value: largestOf(large.memory).resident,
      unit: 'MB',
      line: memoryLine,
    },
  ];
  return {
    load: `${large.pulls.toLocaleString('en-GB')} pull requests compared with ${small.pulls.toLocaleString('en-GB')}`,
    connections: null,
    subjects: [],
    figures: isJudged ? figures : figures.map((figure) => ({ ...figure, line: null })),
    othersShare: 0,
    faults: [],
    notes: [],
  };
}

/** Returns the memory of the process with the most resident memory. */
function largestOf(memories: Record<string, Memory>): Memory {
  return Object.values(memories).reduce((most, memory) => (memory.resident > most.resident ? memory : most));
}
