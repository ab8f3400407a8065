/**
 * Tests the direction of imports. Reads the import lines of all sources and lists each import that breaks a rule. The
 * layers are those of docs/architecture.md, from the data types (`protocol`, `config`) at the bottom to the programs at
 * the top.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cycles, importsOf, loadedWith, offences, type Rules } from './helpers/imports.ts';

const shapes = ['protocol', 'config'];
const base = [...shapes, 'foundation'];
const edge = [...base, 'http', 'journal', 'store'];
const libraries = [...edge, 'egress', 'notes', 'channels', 'host', 'intake'];
const served = [...libraries, 'ingress', 'api', 'pages'];
const programs = [...served, 'cluster', 'supervisor', 'gateway'];

const rules: Rules = {
  layerOf,
  allowed: {
    protocol: [],
    config: [],
    foundation: shapes,
    http: base,
    journal: base,
    store: base,
    notes: base,
    egress: base,
    channels: [...base, 'egress'],
    host: base,
    intake: base,
    cluster: [...base, 'journal', 'store'],
    ingress: [...edge, 'intake', 'cluster'],
    api: [...edge, 'egress', 'cluster'],
    pages: [...edge, 'cluster'],
    supervisor: [...edge, 'cluster'],
    gateway: [...served, 'cluster'],
    cli: programs,
    fold: ['protocol', 'foundation', 'store', 'notes'],
    workers: [...libraries.filter((name) => name !== 'http'), 'fold'],
    demo: [...programs, 'cli'],
    bench: [...programs, 'cli'],
    sdk: [],
    dashboard: ['sdk'],
  },
  packages: {
    'uWebSockets.js': 'src/http/',
    nats: 'src/journal/',
    lmdb: 'src/store/',
    piscina: 'workers/render/',
    '@octokit': 'src/host/',
    undici: 'src/egress/',
    nodemailer: 'src/channels/',
    'markdown-it': 'src/foundation/markdown.ts',
    feed: 'src/pages/',
    diff: 'workers/render/unified-diff.ts',
    preact: 'dashboard/',
    '@preact': 'dashboard/',
    'wouter-preact': 'dashboard/',
  },
  exceptions: {
    'src/gateway/gateway.ts → src/supervisor/first-start.ts': 'opens and seals with the key that the first start made',
    'src/gateway/main.ts → src/supervisor/first-start.ts': 'reads the keys that the first start made',
    'src/gateway/main.ts → src/supervisor/child-program.ts': 'is a child program of the supervisor',
    'workers/partition/main.ts → src/supervisor/first-start.ts':
      'opens the secrets of connections with the sealing key',
    'workers/partition/main.ts → src/supervisor/child-program.ts': 'is a child program of the supervisor',
    'src/pages/unsubscribe-page.ts → src/api/context.ts': 'the page writes a command, as an API handler does',
    'src/pages/unsubscribe-limit.ts → src/ingress/limit.ts': 'both limit clients that have no key, by address',
    'src/pages/guide-page.ts → markdown-it': 'renders the guide, a text of this repository',
    'bench/sample-draft.ts → demo/history/index.ts': 'reads a draft of the history that the demo makes up',
    'bench/scenarios/render.ts → workers/render/heap.ts': 'gives its thread the same heap as the pool does',
    'bench/scenarios/growth.ts → workers/render/heap.ts': 'gives its thread the same heap as the pool does',
    'bench/scenarios/dashboard-tabs.ts → dashboard/state/pace.ts': 'reads as often as the dashboard does',
    'bench/scenarios/dashboard-tabs.ts → dashboard/state/waits.ts': 'waits as the dashboard does',
    'bench/fold.ts → workers/partition/batch.ts': 'folds batches, as a worker does',
    'bench/words/history.ts → workers/fold/fold.ts': 'folds a recorded history, as a worker does',
    'bench/floors/bytes.ts → uWebSockets.js': 'the floor of a benchmark: the bare server',
    'bench/floors/webhooks.ts → uWebSockets.js': 'the floor of a benchmark: the bare server',
  },
};

/** The files that may read `process.env`, each with its reason. */
const readersOfEnvironment: Record<string, string> = {
  'config/load.ts': 'the settings loader',
  'src/supervisor/child-process.ts': 'hands PATH and the like to child processes',
  'src/supervisor/nats-server.ts': 'looks for the program on the PATH',
  'demo/main.ts': 'colours of the terminal, ports from the environment',
  'sdk/example.ts': 'address and key of the service',
  'bench/peers.ts': 'looks for programs on the PATH',
  'bench/program.ts': 'hands the environment to child processes',
  'bench/service.ts': 'hands the environment to child processes',
};

/**
 * Returns the layer of a file. Below `src/`, the layer is the name of the folder. Elsewhere, it is the name of the top
 * folder. Two exceptions: `src/main.ts` is in the layer `cli`, and `workers/fold/` is a separate layer.
 */
function layerOf(file: string): string | undefined {
  const [top, folder = ''] = file.split('/');
  if (file === 'src/main.ts') return 'cli';
  if (top === 'src') return folder;
  return file.startsWith('workers/fold/') ? 'fold' : top;
}

function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

function readSources(): Map<string, string> {
  const root = projectRoot();
  const sources = new Map<string, string>();
  for (const top of ['config', 'src', 'workers', 'demo', 'bench', 'sdk', 'dashboard']) {
    if (!existsSync(join(root, top))) continue;
    for (const name of readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })) {
      const file = `${top}/${name}`;
      if (/\.tsx?$/.test(file) && !file.includes('node_modules/'))
        sources.set(file, readFileSync(join(root, file), 'utf8'));
    }
  }
  return sources;
}

const sources = readSources();

test('sources are read from the project root', () => {
  assert.ok(sources.size > 80, `only ${sources.size} files were found`);
  assert.ok(sources.has('src/gateway/gateway.ts'));
});

test('the dashboard imports only its own files, the client and its packages', () => {
  const found = [...sources]
    .filter(([file]) => file.startsWith('dashboard/'))
    .flatMap(([file, text]) => importsOf(file, text))
    .filter(({ to }) => !/^(dashboard|sdk)\/|^(preact|@preact\/signals|wouter-preact)(\/|$)/.test(to))
    .map(({ from, to }) => `${from} → ${to}`);
  assert.deepEqual(found, []);
  assert.ok(sources.has('dashboard/main.tsx'));
});

test('imports go one way between layers', () => {
  assert.deepEqual(offences(sources, rules), []);
});

test('no imports form a circle', () => {
  assert.deepEqual(cycles(sources), []);
});

test('nothing in src imports the workers', () => {
  const found = [...sources]
    .filter(([file]) => file.startsWith('src/'))
    .flatMap(([file, text]) => importsOf(file, text).filter(({ to }) => to.startsWith('workers/')));
  assert.deepEqual(found, []);
});

test('the edge imports only reading functions of the store', () => {
  const found = [...sources]
    .filter(([file]) => /^src\/(api|ingress|pages|gateway)\//.test(file))
    .flatMap(([file, text]) => importsOf(file, text))
    .filter(
      ({ to, names }) =>
        to.startsWith('src/store/') && names.some((name) => /^(write|remove|open[A-Z]|restore|take)/.test(name)),
    )
    .map(({ from, to }) => `${from} → ${to}`);
  assert.deepEqual(found, []);
});

test('the fold waits for nothing and depends on its records only', () => {
  const impure =
    /\b(?:await|async|Promise|set(?:Timeout|Interval|Immediate)|performance|process|logger|console|Date\.now|Math\.random)\b|\b(?:ulid|random\w*)\(|new Date\(\)/;
  const found = [...sources]
    .filter(([file]) => file.startsWith('workers/fold/'))
    .flatMap(([file, text]) => impure.exec(withoutComments(text))?.[0].concat(` in ${file}`) ?? []);
  assert.deepEqual(found, []);
  for (const text of ['const id = ulid();', 'at = Date.now()', 'return randomBytes(4);', 'new Date()'])
    assert.match(text, impure);
});

test('only the gateway runs requests of the API', () => {
  const imports = [...sources].flatMap(([file, text]) => importsOf(file, text));
  const importersOf = (file: string) => imports.filter(({ to }) => to === file).map(({ from }) => from);
  assert.deepEqual(importersOf('src/api/handle.ts'), ['src/api/session-routes.ts', 'src/gateway/gateway.ts']);
  assert.deepEqual(importersOf('src/api/session-routes.ts'), ['src/gateway/gateway.ts']);
});

test('workers import nothing of the gateway', () => {
  const found = [...sources]
    .filter(([file]) => file.startsWith('workers/'))
    .flatMap(([file, text]) => importsOf(file, text))
    .filter(({ to }) => /^src\/(api|ingress|gateway|pages|cli)\//.test(to))
    .map(({ from, to }) => `${from} → ${to}`);
  assert.deepEqual(found, []);
});

test('the table of commands loads no package', () => {
  const loaded = loadedWith('src/main.ts', sources);
  assert.deepEqual(loaded.filter(isPackage), []);
  assert.ok(loaded.includes('src/cli/table/notes.ts'));
  assert.deepEqual(
    loaded.filter((file) => !/^src\/(main\.ts$|cli\/|foundation\/|protocol\/)|^config\/nearest\.ts$/.test(file)),
    [],
  );
});

test('commands about notes load only the packages that they need, and few routes', () => {
  const needed = ['@sinclair', 'lmdb', 'msgpackr', 'nats', 'pino'];
  for (const command of ['notes', 'version', 'ranges']) {
    const loaded = loadedWith(`src/cli/${command}.ts`, sources);
    const packages = loaded.filter(isPackage).map((name) => name.split('/')[0] as string);
    assert.deepEqual([command, ...packages.filter((name) => !needed.includes(name))], [command]);
    assert.ok(packages.includes('lmdb'));
    assert.ok(!loaded.includes('src/api/routes.ts'), command);
  }
});

test('only the listed files read the environment', () => {
  const found = [...sources].filter(([, text]) => /\bprocess\.env\b/.test(withoutComments(text))).map(([file]) => file);
  assert.deepEqual(
    found.filter((file) => !(file in readersOfEnvironment)),
    [],
  );
});

test('exceptions name pairs that exist', () => {
  const pairs = new Set(
    [...sources].flatMap(([file, text]) => importsOf(file, text).map(({ from, to }) => `${from} → ${to}`)),
  );
  assert.deepEqual(
    Object.keys(rules.exceptions).filter((pair) => !pairs.has(pair)),
    [],
  );
});

test('the check reports pairs that break a rule', () => {
  const madeUp = new Map([
    [
      'src/api/drafts.ts',
      "import {\n  page,\n} from './page.ts';\nimport type { Actor } from '../../workers/fold/actor.ts';\n",
    ],
    ['src/api/page.ts', "export { draft } from './drafts.ts';\nimport { open } from 'lmdb';\n"],
    ['src/http/server.ts', "import '../store/readers.ts';\nconst later = await import('../notes/gone.ts');\n"],
    ['src/store/readers.ts', ''],
    ['workers/fold/actor.ts', ''],
  ]);
  assert.deepEqual(offences(madeUp, rules), [
    'src/api/drafts.ts → workers/fold/actor.ts: api may not import fold',
    'src/api/page.ts → lmdb: only src/store/ may',
    'src/http/server.ts → src/store/readers.ts: http may not import store',
    'src/http/server.ts → src/notes/gone.ts: no such file',
  ]);
  assert.deepEqual(cycles(madeUp), ['src/api/drafts.ts → src/api/page.ts → src/api/drafts.ts']);
  assert.deepEqual(loadedWith('src/api/drafts.ts', madeUp), ['src/api/drafts.ts', 'src/api/page.ts', 'lmdb']);
  assert.deepEqual(loadedWith('src/http/server.ts', madeUp), ['src/http/server.ts', 'src/store/readers.ts']);
});

/** Whether a loaded name is a package, and not a file of this project. */
function isPackage(name: string): boolean {
  return !sources.has(name);
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}
