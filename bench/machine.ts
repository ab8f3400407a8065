/**
 * Describes where figures were measured: machine, versions, commit, file system. Figures mean little without this
 * description.
 */
import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { durabilityOf } from '../src/journal/topology.ts';
import { findNatsServer, natsServerVersion } from '../src/supervisor/nats-server.ts';

/** Facts about machine and checkout. */
export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  system: string;
  node: string;
  natsServer: string;
  /** The kind of failure that an acknowledged delivery survives, such as `power-loss`. */
  durability: string;
  /** File system of the data directories. */
  fileSystem: string;
  commit: string;
}

const fileSystems: Record<number, string> = {
  61267: 'ext4',
  16914836: 'tmpfs (memory: an fsync costs nothing here)',
  2035054128: 'overlayfs',
  1481003842: 'xfs',
  2435016766: 'btrfs',
};

/** @param folder folder for data directories; the description contains the file system of this folder */
export function describeMachine(folder: string): Machine {
  const program = findNatsServer();
  const version = program ? natsServerVersion(program) : 'none';
  const type = statfsSync(folder).type;
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
    natsServer: version,
    durability: durabilityOf(version, true, 1),
    fileSystem: fileSystems[type] ?? `0x${type.toString(16)}`,
    commit: commit(),
  };
}

function commit(): string {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const changed = git('status', '--porcelain') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`;
  } catch {
    return 'none';
  }
}
