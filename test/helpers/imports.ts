/**
 * Reads the imports of TypeScript sources and checks them. A layer may import only some other layers. Some packages may
 * be used in one folder only. Files must not import each other in a cycle. The functions take the sources as texts, so
 * that a test can pass invented sources.
 */
import { posix } from 'node:path';

/** One import: the importing file, the imported file or package, and the imported names. */
export interface Import {
  from: string;
  to: string;
  names: string[];
  /** True for `import type`, which does not exist at run time. */
  isType: boolean;
  /** True for `import()`, which loads the file only when this expression runs. */
  isDynamic: boolean;
}

/** Rules of a project: the layer of each file, and for each layer the other layers that it may import. */
export interface Rules {
  layerOf: (file: string) => string | undefined;
  allowed: Readonly<Record<string, readonly string[]>>;
  /** For each restricted package, the only folder or file that may import the package. */
  packages: Readonly<Record<string, string>>;
  /** Imports that are allowed although the rules forbid them, each with its reason. */
  exceptions: Readonly<Record<string, string>>;
}

const fromClause = /^[ \t]*(?:import|export)\b([^'"`;]*?)\bfrom\s*['"]([^'"]+)['"]/gm;
const bare = /^[ \t]*import\s*['"]([^'"]+)['"]/gm;
const dynamic = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** Returns all imports of one file. */
export function importsOf(file: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, clause: string, isDynamic = false) => {
    const to = specifier.startsWith('.') ? posix.join(posix.dirname(file), specifier) : specifier;
    found.push({ from: file, to, names: clause.match(/\w+/g) ?? [], isType: /^\s*type\s/.test(clause), isDynamic });
  };
  for (const [, clause = '', specifier = ''] of text.matchAll(fromClause)) add(specifier, clause);
  for (const [, specifier = ''] of text.matchAll(bare)) add(specifier, '');
  for (const [, specifier = ''] of text.matchAll(dynamic)) add(specifier, '', true);
  return found;
}

/** Returns one line for each forbidden import. */
export function offences(sources: ReadonlyMap<string, string>, rules: Rules): string[] {
  return [...sources].flatMap(([file, text]) =>
    importsOf(file, text).flatMap(({ from, to }) => offence(from, to, sources, rules) ?? []),
  );
}

function offence(from: string, to: string, sources: ReadonlyMap<string, string>, rules: Rules): string | undefined {
  if (`${from} → ${to}` in rules.exceptions) return undefined;
  const home = rules.packages[to.split('/')[0] as string];
  if (home !== undefined && !from.startsWith(home)) return `${from} → ${to}: only ${home} may`;
  if (!/\.tsx?$/.test(to)) return undefined;
  if (!sources.has(to)) return `${from} → ${to}: no such file`;
  const [layer, target] = [rules.layerOf(from), rules.layerOf(to)];
  if (layer === undefined || target === undefined) return `${from} → ${to}: in no layer`;
  if (layer === target || rules.allowed[layer]?.includes(target)) return undefined;
  return `${from} → ${to}: ${layer} may not import ${target}`;
}

/**
 * Returns all files and packages that are loaded with a file: its imports, their imports, and so on. Modules of Node.js
 * are left out. A package is named with its subpath, such as `semver/functions/parse.js`.
 */
export function loadedWith(file: string, sources: ReadonlyMap<string, string>): string[] {
  const loaded = new Set([file]);
  for (const each of loaded)
    for (const { to, isType, isDynamic } of importsOf(each, sources.get(each) ?? ''))
      if (!isType && !isDynamic && !to.startsWith('node:')) loaded.add(to);
  return [...loaded];
}

/** Returns the cycles of files that import each other, each as a closed path such as `a → b → a`. */
export function cycles(sources: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  const finished = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    const start = path.indexOf(file);
    if (start >= 0) found.push([...path.slice(start), file].join(' → '));
    if (start >= 0 || finished.has(file)) return;
    path.push(file);
    for (const { to, isType } of importsOf(file, sources.get(file) ?? '')) if (!isType && sources.has(to)) visit(to);
    path.pop();
    finished.add(file);
  };
  for (const file of sources.keys()) visit(file);
  return found;
}
