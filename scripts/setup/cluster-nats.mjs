// Sets up the nats-server for tests of clusters. Clusters need a later version than Debian's package has, so the server
// is built from the Go module proxy into .tools/cluster/. A service on one machine does not use this server.
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run, SetupError } from './console.mjs';
import { isAtLeast, versionOf } from './nats-server.mjs';
import { createTestTool } from './test-tool.mjs';

const MODULE = 'github.com/nats-io/nats-server/v2';
/** The version that set-up builds. Its go.mod requires `OLDEST_GO`. */
const PINNED = '2.15.2';
const OLDEST_GO = '1.26';
/** First version of nats-server whose clusters keep acknowledged records at elections (docs/operations.md). */
const OLDEST = '2.12.0';
const VARIABLE = 'TIDINGS_TEST_NATS_SERVER';

/** What to do on a machine that has no nats-server for clusters. */
export const CLUSTER_ADVICE = `install Go ${OLDEST_GO} or later and run: npm run setup -- --cluster`;

const folderOf = (root) => join(root, '.tools', 'cluster');

/**
 * Finds a nats-server for clusters: the one that the variable names, else the one that set-up built, else the one on
 * the PATH. Returns its path and version, or undefined if none is recent enough.
 * @throws SetupError if the variable names a program that cannot be used
 */
export function findClusterServer(root, env = process.env) {
  const named = env[VARIABLE];
  if (named) {
    const version = versionOf(named);
    if (isRecent(version)) return { path: named, version };
    throw new SetupError(`${VARIABLE} names ${named}, which ${version ? `is ${version}` : 'does not start here'}`, {
      expected: `a nats-server, ${OLDEST} or later`,
    });
  }
  for (const path of [join(folderOf(root), 'nats-server'), 'nats-server']) {
    const version = versionOf(path);
    if (isRecent(version)) return { path, version };
  }
  return undefined;
}

function isRecent(version) {
  return version !== undefined && isAtLeast(version, OLDEST);
}

/**
 * Returns the part of set-up that provides a nats-server for clusters. If the part is optional, it builds a server
 * where Go is installed, and a failure is only reported.
 */
export function createClusterServer(root, { optional = false } = {}) {
  const tool = {
    name: 'cluster',
    isThere: () => findClusterServer(root) !== undefined,
    canMake: hasGo,
    missing,
    label: `building nats-server ${PINNED} for clusters`,
    make: () => build(root),
    consequence: 'tests of clusters are skipped, and the build is tried',
  };
  return createTestTool(root, tool, optional);
}

function missing() {
  return new SetupError(`no nats-server ${OLDEST} or later was found`, {
    expected: `Go ${OLDEST_GO} or later, which builds it; or a nats-server ${OLDEST} or later on the PATH, at ${join('.tools', 'cluster', 'nats-server')}, or named by ${VARIABLE}`,
    next: CLUSTER_ADVICE,
  });
}

/** Builds the server in a folder of its own, so that an interrupted build leaves nothing that looks complete. */
async function build(root) {
  const folder = folderOf(root);
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  try {
    const { code, output } = await run('go', ['install', `${MODULE}@v${PINNED}`], { env: await goEnvironment(fresh) });
    if (code !== 0) {
      throw new SetupError(`go install failed, so nats-server ${PINNED} could not be built`, {
        detail: output.trim().split('\n').slice(-5).join('\n'),
        expected: `Go ${OLDEST_GO} or later, and the Go module proxy`,
      });
    }
    const version = versionOf(join(fresh, 'nats-server'));
    if (!isRecent(version))
      throw new SetupError(`the nats-server that Go built ${version ? `is ${version}` : 'does not start here'}`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
    return `nats-server ${version} for clusters built into .tools/cluster/`;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/**
 * Returns the environment for Go. Modules and the build cache stay where the user has them. Go loads modules from the
 * proxy only, never from the repositories themselves, and loads no other Go.
 */
async function goEnvironment(folder) {
  const { output } = await run('go', ['env', 'GOPROXY']);
  return {
    ...process.env,
    GOBIN: folder,
    GOPROXY: proxiesOf(output.trim()),
    GOTOOLCHAIN: 'local',
    GO111MODULE: 'on',
    // The server needs no C compiler.
    CGO_ENABLED: '0',
  };
}

/** Returns a list of Go module proxies without the entry `direct`, which loads from the repositories themselves. */
export function proxiesOf(list) {
  return list.replace(/(^|[,|])direct(?=$|[,|])/g, '').replace(/^[,|]/, '') || 'https://proxy.golang.org';
}

function hasGo() {
  return spawnSync('go', ['version']).status === 0;
}
