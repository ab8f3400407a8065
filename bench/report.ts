/**
 * The report of a bench: its form as data, and the table for a terminal. `html.ts` makes a page of it.
 */
import type { Machine } from './machine.ts';
import { type Comparison, passes, type Scenario } from './scenario.ts';

/** Everything a bench found, as written to `latest.json`. */
export interface Report {
  at: string;
  machine: Machine;
  settings: { seconds: number; rounds: number; warmUpSeconds: number; service: Record<string, string> };
  scenarios: ScenarioReport[];
  passed: boolean;
}

/** What one scenario found. */
export type ScenarioReport = Pick<Scenario, 'name' | 'question' | 'floor'> & { comparisons: Comparison[] };

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

/** What other programs may take before the figures say more about them than about the service. */
const quietShare = 0.1;
/** A generator that takes this much of a processor has little time left to send more. */
const busyShare = 0.85;

/** The report as text: machine, table, then what else was seen. */
export function toText(report: Report): string {
  const rows = report.scenarios.flatMap(({ name, comparisons }) => comparisons.map((each) => row(name, each)));
  const remarks = report.scenarios.flatMap(({ name, comparisons }) =>
    comparisons.flatMap((each) => remarksOf(`${name}, ${each.connections} connections`, each)),
  );
  return `${[...facts(report), '', ...table([columns, ...rows]), '', ...remarks].join('\n')}\n`;
}

/** Machine and settings, a line each. */
export function facts({ machine, settings, at }: Report): string[] {
  const { cpu, cores, memoryGb, system, node, natsServer, fileSystem, commit, durability } = machine;
  return [
    `${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, ${fileSystem}`,
    `node ${node}, nats-server ${natsServer}, durability ${durability}, commit ${commit}, ${at}`,
    `${settings.rounds} rounds of ${settings.seconds} s in turns with the floor, after ${settings.warmUpSeconds} s of warm-up that do not count; generator, service and floor share the cores`,
  ];
}

/** Faults first, then notes, then processor time. */
export function remarksOf(label: string, comparison: Comparison): string[] {
  const { faults, notes, service, floor, othersShare } = comparison;
  const others = `${Math.round(othersShare * 100)} % of the processors`;
  return [
    `${passes(comparison) ? '✓' : '✗'} ${label}`,
    ...faults.map((fault) => `    ✗ ${fault}`),
    ...(othersShare > quietShare
      ? [`    ! other programs took up to ${others} in a round: measure again on a quiet machine`]
      : []),
    ...(generatorShare(comparison) > busyShare
      ? [
          '    ! the generator was busy all the time and may be what limits the rates: compare the processor time a request',
        ]
      : []),
    ...notes.map((note) => `    ${note}`),
    `    µs of processor a request, service: ${cpuText(service.cpuPerRequest)}`,
    `    µs of processor a request, floor:   ${cpuText(floor.cpuPerRequest)}`,
  ];
}

/** Largest share of one processor that the generator took, against service or floor. */
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
  return parts.join(', ') || 'not known on this system';
}

/** Whole requests a second, with separators. */
export function rate(perSecond: number): string {
  return Math.round(perSecond).toLocaleString('en-GB');
}

/** Lines of columns: the first to the left, the others to the right. */
function table(rows: readonly string[][]): string[] {
  const widths = columns.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const lines = rows.map((cells) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  );
  return [lines[0] as string, '─'.repeat((lines[0] as string).length), ...lines.slice(1)];
}
