/**
 * Describes where figures were measured: machine, versions, commit, file system. Figures mean little without this
 * description.
 */
import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { durabilityOf } from '../src/journal/topology.ts';
import { findNatsServer, natsServerVersion } from '../src/supervisor/nats-server.ts';
import { findOnPath, peerVersions } from './peers.ts';

/** Facts about machine and checkout. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  system: string;
  /** Versions by the name of the program or package, such as `redis-server`. */
  versions: Record<string, string>;
  /** The kind of failure that an acknowledged delivery survives, such as `power-loss`. */
  durability: string;
  /** File system of the data directories. */
  fileSystem: string;
  /** Commit of the bench. */
  commit: string;
  /** Commit of the measured service, if it is another checkout. */
  serviceCommit?: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

const fileSystems: Record<number, string> = {
  61267: 'ext4',
  16914836: 'tmpfs (memory: an fsync costs nothing here)',
  2035054128: 'overlayfs',
  1481003842: 'xfs',
  2435016766: 'btrfs',
};

/**
 * @param folder folder for data directories; the description contains the file system of this folder
 * @param serviceFolder another checkout whose service is measured
 */
export function describeMachine(folder: string, serviceFolder?: string): Machine {
  const program = findNatsServer();
  const nats = program ? natsServerVersion(program) : 'none';
  const type = statfsSync(folder).type;
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    versions: { node: process.version, 'nats-server': nats, ...otherVersions() },
    durability: durabilityOf([nats], true, 1),
    fileSystem: fileSystems[type] ?? `0x${type.toString(16)}`,
    commit: commitOf(root),
    ...(serviceFolder !== undefined && { serviceCommit: commitOf(resolve(serviceFolder)) }),
  };
}

function otherVersions(): Record<string, string> {
  const redis = findOnPath('redis-server');
  const { dependencies } = createRequire(import.meta.url)(join(root, 'package.json')) as {
    dependencies: Record<string, string>;
  };
  const bare = dependencies['uWebSockets.js'] ?? '';
  return {
    'uWebSockets.js': bare.slice(bare.lastIndexOf('@') + 1),
    ...(redis && { 'redis-server': versionIn(redis, ['--version']) }),
    ...peerVersions(),
  };
}

function versionIn(program: string, args: string[]): string {
  const text = execFileSync(program, args, { encoding: 'utf8' });
  return /v?=?(\d+\.\d+\.\d+)/.exec(text)?.[1] ?? 'unknown';
}

function commitOf(folder: string): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const changed = git('status', '--porcelain') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`;
  } catch {
    return 'none';
  }
}
