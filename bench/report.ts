/**
 * Defines the report of a bench as data, and writes it as text for a terminal. `html.ts` writes the same report as a
 * page.
 */
import { cpuOf } from './figures.ts';
import type { Machine } from './machine.ts';
import { type Figure, holds, type Line, type Measured, passes, type Scenario, type Subject } from './scenario.ts';

/** All results of a bench, as written to `latest.json`. */
export interface Report {
  at: string;
  machine: Machine;
  /** The command that made the report. */
  command: string;
  settings: { seconds: number; rounds: number; warmUpSeconds: number; service: Record<string, string> };
  scenarios: ScenarioReport[];
  passed: boolean;
}

/** The result of one scenario. `commit` and `at` differ from the report's if the scenario was measured earlier. */
export type ScenarioReport = Pick<Scenario, 'name' | 'question'> & {
  at: string;
  commit: string;
  tookSeconds: number;
  measured: Measured[];
};

/** A figure with a line, and where it was measured. */
export interface Judged {
  scenario: string;
  load: string;
  figure: Figure;
}

/**
 * Largest share of the machine that other programs may use. If other programs use a larger share, they influence the
 * figures too much.
 */
const quietShare = 0.1;
/**
 * Largest share of one processor that the generator may use. If the generator uses a larger share, the measured rates
 * may be limited by the generator instead of the server.
 */
const busyShare = 0.85;

/** Returns whether every scenario is without faults and every figure holds its line. */
export function allPass(scenarios: readonly ScenarioReport[]): boolean {
  return scenarios.every(({ measured }) => measured.every(passes));
}

/** Returns the report as text: machine, then each load with its subjects and figures, then all judged figures. */
export function toText(report: Report): string {
  const lines = report.scenarios.flatMap(scenarioText);
  return `${[...facts(report), '', ...lines, ...judgedText(report)].join('\n')}\n`;
}

/** Returns the facts about machine, versions and settings, one line each. */
export function facts({ machine, settings, at, command }: Report): string[] {
  const { cpu, cores, memoryGb, system, versions, fileSystem, commit, serviceCommit, durability } = machine;
  return [
    `${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, ${fileSystem}, durability ${durability}`,
    Object.entries(versions)
      .map((each) => each.join(' '))
      .join(', '),
    `${command}, commit ${commit}${serviceCommit === undefined ? '' : `, service of commit ${serviceCommit}`}, ${at}`,
    `${settings.rounds} interleaved rounds of ${settings.seconds} s per program, after ${settings.warmUpSeconds} s of warm-up that are not counted; generator and programs share the cores`,
  ];
}

function scenarioText({ name, question, measured }: ScenarioReport): string[] {
  return [`${name}: ${question}`, ...measured.flatMap(measuredText), ''];
}

function measuredText(measured: Measured): string[] {
  const rows = [subjectColumns, ...measured.subjects.map(subjectCells)];
  return [
    '',
    `  ${passes(measured) ? '✓' : '✗'} ${measured.load}`,
    ...(measured.subjects.length > 0 ? table(rows).map((line) => `      ${line}`) : []),
    ...measured.figures.map(
      (figure) => `    ${markOf(figure)} ${figure.name}: ${valueText(figure)}${wantedText(figure)}`,
    ),
    ...remarksOf(measured).map((remark) => `    ${remark}`),
  ];
}

/** Returns faults, warnings and notes, one line each. */
export function remarksOf({ faults, notes, othersShare, subjects }: Measured): string[] {
  return [
    ...faults.map((fault) => `✗ ${fault}`),
    ...busyMachine(othersShare),
    ...(subjects.some((subject) => generatorShare(subject) > busyShare)
      ? ['! the generator was always busy and may limit the rates: compare the processor time']
      : []),
    ...notes.map((note) => `  ${note}`),
  ];
}

/** Returns a warning if other programs used too much of the machine; else nothing. */
export function busyMachine(othersShare: number): string[] {
  if (othersShare <= quietShare) return [];
  const others = `${Math.round(othersShare * 100)} % of the processors`;
  return [`! other programs used up to ${others} in a round: measure again on a quiet machine`];
}

/** Returns the share of one processor that the load generator used; 0 if it is not known. */
function generatorShare({ generatorCpu, perSecond }: Subject): number {
  return (generatorCpu * (perSecond?.median ?? 0)) / 1e6;
}

/** Returns all figures with a line, in the order of the report. */
export function judgedOf({ scenarios }: Pick<Report, 'scenarios'>): Judged[] {
  return scenarios.flatMap(({ name, measured }) =>
    measured.flatMap(({ load, figures }) =>
      figures.filter(({ line }) => line !== null).map((figure) => ({ scenario: name, load, figure })),
    ),
  );
}

function judgedText(report: Report): string[] {
  const judged = judgedOf(report);
  if (judged.length === 0) return [];
  const rows = judged.map(({ scenario, load, figure }) => [
    `${markOf(figure)} ${scenario}`,
    shortened(load),
    figure.name,
    valueText(figure),
    lineText(figure.line),
    figure.stretch === undefined ? '' : String(figure.stretch),
  ]);
  return ['Lines', ...table([['scenario', 'load', 'figure', 'value', 'line', 'stretch'], ...rows], 3)];
}

/** Returns the beginning of a load's description, which is enough to tell the loads of a scenario apart. */
export function shortened(load: string): string {
  const parts = load.split(', ');
  return parts.slice(0, 2).join(', ').slice(0, 60);
}

export const subjectColumns = [
  'program',
  'per second',
  'p50',
  'p99',
  'p99.9',
  'µs per request',
  'by process',
  'generator µs',
  'durability',
];

/** Returns the cells of a program's row, in the order of `subjectColumns`. */
export function subjectCells(subject: Subject): string[] {
  const { name, perSecond, latency, cpu, cpuRounds, generatorCpu, durability } = subject;
  const milliseconds = [latency?.p50, latency?.p99, latency?.p99_9].map((ms) =>
    ms === undefined ? '–' : `${msText(ms)} ms`,
  );
  return [
    name,
    perSecond ? rate(perSecond.median) : '–',
    ...milliseconds,
    cpuRounds.length > 0 ? microseconds(cpuOf(subject)) : '–',
    Object.entries(cpu)
      .map(([process, each]) => `${process} ${microseconds(each)}`)
      .join(', ') || '–',
    generatorCpu > 0 ? microseconds(generatorCpu) : '–',
    durability,
  ];
}

/** Returns ✓ or ✗ for a figure with a line, and a blank for others. */
export function markOf(figure: Figure): string {
  if (figure.line === null) return ' ';
  return holds(figure) ? '✓' : '✗';
}

/** Formats a figure with its unit. */
export function valueText({ value, unit }: Figure): string {
  if (unit === 'ratio') return value.toFixed(2);
  if (unit === 'ms') return `${msText(value)} ms`;
  if (unit === '/s') return `${rate(value)}/s`;
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(digits)}${unit === '' ? '' : ` ${unit}`}`;
}

/** Formats a line, such as `≤ 0.45`. */
export function lineText(line: Line | null): string {
  if (line === null) return '';
  return 'atMost' in line ? `≤ ${line.atMost.toLocaleString('en-GB')}` : `≥ ${line.atLeast.toLocaleString('en-GB')}`;
}

function wantedText({ line, stretch }: Figure): string {
  if (line === null) return '';
  return ` (line ${lineText(line)}${stretch === undefined ? '' : `, stretch ${stretch}`})`;
}

/** Formats requests per second as a whole number with separators; small rates with one digit after the point. */
export function rate(perSecond: number): string {
  if (perSecond < 10) return perSecond.toFixed(1);
  return Math.round(perSecond).toLocaleString('en-GB');
}

function msText(ms: number): string {
  return ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(2);
}

/** Formats microseconds; small values with one digit after the point. */
export function microseconds(value: number): string {
  return value < 20 ? value.toFixed(1) : Math.round(value).toLocaleString('en-GB');
}

/** Aligns columns: the first `leftColumns` and those after the sixth to the left, the others to the right. */
function table(rows: readonly string[][], leftColumns = 1): string[] {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...rows.map((cells) => cells[i]?.length ?? 0)));
  const isLeft = (i: number) => i < leftColumns || i >= 6;
  const lines = rows.map((cells) =>
    cells
      .map((cell, i) => (isLeft(i) ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [
    lines[0] as string,
    '─'.repeat(Math.min(150, Math.max(...lines.map((line) => line.length)))),
    ...lines.slice(1),
  ];
}
