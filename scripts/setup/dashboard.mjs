// Builds the dashboard from dashboard/ into dist/dashboard/files/: one stylesheet, one script, the scripts of screens that
// are loaded when they open, and the template of the page. All but the template have hashed names and are also
// compressed. The build takes part of a second and runs only if an input has changed. `node scripts/setup/dashboard.mjs`
// builds always, and with `--watch` after each change.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { hashFiles, listFiles } from './build.mjs';
import { run, SetupError } from './console.mjs';

const SOURCES = 'dashboard';
const OUTPUT = 'dist/dashboard/files';
const STAMP = 'dist/.tidings-dashboard';
/** The packages in the bundle. A file next to the bundle contains their licenses. */
const BUNDLED = ['preact', '@preact/signals', '@preact/signals-core', 'wouter-preact', 'regexparam'];
/** Files outside dashboard/ that the bundle or the check of its types depends on. */
const TOKENS = 'src/pages/tokens.ts';
const BESIDES = ['package-lock.json', 'tsconfig.json', 'scripts/setup/dashboard.mjs', TOKENS];

/** Returns a hash over everything that the files depend on. */
export function stampOf(root) {
  const own = listFiles(root, SOURCES, /\.(tsx?|css|html|json)$/);
  const sdk = listFiles(root, 'sdk', /\.ts$/);
  return hashFiles(root, [...BESIDES.filter((file) => existsSync(join(root, file))), ...own, ...sdk]);
}

/**
 * Returns the part of set-up that builds the dashboard. `isReady()` compares a hash of the sources, which takes
 * milliseconds. A checkout without `dashboard/` has no dashboard.
 */
export function createDashboard(root) {
  const stampFile = join(root, STAMP);

  return {
    isReady() {
      if (!existsSync(join(root, SOURCES, 'main.tsx'))) return true;
      if (!existsSync(join(root, OUTPUT, 'index.html')) || !existsSync(stampFile)) return false;
      return readFileSync(stampFile, 'utf8') === stampOf(root);
    },

    async compile(report) {
      await report.step('building the dashboard', async () => {
        // The stamp is computed first. If a source is saved meanwhile, the next set-up builds again.
        const stamp = stampOf(root);
        rmSync(stampFile, { force: true });
        await checkTypes(root);
        await buildDashboard(root);
        writeFileSync(stampFile, stamp);
        return 'dashboard built';
      });
    },
  };
}

/** Builds all files of the dashboard. The same sources give the same bytes. */
export async function buildDashboard(root) {
  const { build } = await loadBundler();
  try {
    await build({ ...optionsOf(root), plugins: [tokens(root), writing(root)], logLevel: 'silent' });
  } catch (error) {
    throw new SetupError('building the dashboard failed', {
      detail: error.message,
      next: 'fix the errors above and run again',
    });
  }
}

/** Builds the dashboard now and after each change, until the process ends. Errors are printed. */
export async function watchDashboard(root) {
  const { context } = await loadBundler();
  const watching = await context({ ...optionsOf(root), plugins: [tokens(root), writing(root)], logLevel: 'warning' });
  await watching.watch();
}

/** The bundler is loaded late, because this file is also imported before the packages are installed. */
function loadBundler() {
  return import('esbuild');
}

function optionsOf(root) {
  return {
    absWorkingDir: root,
    entryPoints: { dashboard: join(SOURCES, 'main.tsx'), style: join(SOURCES, 'style.css') },
    outdir: OUTPUT,
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    // Screens that a person opens rarely are files of their own.
    splitting: true,
    metafile: true,
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[name]-[hash]',
    legalComments: 'none',
  };
}

/** Gives the stylesheet the custom properties of the pages, which a module of the service contains: `@import "tokens"`. */
function tokens(root) {
  const file = join(root, TOKENS);
  return {
    name: 'tokens',
    setup(build) {
      build.onResolve({ filter: /^tokens$/ }, () => ({ path: file, namespace: 'tokens' }));
      build.onLoad({ filter: /.*/, namespace: 'tokens' }, async () => {
        const { outputFiles } = await build.esbuild.build({ entryPoints: [file], format: 'esm', write: false });
        const module = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
        return { contents: module.tokens, loader: 'css', watchFiles: [file] };
      });
    },
  };
}

/** Writes the files of a build that succeeded, and removes those of the build before. */
function writing(root) {
  return {
    name: 'write',
    setup(build) {
      build.onEnd(({ errors, outputFiles = [], metafile }) => {
        if (errors.length > 0) return;
        // A process that reads the folder while it is written gets the former files.
        const [folder, next] = [join(root, OUTPUT), join(root, `${OUTPUT}.new`)];
        rmSync(next, { recursive: true, force: true });
        mkdirSync(next, { recursive: true });
        for (const { path, contents } of outputFiles) writeCompressed(join(next, basename(path)), contents);
        const names = outputFiles.map(({ path }) => basename(path));
        writeFileSync(join(next, 'index.html'), pageOf(root, names, importsOf(names, metafile)));
        writeCompressed(join(next, `licenses-${digestOf(licenses(root))}.txt`), Buffer.from(licenses(root)));
        rmSync(folder, { recursive: true, force: true });
        renameSync(next, folder);
      });
    },
  };
}

function writeCompressed(file, contents) {
  writeFileSync(file, contents);
  writeFileSync(
    `${file}.br`,
    brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: contents.length } }),
  );
  writeFileSync(`${file}.gz`, gzipSync(contents, { level: constants.Z_BEST_COMPRESSION }));
}

/** Returns the names of the files that the script imports at once. */
function importsOf(names, { outputs }) {
  const [, { imports }] = Object.entries(outputs).find(([path]) => basename(path) === nameOf(names, 'dashboard-'));
  return imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path));
}

function nameOf(names, start) {
  return names.find((name) => name.startsWith(start));
}

/** Fills the names of the scripts and the stylesheet into the template of the page. */
function pageOf(root, names, imports) {
  const preloads = imports.map((name) => `<link rel="modulepreload" href="{{root}}assets/${name}">\n`);
  return readFileSync(join(root, SOURCES, 'index.html'), 'utf8')
    .replaceAll('{{script}}', nameOf(names, 'dashboard-'))
    .replaceAll('{{style}}', nameOf(names, 'style-'))
    .replaceAll('{{preloads}}\n', preloads.join(''));
}

function licenses(root) {
  const texts = BUNDLED.filter((name) => existsSync(join(root, 'node_modules', name))).map((name) => {
    const folder = join(root, 'node_modules', name);
    const file = readdirSync(folder).find((each) => /^licen[sc]e/i.test(each));
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8') : ''}`;
  });
  return `The dashboard contains these packages.\n\n${texts.join('\n\n')}`;
}

function digestOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase();
}

/** Checks the types, which the bundler ignores. */
async function checkTypes(root) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { code, output } = await run(process.execPath, [tsc, '-p', join(root, SOURCES)], { cwd: root });
  if (code === 0) return;
  throw new SetupError('the dashboard has type errors', { detail: output, next: 'fix the errors above and run again' });
}

const isProgram = process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
if (isProgram) {
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  await (process.argv.includes('--watch') ? watchDashboard(root) : buildDashboard(root));
}
