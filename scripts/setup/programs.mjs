// Bundles each program of the service into one file, over the file that tsc has written. A process that reads one file
// starts three times as fast as one that reads a thousand. The modules beside stay, because tests import them.
// `node scripts/setup/programs.mjs` bundles without source maps.
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from './console.mjs';

/** Sources of the files that a process or thread begins with. */
const PROGRAMS = [
  'src/main.ts',
  'src/gateway/main.ts',
  'workers/partition/main.ts',
  'workers/partition/catch-up-thread.ts',
  'workers/render/thread.ts',
];
/** Packages that stay outside: they have native code or read files of their own. */
const OUTSIDE = ['lmdb', 'msgpackr', 'pino-pretty', 'piscina', 'swagger-ui-dist', 'uWebSockets.js'];
/** Folder in dist/ of modules that programs import late. */
const PARTS = 'parts';
/** A source map without lines. */
const NO_MAP = `data:application/json,${encodeURIComponent('{"version":3,"sources":[""],"mappings":"A"}')}`;

/** Bundles the programs of a checkout that tsc has built. */
export async function bundlePrograms(root, { sourcemap = true } = {}) {
  const sources = PROGRAMS.filter((source) => existsSync(join(root, source)));
  if (sources.length === 0) return;
  // The bundler is loaded late, because this file is also imported before the packages are installed.
  const { build } = await import('esbuild');
  rmSync(join(root, 'dist', PARTS), { recursive: true, force: true });
  try {
    await Promise.all(sources.map((source) => build(optionsOf(root, source, sourcemap))));
  } catch (error) {
    throw new SetupError('bundling the programs failed', {
      detail: error.message,
      next: 'fix the errors above and run again',
    });
  }
}

function optionsOf(root, source, sourcemap) {
  const folders = source.split('/').slice(0, -1);
  const toDist = '../'.repeat(folders.length);
  return {
    absWorkingDir: root,
    entryPoints: [source],
    outbase: '.',
    outdir: 'dist',
    bundle: true,
    // Modules that are imported late are files of their own, as many folders below dist/ as the program.
    splitting: true,
    chunkNames: [PARTS, ...folders.slice(1), '[name]-[hash]'].join('/'),
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: OUTSIDE,
    banner: { js: bannerOf(toDist) },
    // Stacks name lines of the sources. They do not need the texts of the sources.
    ...(sourcemap && { sourcemap: 'linked', sourcesContent: false }),
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [ownPlaces(root), withoutForeignLines],
  };
}

/** Packages that call `require` need one in a module. The modules of the service need the folder that tsc writes. */
function bannerOf(toDist) {
  return `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);
const distOfBundle = new URL('${toDist}', import.meta.url);`;
}

/** Lets modules find the files beside them. The place of a module is not that of the bundle. */
function ownPlaces(root) {
  const own = 'import.meta.url';
  return {
    name: 'own places',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        if (!text.includes(own)) return undefined;
        const place = relative(root, path).split(sep).join('/').replace(/ts$/, 'js');
        return { contents: text.replaceAll(own, `new URL('${place}', distOfBundle).href`), loader: 'ts' };
      });
    },
  };
}

/** Leaves the lines of packages out of the source maps, which every process reads when it starts. */
const withoutForeignLines = {
  name: 'without foreign lines',
  setup(build) {
    build.onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, ({ path }) => ({
      contents: `${readFileSync(path, 'utf8')}\n//# sourceMappingURL=${NO_MAP}`,
      loader: 'js',
    }));
  },
};

const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isProgram) await bundlePrograms(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), { sourcemap: false });
