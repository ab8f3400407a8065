// The build: tsc from the sources to dist/, run only when a source changed, and dist/ kept free of what has no source.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isPacked, packClient } from './client.mjs';
import { run, SetupError } from './console.mjs';

const SOURCE = /\.([cm]?ts|tsx|json)$/;
const OUTPUT = /^(.*)\.([cm]?js|json)(\.map)?$/;
const SKIPPED = new Set(['node_modules', 'results']);

/** Every file below `folder` that `pattern` accepts, as sorted paths from `root` with forward slashes. */
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

/** One hash over names and contents. By content, because a checkout gives old files new times and the reverse. */
export function hashFiles(root, files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * Where tsc puts a source file, or nothing for declarations and for JSON, which is written only where it is imported.
 */
export function outputOf(source) {
  if (/\.d\.[cm]?ts$|\.json$/.test(source)) return undefined;
  return source.replace(/\.([cm]?)tsx?$/, '.$1js');
}

/** The outputs (paths from dist/) whose source is gone: a removed test would otherwise run for ever. */
export function staleOutputs(outputs, sources) {
  const known = new Set(sources.map((source) => outputOf(source) ?? source));
  return outputs.filter((output) => !known.has(output.replace(/\.map$/, '')));
}

/** `isReady()` reads and hashes the sources (milliseconds); `compile(report)` makes dist/ their image. */
export function createBuild(root) {
  const dist = join(root, 'dist');
  const stampFile = join(dist, '.tidings-build');
  const folders = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).include;

  const listSources = () => folders.flatMap((folder) => listFiles(root, folder, SOURCE));
  const listOutputs = () => folders.flatMap((folder) => listFiles(dist, folder, OUTPUT));
  // The package of the client has its README.
  const besides = ['package-lock.json', 'tsconfig.json', 'sdk/README.md'].filter((file) =>
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
        // Taken before the build: a file saved while tsc runs must count as changed afterwards.
        const stamp = stampOf(sources);
        mkdirSync(dist, { recursive: true });
        rmSync(stampFile, { force: true });
        // tsc's incremental state believes in outputs that somebody deleted.
        if (isIncomplete(sources)) rmSync(join(dist, '.tsbuildinfo'), { force: true });
        await tsc(root);
        await packClient(root);
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
  throw new SetupError('the build failed', { detail: output, next: 'mend what tsc reports above and run again' });
}
