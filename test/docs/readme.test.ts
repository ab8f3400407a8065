/**
 * Tests that the documents match the code: settings, endpoints, metrics, commands, paths and links.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { apiRoutes } from '../../src/api/routes.ts';
import { commands } from '../../src/cli/commands.ts';
import { commandsPage } from '../../src/cli/help.ts';
import { isSingle } from '../../src/cli/lookup.ts';
import { settingsTable } from '../../src/cli/settings.ts';
import { registry } from '../../src/foundation/metrics.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...list('docs').map((name) => `docs/${name}`),
];

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function list(folder: string): string[] {
  return readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));
}

/** Returns the text between the markers of a section. */
function section(name: string, path: string): string {
  const match = new RegExp(`<!-- ${name}:start -->\n([^]*?)<!-- ${name}:end -->`).exec(read(path));
  assert.ok(match, `${path} has the markers of ${name}`);
  return match[1] as string;
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] as string);
}

test('docs/settings.md shows the settings of the schema', () => {
  assert.equal(section('settings', 'docs/settings.md'), settingsTable());
});

test('docs/architecture.md names folders that exist, and all folders of src', () => {
  const named = matches(section('tree', 'docs/architecture.md'), /^ *(\S+\/) /gm);
  for (const path of named) assert.ok(existsSync(join(root, path)), `${path} exists`);
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) assert.ok(named.includes(`src/${name}/`), `src/${name}/ is in the tree`);
});

test('docs/endpoints.md has a row for every endpoint', () => {
  const rows = read('docs/endpoints.md').split('\n');
  for (const { method, path, scope } of apiRoutes) {
    const shown = `\`${method} ${path.replace(/:(\w+)/g, '{$1}')}`;
    const row = rows.find((line) => line.startsWith(`| ${shown}\``) || line.startsWith(`| ${shown}?`));
    assert.ok(row?.includes(scope === null ? '(any)' : `\`${scope}\``), `${shown}\` has a row with its scope ${scope}`);
  }
});

test('documents name npm scripts that exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const document of documents) {
    const named = matches(read(document), /npm run ([a-z][\w:-]*)/g);
    for (const name of named) assert.ok(name in scripts, `${document}: npm run ${name}`);
  }
  assert.ok('test' in scripts && 'start' in scripts);
});

test('documents name commands that exist', () => {
  for (const document of documents) {
    const named = matches(read(document), /(?:`tidings |npm run tidings -- )([a-z][a-z-]*)/g);
    for (const name of named) assert.ok(name in commands, `${document}: tidings ${name}`);
  }
});

test('docs/commands.md shows the help of every command', () => {
  assert.equal(section('commands', 'docs/commands.md'), commandsPage(commands));
});

test('documents use actions and options that exist', () => {
  const quoted = /(?:`tidings |npm run tidings -- |main\.js )([a-z][^`\n|#>]*)/gm;
  const lines = documents.flatMap((document) =>
    matches(read(document), quoted).map((line) => [document, line] as const),
  );
  assert.ok(lines.length > 40);
  for (const [document, line] of lines) {
    const [name = '', ...args] = line.trim().split(' ');
    const command = commands[name];
    assert.ok(command, `${document}: ${line}`);
    const [word = ''] = args;
    const actions = word in command.actions ? [command.actions[word]] : Object.values(command.actions);
    const isAction = isSingle(command) || word in command.actions || !/^[a-z]+$/.test(word);
    assert.ok(isAction, `${document}: tidings ${line}`);
    const known = [
      '--help',
      ...actions.flatMap((each) => Object.keys(each?.options ?? {}).map((option) => `--${option}`)),
    ];
    for (const option of line.match(/(?<= )--[a-z-]+/g) ?? [])
      assert.ok(known.includes(option), `${document}: ${line}`);
  }
});

test('documents name source files and tests that exist', () => {
  const path = /(?<![\w/.-])((?:config|src|workers|demo|bench|scripts|test)\/[\w/.-]+\.(?:ts|mjs|conf|json))(?!\w)/g;
  for (const document of documents) {
    const named = matches(read(document), path).filter((name) => !name.startsWith('bench/results/'));
    for (const name of named) assert.ok(existsSync(join(root, name)), `${document}: ${name} exists`);
  }
});

test('documents link to files that exist', () => {
  for (const document of documents) {
    const targets = matches(read(document), /\]\((?!https?:|#)([^)#\s]+)/g);
    for (const target of targets) {
      assert.ok(existsSync(join(root, dirname(document), target)), `${document} links to ${target}`);
    }
  }
});

test('no table of a document is broken by an empty line', () => {
  for (const document of documents) {
    const headless = matches(read(document), /\n\n(\|[^\n]*)\n(?!\| ?:?-)/g);
    assert.deepEqual(headless, [], `${document} has a row without the head of its table`);
  }
});

test('operations explains every metric of the service', async () => {
  const operations = read('docs/operations.md');
  for (const { name } of await registry.getMetricsAsJSON()) {
    if (/^tidings_(process|nodejs)_/.test(name)) continue;
    assert.ok(operations.includes(`\`${name}\``), `docs/operations.md has a row for ${name}`);
  }
});
