// Compiles the cutter, a WebAssembly module in AssemblyScript, from wasm/payload/ to dist/. The compiler takes some
// seconds, so it runs only if a source or the compiler has changed. `node scripts/setup/cutter.mjs` compiles always.
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashFiles, listFiles } from './build.mjs';
import { run, SetupError } from './console.mjs';

const SOURCES = 'wasm/payload';
const OUTPUT = 'dist/src/intake/cut/payload.wasm';
const STAMP = 'dist/.tidings-cutter';
const COMPILER = 'node_modules/assemblyscript';
/** The module allocates nothing, so it needs no memory manager. Warning 112 is about exported vectors; none leave. */
const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--disableWarning', '112'];

/** Compiles the module to the file `output`. The same sources give the same bytes. */
export async function compileCutter(root, output) {
  mkdirSync(dirname(output), { recursive: true });
  const args = [join(root, COMPILER, 'bin/asc.js'), `${SOURCES}/index.ts`, '--outFile', output, ...OPTIONS];
  const result = await run(process.execPath, args, { cwd: root });
  if (result.code === 0) return;
  throw new SetupError('compiling the cutter failed', {
    detail: result.output,
    next: 'fix the errors above and run again',
  });
}

/** Returns a hash over everything that the module's bytes depend on. */
export function stampOf(root) {
  const sources = listFiles(root, SOURCES, /\.ts$/);
  return hashFiles(root, [`${COMPILER}/package.json`, 'scripts/setup/cutter.mjs', ...sources]);
}

/**
 * Returns the part of set-up that compiles the cutter. `isReady()` compares a hash of the sources, which takes
 * milliseconds. A checkout without `wasm/` needs no cutter.
 */
export function createCutter(root) {
  const [output, stampFile] = [join(root, OUTPUT), join(root, STAMP)];

  return {
    isReady() {
      if (!existsSync(join(root, SOURCES))) return true;
      if (!existsSync(output) || !existsSync(stampFile)) return false;
      return existsSync(join(root, COMPILER)) && readFileSync(stampFile, 'utf8') === stampOf(root);
    },

    async compile(report) {
      await report.step('compiling the cutter', async () => {
        // The stamp is computed first. If a source is saved meanwhile, the next set-up compiles again.
        const stamp = stampOf(root);
        rmSync(stampFile, { force: true });
        // A process that reads the module while it is compiled gets the former one.
        await compileCutter(root, `${output}.new`);
        renameSync(`${output}.new`, output);
        writeFileSync(stampFile, stamp);
        return 'cutter compiled';
      });
    },
  };
}

const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isProgram) {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  await compileCutter(root, join(root, OUTPUT));
}
