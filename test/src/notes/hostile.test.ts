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
