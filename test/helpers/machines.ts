/** The settings and commands of machines that share one NATS server. Each has a data directory in one folder. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** What a command has printed, and its exit code. */
export interface Ran {
  status: number | null;
  output: string;
}

export class Machines {
  readonly folder: string;
  private readonly common: Record<string, string>;

  /**
   * @param port port of the NATS server on loopback
   * @param settings settings of all machines
   */
  constructor(folder: string, port: number, settings: Record<string, string>) {
    this.folder = folder;
    this.common = {
      PATH: process.env.PATH ?? '',
      TIDINGS_NATS_URL: `nats://127.0.0.1:${port}`,
      TIDINGS_JOURNAL_MAX_BYTES: '67108864',
      ...settings,
    };
  }

  /** Returns the environment of a machine. */
  env(node: string, dataDir = node): Record<string, string> {
    return { ...this.common, TIDINGS_NODE: node, TIDINGS_DATA_DIR: join(this.folder, dataDir) };
  }

  /** Runs a command of `tidings cluster`. */
  run(env: Record<string, string>, ...args: string[]): Ran {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'cluster', ...args], {
      env,
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  }

  /** Makes a token on a machine, and returns its file. */
  makeToken(node: string): string {
    const { status, output } = this.run(this.env(node), 'init');
    assert.equal(status, 0, output);
    return tokenIn(output);
  }
}

/** Returns the file of the token that a command has printed. */
export function tokenIn(output: string): string {
  return /^Made a token.*: (\/.*)$/m.exec(output)?.[1] ?? assert.fail(output);
}
