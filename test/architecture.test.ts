/**
 * The direction of imports: reads the import lines of all sources and fails with each offending pair. The layers are those
 * of the design, from the shapes at the bottom to the programs at the top.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cycles, importsOf, offences, type Rules } from './helpers/imports.ts';

const shapes = ['protocol', 'config'];
const base = [...shapes, 'foundation'];
const edge = [...base, 'http', 'journal', 'store'];
const everything = [...edge, 'egress', 'notes', 'channels', 'host', 'intake', 'ingress', 'api', 'pages'];

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
    ingress: [...edge, 'intake'],
    api: [...edge, 'egress'],
    pages: edge,
    workers: [...base, 'journal', 'store', 'notes', 'egress', 'channels', 'host', 'intake'],
    assembly: everything,
    demo: [...everything, 'assembly'],
    bench: [...everything, 'assembly'],
    sdk: [],
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
  },
  exceptions: {
    'workers/partition/main.ts → src/supervisor/child-program.ts':
      'a worker is started by the supervisor and speaks to it',
    'workers/partition/main.ts → src/supervisor/first-start.ts': 'a worker opens what connections have sealed',
    'workers/fold/capture.ts → src/notes/change/link.ts': 'links are found when a body is captured',
    'bench/scenarios/draft-read.ts → demo/history/index.ts': 'reads a draft of the history that the demo makes up',
    'bench/scenarios/render.ts → workers/render/heap.ts': 'its thread has the heap that the pool gives its own',
    'src/pages/guide-page.ts → markdown-it': 'renders the guide, a text of this repository',
    'bench/floors/bytes.ts → uWebSockets.js': 'the floor of a benchmark: the bare server',
  },
};

/** Who may read `process.env` besides the settings loader. */
const readersOfEnvironment: Record<string, string> = {
  'config/load.ts': 'the settings loader',
  'src/supervisor/child-process.ts': 'hands PATH and the like to child processes',
  'src/supervisor/nats-server.ts': 'looks for the program on the PATH',
  'demo/main.ts': 'colours of the terminal, ports from the environment',
  'sdk/example.ts': 'address and key of the service',
  'bench/program.ts': 'hands the environment to child processes',
  'bench/service.ts': 'hands the environment to child processes',
};

function layerOf(file: string): string | undefined {
  const [top, ...rest] = file.split('/');
  if (top !== 'src') return top;
  const [folder = ''] = rest;
  return rest.length === 1 || ['cli', 'gateway', 'supervisor'].includes(folder) ? 'assembly' : folder;
}

function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

function readSources(): Map<string, string> {
  const root = projectRoot();
  const sources = new Map<string, string>();
  for (const top of ['config', 'src', 'workers', 'demo', 'bench', 'sdk']) {
    if (!existsSync(join(root, top))) continue;
    for (const name of readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })) {
      const file = `${top}/${name}`;
      if (file.endsWith('.ts')) sources.set(file, readFileSync(join(root, file), 'utf8'));
    }
  }
  return sources;
}

const sources = readSources();

test('sources are read from the project root', () => {
  assert.ok(sources.size > 80, `only ${sources.size} files were found`);
  assert.ok(sources.has('src/gateway/gateway.ts'));
});

test('imports go one way between layers', () => {
  assert.deepEqual(offences(sources, rules), []);
});

test('no files load each other in circles', () => {
  assert.deepEqual(cycles(sources), []);
});

test('nothing in src imports the workers', () => {
  const found = [...sources]
    .filter(([file]) => file.startsWith('src/'))
    .flatMap(([file, text]) => importsOf(file, text).filter(({ to }) => to.startsWith('workers/')));
  assert.deepEqual(found, []);
});

test('the edge takes only reads from the store', () => {
  const found = [...sources]
    .filter(([file]) => /^src\/(api|gateway|ingress|pages)\//.test(file))
    .flatMap(([file, text]) => importsOf(file, text))
    .filter(
      ({ to, names }) =>
        to.startsWith('src/store/') && names.some((name) => /^(write|remove|open[A-Z]|restore|take)/.test(name)),
    )
    .map(({ from, to }) => `${from} → ${to}`);
  assert.deepEqual(found, []);
});

test('the environment is read in one place', () => {
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

test('the check flags made-up offending pairs', () => {
  const madeUp = new Map([
    [
      'src/api/drafts.ts',
      "import {\n  page,\n} from './page.ts';\nimport type { Actor } from '../../workers/partition/actor.ts';\n",
    ],
    ['src/api/page.ts', "export { draft } from './drafts.ts';\nimport { open } from 'lmdb';\n"],
    ['src/http/server.ts', "import '../store/readers.ts';\nconst later = await import('../notes/gone.ts');\n"],
    ['src/store/readers.ts', ''],
    ['workers/fold/actor.ts', ''],
  ]);
  assert.deepEqual(offences(madeUp, rules), [
    'src/api/drafts.ts → workers/fold/actor.ts: api may not import workers',
    'src/api/page.ts → lmdb: only src/store/ may',
    'src/http/server.ts → src/store/readers.ts: http may not import store',
    'src/http/server.ts → src/notes/gone.ts: no such file',
  ]);
  assert.deepEqual(cycles(madeUp), ['src/api/drafts.ts → src/api/page.ts → src/api/drafts.ts']);
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}
