/**
 * Programs of others that a scenario is measured beside. They are no dependency of Tidings: `bench/peers/` has a package.json of
 * its own, and is installed when a scenario first asks.
 */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const folder = fileURLToPath(new URL('../../bench/peers/', import.meta.url));
const installMs = 120_000;
const run = promisify(execFile);

/** A program that was found, or in one line why not. */
export type Peer = { path: string } | { missing: string };

/** git-cliff's own program, without the script that npm starts it by, which would cost it a Node start. */
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
