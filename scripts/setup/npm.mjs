// Runs npm: its own program when npm started us, so that no shell and no second npm version come into play.
import { run } from './console.mjs';

/** Runs npm with arguments. */
export function runNpm(args, options) {
  const own = process.env.npm_execpath;
  if (own && /npm-cli\.[cm]?js$/.test(own)) return run(process.execPath, [own, ...args], options);
  return run('npm', args, { ...options, shell: process.platform === 'win32' });
}
