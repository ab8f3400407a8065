/**
 * Runs the short performance gate: measures the processor time per delivery and per read, and compares it with the
 * figures that were recorded last. The floor runs in the same rounds, and the gate compares the multiples of the floor.
 * A multiple depends less on the machine, and on other programs that run meanwhile, than microseconds do.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpuOf, median, othersShare } from './figures.ts';
import type { Machine } from './machine.ts';
import { startWebhookFloor } from './peers.ts';
import { compareReads } from './reads.ts';
import { checkReplies, serviceTarget, startDeliveries, subjectsOf } from './receivers.ts';
import { busyMachine, microseconds } from './report.ts';
import { runRounds, sendWith } from './rounds.ts';
import { makeDraft, startSampleService } from './sample-draft.ts';
import type { BenchContext, Subject } from './scenario.ts';

/** The gate's figures of one kind of request. Times are in microseconds of processor time per request. */
export interface QuickFigure {
  service: number;
  floor: number;
  /** Median over the rounds of the service's time, divided by the floor's time of the same round. */
  multiple: number;
  byProcess: Record<string, number>;
}

/** The results of the gate, as recorded in `bench/results/quick.json`. */
export interface QuickResult {
  at: string;
  commit: string;
  cpu: string;
  node: string;
  figures: Record<'delivery' | 'read', QuickFigure>;
  /** Largest share of the machine that other programs used during a round, from 0 to 1. */
  othersShare: number;
  /** Faults, such as wrong replies. A result with faults is not recorded. */
  faults: string[];
}

/**
 * Largest growth of a multiple that passes. In repeated runs of one build, the multiples of two runs differed by less;
 * `docs/benchmarks.md` has the runs.
 */
export const tolerance = 0.15;

const connections = 64;
const lengths = { rounds: 6, seconds: 2, warmUpSeconds: 3 };

/** Measures the service of this checkout, or of the one that the context names. */
export async function measureQuick(context: BenchContext, machine: Machine): Promise<QuickResult> {
  const short = { ...context, ...lengths };
  const service = await startSampleService(short);
  const path = await makeDraft(service);
  const { load, run } = await startDeliveries(short, service.secret, { repeats: true });
  const targets = [serviceTarget(service, run), await startWebhookFloor(short, service.secret)];
  const send = sendWith(load, { connections });
  const results = await runRounds('webhook-accept', targets, send, short, load.pid);
  const checked = await checkReplies({ service, peer: undefined }, results, run, 0);
  await load.stop();
  const reads = await compareReads(short, service, { label: 'draft-read', subject: 'a draft', path });
  return {
    at: new Date().toISOString(),
    commit: machine.serviceCommit ?? machine.commit,
    cpu: machine.cpu,
    node: machine.versions.node ?? '',
    figures: { delivery: figureOf(subjectsOf(results, true)), read: figureOf(reads.subjects) },
    othersShare: Math.max(othersShare(results.flatMap(({ runs }) => runs)), reads.othersShare),
    faults: [...checked.faults, ...reads.faults],
  };
}

function figureOf([service, floor]: readonly Subject[]): QuickFigure {
  if (!service || !floor) throw new Error('The service or the floor was not measured');
  const multiples = service.cpuRounds.map((each, round) => each / (floor.cpuRounds[round] ?? Number.NaN));
  return { service: cpuOf(service), floor: cpuOf(floor), multiple: median(multiples), byProcess: service.cpu };
}

/** Returns the recorded result, or undefined if none has been recorded. */
export function recordedIn(file: string): QuickResult | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as QuickResult) : undefined;
}

/** Records a result, which later results are compared with. */
export function record(file: string, result: QuickResult): void {
  const rounded = JSON.stringify(result, (_, value) => (typeof value === 'number' ? round3(value) : value), 2);
  writeFileSync(file, `${rounded}\n`);
}

/** Returns the names of the figures that are worse than recorded by more than the tolerance. */
export function regressions(result: QuickResult, recorded: QuickResult | undefined): string[] {
  if (!recorded) return [];
  return (['delivery', 'read'] as const).filter(
    (name) => result.figures[name].multiple > recorded.figures[name].multiple * (1 + tolerance),
  );
}

/** Returns the result as text, beside the recorded one. */
export function quickText(result: QuickResult, recorded: QuickResult | undefined): string {
  const worse = regressions(result, recorded);
  const lines = (['delivery', 'read'] as const).map((name) => {
    const now = result.figures[name];
    const then = recorded?.figures[name];
    const mark = worse.includes(name) ? '✗' : '✓';
    const parts = Object.entries(now.byProcess).map(([process, each]) => `${process} ${microseconds(each)}`);
    const before = then ? `; recorded ${multipleText(then)}, change ${changeText(now.multiple / then.multiple)}` : '';
    return `${mark} processor time per ${name}: ${multipleText(now)}${before}\n    ${parts.join(', ')}`;
  });
  const about = recorded
    ? `recorded ${recorded.at} at commit ${recorded.commit}, node ${recorded.node}, ${recorded.cpu}; a growth of more than ${tolerance * 100} % fails`
    : 'nothing is recorded yet: npm run bench -- --quick --record';
  const faults = result.faults.map((fault) => `✗ ${fault}`);
  return `${[...lines, ...faults, ...busyMachine(result.othersShare), about].join('\n')}\n`;
}

function multipleText({ service, floor, multiple }: QuickFigure): string {
  return `${multiple.toFixed(2)} × floor (${microseconds(service)} µs, floor ${microseconds(floor)} µs)`;
}

function changeText(factor: number): string {
  const percent = (factor - 1) * 100;
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(0)} %`;
}

function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}
