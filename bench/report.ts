/**
 * Defines the report of a bench as data, and writes it as text with a table for a terminal. `html.ts` writes the same
 * report as a page.
 */
import type { Machine } from './machine.ts';
import { type ComparedScenario, type Comparison, passesLine } from './scenario.ts';

/** All results of a bench, as written to `latest.json`. */
export interface Report {
  at: string;
  machine: Machine;
  settings: { seconds: number; rounds: number; warmUpSeconds: number; service: Record<string, string> };
  scenarios: ScenarioReport[];
  passed: boolean;
}

/** The result of one scenario. */
export type ScenarioReport = Pick<ComparedScenario, 'name' | 'question' | 'floor'> & { comparisons: Comparison[] };

const columns = [
  'scenario',
  'connections',
  'floor req/s',
  'service req/s',
  'ratio',
  'line',
  'p50',
  'p97.5',
  'p99',
  'p99.9',
];

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

/** Returns the report as text: machine, table, then remarks. */
export function toText(report: Report): string {
  const rows = report.scenarios.flatMap(({ name, comparisons }) => comparisons.map((each) => row(name, each)));
  const remarks = report.scenarios.flatMap(({ name, comparisons }) =>
    comparisons.flatMap((each) => remarksOf(`${name}, ${each.connections} connections`, each)),
  );
  return `${[...facts(report), '', ...table([columns, ...rows]), '', ...remarks].join('\n')}\n`;
}

/** Returns the facts about machine, versions and settings, one line each. */
export function facts({ machine, settings, at }: Report): string[] {
  const { cpu, cores, memoryGb, system, node, natsServer, fileSystem, commit, durability } = machine;
  return [
    `${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, ${fileSystem}`,
    `node ${node}, nats-server ${natsServer}, durability ${durability}, commit ${commit}, ${at}`,
    `${settings.rounds} rounds of ${settings.seconds} s each against service and floor in turns, after ${settings.warmUpSeconds} s of warm-up that are not counted; generator, service and floor share the cores`,
  ];
}

/** Returns the remarks on a comparison: its faults first, then warnings and notes, then processor times. */
export function remarksOf(label: string, comparison: Comparison): string[] {
  const { faults, notes, service, floor, othersShare } = comparison;
  const others = `${Math.round(othersShare * 100)} % of the processors`;
  return [
    `${passesLine(comparison) ? '✓' : '✗'} ${label}`,
    ...faults.map((fault) => `    ✗ ${fault}`),
    ...(othersShare > quietShare
      ? [`    ! other programs used up to ${others} in a round: measure again on a quiet machine`]
      : []),
    ...(generatorShare(comparison) > busyShare
      ? [
          '    ! the generator was always busy and may therefore limit the rates: compare the processor time per request',
        ]
      : []),
    ...notes.map((note) => `    ${note}`),
    `    processor time per request in µs, service: ${cpuText(service.cpuPerRequest)}`,
    `    processor time per request in µs, floor:   ${cpuText(floor.cpuPerRequest)}`,
  ];
}

/**
 * Returns the share of one processor that the load generator used. Of the two shares, for the service and for the
 * floor, returns the larger one.
 */
function generatorShare({ service, floor }: Comparison): number {
  const shares = [service, floor].map((side) => ((side.cpuPerRequest.load ?? 0) * side.requestsPerSecond.median) / 1e6);
  return Math.max(...shares);
}

function row(name: string, { connections, floor, service, ratio, line }: Comparison): string[] {
  const { p50, p97_5, p99, p99_9 } = service.latency;
  return [
    name,
    String(connections),
    rate(floor.requestsPerSecond.median),
    rate(service.requestsPerSecond.median),
    ratio.toFixed(3),
    line === null ? '–' : `≥ ${line} ${ratio >= line ? '✓' : '✗'}`,
    ...[p50, p97_5, p99, p99_9].map((ms) => `${ms.toFixed(1)} ms`),
  ];
}

function cpuText(cpu: Record<string, number>): string {
  const parts = Object.entries(cpu).map(([name, microseconds]) => `${name} ${microseconds.toFixed(0)}`);
  return parts.join(', ') || 'unknown on this system';
}

/** Formats requests per second as a whole number with separators. */
export function rate(perSecond: number): string {
  return Math.round(perSecond).toLocaleString('en-GB');
}

/** Aligns columns: the first to the left, the others to the right. */
function table(rows: readonly string[][]): string[] {
  const widths = columns.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const lines = rows.map((cells) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  );
  return [lines[0] as string, '─'.repeat((lines[0] as string).length), ...lines.slice(1)];
}
