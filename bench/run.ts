/**
 * Runs the bench's command line: runs scenarios, prints the results, writes `bench/results/latest.json` and
 * `report.html`. The exit code is 1 if a reply was wrong, or if a figure misses its line. The exit code is 2 for a wrong
 * command line.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { exitWith } from '../src/cli/exit.ts';
import { toHtml } from './html.ts';
import { describeMachine, type Machine } from './machine.ts';
import { measureQuick, quickText, record, recordedIn, regressions } from './quick.ts';
import { allPass, type Report, type ScenarioReport, toText } from './report.ts';
import type { BenchContext, Scenario } from './scenario.ts';
import { clusterAccept } from './scenarios/cluster-accept.ts';
import { dashboardTabs } from './scenarios/dashboard-tabs.ts';
import { draftRead } from './scenarios/draft-read.ts';
import { drain } from './scenarios/drain.ts';
import { gateways } from './scenarios/gateways.ts';
import { growth } from './scenarios/growth.ts';
import { idle } from './scenarios/idle.ts';
import { listRead } from './scenarios/list-read.ts';
import { mixed } from './scenarios/mixed.ts';
import { render } from './scenarios/render.ts';
import { restartReplay } from './scenarios/restart-replay.ts';
import { webhookAccept } from './scenarios/webhook-accept.ts';
import { webhookLatency } from './scenarios/webhook-latency.ts';
import { webhookToRead } from './scenarios/webhook-to-read.ts';
import { liftedLimits } from './service.ts';

const scenarios: readonly Scenario[] = [
  webhookAccept,
  webhookLatency,
  webhookToRead,
  drain,
  mixed,
  draftRead,
  listRead,
  render,
  restartReplay,
  growth,
  dashboardTabs,
  gateways,
  clusterAccept,
  idle,
];
const resultsFolder = fileURLToPath(new URL('../../bench/results/', import.meta.url));
const latestFile = join(resultsFolder, 'latest.json');

/** The figures that `--quick` compares with. This file is in the repository, the other results are not. */
const quickFile = join(resultsFolder, 'quick.json');

const help = `npm run bench -- [scenario…] [--rounds N] [--seconds N] [--add] [--service FOLDER] [--data FOLDER] [--size N]
npm run bench -- --quick [--record] [--service FOLDER] [--data FOLDER]

  scenario    ${scenarios.map(({ name }) => name).join(', ')}; default: all
  --rounds    number of counted rounds, each against every program in turns (default: 5)
  --seconds   length of a round in seconds (default: 3)
  --quick     instead: the short gate, which compares processor times with bench/results/quick.json
  --record    with --quick: records the processor times in that file
  --add       keeps the results of the other scenarios in bench/results/latest.json
  --service   folder of another checkout that is built; its service is measured
  --data      folder for data directories, on the disk whose fsync is to be measured (default: the system's temporary folder)
  --size      size of the scenarios that have one, for trying them; the lines are for the default size
`;

/**
 * Clean-up functions for processes and files that must not remain when the bench ends. The function that was added last
 * runs first.
 */
const deferred: (() => unknown)[] = [];

let cleaning = Promise.resolve();

/**
 * Runs only one clean-up at a time. An interruption starts a clean-up and makes the running scenario fail. The end of
 * that scenario then starts another clean-up, which waits for the first.
 */
function cleanUp(): Promise<void> {
  cleaning = cleaning.then(async () => {
    for (let stop = deferred.pop(); stop; stop = deferred.pop()) await stop();
  });
  return cleaning;
}

let interrupted = false;

function interrupt(): void {
  if (interrupted) return;
  interrupted = true;
  void cleanUp().finally(() => process.exit(130));
}

/** The arguments of the command line. */
interface Wanted {
  scenarios: Scenario[];
  context: BenchContext;
  /** Whether the results of other scenarios are kept. */
  add: boolean;
  quick: boolean;
  record: boolean;
}

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  const { scenarios, context, add, quick, record: isRecorded } = parse(args);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  const machine = describeMachine(context.folder, context.serviceFolder);
  if (quick) return runQuick(context, machine, isRecorded);
  const kept = add ? earlierScenarios() : [];
  const reports: ScenarioReport[] = [];
  for (const scenario of scenarios) reports.push(await runScenario(scenario, context, machine.commit));
  const { seconds, rounds, warmUpSeconds } = context;
  const all = inOrder([...kept.filter(({ name }) => !reports.some((each) => each.name === name)), ...reports]);
  return publish({
    at: new Date().toISOString(),
    machine,
    command: ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' '),
    settings: { seconds, rounds, warmUpSeconds, service: liftedLimits },
    scenarios: all,
    passed: allPass(all),
  });
}

/** Runs the short gate and returns the exit code. */
async function runQuick(context: BenchContext, machine: Machine, isRecorded: boolean): Promise<number> {
  try {
    const result = await measureQuick(context, machine);
    const recorded = recordedIn(quickFile);
    process.stdout.write(`\n${quickText(result, recorded)}`);
    if (isRecorded && result.faults.length === 0) record(quickFile, result);
    return result.faults.length === 0 && (isRecorded || regressions(result, recorded).length === 0) ? 0 : 1;
  } finally {
    await cleanUp();
  }
}

async function runScenario(scenario: Scenario, context: BenchContext, commit: string): Promise<ScenarioReport> {
  const { name, question } = scenario;
  const begun = performance.now();
  try {
    const measured = await scenario.run(context);
    const tookSeconds = (performance.now() - begun) / 1000;
    return { name, question, at: new Date().toISOString(), commit, tookSeconds, measured };
  } finally {
    await cleanUp();
  }
}

/** Returns the scenarios of the last report; none if there is none. */
function earlierScenarios(): ScenarioReport[] {
  if (!existsSync(latestFile)) return [];
  return (JSON.parse(readFileSync(latestFile, 'utf8')) as Report).scenarios;
}

function inOrder(reports: readonly ScenarioReport[]): ScenarioReport[] {
  return scenarios.flatMap(({ name }) => reports.filter((report) => report.name === name));
}

/** Prints the report, writes its files and returns the exit code. */
function publish(report: Report): number {
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(latestFile, `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(resultsFolder, 'report.html'), toHtml(report));
  process.stdout.write(`\n${toText(report)}\n${resultsFolder}report.html\n`);
  return report.passed ? 0 : 1;
}

/**
 * Reads the scenarios and settings from the arguments. Prints the help text and exits if the help was requested or an
 * argument is invalid.
 */
function parse(args: string[]): Wanted {
  try {
    return read(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
}

function read(args: string[]): Wanted {
  const options = {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
    data: { type: 'string', default: tmpdir() },
    add: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    service: { type: 'string' },
    size: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  if (values.help) {
    process.stdout.write(help);
    process.exit(0);
  }
  const unknown = positionals.find((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown !== undefined) throw new Error(`there is no scenario ${JSON.stringify(unknown)}`);
  const context: BenchContext = {
    seconds: wholeNumber('--seconds', values.seconds),
    rounds: wholeNumber('--rounds', values.rounds),
    warmUpSeconds: 3,
    folder: values.data,
    defer: (stop: () => unknown) => void deferred.push(stop),
    ...(values.service !== undefined && { serviceFolder: values.service }),
    ...(values.size !== undefined && { size: wholeNumber('--size', values.size) }),
  };
  const chosen = scenarios.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  return { scenarios: chosen, context, add: values.add, quick: values.quick, record: values.record };
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${option}: expected a positive integer, got ${text}`);
  return number;
}

try {
  await exitWith(await main());
} catch (error) {
  // After an interruption, the running scenario fails because its programs are stopped. `interrupt` ends this process
  // when all clean-up is done.
  if (!interrupted) {
    process.stderr.write(`${(error as Error).stack}\n`);
    process.exit(1);
  }
}
