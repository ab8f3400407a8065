/**
 * Generates sentences that look like titles and notes of software: plain words mixed with code spans, identifiers,
 * paths, versions, commands, calls, patterns, generic types and dotted names. The same seed gives the same sentences.
 */
import { pick, type Random } from './random.ts';

/** A sentence as Markdown source, and as readers see it. */
export interface TechnicalText {
  source: string;
  /** The sentence without the backticks of its code spans. */
  shown: string;
  /** The contents of its code spans. */
  code: string[];
}

const names = ['cursor', 'retry_count', 'maxAge', 'HTTPServer', 'x1', 'node', 'Réseau', 'v2beta1', 'row_2_id', 'kB'];
const words = ['for', 'with', 'in', 'and', 'when', 'before', 'all of', 'the old', 'beside'];
const verbs = ['Support', 'Keep', 'Handle', 'Read', 'Stop', 'Accept', 'Use', 'Document'];

type Make = (random: Random) => string;
const name: Make = (random) => pick(random, names);
const joined =
  (count: number, sign: string): Make =>
  (random) =>
    Array.from({ length: 1 + random(count) }, () => name(random)).join(sign);

/**
 * Prefixes and suffixes of an identifier. The prefix `_` is never combined with the suffix `_`, because Markdown would
 * show the word between two underscores in italics.
 */
const affixes = [
  ['', ''],
  ['_', ''],
  ['', '_'],
  ['__meta_', ''],
  ['__', '__x__'],
] as const;

/** Generators of technical texts, by kind. Notes must show these texts unchanged. */
const kinds: Record<string, Make> = {
  identifier: (random) => {
    const [before = '', after = ''] = pick(random, affixes);
    return before + joined(3, '_')(random) + after;
  },
  underscored: (random) => `__${pick(random, ['init', 'meta_x', 'proto', 'DEV', 'typeName'])}__`,
  'dotted name': (random) => pick(random, ['.', '']) + joined(3, '.')(random),
  'dotted names apart': (random) => pick(random, ['.NET', '.env', '.status.x', '.gitignore', 'Node.js', '.NET 8']),
  path: (random) =>
    pick(random, ['./', '../', '/', '~/', '']) + joined(3, '/')(random) + pick(random, ['.ts', '', '/.env']),
  'path of a drive': (random) => `C:\\${joined(2, '\\')(random)}`,
  version: (random) =>
    pick(random, ['v', '', '>=', '~', '^']) +
    [random(20), random(30), random(9)].join('.') +
    pick(random, ['', '-rc.1', '+build.5', '-20260101120000-abcdef123456']),
  command: (random) =>
    `acme ${pick(random, ['repo fork', 'cluster move', 'pr list'])} ${pick(random, ['--dry-run', '-f -', '--to=x', 'now'])}`,
  'command with a dot': (random) => pick(random, ['git add . --all', 'ls ./. -l', 'cd .. && make']),
  call: (random) =>
    `${joined(2, '.')(random)}(${pick(random, ['', 'x', 'a, b', '*args, **kwargs', '[]', '{}', '(x) => x'])})`,
  'index and call': (random) => `${name(random)}[${random(9)}](${pick(random, ['', 'x'])})`,
  pattern: (random) =>
    pick(random, [
      '*.ts',
      '**/*.ts',
      'src/**/a',
      'src/*/b',
      'lib/**',
      '*_test.go',
      '!*.log',
      '{a,b}*.c',
      'a*b*c',
      '[a-z]*',
    ]),
  operators: (random) =>
    pick(random, [
      'a ** b',
      'a * b',
      'a && b',
      'x | y',
      'a <= b',
      'a -> b',
      'x ~= y',
      '2**3**4',
      '!x',
      '$HOME and $PATH',
    ]),
  generic: (random) =>
    pick(random, [
      'Map<K, V>',
      'Vec<String>',
      'Array<T>',
      'Box<s>',
      'std::vector<int>',
      'Promise<void>',
      'List<List<a>>',
    ]),
  annotation: (random) => pick(random, ['@Override', '@Component()', 'the @Grid annotation', '@Input("x") row']),
  'name of a script': (random) =>
    `${pick(random, ['build', 'style', 'perf', 'update'])}:${pick(random, ['prod', 'fix', 'all'])}`,
  'numbers and colours': (random) =>
    pick(random, ['#000000', 'C#12', '0x1f', '1e9', '50%', '~10', '550e8400-e29b-41d4-a716-446655440000']),
};
const inCode: Make = (random) =>
  random(4) === 0
    ? pick(random, [
        'a  b',
        '**bold**',
        '__x__',
        '<br>',
        '[a](b)',
        'f( )',
        'cd . ',
        '--> x',
        'x <!-- y -->',
        'git checkout 1a2b3c4d5e6f',
        '@Override',
        ' .env',
      ])
    : (kinds[pick(random, Object.keys(kinds))]?.(random) ?? '');

/** Returns a sentence that contains some technical words. */
export function technicalText(random: Random): TechnicalText {
  const source = [pick(random, verbs)];
  const shown = [...source];
  const code: string[] = [];
  const count = 1 + random(3);
  for (let index = 0; index < count; index += 1) {
    if (index > 0) {
      source.push(pick(random, words));
      shown.push(source.at(-1) ?? '');
    }
    if (random(3) === 0) {
      const text = inCode(random);
      code.push(text);
      source.push(`\`${text}\``);
      shown.push(text);
    } else {
      const text = kinds[pick(random, Object.keys(kinds))]?.(random) ?? '';
      source.push(text);
      shown.push(text);
    }
  }
  source.push('today');
  shown.push('today');
  return { source: source.join(' '), shown: shown.join(' '), code };
}
