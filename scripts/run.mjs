#!/usr/bin/env node
// Runs a target, which is an npm script. Set-up runs first. The programs of the target then run in the same terminal.
// Usage: `node scripts/run.mjs <target> [arguments]`. An unknown target prints the list of targets.
import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listFiles, outputOf } from './setup/build.mjs';
import { CLUSTER_ADVICE, findClusterServer } from './setup/cluster-nats.mjs';
import { SetupError } from './setup/console.mjs';
import { exitWithFailure, setUp } from './setup.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const ALL = ['packages', 'cutter', 'dashboard', 'build', 'nats'];
const NO_SERVER = ['packages', 'cutter', 'dashboard', 'build'];
const NO_BUILD = ['packages'];
const BESIDES_TSC = ['packages', 'cutter'];
/** Options of the cluster tests, which may have a value: `--rounds=20`. */
const CLUSTER_OPTIONS = ['--long', '--rounds', '--release', '--no-time-check', '--no-fence'];
/**
 * The files that cause each fault on a cluster of its own, and the file that causes all of them on one cluster. Without
 * words that select files, the short form runs the latter, which saves the time of starting the clusters.
 */
const [EACH_FAULT, ALL_FAULTS] = [/^test\/cluster\/faults\//, 'test/cluster/all-faults.test.ts'];
/** The long form of the cluster tests takes longer than the time limit of a test. */
const NO_TIME_LIMIT = '--test-timeout=86400000';
const PARENT = process.ppid;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

// A suite runs `concurrency` of its files at a time. The files and the servers that they start share the machine's few
// cores. More files run side by side in the suites whose tests mostly wait for servers. The files in `alone` depend on
// real times, so they run afterwards, one at a time. Each has its reason.
const SUITES = {
  architecture: { folder: 'test/architecture.test.ts', concurrency: 1 },
  unit: { folder: 'test', concurrency: 2 },
  integration: {
    folder: 'test/integration',
    concurrency: 4,
    alone: {
      'test/integration/cluster-client.test.ts': 'a client moves to another server within the deadline of a lane',
      'test/integration/follow.test.ts': 'a reader stops and continues within a few seconds',
      'test/integration/lane-faults.test.ts': 'records arrive before or after the deadline of a lane',
    },
  },
  e2e: {
    folder: 'test/e2e',
    concurrency: 3,
    alone: {
      'test/e2e/api-limit.test.ts': 'requests are sent within one window of the limit',
      'test/e2e/fair-turns.test.ts': 'the order of replies shows whose turn it was',
      'test/e2e/outdated.test.ts': 'a draft is outdated within ten seconds of a change',
      'test/e2e/spec-timing.test.ts': 'replies and processing meet the times of the specification',
      'test/e2e/webhook-limit.test.ts': 'deliveries are sent faster than the limit lets them through',
    },
  },
  browser: { folder: 'test/browser', concurrency: 2 },
  long: { folder: 'test/long', concurrency: 1 },
  cluster: { folder: 'test/cluster', concurrency: 2 },
  real: { folder: 'test/real', concurrency: 1 },
};
const NOT_UNIT = /^test\/(integration|e2e|browser|long|cluster|real|helpers|fixtures)\/|^test\/architecture\.test\.ts$/;

const bin = (path) => join(ROOT, 'node_modules', path);
const notice = (label, text) => ({ label, notice: text });
const isCi = !['', '0', 'false'].includes(process.env.CI ?? '');
/** What only CI sets up: a server that takes a minute to build, and a browser that becomes part of the system. */
const inCi = (...parts) => (isCi ? Object.fromEntries(parts.map((part) => [part, 'optional'])) : {});
const colors = process.stdout.isTTY ? [] : ['--colors=off'];
const biome = (...args) => step(`biome ${args[0]}`, [bin('@biomejs/biome/bin/biome'), ...args, ...colors]);
const knip = () => step('knip', [bin('knip/bin/knip.js'), '--no-progress']);
const program = (path, args = []) => step(path, ['--enable-source-maps', join(ROOT, 'dist', path), ...args]);
const commits = () => step('commit subjects', [join(ROOT, 'scripts/commits.mjs')]);
const checks = () => [biome('ci', '.'), knip(), commits(), ...suite('architecture')];

/**
 * The targets. `setup` lists the parts of the checkout that are set up first. `steps` are run in order until one fails.
 */
const TARGETS = {
  demo: { setup: { only: ALL, nats: 'required' }, steps: (args) => [program('demo/main.js', args)] },
  start: { setup: { only: ALL, nats: 'optional' }, steps: (args) => [program('src/main.js', ['start', ...args])] },
  tidings: { setup: { only: ALL, nats: 'optional' }, steps: (args) => [program('src/main.js', args)] },
  bench: { setup: { only: ALL, nats: 'required' }, steps: (args) => [program('bench/run.js', args)] },
  'bench:docs': { setup: { only: NO_SERVER }, steps: () => [program('bench/docs.js')] },
  'bench:fold': { setup: { only: NO_SERVER }, steps: (args) => [program('bench/fold.js', args)] },
  'bench:words': { setup: { only: NO_SERVER }, steps: (args) => [program('bench/words.js', args)] },
  build: { setup: { only: NO_SERVER }, steps: () => [] },
  dev: {
    setup: { only: BESIDES_TSC },
    steps: (args) => [step('watch', [join(ROOT, 'scripts/watch.mjs'), ...args])],
  },
  lint: { setup: { only: NO_BUILD }, steps: (args) => [biome('check', ...args, '.')] },
  'lint:fix': { setup: { only: NO_BUILD }, steps: (args) => [biome('check', '--write', ...args, '.')] },
  check: { setup: { only: NO_SERVER }, steps: checks },
  test: {
    setup: { only: ALL, nats: 'required', ...inCi('cluster', 'chromium') },
    steps: (args) =>
      args.length === 0
        ? [...checks(), ...['unit', 'integration', 'e2e', 'browser', 'cluster'].flatMap((name) => suite(name))]
        : matchingSuites(['unit', 'integration', 'e2e', 'browser', 'cluster', 'long'], args),
  },
  'test:unit': { setup: { only: NO_SERVER }, steps: (args) => suite('unit', args) },
  'test:integration': {
    setup: { only: ALL, nats: 'required' },
    steps: (args) => suite('integration', args),
  },
  'test:e2e': { setup: { only: ALL, nats: 'required' }, steps: (args) => suite('e2e', args) },
  'test:browser': {
    setup: { only: ALL, nats: 'required', ...inCi('chromium') },
    steps: (args) => suite('browser', args),
  },
  pictures: {
    setup: { only: ALL, nats: 'required' },
    steps: () =>
      suite('browser', ['readme']).map((each) => ({
        ...each,
        env: { TIDINGS_TEST_PICTURES: join(ROOT, 'docs/images') },
      })),
  },
  'test:long': { setup: { only: ALL, nats: 'required' }, steps: (args) => suite('long', args) },
  'test:cluster': {
    setup: { only: ALL, nats: 'required', cluster: 'optional' },
    steps: (args) => suite('cluster', args),
  },
  'test:real': { setup: { only: ALL, nats: 'required' }, steps: (args) => suite('real', args) },
  coverage: { setup: { only: ALL, nats: 'required' }, steps: (args) => [coverage(args)] },
};

/**
 * Returns the source files of a suite whose path contains one of `filters`. Without filters, returns all files of the
 * suite.
 */
export function suiteFiles(name, filters = [], root = ROOT) {
  const { folder } = SUITES[name];
  const files =
    name === 'architecture'
      ? listFiles(root, 'test', /\.test\.ts$/).filter((file) => file === folder)
      : listFiles(root, folder, /\.test\.ts$/).filter((file) => name !== 'unit' || !NOT_UNIT.test(file));
  return filters.length === 0 ? files : files.filter((file) => filters.some((filter) => file.includes(filter)));
}

/** Returns the files of the cluster tests, each fault in one of them. */
export function clusterFiles(filters, isLong, root = ROOT) {
  const files = suiteFiles('cluster', filters, root);
  if (filters.length > 0) return files;
  return files.filter((file) => (isLong ? file !== ALL_FAULTS : !EACH_FAULT.test(file)));
}

/**
 * Splits arguments into options and filters. Arguments that begin with a dash are options for Node's test runner, and
 * all other arguments filter the files.
 */
export function splitArguments(args) {
  return { options: args.filter((arg) => arg.startsWith('-')), filters: args.filter((arg) => !arg.startsWith('-')) };
}

/**
 * Splits off the options of the cluster tests, which `test/helpers/cluster-options.ts` reads. The others are options for
 * Node's test runner and filters.
 */
export function splitClusterOptions(args) {
  const isCluster = (arg) => CLUSTER_OPTIONS.some((option) => arg === option || arg.startsWith(`${option}=`));
  return { options: args.filter(isCluster), others: args.filter((arg) => !isCluster(arg)) };
}

/** Returns the steps of the cluster tests, or a notice if the machine has no nats-server for them. */
function clusterSuite(args) {
  const { options, others } = splitClusterOptions(args);
  // The long form measures, so its files run alone.
  const more = options.length > 0 ? [NO_TIME_LIMIT, '--test-concurrency=1'] : [];
  const files = clusterFiles(splitArguments(others).filters, options.length > 0);
  const steps = suiteSteps('cluster', [...more, ...others], files);
  if (!findClusterServer(ROOT)) {
    return [notice('cluster tests', `skipped: no nats-server 2.12 or later. To run them, ${CLUSTER_ADVICE}`)];
  }
  return steps.map((each) => ({ ...each, env: { TIDINGS_TEST_CLUSTER: options.join(' ') } }));
}

function suite(name, args = []) {
  return name === 'cluster' ? clusterSuite(args) : suiteSteps(name, args);
}

/** Returns the steps of a suite: the files that run side by side, and then the files that run alone. */
function suiteSteps(name, args, files = suiteFiles(name, splitArguments(args).filters)) {
  const { options, filters } = splitArguments(args);
  if (files.length === 0) throw noFiles(name, filters);
  const { concurrency } = SUITES[name];
  const { together, alone } = splitFiles(name, files);
  return [
    ...(together.length > 0 ? [testStep(`${name} tests`, together, concurrency, options)] : []),
    ...(alone.length > 0 ? [testStep(`${name} tests, one at a time`, alone, 1, options)] : []),
  ];
}

/** Returns the files of a suite that must run alone. */
export function aloneFiles(name) {
  return Object.keys(SUITES[name].alone ?? {});
}

/** Splits files of a suite into those that may run side by side and those that must run alone. */
export function splitFiles(name, files) {
  const mustBeAlone = new Set(aloneFiles(name));
  return {
    together: files.filter((file) => !mustBeAlone.has(file)),
    alone: files.filter((file) => mustBeAlone.has(file)),
  };
}

function matchingSuites(names, args) {
  const { filters } = splitArguments(args);
  const matching = names.filter((name) => suiteFiles(name, filters).length > 0);
  if (matching.length === 0) throw noFiles(names.join(', '), filters);
  return matching.flatMap((name) => suite(name, args));
}

function coverage(args) {
  const { options, filters } = splitArguments(args);
  const files = ['unit', 'integration'].flatMap((name) => suiteFiles(name, filters));
  if (files.length === 0) throw noFiles('unit, integration', filters);
  return testStep('coverage', files, 1, ['--experimental-test-coverage', ...options]);
}

function testStep(label, files, concurrency, options) {
  // The test runner of Node 20 accepts files, but no patterns.
  const outputs = files.map((file) => join(ROOT, 'dist', outputOf(file)));
  const flags = [
    '--test',
    '--test-reporter=spec',
    // Time limit of 20 minutes for a test, and also for a whole test file. The limit ends a test that hangs. It is
    // large enough for a slow machine.
    '--test-timeout=1200000',
    `--test-concurrency=${concurrency}`,
    '--enable-source-maps',
  ];
  return step(label, [...flags, ...options, ...outputs]);
}

function noFiles(name, filters) {
  return new SetupError(
    `no test file in ${name}${filters.length > 0 ? ` with ${filters.join(' or ')} in its path` : ''}`,
    {
      expected: 'files named *.test.ts below test/',
      next: 'name a part of a path, for example: npm test -- journal',
    },
  );
}

function step(label, nodeArgs) {
  return { label, nodeArgs };
}

/** Runs one program in the same terminal. Resolves with its exit code. Each signal reaches the program exactly once. */
function runStep({ nodeArgs, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, nodeArgs, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } });
    const received = new Set();
    const forward = (signal) => {
      const repeated = received.has(signal);
      received.add(signal);
      // On a terminal, Ctrl-C sends SIGINT to the whole foreground group, so the child has already received the signal.
      const childHasIt = signal === 'SIGINT' && process.stdin.isTTY;
      if (!repeated && !childHasIt) child.kill(signal);
    };
    for (const signal of SIGNALS) process.on(signal, forward);
    // A SIGTERM to npm ends npm and its shell but does not reach this process. This process only sees that its parent
    // has ended.
    const watch = setInterval(() => {
      if (process.env.npm_lifecycle_event && process.ppid !== PARENT) forward('SIGTERM');
    }, 250);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearInterval(watch);
      for (const name of SIGNALS) process.off(name, forward);
      resolve({ code: code ?? 128 + constants.signals[signal], stopped: received.size > 0 });
    });
  });
}

async function main() {
  const [name, ...args] = process.argv.slice(2);
  const target = Object.hasOwn(TARGETS, name ?? '') ? TARGETS[name] : undefined;
  if (!target) {
    throw new SetupError(name ? `there is no target "${name}"` : 'no target given', {
      next: `node scripts/run.mjs ${Object.keys(TARGETS).join(' | ')}`,
    });
  }
  await setUp(target.setup);
  const steps = target.steps(args);
  for (const each of steps) {
    if (steps.length > 1) process.stdout.write(`\n── ${each.label} ──\n`);
    if (each.notice) {
      process.stdout.write(`${each.notice}\n`);
      continue;
    }
    const { code, stopped } = await runStep(each);
    if (code !== 0 && steps.length > 1) process.stderr.write(`\n✗ ${each.label} failed (exit code ${code})\n`);
    if (code !== 0 || stopped) process.exit(code);
  }
}

const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isProgram) main().catch(exitWithFailure);
