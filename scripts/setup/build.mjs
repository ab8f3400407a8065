// Builds dist/ from the sources with tsc and bundles the programs, but only if a source has changed. Removes outputs whose
// source was removed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isPacked, packClient } from './client.mjs';
import { run, SetupError } from './console.mjs';
import { bundlePrograms } from './programs.mjs';

const SOURCE = /\.([cm]?ts|tsx|json)$/;
const OUTPUT = /^(.*)\.([cm]?js|json)(\.map)?$/;
const SKIPPED = new Set(['node_modules', 'results']);

/**
 * Lists the files below `folder` whose names match `pattern`. The paths are relative to `root`, have forward slashes,
 * and are sorted.
 */
export function listFiles(root, folder, pattern) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : listFiles(root, path, pattern);
      return pattern.test(entry.name) ? [path] : [];
    })
    .sort();
}

/**
 * Returns one hash over the names and contents of files. The hash ignores file times, since a checkout can set them to
 * any value.
 */
export function hashFiles(root, files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * Returns the output path of a source file. Returns undefined for declarations and for JSON files. tsc copies a JSON
 * file only if a source imports the file.
 */
export function outputOf(source) {
  if (/\.d\.[cm]?ts$|\.json$/.test(source)) return undefined;
  return source.replace(/\.([cm]?)tsx?$/, '.$1js');
}

/**
 * Returns the outputs (paths relative to dist/) whose source was removed. If such outputs stayed, a removed test would
 * still run.
 */
export function staleOutputs(outputs, sources) {
  const known = new Set(sources.map((source) => outputOf(source) ?? source));
  return outputs.filter((output) => !known.has(output.replace(/\.map$/, '')));
}

/**
 * Returns the part of set-up that builds dist/. `isReady()` compares hashes of the sources, which takes milliseconds.
 * `compile(report)` brings dist/ up to date.
 */
export function createBuild(root) {
  const dist = join(root, 'dist');
  const stampFile = join(dist, '.tidings-build');
  const folders = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).include;

  const listSources = () => folders.flatMap((folder) => listFiles(root, folder, SOURCE));
  const listOutputs = () => folders.flatMap((folder) => listFiles(dist, folder, OUTPUT));
  // The client package contains sdk/README.md, so a change of this file requires a new build.
  const besides = ['package-lock.json', 'tsconfig.json', 'sdk/README.md', 'scripts/setup/programs.mjs'].filter((file) =>
    existsSync(join(root, file)),
  );
  const stampOf = (sources) => hashFiles(root, [...besides, ...sources]);

  return {
    isReady() {
      const sources = listSources();
      if (!existsSync(stampFile) || isIncomplete(sources) || !isPacked(root)) return false;
      return readFileSync(stampFile, 'utf8') === stampOf(sources) && staleOutputs(listOutputs(), sources).length === 0;
    },

    async compile(report) {
      await report.step('building', async () => {
        const sources = listSources();
        // The stamp is computed before the build. If a file is saved while tsc runs, the file no longer matches the
        // stamp, and the next set-up builds again.
        const stamp = stampOf(sources);
        mkdirSync(dist, { recursive: true });
        rmSync(stampFile, { force: true });
        // tsc's incremental state does not notice deleted outputs.
        if (isIncomplete(sources)) rmSync(join(dist, '.tsbuildinfo'), { force: true });
        await tsc(root);
        await Promise.all([packClient(root), bundlePrograms(root)]);
        for (const output of staleOutputs(listOutputs(), sources)) remove(output);
        writeFileSync(stampFile, stamp);
        return `built ${sources.length} source file${sources.length === 1 ? '' : 's'}`;
      });
    },
  };

  function isIncomplete(sources) {
    return sources.some((source) => {
      const output = outputOf(source);
      return output !== undefined && !existsSync(join(dist, output));
    });
  }

  function remove(output) {
    rmSync(join(dist, output), { force: true });
    const folder = dirname(join(dist, output));
    if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
  }
}

async function tsc(root) {
  const { code, output } = await run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc')], {
    cwd: root,
  });
  if (code === 0) return;
  throw new SetupError('the build failed', { detail: output, next: 'fix the errors above and run again' });
}
