/**
 * Installs programs of other projects. Scenarios compare the service with these programs. The programs are not a
 * dependency of Tidings: `bench/peers/` has its own package.json and is installed when a scenario first needs it.
 */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const folder = fileURLToPath(new URL('../../bench/peers/', import.meta.url));
const installMs = 120_000;
const run = promisify(execFile);

/** The path of a program, or one line with the reason why the program is missing. */
export type Peer = { path: string } | { missing: string };

/**
 * Finds git-cliff's native program and installs it if necessary. The script in git-cliff's npm package is not used,
 * because it would start a Node process for each run.
 */
export async function gitCliff(): Promise<Peer> {
  const name = `git-cliff-${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const known = find(name);
  if (known) return { path: known };
  try {
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, timeout: installMs });
  } catch (error) {
    return { missing: `git-cliff could not be installed: ${String((error as Error).message).split('\n')[0]}` };
  }
  const path = find(name);
  return path ? { path } : { missing: `git-cliff has no program for ${process.platform} on ${process.arch}` };
}

function find(name: string): string | undefined {
  try {
    return createRequire(`${folder}package.json`).resolve(`${name}/bin/git-cliff`);
  } catch {
    return undefined;
  }
}
