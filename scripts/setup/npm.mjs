// Runs npm. If npm started this process, the same npm is used, without a shell.
import { run } from './console.mjs';

/** Runs npm. Resolves with its exit code and output, as `run` does. */
export function runNpm(args, options) {
  const own = process.env.npm_execpath;
  if (own && /npm-cli\.[cm]?js$/.test(own)) return run(process.execPath, [own, ...args], options);
  return run('npm', args, { ...options, shell: process.platform === 'win32' });
}
