/**
 * Tests texts for the host: they close no issue, notify no one, leave no code fence or comment open, and are not too
 * long for the host.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutMarkdown } from '../../../../src/channels/host/cut-markdown.ts';
import { harmlessLine, harmlessMarkdown } from '../../../../src/channels/host/harmless.ts';
import { toHostMarkdown } from '../../../../src/channels/host/host-markdown.ts';
import { mapProse, markdownParts, openFence } from '../../../../src/channels/host/markdown-parts.ts';
import { linkedIssues } from '../../../../src/notes/change/link.ts';
import { sampleBody, sampleNote } from '../../../helpers/host-note.ts';
import { processorMs } from '../../../helpers/processor-time.ts';

const inside = { ...sampleNote().repository, private: true };

test('words that close issues become references', () => {
  const texts: [string, string][] = [
    ['Fixes #1, closes #2.', 'Refs #1, refs #2.'],
    ['fixed: acme/rocket#3', 'refs: acme/rocket#3'],
    ['Resolves\n#4', 'Refs\n#4'],
    ['closes https://host.test/acme/rocket/issues/5', 'refs https://host.test/acme/rocket/issues/5'],
    ['closes !6 and fixes GH-7', 'refs !6 and refs GH-7'],
    ['This fixes much. prefixes #1, hotfix #2', 'This fixes much. prefixes #1, hotfix #2'],
    [
      '(fixes [#12](https://host.test/acme/rocket/issues/12))',
      '(fixes [#12](https://host.test/acme/rocket/issues/12))',
    ],
    ['`fixes #1`', '`fixes #1`'],
  ];
  for (const [text, expected] of texts) assert.equal(harmlessMarkdown(text), expected);
  const context = { fullName: 'acme/rocket', formerNames: [], origin: 'https://host.test', ownNumber: 0 };
  for (const [text] of texts.slice(0, 4)) assert.deepEqual(linkedIssues(harmlessMarkdown(text), context), []);
});

test('mentions are disabled, but packages and links stay', () => {
  const texts: [string, string][] = [
    ['Thanks @ada!', 'Thanks @<!-- -->ada!'],
    ['[@ada](https://host.test/ada), [@dependabot[bot]](https://host.test/x)', ''],
    ['[@ada] (@grace)', '[@<!-- -->ada] (@<!-- -->grace)'],
    ['@scope/pkg, action@v5, a@b.test, `@ada`, @<!-- -->ada', ''],
    ['```\n@ada\n```\n@ada', '```\n@ada\n```\n@<!-- -->ada'],
  ];
  for (const [text, expected] of texts) assert.equal(harmlessMarkdown(text), expected || text);
  assert.equal(harmlessLine('Release of @ada\n\nfixes #3'), 'Release of @\u200Dada refs #3');
});

test('a generated text does not change', () => {
  assert.equal(toHostMarkdown(sampleNote()), sampleBody);
});

test('comments for the editor of a draft are removed for all readers, and markers for customers', () => {
  const news = '- One <!-- rn:pr:1 -->\n  <!-- rn:new\n  - Other\n  -->\n- Two `<!-- rn:pr:2 -->`\n';
  assert.equal(toHostMarkdown(sampleNote({ bodyMd: news, persona: 'customer' })), '- One\n- Two `<!-- rn:pr:2 -->`\n');
  assert.equal(toHostMarkdown(sampleNote({ bodyMd: news })), '- One <!-- rn:pr:1 -->\n- Two `<!-- rn:pr:2 -->`\n');
  const gone = '- One <!-- rn:commit:1f3a9c2 -->\n  <!-- rn:gone pr:1 left out by the label secret -->\n- Two\n';
  assert.equal(toHostMarkdown(sampleNote({ bodyMd: gone, persona: 'customer' })), '- One\n- Two\n');
  assert.equal(toHostMarkdown(sampleNote({ bodyMd: gone })), '- One <!-- rn:commit:1f3a9c2 -->\n- Two\n');
  const hidden = '<!-- rn:pr:1 -->```\n```\n<!-- rn:pr:2 -->\n`<!-- rn:pr:3 -->` <!-- rn:pr:4 -->`';
  assert.doesNotMatch(toHostMarkdown(sampleNote({ bodyMd: hidden, persona: 'customer' })), /rn:pr:[24]/);
});

test('links into a private repository are removed for customers', () => {
  const url = inside.url;
  const texts: [string, string][] = [
    [`See [the guide](${url}/wiki "Guide"), [other](https://a.test)`, 'See the guide, [other](https://a.test)\n'],
    [`<${url}/pull/1> ${url}`, '\n'],
    [`${url}-tools [x](${url}2)`, `${url}-tools [x](${url}2)\n`],
    [`[x]\n\n[x]: ${url}/pull/1`, '[x]\n'],
  ];
  for (const [bodyMd, expected] of texts) {
    assert.equal(toHostMarkdown(sampleNote({ bodyMd, persona: 'customer', repository: inside })), expected);
    assert.equal(toHostMarkdown(sampleNote({ bodyMd, persona: 'engineer', repository: inside })), `${bodyMd}\n`);
  }
});

test('open fences and comments are closed, and invisible characters are removed', () => {
  assert.equal(toHostMarkdown(sampleNote({ bodyMd: '~~~\ncode' })), '~~~\ncode\n~~~\n');
  assert.equal(toHostMarkdown(sampleNote({ bodyMd: 'a <!-- b' })), 'a &lt;!-- b\n');
  assert.equal(toHostMarkdown(sampleNote({ bodyMd: 'a\r\nb\u202e\u0000' })), 'a\nb\n');
});

test('whole entries are cut from the end, and their number is shown', () => {
  const entries = Array.from({ length: 40 }, (_, i) => `- Change ${i} 🚀 <!-- rn:pr:${i} -->\n\n  > more`);
  const text = `## Highlights\n\n- Fast\n\n## Features\n\n${entries.join('\n')}\n\n## Breaking Changes\n\n- Gone <!-- rn:pr:99 -->\n`;
  for (const max of [200, 333, 500, 999]) {
    const cut = cutMarkdown(text, max, (count) => `${count} more changes: <https://host.test/compare>`);
    assert.ok([...cut].length <= max && [...cut].length > max - 80, `${max}: ${cut.length}`);
    const kept = cut.match(/^- Change \d+ 🚀 <!-- rn:pr:\d+ -->\n\n {2}> more$/gm)?.length ?? 0;
    assert.ok(cut.includes('## Highlights\n\n- Fast\n') && cut.includes('- Gone <!-- rn:pr:99 -->'));
    assert.ok(cut.endsWith(`\n\n${40 - kept} more changes: <https://host.test/compare>\n`));
  }
  assert.equal(
    cutMarkdown(text, [...text].length, () => ''),
    text,
  );
});

test('code is not cut, and a cut collapsed part is closed', () => {
  const updates = Array.from({ length: 30 }, (_, i) => `- Update ${i}`).join('\n');
  const text = `Intro\n\n\`\`\`\n${'code\n'.repeat(40)}\`\`\`\n\n<details>\n<summary>30 updates</summary>\n\n${updates}\n\n</details>\n`;
  const cut = cutMarkdown(text, 400, (count) => `${count} more`);
  assert.ok(cut.includes('</summary>\n\n- Update 0\n- Update 1\n') && /<\/details>\n\n\d+ more\n$/.test(cut), cut);
  assert.equal(
    cutMarkdown(text, 100, (count) => `${count} more`),
    'Intro\n\n30 more\n',
  );
});

const piece = fc.constantFrom(
  '`',
  '``',
  '```\n',
  '~~~',
  '<!--',
  '-->',
  '<!-- rn:pr:1 -->',
  '\n',
  '\n\n',
  ' ',
  'a',
  '@ada',
  'fixes #1',
  '> ',
  '- ',
);
const markdown = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

test('the parts of a text add up to the text', () => {
  fc.assert(
    fc.property(markdown, (text) =>
      assert.equal(
        mapProse(text, (prose) => prose),
        text,
      ),
    ),
  );
});

test('no text has an effect or leaves anything open', () => {
  fc.assert(
    fc.property(markdown, fc.constantFrom('engineer' as const, 'customer' as const), (bodyMd, persona) => {
      const text = toHostMarkdown(sampleNote({ bodyMd, persona, repository: inside }));
      assert.equal(openFence(text), undefined);
      for (const { kind, text: part } of markdownParts(text)) {
        if (kind !== 'prose') continue;
        assert.doesNotMatch(part, /<!--|(?<![\w@/.])@ada|\bfixes #1/);
      }
      assert.equal(toHostMarkdown(sampleNote({ bodyMd: text, persona, repository: inside })), text);
    }),
    { numRuns: 3000 },
  );
});

test('a megabyte of hostile Markdown takes limited time', () => {
  for (const unit of [
    '`',
    '<!--',
    '``a` ',
    '[',
    '[a](',
    'fixes ',
    '@',
    '\n```\n',
    '- <!-- rn:pr:1 -->\n',
    '#'.repeat(7),
  ]) {
    const bodyMd = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const note = sampleNote({ bodyMd, persona: 'customer', repository: inside });
    const took = processorMs(() => cutMarkdown(toHostMarkdown(note), 125_000, () => 'more'));
    // The conversion takes about half a second. If its time grew with the square of the length, it would take minutes.
    assert.ok(took < 20_000, `${JSON.stringify(unit)} takes ${took} ms`);
  }
});
