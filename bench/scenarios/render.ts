/**
 * render: compares a worker's render thread with git-cliff. Both programs write notes for a long range of the same
 * history. git-cliff reads only the commits, and writes a list of them. The render thread writes a draft, which also
 * has issues, authors, steps and areas.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { createProgress } from '../../src/cli/progress.ts';
import { heapLimits, usualHeapMb } from '../../workers/render/heap.ts';
import { endedChildrenSeconds, ownSeconds } from '../cpu.ts';
import { type Run, ratio, toSubject } from '../figures.ts';
import { gitCliff, type Peer } from '../peers.ts';
import { type BenchRange, gitFolder, partitionName, writeGitRepository, writePartition } from '../render-history.ts';
import type { BenchContext, Figure, Measured, Scenario, Subject } from '../scenario.ts';

/** Smallest multiple of git-cliff's rate. */
const line = { atLeast: 10 };
const commits = 5_200;
/** Ranges to render. `limitMs` is the maximum for the 99th percentile of the render times, in milliseconds. */
const questions: { range: BenchRange; limitMs: number }[] = [
  { range: { id: 'range_00bench30', fromTag: 'v0.9.0', toTag: 'v0.9.1', pulls: 30 }, limitMs: 20 },
  { range: { id: 'range_00bench300', fromTag: 'v1.0.0', toTag: 'v1.1.0', pulls: 300 }, limitMs: 50 },
  { range: { id: 'range_00bench5000', fromTag: 'v2.0.0', toTag: 'v2.1.0', pulls: 5_000 }, limitMs: 1_000 },
];
const timeoutMs = 60_000;
const execute = promisify(execFile);

/** Writes the notes once and returns their text. The promise is rejected when that fails. */
type Work = () => Promise<string>;

export const render: Scenario = {
  name: 'render',
  question:
    'How long does a render thread take to write a draft, compared with git-cliff (default settings, offline, same commits and tags)?',
  run: async (context) => {
    const dataDir = mkdtempSync(join(context.folder, 'tidings-bench-'));
    context.defer(() => rmSync(dataDir, { recursive: true, force: true }));
    const ranges = questions.map(({ range }) => range);
    const shas = writeGitRepository(gitFolder(dataDir), commits, ranges);
    await writePartition(dataDir, shas, ranges);
    const thread = new Worker(new URL('../render-thread.js', import.meta.url), {
      workerData: { dataDir, partition: partitionName },
      resourceLimits: heapLimits(usualHeapMb),
    });
    context.defer(() => thread.terminate());
    const peer = await gitCliff();
    const results: Measured[] = [];
    for (const { range, limitMs } of questions) {
      results.push(await compare(context, { thread, dataDir, peer, range, limitMs }));
    }
    return results;
  },
};

interface Question {
  thread: Worker;
  dataDir: string;
  peer: Peer<{ path: string }>;
  range: BenchRange;
  limitMs: number;
}

async function compare(context: BenchContext, question: Question): Promise<Measured> {
  const { range, peer, limitMs } = question;
  const ours = renderWork(question);
  const theirs = 'path' in peer ? peerWork(peer.path, question) : undefined;
  const expected = await ours();
  const runs: { ours: Run[]; theirs: Run[] } = { ours: [], theirs: [] };
  const label = `render, ${range.pulls} pull requests`;
  const progress = createProgress({ label, total: 2 * context.rounds, stream: process.stderr });
  await repeat(ours, context.warmUpSeconds, { expected });
  for (let round = 0; round < context.rounds; round += 1) {
    runs.ours.push(await repeat(ours, context.seconds, { expected }));
    progress.advance();
    if (theirs) runs.theirs.push(await repeat(theirs, context.seconds, { isChild: true }));
    progress.advance();
  }
  progress.done();
  const draft = toSubject({ name: 'tidings', durability: 'none', hasRate: true }, runs.ours);
  const list = theirs && toSubject({ name: 'git-cliff', durability: 'none', hasRate: true }, runs.theirs);
  const mismatches = runs.ours.reduce((sum, run) => sum + run.mismatches, 0);
  const entries = expected.match(/<!-- rn:pr:/g)?.length ?? 0;
  return {
    load: `one after another, drafts for engineers with ${range.pulls} pull requests, ${(expected.length / 1000).toFixed(0)} KB`,
    size: range.pulls,
    connections: null,
    subjects: [draft, ...(list ? [list] : [])],
    figures: figuresOf(draft, list, limitMs),
    othersShare: 0,
    faults: [
      ...(mismatches > 0 ? [`${mismatches} drafts differ from the first draft`] : []),
      ...(entries < range.pulls ? [`the draft has only ${entries} of ${range.pulls} entries`] : []),
    ],
    notes: [
      ...('missing' in peer ? [`There is no comparison: ${peer.missing}.`] : []),
      'The processor time of the render thread is that of the whole bench process.',
    ],
  };
}

function figuresOf(draft: Subject, list: Subject | undefined, limitMs: number): Figure[] {
  const within = { value: draft.latency?.p99 ?? 0, unit: 'ms', line: { atMost: limitMs } } as const;
  const rates = [draft.perSecond?.median ?? 0, list?.perSecond?.median ?? 0] as const;
  return [
    { name: '99 % of the drafts within', ...within },
    ...(list ? [ratio('rate, of git-cliff', rates[0] / rates[1], { line })] : []),
  ];
}

function renderWork({ thread, range }: Question): Work {
  return async () => {
    const answer = once(thread, 'message') as Promise<[string]>;
    thread.postMessage(range.id);
    return (await answer)[0];
  };
}

/**
 * Returns a function that runs git-cliff (the peer) once.
 * @throws when git-cliff fails, or when the number of lines that it writes is less than half the number of changes
 */
function peerWork(path: string, { dataDir, range }: Question): Work {
  const options = { cwd: gitFolder(dataDir), maxBuffer: 1e9, timeout: timeoutMs };
  return async () => {
    const { stdout } = await execute(path, [`${range.fromTag}..${range.toTag}`], options);
    const lines = stdout.split('\n').length;
    if (lines < range.pulls / 2) throw new Error(`git-cliff wrote ${lines} lines for ${range.pulls} changes`);
    return stdout;
  };
}

/**
 * Repeats the work for the given number of seconds, at least three times and never concurrently.
 * @param options `isChild`: whether the work runs in child processes; else it runs in a thread of this process
 */
async function repeat(
  work: Work,
  seconds: number,
  { expected, isChild = false }: { expected?: string; isChild?: boolean },
): Promise<Run> {
  const used = isChild ? endedChildrenSeconds : ownSeconds;
  const before = used();
  const begun = performance.now();
  const latencies: number[] = [];
  let mismatches = 0;
  while (performance.now() - begun < seconds * 1000 || latencies.length < 3) {
    const at = performance.now();
    const text = await work();
    latencies.push(performance.now() - at);
    if (expected !== undefined && text !== expected) mismatches += 1;
  }
  return {
    seconds: (performance.now() - begun) / 1000,
    statuses: {},
    errors: 0,
    mismatches,
    latencies: Float64Array.from(latencies),
    answers: latencies.length,
    acknowledged: new Uint32Array(),
    cpu: { [isChild ? 'git-cliff' : 'render thread']: used() - before },
    othersShare: 0,
  };
}
