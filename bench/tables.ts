/**
 * Writes the measured numbers that README and docs/benchmarks.md quote, as Markdown tables between markers.
 */
import { cpuOf } from './figures.ts';
import type { Machine } from './machine.ts';
import { judgedOf, lineText, markOf, microseconds, type Report, rate, shortened, valueText } from './report.ts';
import type { Measured, Subject } from './scenario.ts';

const start = '<!-- bench:start -->';
const end = '<!-- bench:end -->';

/**
 * Replaces the text between the markers of a document.
 * @throws Error if the document has no markers
 */
export function withTables(document: string, tables: string): string {
  const [from, to] = [document.indexOf(start), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the document has no ${start} and ${end}`);
  return `${document.slice(0, from + start.length)}\n${tables.trim()}\n${document.slice(to)}`;
}

/** Returns the table of the README: accepting, replying and reading, beside peer and floor. */
export function summaryTable(report: Report): string {
  const rows: (string[] | undefined)[] = [
    ...[256, 64].flatMap((connections) => {
      const measured = find(report, 'webhook-accept', (each) => accepts(each, connections));
      return [
        row(`signed webhooks per second, ${connections} connections`, measured, rateOf),
        row(`processor time per webhook, ${connections} connections`, measured, cpuText),
      ];
    }),
    row(
      'reply to a webhook at 1,000 per second, 50 % and 99 % within',
      find(report, 'webhook-latency', ({ load }) => load.startsWith('1,000 ')),
      latencyText,
    ),
    row(
      'webhook to readable over the API at 500 per second, 50 % and 99 % within',
      find(report, 'webhook-to-read'),
      latencyText,
    ),
    row('reads of a 5 KB draft per second', find(report, 'draft-read'), rateOf),
    row('processor time per read', find(report, 'draft-read'), cpuText),
  ];
  const known = rows.filter((cells) => cells !== undefined);
  const head = ['', 'Tidings', 'Fastify, BullMQ, Redis', 'bare uWebSockets.js'];
  const safety = ['a reply means', 'on disk (fsync)', 'on disk within a second', 'nothing is stored'];
  return `${table([head, safety, ...known])}\n\n${machineText(report)}`;
}

/** Returns the tables of docs/benchmarks.md: the judged figures, then the programs under each load. */
export function fullTables(report: Report): string {
  const judged = judgedOf(report).map(({ scenario, load, figure }) => [
    scenario,
    shortened(load),
    figure.name,
    valueText(figure),
    lineText(figure.line),
    figure.stretch === undefined ? '' : String(figure.stretch),
    markOf(figure),
  ]);
  const programs = report.scenarios.flatMap(({ name, measured }) =>
    measured.flatMap(({ load, subjects }) =>
      subjects.map((subject) => [
        name,
        shortened(load),
        subject.name,
        rateOf(subject),
        latencyText(subject),
        cpuParts(subject),
      ]),
    ),
  );
  return [
    machineText(report),
    table([['scenario', 'load', 'figure', 'value', 'line', 'stretch', ''], ...judged]),
    table([
      ['scenario', 'load', 'program', 'per second', '50 % and 99 % within', 'µs of processor time per request'],
      ...programs,
    ]),
  ].join('\n\n');
}

function accepts({ connections, load }: Measured, wanted: number): boolean {
  return connections === wanted && load.includes('repeating');
}

function find(
  { scenarios }: Report,
  name: string,
  matches: (measured: Measured) => boolean = () => true,
): Measured | undefined {
  return scenarios.find((scenario) => scenario.name === name)?.measured.find(matches);
}

/** Returns a row with one cell per program, or undefined if the load was not measured. */
function row(label: string, measured: Measured | undefined, text: (subject: Subject) => string): string[] | undefined {
  if (!measured) return undefined;
  const cell = (name: string) => {
    const subject = measured.subjects.find((each) => each.name === name);
    return subject ? text(subject) : '–';
  };
  return [label, cell('tidings'), cell('peer'), cell('floor')];
}

function rateOf({ perSecond }: Subject): string {
  return perSecond ? rate(perSecond.median) : '–';
}

function cpuText(subject: Subject): string {
  return `${microseconds(cpuOf(subject))} µs`;
}

function cpuParts(subject: Subject): string {
  const parts = Object.entries(subject.cpu).map(([process, each]) => `${process} ${microseconds(each)}`);
  return parts.length > 1 ? `${microseconds(cpuOf(subject))} (${parts.join(', ')})` : parts.join('');
}

function latencyText({ latency }: Subject): string {
  if (!latency) return '–';
  const text = (ms: number) => (ms >= 10 ? ms.toFixed(0) : ms.toFixed(1));
  return `${text(latency.p50)} ms, ${text(latency.p99)} ms`;
}

function machineText({ machine, settings, at }: Report): string {
  return `${settings.rounds} interleaved rounds of ${settings.seconds} s on ${machine.cores} cores (${machine.cpu}), shared with the load generator; ${versionsOf(machine)}; commit ${machine.commit}, ${at.slice(0, 10)}.`;
}

function versionsOf({ versions, fileSystem }: Machine): string {
  const named = ['node', 'nats-server', 'redis-server', 'fastify', 'bullmq', 'uWebSockets.js'];
  return [...named.flatMap((name) => (versions[name] ? [`${name} ${versions[name]}`] : [])), fileSystem].join(', ');
}

function table([head = [], ...rows]: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
