/**
 * Runs the bench's command line: runs scenarios, prints the table, writes `bench/results/latest.json` and
 * `report.html`. The exit code is 1 if a reply was wrong, or if a ratio was below the scenario's line (the smallest
 * ratio that passes). The exit code is 2 for a wrong command line.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { exitWith } from '../src/cli/exit.ts';
import { toHtml } from './html.ts';
import { describeMachine } from './machine.ts';
import { type Report, type ScenarioReport, toText } from './report.ts';
import { type BenchContext, type ComparedScenario, passesLine } from './scenario.ts';
import { draftRead } from './scenarios/draft-read.ts';
import { eventToRead } from './scenarios/event-to-read.ts';
import { render } from './scenarios/render.ts';
import { webhookAccept } from './scenarios/webhook-accept.ts';
import { liftedLimits } from './service.ts';

const scenarios: readonly ComparedScenario[] = [webhookAccept, draftRead, eventToRead, render];
const resultsFolder = fileURLToPath(new URL('../../bench/results/', import.meta.url));

const help = `npm run bench -- [scenario…] [--seconds N] [--rounds N] [--data FOLDER]

  scenario    ${scenarios.map(({ name }) => name).join(', ')}; default: all
  --seconds   length of a round in seconds (default: 5)
  --rounds    number of counted rounds, each against service and floor (default: 3)
  --data      folder for data directories, on the disk whose fsync is to be measured (default: the system's temporary folder)
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

async function main(): Promise<number> {
  const wanted = parse(process.argv.slice(2));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  const reports: ScenarioReport[] = [];
  for (const scenario of wanted.scenarios) {
    reports.push(await runScenario(scenario, wanted.context));
  }
  return publish(toReport(reports, wanted.context));
}

async function runScenario(scenario: ComparedScenario, context: BenchContext): Promise<ScenarioReport> {
  const { name, question, floor } = scenario;
  try {
    return { name, question, floor, comparisons: await scenario.run(context) };
  } finally {
    await cleanUp();
  }
}

function toReport(reports: ScenarioReport[], { seconds, rounds, warmUpSeconds, folder }: BenchContext): Report {
  return {
    at: new Date().toISOString(),
    machine: describeMachine(folder),
    settings: { seconds, rounds, warmUpSeconds, service: liftedLimits },
    scenarios: reports,
    passed: reports.every(({ comparisons }) => comparisons.every(passesLine)),
  };
}

/** Prints the report, writes its files and returns the exit code. */
function publish(report: Report): number {
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(join(resultsFolder, 'latest.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(resultsFolder, 'report.html'), toHtml(report));
  process.stdout.write(`\n${toText(report)}\n${resultsFolder}report.html\n`);
  return report.passed ? 0 : 1;
}

/**
 * Reads the scenarios and settings from the arguments. Prints the help text and exits if the help was requested or an
 * argument is invalid.
 */
function parse(args: string[]): { scenarios: ComparedScenario[]; context: BenchContext } {
  try {
    return read(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
}

function read(args: string[]): { scenarios: ComparedScenario[]; context: BenchContext } {
  const options = {
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    data: { type: 'string', default: tmpdir() },
    help: { type: 'boolean', default: false },
  } as const;
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  if (values.help) {
    process.stdout.write(help);
    process.exit(0);
  }
  const unknown = positionals.find((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown !== undefined) throw new Error(`there is no scenario ${JSON.stringify(unknown)}`);
  const context = {
    seconds: wholeNumber('--seconds', values.seconds),
    rounds: wholeNumber('--rounds', values.rounds),
    warmUpSeconds: 3,
    folder: values.data,
    defer: (stop: () => unknown) => void deferred.push(stop),
  };
  const chosen = scenarios.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  return { scenarios: chosen, context };
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
