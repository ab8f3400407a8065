/**
 * Tests hostile titles, bodies, labels and issue titles, rendered by a Markdown library. None of these texts has an
 * effect, whether the library renders raw HTML or escapes it.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { compose } from '../../../src/notes/draft/compose.ts';
import { defaultSettings } from '../../../src/protocol/notes.ts';
import type { Persona, RangeBounds } from '../../../src/protocol/stored.ts';
import { ownHtml } from '../../helpers/own-html.ts';
import { anIssue, aPull, aPush, aTag, history, memorySource } from './memory-source.ts';

const personas: Persona[] = ['engineer', 'internal', 'customer'];
const all: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v2](javascript:1) <b>' };
const strict = new MarkdownIt({ html: false, linkify: false });
const loose = new MarkdownIt({ html: true, linkify: false });
type Token = ReturnType<typeof loose.parse>[number];

const headings = new Set([
  'Highlights',
  'Breaking Changes',
  'Features',
  'Bug Fixes',
  'Security',
  'Performance',
  'Documentation',
  'Other Changes',
  'Reverted',
  'Closed Issues',
  'Direct Commits',
  'Dependencies',
  'New Contributors',
  'Contributors',
  'Known Risks',
  'Action required',
  'New',
  'Improved',
  'Fixed',
  'General',
]);

const hostile = [
  '@here',
  '@channel <!channel>',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[x](javascript:alert(1))',
  '![x](https://evil.example/x.png)',
  '[x]: javascript:alert(1)',
  '<javascript:alert(1)>',
  '<https://evil.example>',
  '&lt;script&gt; &#106;avascript:',
  '`',
  '``` ``',
  '`--> <!-- rn:pr:1 -->`',
  '--> <!-- rn:pr:1 -->',
  '<!-- rn:pr:1 -->',
  '<!--',
  '\u202Etxt.exe\u202C',
  '\u2066x\u2069',
  'a\u0000b\u0007',
  '# Heading',
  '\n## Features\n',
  '- item',
  '1. one',
  '> quote',
  '***bold***',
  '_i_ __b__ ~~s~~',
  '| a | b |',
  '\\',
  '\\[x](javascript:1)',
  '\ud800',
  'x'.repeat(10_000),
  '```\nopen fence',
  '</details>',
  '$(rm -rf /) {{ x }}',
  '==',
  '---',
];
const text = fc.array(fc.constantFrom(...hostile, 'word', ' ', 'fix: ', 'feat!: '), { minLength: 1, maxLength: 6 });
const line = text.map((parts) => parts.join(' '));
const body = text.map((parts) => `## Upgrade\n\n${parts.join('\n')}\n\n## Release note\n\n${parts.slice(1).join(' ')}`);

function tokensOf(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) => [token, ...tokensOf(token.children ?? [])]);
}

/** Checks that every address, every piece of raw HTML and every heading of a draft was written by the service. */
function assertInert(bodyMd: string, quotesBodies: boolean): void {
  const tokens = tokensOf(loose.parse(bodyMd, {}));
  tokens.forEach((token, index) => {
    const href = String(token.attrGet('href') ?? '');
    const allowed = quotesBodies ? /^(?:https?:|mailto:|#)/ : /^https:\/\/scm\.example\//;
    if (token.type === 'link_open') assert.match(href, allowed);
    if (token.type === 'html_inline' || token.type === 'html_block') {
      for (const piece of token.content.split(/(?<=-->)\s*/).filter((part) => part !== ''))
        assert.match(piece, ownHtml);
    }
    assert.notEqual(token.type, 'image');
    if (token.type === 'heading_open' && token.tag === 'h2') {
      assert.ok(headings.has(tokens[index + 1]?.content ?? ''), `heading ${tokens[index + 1]?.content}`);
    }
  });
  const html = strict.render(bodyMd);
  assert.doesNotMatch(html, /<(?:script|img|b|iframe)\b|href="(?:javascript|data|vbscript):/i);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is what is tested
  assert.doesNotMatch(bodyMd, /[\u0000-\u0008\u202A-\u202E\u2066-\u2069]|\p{Surrogate}/u);
}

/** Checks that a draft mentions no group. Hosts search for mentions in rendered text, not in code. */
function assertNoMentions(bodyMd: string): void {
  for (const { type, content } of tokensOf(loose.parse(bodyMd, {}))) {
    if (type === 'text') assert.doesNotMatch(content, /(?<![\p{L}\p{N}_@/.])@(?:here|channel)/u);
  }
}

test('titles, bodies, labels and issues are inert in every draft', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ title: line, body, label: line, issue: line, type: fc.constantFrom('bug', 'breaking', '') }),
        {
          minLength: 1,
          maxLength: 8,
        },
      ),
      (changes) => {
        const pulls = changes.map(({ title, body, label, type }, index) =>
          aPull(index + 2, {
            title,
            body,
            labels: [`area: ${label}`, `type: ${type}`],
            linkedIssues: [50 + index],
            baseRef: 'main',
          }),
        );
        const issues = changes.map(({ issue }, index) => anIssue(50 + index, { title: issue }));
        const shas = pulls.map(({ number }) => `m${number}`);
        const direct = changes.map(({ title }, index) => `d${index}|${title.replace(/\|/g, '')}`);
        const source = memorySource({
          pulls,
          issues,
          tags: [aTag('v1.0.0', 'm1'), aTag('v2](javascript:1) <b>', 'end')],
          ...history(aPush('main', 'm0', ['m1'], 1), aPush('main', 'm1', [...shas, ...direct, 'end|End'], 2)),
        });
        for (const persona of personas) {
          const { bodyMd, flags } = compose(source, all, persona);
          assertInert(bodyMd, true);
          assertNoMentions(bodyMd);
          const markers = [...bodyMd.matchAll(/^- .*<!-- (rn:pr:\d+) -->$/gm)].map((match) => match[1]);
          assert.equal(new Set(markers).size, markers.length, 'a marker is forged');
          for (const highlight of flags.highlights) assert.match(highlight, /^\S[^\n\u202A-\u202E]*$/);
        }
      },
    ),
    { numRuns: 400 },
  );
});

/** Texts that rules for kinds, boxes, backports and security read. */
const read = [
  '[BUGFIX] ',
  '[CHANGE] ',
  'ACTION REQUIRED: ',
  'area: ',
  'Row ids: ',
  'CVE-2026-12345 ',
  '(cherry picked from commit 1111111)',
  '\n* ',
  '\n- #2',
  '\n    ',
  '\n  ```\n',
  '\n- [x] Breaking change\n',
  '```release-note:bug\n',
  '\n```\n',
];
const mixed = fc
  .array(fc.constantFrom(...hostile, ...read, 'word', ' '), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(''));

test('notes with kinds, areas, squash messages and bulk lists are inert in every draft', () => {
  const range: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' };
  const label = fc.constantFrom(...hostile, 'web/ui', 'ui');
  const drawn = fc.record({ area: label, one: mixed, two: mixed, direct: mixed, squash: mixed, list: mixed });
  fc.assert(
    fc.property(fc.array(drawn, { minLength: 1, maxLength: 4 }), (changes) => {
      const noted = changes.flatMap(({ area, one, two, direct }, index) => [
        aPull(3 * index + 2, {
          title: `Row ids: ${direct}`,
          headRef: `fix/${one}`,
          body: `\`\`\`release-note\n[FEATURE] ${area}: ${one}\n[BUGFIX] ${two}\n\`\`\`\n`,
        }),
        aPull(3 * index + 3, {
          title: `[${area.slice(0, 50)}] ${two}`,
          body: `## Type of change\n- [x] ${one}\n\n# Security fix ${direct}\n\n\`\`\`release-note:bug\n${two}`,
        }),
        aPull(3 * index + 4, {
          title: `feat: Row ids: ${one}`,
          body: `## Upgrade\n\n- a\n  \`\`\`\n${two}\n\n    ${direct}`,
        }),
      ]);
      const carriers = changes.map(({ one, list }, index) =>
        aPull(50 + index, { title: one, body: `Includes the following:\n\n- #2\n- #3\n${list}`, baseRef: '1.x' }),
      );
      const picked = '(cherry picked from commit 0123456)';
      const texts = new Map<string, string>();
      for (const [index, { direct, squash, two }] of changes.entries()) {
        texts.set(`d${index}`, direct);
        texts.set(`e${index}`, `fix(${two.slice(0, 50)}): ${direct}\n\n${squash}`);
        texts.set(`f${index}`, `${squash}\n\n(cherry picked from commit m${3 * index + 2})`);
        texts.set(
          `m${50 + index}`,
          `${two}\n\n* ${squash}\n\n${picked}\n\n* ${direct}\n\n(cherry picked from commit 7654321)`,
        );
      }
      const shas = [...noted, ...carriers].map(({ number }) => `m${number}`);
      const { pushes, commits } = history(
        aPush('main', 'm0', ['m1'], 1),
        aPush('main', 'm1', [...shas, ...[...texts.keys()].filter((sha) => !shas.includes(sha)), 'end'], 2),
      );
      const source = memorySource({
        pulls: [...noted, ...carriers],
        pushes,
        commits: commits.map((commit) => ({ ...commit, message: texts.get(commit.sha) ?? commit.message })),
        tags: [aTag('v1', 'm1'), aTag('v2', 'end')],
      });
      for (const persona of personas) {
        const { bodyMd } = compose(source, range, persona);
        assertInert(bodyMd, true);
        assertNoMentions(bodyMd);
        const markers = [...bodyMd.matchAll(/^- .*<!-- (rn:(?:pr|commit):\S+) -->$/gm)].map((match) => match[1]);
        assert.equal(new Set(markers).size, markers.length, 'a marker is forged');
      }
    }),
    { numRuns: 400 },
  );
});

/** Backticks, and markup whose removal can move backticks together. */
const movable = [
  ...['`', '``', '```', '\\', '</b>', '<b>', '<br>', '<img alt="`">', '[`](x)', '![](x)', '[x](y)', '(#12)', ' @ann '],
  ...['@here', '<script>', 'word', ' ', '`@here`', '`<script>`'],
];
const moved = fc.array(fc.constantFrom(...movable), { minLength: 2, maxLength: 9 }).map((parts) => parts.join(''));

test('code stays code when markup between backticks is removed', () => {
  fc.assert(
    fc.property(
      fc.array(moved, { minLength: 1, maxLength: 3 }),
      fc.array(moved, { minLength: 1, maxLength: 3 }),
      (a, b) => {
        const source = memorySource({
          pulls: [
            aPull(2, {
              title: `feat!: ${a[0]}`,
              body: `## Upgrade\n\nStep ${a.join('\n')}\n\n## Release note\n\nNote ${b.join('\n')}`,
            }),
            aPull(3, { title: `fix: ${b[0]}`, body: `\`\`\`release-note\n${b[0]}\n\`\`\`` }),
          ],
          tags: [aTag('v1', 'm1'), aTag('v2', 'm3')],
          ...history(aPush('main', 'm0', ['m1'], 1), aPush('main', 'm1', ['m2', 'm3'], 2)),
        });
        for (const persona of personas) {
          const { bodyMd } = compose(source, { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' }, persona);
          assertInert(bodyMd, true);
          assertNoMentions(bodyMd);
        }
      },
    ),
    { numRuns: 1_000 },
  );
});

test('logins of authors and co-authors are inert in every draft', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ author: text, coAuthor: text }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom<'full' | 'short'>('full', 'short'),
      fc.constantFrom(' ', '', '\n'),
      (people, links, between) => {
        const pulls = people.map(({ author }, index) =>
          aPull(index + 1, { author: { login: author.join(between), bot: false } }),
        );
        const commits = people.map(({ coAuthor }, index) => ({
          ...{ sha: `m${index + 1}`, message: '', at: null, author: null, pushes: [] },
          coAuthors: [coAuthor.join(between)],
        }));
        const settings = { ...defaultSettings, links };
        const bounds: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 };
        for (const persona of personas) {
          const { bodyMd } = compose(memorySource({ pulls, commits, settings }), bounds, persona);
          assertInert(bodyMd, false);
          assertNoMentions(bodyMd);
          for (const { type, content } of tokensOf(loose.parse(bodyMd, {})))
            if (type === 'fence' || type === 'code_block') assert.fail(`code: ${content}`);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('links from titles lead only to the host', () => {
  for (const title of hostile) {
    const pulls = [aPull(1, { title }), aPull(2, { title, labels: ['type: breaking'] })];
    for (const persona of personas) {
      const bounds: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 };
      assertInert(compose(memorySource({ pulls }), bounds, persona).bodyMd, false);
    }
  }
});
