/**
 * Tests whole drafts: one small release for three readers, and properties of every draft.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { defaultSettings } from '../../../../src/protocol/notes.ts';
import type { Persona, PullRecord, RangeBounds } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull, aPush, aTag, history, type Memory, memorySource } from '../memory-source.ts';

const personas: Persona[] = ['engineer', 'internal', 'customer'];
const all: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 99 };
const tags: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2 #rc' };

const release: Memory = {
  tags: [aTag('v1', 'm1'), aTag('v2 #rc', 'd1')],
  ...history(aPush('main', 'm0', ['m1'], 1), aPush('main', 'm1', ['m2', 'm3', 'm4', 'm5', 'd1|Tidy up\n\nby hand'], 2)),
  pulls: [
    aPull(1),
    aPull(2, {
      title: 'feat(api)!: remove v1',
      labels: ['type: feature', 'priority: high'],
      body: '## Upgrade\n\nBefore: `v1`\n\n1. Call `v2` instead (see #77).\n\n## Notes\n\nx',
    }),
    aPull(3, { title: 'fix: crash on start (#3)', linkedIssues: [30], author: { login: 'bob', bot: false } }),
    aPull(4, { title: 'Bump a from 1 to 2', author: { login: 'dependabot[bot]', bot: true } }),
    aPull(5, { title: 'ci: faster', body: '' }),
  ],
  issues: [anIssue(30, { title: 'It crashes when I start it @ada' })],
};

test('the engineer draft lists everything', () => {
  const { bodyMd, flags } = compose(memorySource(release), tags, 'engineer');
  const repo = 'https://scm.example/acme/rocket';
  assert.equal(
    bodyMd,
    `## Breaking Changes

- **api:** Remove v1 (feature) ([#2](${repo}/pull/2)) — [@ada](https://scm.example/ada) <!-- rn:pr:2 -->

  > Before: \`v1\`
  >
  > 1. Call \`v2\` instead (see #77).

## Bug Fixes

- Crash on start ([#3](${repo}/pull/3)) (fixes [#30](${repo}/issues/30)) — [@bob](https://scm.example/bob) <!-- rn:pr:3 -->

## Other Changes

- Faster ([#5](${repo}/pull/5)) — [@ada](https://scm.example/ada) <!-- rn:pr:5 -->

## Direct Commits

- Tidy up ([\`d1\`](${repo}/commit/d1))

## Dependencies

<details>
<summary>1 update</summary>

- a: 1 → 2 ([#4](${repo}/pull/4)) <!-- rn:pr:4 -->

</details>

## New Contributors

- [@bob](https://scm.example/bob) in [#3](${repo}/pull/3)

## Contributors

[@ada](https://scm.example/ada), [@bob](https://scm.example/bob)

**Full Changelog**: <${repo}/compare/v1...v2%20%23rc>
`,
  );
  assert.deepEqual(flags, {
    highlights: ['Remove v1'],
    contributors: ['ada', 'bob'],
    upgradeInstructions: 'Remove v1 (#2)\n\nBefore: `v1`\n\n1. Call `v2` instead (see #77).',
  });
});

test('the internal draft says what changed for whom', () => {
  const { bodyMd } = compose(memorySource(release), tags, 'internal');
  assert.match(bodyMd, /^1 fix, 1 breaking change, 2 internal changes, 1 dependency update\n/);
  assert.match(bodyMd, /\*\*api:\*\* Remove v1 .*\n {2}- What to tell: Call `v2` instead/);
  assert.match(bodyMd, /Crash on start .*\n {2}- Reported as: It crashes when I start it @<!-- -->ada \(\[#30\]/);
  assert.doesNotMatch(bodyMd, /```|Faster/);
});

test('the customer draft lists what customers can use', () => {
  const { bodyMd, flags } = compose(memorySource(release), tags, 'customer');
  assert.equal(
    bodyMd,
    `## Action required

- **api:** Remove v1 <!-- rn:pr:2 -->

  Before: \`v1\`

  1. Call \`v2\` instead.

## Fixed

- It crashes when I start it ada <!-- rn:pr:3 -->
`,
  );
  assert.deepEqual(flags.upgradeInstructions, 'Remove v1\n\nBefore: `v1`\n\n1. Call `v2` instead.');
});

test('an empty range gives one line in every draft', () => {
  const empty = memorySource({ pulls: [aPull(9, { title: 'Release v2.0.0' })] });
  for (const persona of personas) {
    const draft = compose(empty, { ...all, fromPrNumber: 5 }, persona);
    assert.equal(draft.bodyMd, 'No changes in this range.\n');
    assert.deepEqual(draft.flags, { highlights: [], contributors: [], upgradeInstructions: '' });
  }
});

test('a breaking change without steps refers to its pull request', () => {
  const source = memorySource({ pulls: [aPull(1, { title: 'feat!: x' })] });
  assert.equal(compose(source, all, 'engineer').flags.upgradeInstructions, 'See #1: X');
  assert.equal(compose(source, all, 'customer').flags.upgradeInstructions, 'X');
});

test('an area with three entries has a heading, and the rest is under General', () => {
  const pulls = ['ui', 'core', 'ui', 'core', 'api', '', 'ui', 'core'].map((area, index) =>
    aPull(index + 1, { labels: ['type: bug', ...(area === '' ? [] : [`area: ${area}`])] }),
  );
  const { bodyMd } = compose(memorySource({ pulls }), all, 'engineer');
  assert.deepEqual(bodyMd.match(/^###? .*/gm), [
    '## Bug Fixes',
    '### core',
    '### ui',
    '## New Contributors',
    '## Contributors',
  ]);
  assert.match(bodyMd, /## Bug Fixes\n\n- \*\*api:\*\* Change 5 .*\n- Change 6 .*\n\n### core/);
  const more = [...pulls, aPull(9, { labels: ['type: bug'] })];
  const general = compose(memorySource({ pulls: more }), all, 'engineer').bodyMd;
  assert.match(general, /### General\n\n- \*\*api:\*\* Change 5 .*\n- Change 6 .*\n- Change 9 /);
});

test('the customer draft counts the changes beyond the maximum of the settings', () => {
  const pulls = Array.from({ length: 40 }, (_, index) =>
    aPull(index + 1, { labels: [index % 2 ? 'type: bug' : 'type: feature'] }),
  );
  const settings = { ...defaultSettings, customer: { ...defaultSettings.customer, bullets: 12 } };
  const { bodyMd } = compose(memorySource({ pulls, settings }), all, 'customer');
  assert.equal(bodyMd.match(/rn:pr:/g)?.length, 12);
  assert.match(bodyMd, /- … and 12 more new features/);
  assert.match(bodyMd, /- … and 16 more fixes/);
  const whole = compose(memorySource({ pulls }), all, 'customer').bodyMd;
  assert.equal(whole.match(/rn:pr:/g)?.length, 40, 'the default hides nothing');
});

const words = fc.constantFrom(
  'fix: ',
  'feat!: ',
  '✨ ',
  'use ',
  '@here ',
  '<script>',
  '[x](javascript:1)',
  '`',
  '# ',
  '#12 ',
  '\u202E',
  '\n',
  '- ',
  '|',
  '1a2b3c4d5e6f ',
  '<!-- rn:pr:9 -->',
  'https://scm.example/x ',
  'plain ',
  '🌱 Release v1.2.3',
  '\\',
);
const titles = fc.array(words, { maxLength: 8 }).map((parts) => parts.join(' '));
const labels = fc.subarray([
  'type: feature',
  'type: bug',
  'type: breaking',
  'area: a',
  'area: <b>',
  'priority: high',
  'security',
  'dependencies',
]);
const releases = fc
  .array(
    fc.record({
      title: titles,
      labels,
      body: titles.map((text) => `## Upgrade\n\n${text}`),
      linked: fc.boolean(),
      bot: fc.boolean(),
    }),
    { maxLength: 12 },
  )
  .map((drawn) => ({
    pulls: drawn.map(
      ({ title, labels, body, linked, bot }, index): PullRecord =>
        aPull(index + 1, {
          title,
          labels,
          body,
          linkedIssues: linked ? [50 + index] : [],
          author: { login: bot ? 'x[bot]' : `user${index % 3}`, bot },
        }),
    ),
    issues: drawn.map(({ title }, index) => anIssue(50 + index, { title: `Seen: ${title}` })),
  }));

/**
 * Returns the parts of Markdown that can have an effect: HTML, the addresses of links, and the text outside code. The
 * function removes `<` and `javascript:` from the text outside code. They are harmless there: `<` has an effect only as
 * HTML, and `javascript:` only in an address.
 */
function actsOutsideCode(markdown: string): string {
  const reader = new MarkdownIt({ html: true });
  reader.validateLink = () => true;
  const tokens = reader.parse(markdown, {}).flatMap((token) => [token, ...(token.children ?? [])]);
  return tokens
    .map(({ type, content, attrs }) => {
      if (type === 'html_inline' || type === 'html_block') return content;
      if (type === 'text') return content.replace(/<|javascript:/g, '');
      return JSON.stringify(attrs ?? []);
    })
    .join('\n');
}

test('random drafts keep the promises of every draft', () => {
  fc.assert(
    fc.property(releases, (memory) => {
      const [engineer, internal, customer] = personas.map((persona) => compose(memorySource(memory), all, persona));
      const marked = (body = ''): string[] =>
        [...body.matchAll(/^- .*<!-- rn:pr:(\d+) -->/gm)].map((match) => match[1] as string);
      const breaking = (heading: string, body = ''): string[] =>
        marked(body.split(/^## /m).find((part) => part.startsWith(heading))).sort();
      const expected = breaking('Breaking Changes', engineer?.bodyMd);
      assert.deepEqual(breaking('Breaking Changes', internal?.bodyMd), expected);
      assert.deepEqual(breaking('Action required', customer?.bodyMd), expected);
      for (const draft of [engineer, internal, customer]) {
        const ids = marked(draft?.bodyMd);
        assert.equal(new Set(ids).size, ids.length, 'a change stands twice');
        assert.doesNotMatch(actsOutsideCode(draft?.bodyMd ?? ''), /\u202E|<script|javascript:|@here/);
      }
      const open = `${customer?.bodyMd.replace(/<!-- rn:pr:\d+ -->/g, '')}${customer?.flags.upgradeInstructions}${customer?.flags.highlights}`;
      assert.doesNotMatch(open, /#\d|(?<![\w/])@\w|1a2b3c4d5e6f|https:/);
    }),
    { numRuns: 500 },
  );
});

test('the same records give the same bytes', () => {
  for (const persona of personas) {
    const once = compose(memorySource(release), tags, persona);
    const shuffled = {
      ...release,
      pulls: [...(release.pulls ?? [])].reverse(),
      issues: [...(release.issues ?? [])].reverse(),
    };
    assert.deepEqual(compose(memorySource(shuffled), tags, persona), once);
  }
});

test('internal readers see the revert of a change for users as a risk, and not the revert of inside work', () => {
  const reverts = (title: string): string =>
    compose(
      memorySource({
        pulls: [
          aPull(1, { title }),
          aPull(7, { title: `Revert "${title}"`, body: 'Reverts #1', mergedAt: Date.UTC(2026, 1, 1) }),
        ],
      }),
      { type: 'PR_BASED', fromPrNumber: 5, toPrNumber: 9 },
      'internal',
    ).bodyMd;
  assert.match(reverts('fix: sort rows'), /## Known Risks\n\n- Reverted: Sort rows/);
  for (const title of ['chore: upgrade runner', 'fix(test): wait', 'Fix flaky tests', 'docs: explain rows'])
    assert.doesNotMatch(reverts(title), /Known Risks/, title);
});
