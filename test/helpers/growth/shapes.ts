/**
 * Lists hostile shapes of text. They make a regular expression or a loop read the same characters repeatedly. A text of
 * each shape can be generated in any length.
 */
import { pick, type Random } from '../random.ts';

/** A rule that generates a text of a given length. */
export interface Shape {
  name: string;
  textOf: (length: number) => string;
}

/**
 * Characters and sequences that have a meaning in Markdown, HTML, titles or links, or in the regular expressions that
 * read such texts.
 */
export const pieces: readonly string[] = [
  ...[' ', '\t', '\n', '\0', '\\', '[', ']', '(', ')', '<', '>', '`', '*', '_', '~', '#', '|', '&', '@', ':', '-', '='],
  ...[
    '+',
    '.',
    ',',
    ';',
    '!',
    '?',
    '/',
    '"',
    "'",
    '$',
    '{',
    '}',
    '%',
    '0',
    '1',
    'a',
    'f',
    'A',
    'x',
    '\r',
    '\r\n',
    '\v',
  ],
  ...[
    '\ud800',
    '\udc00',
    '\u{1f680}',
    'e\u0301',
    '\u0301',
    '\u0301\u0323',
    '\uff9e\u0323',
    '\u200d',
    '\u202e',
    '\u00a0',
    '\u2028',
    '漢',
    '：',
    '\ufeff',
  ],
  ...[
    '<!--',
    '-->',
    '<!-- ',
    ' -->',
    '<!-- rn:pr:1 -->',
    '<!-- rn:',
    '<!-- rn:new',
    '<!-- -->',
    '--',
    '->',
    '<!',
    '<?',
  ],
  ...[
    '- ',
    '* ',
    '1. ',
    '1) ',
    '> ',
    '# ',
    '## ',
    '```',
    '~~~',
    '``',
    '**',
    '__',
    '~~',
    '![',
    '](',
    '[]',
    '()',
    '[](',
    ']:',
  ],
  ...[
    '[a](b)',
    '[a]: b\n',
    '[a]:',
    '[a][b]',
    '![a](b',
    '<a',
    '<a ',
    '</a>',
    '<a href="',
    '<b>',
    '<img ',
    'alt="',
    '<br>',
  ],
  ...[
    '<details>',
    '</details>',
    '<summary>',
    '</summary>',
    '<pre>',
    '<script>',
    '<![CDATA[',
    ']]>',
    '<a@b>',
    '<x:',
    '&#1;',
  ],
  ...[
    '&amp;',
    '&#',
    '&a',
    '@a',
    '@here',
    '@a/',
    'a@b.c',
    'https://',
    'https://a',
    'https://a/',
    'http://a.b/c ',
    '://',
  ],
  ...['fix', 'fixes #1 ', 'fixes ', 'closes: ', 'fixes a/b#', '#1', '#1 ', '(#1)', '(#1', 'GH-1 ', 'a/b#1', 'and #1, '],
  ...[
    'feat: ',
    'feat(',
    '[a] ',
    '(a) ',
    'A-1 ',
    'SHOP-1: ',
    'v1.',
    '1.2',
    '1.2.',
    'release ',
    'bump ',
    ' from ',
    ' to ',
  ],
  ...[
    'revert ',
    'Revert "',
    'reverts ',
    'This reverts commit ',
    'backport ',
    'cherry pick ',
    'merge ',
    'PR ',
    ' branch',
  ],
  ...[
    'see ',
    'by @a ',
    'thanks to @a, ',
    'e.g. ',
    'a. ',
    'a.b',
    'no ',
    'n/a',
    'none',
    '-by: ',
    'upgrade',
    'a ',
    ' a',
    'aa',
  ],
  ...[
    '- [x] ',
    '- [ ]',
    '---\n',
    '===\n',
    '| a | b |\n',
    '|-|-|\n',
    '|-',
    '    ',
    '  ',
    '\n\n',
    '\n ',
    ' \n',
    '  \n',
    '\\\n',
  ],
  ...[
    '\n- ',
    '\n  ',
    '\n> ',
    '\n# ',
    '\n```',
    '\n```\n',
    '\n~~~',
    '\n<',
    '\n<!--',
    '\n    ',
    '\n\t',
    '\n1. ',
    '\n===',
    '\n--',
  ],
  ...[
    '```release-note\n',
    '## Upgrade\n',
    '\n## Release note\n',
    '**Upgrade**\n',
    'BREAKING CHANGE: ',
    '\nRefs: a',
    ':bug:',
  ],
  ...[
    '- a <!-- rn:pr:1 -->\n',
    '\n## a\n',
    '### a\n',
    '# Unreleased\n',
    '## v1\n',
    '## [1.0]\n',
    '{{',
    '"a":',
    '","',
    '"\\',
  ],
  ...[
    '[BUGFIX] ',
    '[BUGFIX] a: b\n',
    'ACTION REQUIRED: ',
    'CVE-2026-1',
    'security fix ',
    '# security ',
    'Type of change\n',
    '[x]',
    '- [x] bug\n',
    'Includes:\n',
    'cherry picked from commit ',
    '\n* a',
    'test/',
    'docs',
    './-',
    '.md',
    'to the ',
    'broken ',
    'handle ',
    'in place a: ',
    'typo-',
    'fix vulnerab',
  ],
  ...[
    'renovate',
    '-renovate',
    '[x](',
    '](b)',
    '*a ',
    'a* ',
    '_a ',
    'a_ ',
    '**a ',
    'a** ',
    '![a',
    '<a b="',
    "<a b='",
    '<a b',
  ],
  ...[
    'a-',
    '-a',
    'a_',
    '_a',
    '*a',
    'a*',
    '*a ',
    '**a',
    '[^1]',
    '[[',
    ']]',
    '((',
    '))',
    '<<',
    '>>',
    '""',
    '`a',
    'a`',
    '` ',
  ],
];

/**
 * The few shapes that have slowed functions the most: runs of one character, opening marks without their closing marks,
 * and texts in which a regular expression starts again at every character.
 */
export const worst: readonly Shape[] = [
  ...[
    ' ',
    '\t',
    '\n',
    '\r',
    '\0',
    '\\',
    '[',
    '(',
    '<',
    '`',
    '*',
    '_',
    '~',
    '#',
    '>',
    '|',
    '&',
    '@',
    ':',
    '-',
    '=',
    '.',
    '/',
  ],
  ...[
    '0',
    'a',
    'e\u0301',
    '\u{1f680}',
    '\ud800',
    '\u2028',
    '\u0301\u0323',
    '\uff9e\u0323',
    '\0 ',
    ' \0',
    '<!--',
    '<!-- rn:pr:1 -->',
    ' <!-- rn:pr:1 --> ',
  ],
  ...[
    '![',
    '[a](',
    '](',
    '[](b',
    '[a]: b\n',
    '<a b="',
    '`a',
    '** ',
    '*a _',
    '*a ',
    '> ',
    '- ',
    '\n- a',
    '\n# a',
    '\n```',
    '\n    a',
  ],
  ...[
    '(#1)',
    '(#1',
    '@a, ',
    'see ',
    'https://a ',
    '## Upgrade\n',
    '```release-note\n',
    'a b',
    'a.b@c',
    'feat: ',
    '| a ',
  ],
].map((piece) => repeated(piece));

/** Pieces that contain their index, for texts in which no two pieces are equal. */
const counted: Record<string, (index: number) => string> = {
  'entries of their own': (index) => `- a <!-- rn:pr:${index} -->\n`,
  'entries in several lines': (index) => `- a <!-- rn:pr:${index} -->\n  b\n`,
  'headings of their own': (index) => `## h${index}\n`,
  'headings with entries': (index) => `## h${index}\n- a <!-- rn:pr:${index} -->\n`,
  'lower headings': (index) => `### h${index}\n\na ${index}\n`,
  'headings with prose': (index) => `## h${index}\n\nprose ${index}\n\n`,
  'definitions of links': (index) => `[r${index}]: b${index}\n`,
  'references to links': (index) => `[r${index}] `,
  'runs of backticks that grow': (index) => `${'`'.repeat(index % 1500)} `,
  'runs of stars that grow': (index) => `${'*'.repeat(index % 1500)}a `,
  'runs of blanks that grow': (index) => `${' '.repeat(index % 1500)}a\n`,
  'fences that grow': (index) => `${'`'.repeat(3 + (index % 1500))}\n`,
  'indents that grow': (index) => `${' '.repeat(index % 300)}- a\n`,
  'lines of their own': (index) => `line ${index}\n`,
  'paragraphs of their own': (index) => `line ${index}\n\n`,
  'many markers on one line': (index) => `${index === 0 ? '- a ' : ''}<!-- rn:pr:${index} -->`,
  'many comments on one line': (index) => `${index === 0 ? '- a ' : ''}<!-- rn:gone pr:${index} --> \`c\` `,
  'lines of one paragraph with markers': (index) => `a <!-- rn:pr:${index} -->\n`,
  'marks of a quotation with markers': (index) => `${index === 0 ? '> '.repeat(500) : ''}<!-- rn:pr:${index} -->`,
  numbers: (index) => `#${index} `,
  'pairs of stress': (index) => `${'*_~'[index % 3]}a${index} `,
  'names of JSON': (index) => `"n${index}":1,`,
  'notes in fences': (index) => `\`\`\`release-note\nn${index}\n\`\`\`\n`,
  'lists in lists': (index) => `${'  '.repeat(index % 60)}- a${index}\n`,
  'quotes in quotes': (index) => `${'> '.repeat(index % 60)}a${index}\n`,
  'wide tables': (index) =>
    `${'|a'.repeat(64)}|\n${'|-'.repeat(64)}|\n${'a\n'.repeat(64)}${index % 2 === 0 ? '\n' : '\n\n'}`,
  'wide rows of a table': (index) => (index === 0 ? `${'|a'.repeat(200)}|\n${'|-'.repeat(200)}|\n` : '|a\n'),
};

/** Returns a shape that repeats one piece between an optional prefix and suffix. */
export function repeated(piece: string, prefix = '', suffix = ''): Shape {
  const name = [prefix, piece, suffix].map((part) => JSON.stringify(part)).join(' ');
  return {
    name: prefix + suffix === '' ? JSON.stringify(piece) : name,
    textOf: (length) => prefix + filled(piece, length - prefix.length - suffix.length) + suffix,
  };
}

/** Returns a shape with one piece in the first half of the text and another in the second half. */
export function halves(first: string, second: string, suffix = ''): Shape {
  return {
    name: `${JSON.stringify(first)} then ${JSON.stringify(second)} ${JSON.stringify(suffix)}`,
    textOf: (length) => filled(first, length / 2) + filled(second, length / 2) + suffix,
  };
}

/**
 * Shapes that repeat one piece between a prefix and a suffix. The prefix makes a regular expression read the repeated
 * pieces. The suffix makes the match fail after the last piece.
 */
export const enclosed: readonly Shape[] = [' ', '\t', '-', 'a', '.', '(', '\0 ', ' \0'].flatMap((run) => [
  repeated(run, '# a', 'b'),
  repeated(run, '- [x] ', 'a b c'),
  repeated(run, 'see #1', '('),
  repeated(run, 'a', '\n'),
]);

/** Shapes in which each piece contains its index, so that no two pieces are equal. `counted` generates the pieces. */
export const countedShapes: readonly Shape[] = Object.entries(counted).map(([name, piece]) => ({
  name,
  textOf: (length) => {
    const parts: string[] = [];
    for (let size = 0, index = 0; size < length; index += 1) size += parts[parts.push(piece(index)) - 1]?.length ?? 1;
    return parts.join('').slice(0, length);
  },
}));

/** Returns a random shape. */
export function randomShape(random: Random): Shape {
  const part = (max: number): string => Array.from({ length: 1 + random(max) }, () => pick(random, pieces)).join('');
  const edge = (): string => (random(2) === 0 ? '' : part(2));
  if (random(3) === 0) return halves(part(3), part(3), edge());
  return repeated(part(4), edge(), edge());
}

function filled(piece: string, length: number): string {
  return length <= 0 ? '' : piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}
