#!/usr/bin/env node
// Sets up a checkout: packages, cutter, dashboard, build and nats-server. On request, also what some tests need. Each part
// is made only if it is missing or outdated. This script runs before node_modules exists, so it is plain JavaScript and
// uses only Node's own modules.
// `node scripts/setup.mjs --help` lists the options. scripts/run.mjs calls setUp.
import { mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createBuild } from './setup/build.mjs';
import { createChromium } from './setup/chromium.mjs';
import { createClusterServer } from './setup/cluster-nats.mjs';
import { createReporter, describeFailure, endWithSignals, SetupError, watchPrograms } from './setup/console.mjs';
import { createCutter } from './setup/cutter.mjs';
import { createDashboard } from './setup/dashboard.mjs';
import { acquireLock } from './setup/lock.mjs';
import { createNatsServer } from './setup/nats-server.mjs';
import { createPackages } from './setup/packages.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PARTS = ['packages', 'cutter', 'dashboard', 'build', 'nats'];
const NATS = ['required', 'optional'];
const HELP = `node scripts/setup.mjs [--only packages,cutter,dashboard,build,nats] [--nats required|optional]
                       [--cluster] [--chromium] [--quiet]

  --only     the parts to set up (all of them unless given; cutter, dashboard and build need packages)
  --nats     optional (the default) sets up no local nats-server if TIDINGS_NATS_URL names one
  --cluster  also sets up the nats-server for tests of clusters, which needs Go
  --chromium also installs Chromium for browser tests, which needs apt and root
  --quiet    prints failures only
`;

/** Whether a local nats-server is needed. Tests and the demo always start their own server. */
export function needsNats(mode, env) {
  return mode === 'required' || !env.TIDINGS_NATS_URL;
}

/**
 * Makes the checkout ready to run. If the checkout is already ready, nothing is printed and no lock is taken. `cluster`
 * sets up the nats-server for tests of clusters: `required`, or `optional` where Go is installed. `chromium` sets up
 * Chromium for browser tests: `required`, or `optional` where apt and root are at hand.
 */
export async function setUp(options = {}) {
  const { quiet = false, root = ROOT } = options;
  const parts = createParts(root, options);
  if (parts.every((part) => part.isReady())) return;

  const report = createReporter({ quiet });
  mkdirSync(join(root, '.tools'), { recursive: true });
  const restoreSignals = endWithSignals();
  const lock = await acquireLock(join(root, '.tools', 'setup.lock'), {
    onWait: (pid) => report.note(`waiting for another set-up of this checkout (process ${pid ?? 'unknown'})`),
  });
  watchPrograms(lock.keepFor);
  try {
    // Each part is checked again, because another set-up that held the lock may have done the work meanwhile.
    for (const part of parts) if (!part.isReady()) await part.make(report);
  } finally {
    watchPrograms(() => {});
    lock.release();
    restoreSignals();
  }
}

function createParts(root, { only = PARTS, nats = 'optional', cluster, chromium }) {
  const parts = [];
  if (only.includes('packages')) {
    const packages = createPackages(root);
    packages.assertNode();
    parts.push({ isReady: packages.isReady, make: packages.install });
  }
  if (only.includes('cutter')) {
    const cutter = createCutter(root);
    parts.push({ isReady: cutter.isReady, make: cutter.compile });
  }
  if (only.includes('dashboard')) {
    const dashboard = createDashboard(root);
    parts.push({ isReady: dashboard.isReady, make: dashboard.compile });
  }
  if (only.includes('build')) {
    const build = createBuild(root);
    parts.push({ isReady: build.isReady, make: build.compile });
  }
  if (only.includes('nats') && needsNats(nats, process.env)) {
    const server = createNatsServer(root);
    parts.push({ isReady: server.isReady, make: server.fetch });
  }
  if (cluster) parts.push(createClusterServer(root, { optional: cluster === 'optional' }));
  if (chromium) parts.push(createChromium(root, { optional: chromium === 'optional' }));
  return parts;
}

/** Parses the options of the command line. An unknown option is an error that refers to --help. */
export function parseOptions(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        only: { type: 'string', default: PARTS.join(',') },
        nats: { type: 'string', default: 'optional' },
        cluster: { type: 'boolean', default: false },
        chromium: { type: 'boolean', default: false },
        quiet: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const only = values.only.split(',');
    const unknown = only.find((part) => !PARTS.includes(part));
    if (unknown !== undefined) throw new Error(`--only accepts ${PARTS.join(', ')}, got "${unknown}"`);
    if (!NATS.includes(values.nats)) throw new Error(`--nats accepts ${NATS.join(' or ')}, got "${values.nats}"`);
    const [cluster, chromium] = [values.cluster, values.chromium].map((is) => (is ? 'required' : undefined));
    return { ...values, only, cluster, chromium };
  } catch (error) {
    throw new SetupError(error.message, { next: 'node scripts/setup.mjs --help' });
  }
}

/** Prints a failure and exits with code 1. */
export function exitWithFailure(error) {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exit(1);
}

async function main() {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) process.stdout.write(HELP);
  else await setUp(options);
}

const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isProgram) main().catch(exitWithFailure);
