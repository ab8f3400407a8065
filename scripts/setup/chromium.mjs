// Sets up Chromium for the browser tests, by apt as root. The tests use any Chromium of the system, so other machines
// need none from here.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run, SetupError } from './console.mjs';
import { createTestTool } from './test-tool.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
/** The browser, and the fonts that its package only recommends. Without fonts, pages show no text. */
const PACKAGES = ['chromium', 'fonts-liberation'];
/** A busy machine needs a while to start the browser. */
const MAX_START_MS = 120_000;
const ADVICE = 'apt-get install chromium   (as root), or put a Chromium on the PATH';

/**
 * Returns the path of a Chromium that can be started, or undefined if there is none. On some systems `chromium` is only
 * a script that explains how to install the browser.
 */
export function findChromium(folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin']) {
  return folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find(starts);
}

function starts(path) {
  try {
    accessSync(path, constants.X_OK);
  } catch {
    return false;
  }
  return spawnSync(path, ['--version'], { stdio: 'ignore', timeout: MAX_START_MS }).status === 0;
}

/**
 * Returns the part of set-up that provides Chromium. If the part is optional, it installs Chromium where apt and root
 * are at hand, and a failure is only reported.
 */
export function createChromium(root, { optional = false, find = findChromium, canInstall = hasAptAndRoot } = {}) {
  const tool = {
    name: 'chromium',
    isThere: () => find() !== undefined,
    canMake: canInstall,
    missing: () => new SetupError('no Chromium was found', { next: ADVICE }),
    label: 'installing Chromium',
    make: () => install(find),
    consequence: 'browser tests are skipped, and the installation is tried',
  };
  return createTestTool(root, tool, optional);
}

async function install(find) {
  await apt('update');
  await apt('install', '--yes', '--no-install-recommends', ...PACKAGES);
  if (find() === undefined) {
    throw new SetupError('the installed package contains no Chromium that starts', { next: ADVICE });
  }
  return `${PACKAGES[0]} installed`;
}

async function apt(...args) {
  const options = ['-q', '-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=2'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
  const { code, output } = await run('apt-get', [...options, ...args], { env });
  if (code === 0) return;
  throw new SetupError(`apt-get ${args[0]} failed, so Chromium could not be installed`, {
    detail: output.trim().split('\n').slice(-5).join('\n'),
    next: ADVICE,
  });
}

function hasAptAndRoot() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}
