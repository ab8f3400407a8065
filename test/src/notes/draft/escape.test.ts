/**
 * Tests that untrusted text has no effect as Markdown, and that ordinary text stays unchanged.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import MarkdownIt from 'markdown-it';
import { cleanLine, escapeText, plainText } from '../../../../src/notes/draft/escape.ts';
import { commitLine, numberLink, personLink, safeUrl } from '../../../../src/notes/draft/markdown.ts';
import { withoutInside } from '../../../../src/notes/draft/plain.ts';
import { firstSentence, inlineText, quoteLines } from '../../../../src/notes/draft/quote.ts';
import { processorMs } from '../../../helpers/processor-time.ts';

test('finds mentions next to code with any number of backticks', () => {
  const quoted: [string, string[]][] = [
    ['` @here ``` `` @here', ['` @<!-- -->here ``` `` @<!-- -->here']],
    ['`\n` @here `', ['`', '` @<!-- -->here `']],
    ['`@here` and ``x ` @here``', ['`@here` and ``x ` @here``']],
    ['`\n\n`@here`', ['`', '', '`@here`']],
  ];
  for (const [text, lines] of quoted) assert.deepEqual(quoteLines(text, 'comment'), lines, text);
});

test('no text is rendered as a formula', () => {
  assert.equal(escapeText('Costs $5'), 'Costs $5');
  assert.equal(escapeText('Set $x$ and $HOME'), 'Set \\$x\\$ and \\$HOME');
});

test('escapes links, HTML, emphasis and headings', () => {
  assert.equal(escapeText('[x](javascript:1)'), '\\[x\\](javascript:1)');
  assert.equal(escapeText('<script>alert(1)</script>'), '\\<script\\>alert(1)\\</script\\>');
  assert.equal(escapeText('a *b* _c_ ~~d~~ \\e'), 'a \\*b\\* \\_c\\_ \\~\\~d\\~\\~ \\\\e');
  assert.equal(escapeText('a_b_c | d &lt; e & f'), 'a_b_c \\| d \\&lt; e & f');
  assert.equal(escapeText('# Title #12'), '\\# Title \\#12');
});

test('escapes the start of a list or a rule', () => {
  for (const text of ['- item', '+ item', '= x', '---', '===']) assert.equal(escapeText(text), `\\${text}`);
  assert.equal(escapeText('1. item'), '1\\. item');
  assert.equal(escapeText('-x and 1.5 faster'), '-x and 1.5 faster');
  assert.equal(escapeText('> quote'), '\\> quote');
});

test('keeps balanced code spans and escapes a single backtick', () => {
  assert.equal(escapeText('use `a_*b` now'), 'use `a_*b` now');
  assert.equal(escapeText('``a ` b`` and `'), '``a ` b`` and \\`');
  assert.equal(escapeText('a ` lone'), 'a \\` lone');
});

test('no title is read as a marker', () => {
  for (const title of ['x <!-- rn:pr:9 -->', '`<!-- rn:pr:9 -->`', '<!--\nrn:pr:9 -->']) {
    assert.doesNotMatch(escapeText(title), /<!-- rn:pr:9 -->/);
  }
});

test('breaks mentions, but not packages and versions', () => {
  assert.equal(escapeText('thanks @here and @bob-x'), 'thanks @<!-- -->here and @<!-- -->bob-x');
  assert.equal(escapeText('@all', 'joiner'), '@\u200Dall');
  assert.equal(escapeText('bump @scope/pkg and act@v5 and `@code`'), 'bump @scope/pkg and act@v5 and `@code`');
});

test('removes control and bidirectional characters and limits the length', () => {
  assert.equal(cleanLine('a\u0000b\u202Ec\u2066d\r\n e\u2028f\u200B\uFEFF'), 'abcd e f');
  assert.equal([...cleanLine('🚀'.repeat(10_000))].length, 300);
  assert.ok(cleanLine('x'.repeat(10_000)).endsWith('x…'));
  assert.equal(cleanLine('\uD800x'), '\uFFFDx');
  assert.equal(plainText('a `b` c'), 'a b c');
});

test('quotes Markdown without the parts that act', () => {
  const lines = quoteLines(
    'Run <b>it</b> @bob\n![pic](http://x/y.png) [a](javascript:1) [b](https://x)\n[Features]: http://x\n```js\nlet x = "<b>"',
    'comment',
  );
  assert.deepEqual(lines, [
    'Run it @<!-- -->bob',
    'pic a [b](https://x)',
    '\\[Features]: http://x',
    '```js',
    'let x = "<b>"',
    '```',
  ]);
  assert.ok(quoteLines('x\n'.repeat(9_000), 'comment').join('\n').length < 4_100);
});

test('no quotation defines a link, and its text reads the same', () => {
  const reader = new MarkdownIt({ html: true });
  reader.validateLink = () => true;
  const definitions: [string, string][] = [
    ['- [abc]: vscode://evil/x', '- \\[abc]: vscode://evil/x'],
    ['> [abc]: vscode://evil/x', '> \\[abc]: vscode://evil/x'],
    ['1. > * [abc]:\n      vscode://evil/x', '1. > * \\[abc]:\n      vscode://evil/x'],
    ['[my\ndocs]: vscode://evil/x', '\\[my\ndocs]: vscode://evil/x'],
    ['[`my\ndocs`]: vscode://evil/x', '\\[`my\ndocs`]: vscode://evil/x'],
    ['[`a]: vscode://evil/x`', '\\[`a]: vscode://evil/x`'],
    ['[a\\]b]: vscode://evil/x', '\\[a\\]b]: vscode://evil/x'],
    ['<b>[a]<i></i>: vscode://evil/x', '\\[a]: vscode://evil/x'],
    ['Words [a]: b', 'Words [a]: b'],
    ['[a](https://x.example): b', '[a](https://x.example): b'],
    ['~~~\n[a]: b\n~~~', '~~~\n[a]: b\n~~~'],
    ['Run:\n\n    [a]: b', 'Run:\n\n```\n[a]: b\n```'],
  ];
  for (const [text, quoted] of definitions) {
    assert.equal(quoteLines(text, 'comment').join('\n'), quoted, text);
    const env = { references: {} };
    const html = reader.render(`${quoted}\n\nSee [abc], [my docs], [\`my docs\`] and [a].`, env);
    assert.deepEqual(env.references, {}, text);
    assert.doesNotMatch(html, /href="(?!https:)/, text);
  }
  const label = `[${'x'.repeat(3_000)}]: vscode://evil/x`;
  assert.deepEqual(quoteLines(label, 'comment'), [`\\${label}`]);
});

test('quotes names, patterns and calls as they are written, and keeps emphasis', () => {
  const quoted: [string, string][] = [
    ['Set __meta_x__ and _row_2_', 'Set \\_\\_meta_x\\_\\_ and \\_row_2\\_'],
    ['Match src/**/a, *.ts and a*b*c', 'Match src/\\*\\*/a, \\*.ts and a\\*b\\*c'],
    ['__Note__: _really_ **bold words**', '__Note__: _really_ **bold words**'],
    ['Write \\<b>, \\\\<script> and \\\\\\<i', 'Write \\<b>, \\\\\\<script> and \\\\\\<i'],
    ['Run *_test.go for node_', 'Run \\*\\_test.go for node_'],
    ['Use handlers[0](event), not [this](elsewhere)', 'Use handlers[0\\](event), not this'],
    ['See https://x.example/__init__/a*b', 'See https://x.example/__init__/a*b'],
    ['Read Map<K, V> and Box<s>', 'Read Map\\<K, V> and Box\\<s>'],
    ['Write `<!-- a -->` in `x <b>`', 'Write `<!-- a -->` in `x <b>`'],
    ['Escape \\`<!-- a` --> here', 'Escape \\`\\<!-- a` --> here'],
  ];
  for (const [text, line] of quoted) assert.deepEqual(quoteLines(text, 'comment'), [line], text);
  assert.deepEqual(quoteLines('```xml\n<!-- a -->\n<!-- rn:pr:1 -->\n```', 'comment'), [
    '```xml',
    '<!-- a -->',
    '<! -- rn:pr:1 -->',
    '```',
  ]);
});

test('quotes indented code as fenced code, without escapes', () => {
  const quoted: [string, string[]][] = [
    [
      'Run:\n\n    make <x> && y\n      @here\n\n    z\n\nThen wait.',
      [...['Run:', '', '```', 'make <x> && y', '  @here', '', 'z', '```', '', 'Then wait.']],
    ],
    ['\ta ``` b', ['````', 'a ``` b', '````']],
    ['Text\n    <b>x</b>', ['Text', '    x']],
    ['- item\n\n    <i>more</i>', ['- item', '', '    more']],
    ['    <!-- rn:pr:1 -->', ['```', '<! -- rn:pr:1 -->', '```']],
  ];
  for (const [text, lines] of quoted) assert.deepEqual(quoteLines(text, 'comment'), lines, text);
});

test('quotes headings as text', () => {
  const text = '# One\n- ## Two\nText\n---\nText\n===\n\n---\n#12 is not\n```\n# code\n```';
  assert.deepEqual(quoteLines(text, 'comment'), [
    ...['\\# One', '- \\## Two', 'Text', '\\---', 'Text', '\\===', '', '---', '#12 is not', '```', '# code', '```'],
  ]);
});

test('a removed tag makes no fence of the words behind it', () => {
  const lines = (text: string): string[] => quoteLines(text, 'comment').map((line) => line.trim());
  assert.deepEqual(lines('<b> ```\nwords'), ['\\`\\`\\`', 'words']);
  assert.deepEqual(lines('- <b>~~~ x\nwords'), ['- \\~\\~\\~ x', 'words']);
  assert.deepEqual(lines('<b>```x``` y'), ['```x``` y'], 'code on one line stays code');
  assert.deepEqual(lines('- ```\n  x\n  ```').slice(0, 2), ['- ```', 'x'], 'a fence in a list stays a fence');
});

test('a removed tag or link joins no backticks, and code in its words stays code', () => {
  const line = (text: string): string => quoteLines(text, 'comment').join('\n');
  assert.equal(line('`@here`</b>``` ``'), '`@here` ``` ``');
  assert.equal(line('<td>`a`</td><td>`b`</td>'), '`a` `b`');
  assert.equal(line('`</b>`` x ``` @here ```'), ' x  @<!-- -->here ', 'a line that cannot keep its code loses it');
  assert.equal(line('See [`parse()`](docs/parse.md).'), 'See `parse()`.');
  assert.equal(
    line('[a [b] c](javascript:1) ![a [b]](https://x.example)'),
    '[a [b] c\\](javascript:1) \\![a [b]](https://x.example)',
  );
});

test('a fence that a list item ends early makes nothing effective', () => {
  for (const text of [
    '- a\n  ```\n<script>x</script> [x](javascript:1)\n  ```\nend',
    '<b>- a</b>\n\n  ```\n<script>x</script> [x](javascript:1)\n  ```',
    '1. a\n   ~~~\n<script>x</script>',
  ]) {
    const lines = quoteLines(text, 'comment').join('\n');
    assert.match(lines, /\\<script>x\\<\/script>/, text);
    assert.doesNotMatch(lines, /javascript/, text);
  }
  assert.deepEqual(quoteLines('- a\n  ```\n  <b>\n  ```', 'comment'), ['- a', '  ```', '  <b>', '  ```']);
});

test('reads the words of a line next to code, names and patterns', () => {
  const cases: [string, string][] = [
    ['- **Note:** run `__x__ **y**`', 'Note: run `__x__ **y**`'],
    ['a ** b and **kwargs, __init__', 'a ** b and **kwargs, __init__'],
    ['lib/**/a and src/**/b', 'lib/**/a and src/**/b'],
    ['__Note__ on [words](https://x.example "t") and <b>more</b><br>text', 'Note on words and more text'],
    ['List<String> of fns[0](x)', 'List<String> of fns[0](x)'],
    ['这是**重点**内容', '这是重点内容'],
  ];
  for (const [line, words] of cases) assert.equal(inlineText(line), words);
});

test('finds the first sentence of quoted Markdown', () => {
  assert.equal(firstSentence('Run `a. b` or git add . first. Then wait.'), 'Run `a. b` or git add . first.');
  assert.equal(
    firstSentence('Before: `a`\nAfter: `b`\n\n1. Replace `a` with `b`. Then wait.\n2. Restart.'),
    'Replace `a` with `b`.',
  );
  assert.equal(firstSentence('- no full stop'), 'no full stop');
  assert.equal(firstSentence('```\ncode.\n```'), '');
});

test('removes numbers, handles, hashes and links for customers', () => {
  assert.equal(withoutInside('Fix crash (#12) seen in #13 by @ada'), 'Fix crash seen');
  assert.equal(withoutInside('Undo 1a2b3c4d5e6f7 from https://scm.example/acme/rocket/pull/3'), 'Undo');
  assert.equal(withoutInside('Bump tls to 1a2b3c4d, and rows'), 'Bump tls, and rows');
  assert.equal(withoutInside('Bump tls to 1a2b3c4d'), 'Bump tls');
  assert.equal(withoutInside('Backport fix 1a2b3c4d to 1.x'), 'Backport fix to 1.x');
  assert.equal(withoutInside('Add support for 1a2b3c4d devices'), 'Add support for devices');
  assert.equal(withoutInside('Keep v1.2.3, 100 items and @scope/pkg'), 'Keep v1.2.3, 100 items and @scope/pkg');
  for (const text of [
    'Support .NET and rate()',
    'Use #000000, C#12 and v0.0.0-20260101-abcdef123456',
    'cat x | y -f -',
  ])
    assert.equal(withoutInside(text), text);
  assert.equal(withoutInside('Fix `git checkout 1a2b3c4d5 ()` (#12)'), 'Fix `git checkout 1a2b3c4d5 ()`');
  assert.equal(withoutInside('Crash (see #12), then .env is lost'), 'Crash, then .env is lost');
  assert.equal(withoutInside('Closes acme/rocket#4: it works (fixes #5, #6).'), 'it works.');
});

test('keeps annotations and removes the sign of handles', () => {
  const kept = [
    'Drop @Override from rows',
    'Read @Component() and @Foo("x")',
    'Use the @Grid annotation',
    'Read the decorator @foo',
    'Support @media queries',
  ];
  for (const text of kept) assert.equal(withoutInside(text), text);
  assert.equal(withoutInside('Ask @Ada or @ada-b'), 'Ask Ada or ada-b', 'a name with a capital letter may be a handle');
  assert.equal(withoutInside('Drop @Override (thanks @Ada)'), 'Drop @Override');
  assert.equal(withoutInside('Ask @Override-x'), 'Ask Override-x');
});

test('links end where they should', () => {
  assert.equal(safeUrl('https://x/a b)(<>"'), 'https://x/a%20b%29%28%3C%3E%22');
  assert.equal(safeUrl('javascript:alert(1)'), '#');
  assert.equal(numberLink({ number: 5, url: 'https://x/5' }, 'full'), '[#5](https://x/5)');
  assert.equal(personLink('https://x', 'a]b', 'full'), '[@a\\]b](https://x/a%5Db)');
  assert.equal(numberLink({ number: 5, url: 'https://x/5' }, 'short'), '#5');
  assert.equal(personLink('https://x', 'a_b', 'short'), 'a_b');
  const commit = { sha: 'abcdef1234', message: '<i>\nbody', at: null, author: null, coAuthors: [], pushes: [] };
  assert.equal(commitLine('https://x/r', commit), '- \\<i\\> ([`abcdef1`](https://x/r/commit/abcdef1234))');
});

test('a login is one inert word, in both styles of links', () => {
  const written: [string, string, string][] = [
    ['ada', '[@ada](https://x/ada)', 'ada'],
    ['ada_short', '[@ada_short](https://x/ada_short)', 'ada_short'],
    ['a.b-c', '[@a.b-c](https://x/a.b-c)', 'a.b-c'],
    ['x[bot]', '[@x\\[bot\\]](https://x/x%5Bbot%5D)', 'x\\[bot\\]'],
    ['a\n\n## Forged\n', '[@a ## Forged](https://x/a%0A%0A%23%23%20Forged%0A)', 'a ## Forged'],
    ['a\r\n# F', '[@a # F](https://x/a%0D%0A%23%20F)', 'a # F'],
    ['*a*~b~', '[@\\*a\\*\\~b\\~](https://x/*a*~b~)', '\\*a\\*\\~b\\~'],
    ['<!-- rn:pr:1 -->', '[@\\<!-- rn:pr:1 --\\>](https://x/%3C!--%20rn%3Apr%3A1%20--%3E)', '\\<!-- rn:pr:1 --\\>'],
    ['`a](b`', '[@a\\](b](https://x/%60a%5D%28b%60)', 'a\\](b'],
    ['\u202Ea\u009Bb\ud800', '[@ab\ufffd](https://x/%E2%80%AEa%C2%9Bb%EF%BF%BD)', 'ab\ufffd'],
    ['- a', '[@\\- a](https://x/-%20a)', '\\- a'],
  ];
  for (const [login, full, short] of written) {
    assert.equal(personLink('https://x', login, 'full'), full);
    assert.equal(personLink('https://x', login, 'short'), short);
  }
});

test('hostile text takes little time', () => {
  for (const unit of ['`', '[', '\n[', '[\\\\', '\n- [a]:', '![', '@a/', '<!--', '`a', '#1 ', 'a/b', '(#1']) {
    const took = processorMs(() => {
      escapeText(unit.repeat(30_000));
      quoteLines(unit.repeat(30_000), 'comment');
      withoutInside(unit.repeat(1_000));
    });
    assert.ok(took < 500, unit);
  }
});
