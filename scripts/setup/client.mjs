// Makes the client package: compiles sdk/ without Node's types and packs it into the file that the service serves. npm
// gives every file the same time and mode, so the same sources give the same bytes. `node scripts/setup/client.mjs`
// makes only this package.
import { copyFileSync, existsSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, SetupError } from './console.mjs';
import { runNpm } from './npm.mjs';

const packageOf = (root) => join(root, 'dist', 'client', 'tidings-client.tgz');

/**
 * Whether the package exists. A checkout without sdk/ needs no package, so the result is also true for such a checkout.
 */
export function isPacked(root) {
  return !existsSync(join(root, 'sdk', 'package.json')) || existsSync(packageOf(root));
}

/** Compiles and packs the client. This step needs no network. */
export async function packClient(root) {
  if (!existsSync(join(root, 'sdk', 'package.json'))) return;
  const folder = join(root, 'dist', 'client');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await mustRun('compiling the client', () => run(process.execPath, [tsc, '-p', join(root, 'sdk')], { cwd: root }));
  for (const file of ['package.json', 'README.md']) copyFileSync(join(root, 'sdk', file), join(folder, file));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const options = ['--ignore-scripts', '--no-update-notifier', '--silent', '--pack-destination', folder];
  const { output } = await mustRun('packing the client', () => runNpm(['pack', ...options], { cwd: folder }));
  const made = output.match(/^[\w.-]+\.tgz$/m)?.[0];
  if (made === undefined) throw new SetupError('npm pack did not report a file name', { detail: output });
  renameSync(join(folder, made), packageOf(root));
}

async function mustRun(what, start) {
  const { code, output } = await start();
  if (code !== 0)
    throw new SetupError(`${what} failed`, { detail: output, next: 'fix the errors above and run again' });
  return { output };
}

const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isProgram) await packClient(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
