/**
 * Tests that a label with a kind decides as it did before other sources were read. A small copy of that rule is compared
 * with `classify` on random changes.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { announcesBreaking } from '../../../../src/notes/change/body.ts';
import { type Classification, classify } from '../../../../src/notes/change/classify.ts';
import { ownWords } from '../../../../src/notes/change/dependencies.ts';
import { type ChangeType, readLabels } from '../../../../src/notes/change/labels.ts';
import { isRelease } from '../../../../src/notes/change/routine.ts';
import { parseTitle } from '../../../../src/notes/change/title.ts';
import type { PullRecord } from '../../../../src/protocol/stored.ts';
import { anIssue, aPull } from '../memory-source.ts';

const order: readonly ChangeType[] = ['feature', 'fix', 'security', 'performance', 'documentation'];

/** Applies the rule: labels of the spec, then other labels; if anything is breaking, the kinds of all together. */
function byLabels(pull: PullRecord): Pick<Classification, 'section' | 'kind' | 'breaking' | 'besides'> {
  const title = parseTitle(pull.title);
  const { specTypes, aliasTypes } = readLabels(pull.labels);
  const prefix = new Set<ChangeType>(title.type ? [title.type] : []);
  if (specTypes.has('breaking') || aliasTypes.has('breaking')) prefix.add('breaking');
  const spoken = [specTypes, aliasTypes, prefix].filter(({ size }) => size > 0);
  const all = new Set(spoken.flatMap((types) => [...types]));
  const types = all.has('breaking') ? all : (spoken[0] as ReadonlySet<ChangeType>);
  const footer = announcesBreaking(ownWords(pull)) && !isRelease(title);
  const breaking = title.breaking || types.has('breaking') || footer;
  const first = order.find((type) => types.has(type));
  const isRevert = title.revert || /^revert ["“'`]/i.test(title.text);
  const isOnlyRelease = specTypes.size === 0 && isRelease(title);
  return {
    section: breaking ? 'breaking' : (first ?? 'other'),
    kind: isOnlyRelease ? 'release' : isRevert ? 'revert' : 'change',
    breaking,
    besides: breaking ? (first ?? null) : null,
  };
}

const naming = [
  ...['type: feature', 'type: bug', 'type: breaking', 'type: security', 'type: performance', 'type: documentation'],
  ...['bug', 'enhancement', 'kind/feature', 'semver-major', 'breaking-change', 'security', 'performance', 'docs'],
  ...['C-bug', '[Type] Enhancement', 'changelog - added', 'release-note-action-required'],
];
const other = ['chore', 'ci', 'dependencies', 'area: api', 'priority: high', 'skip-changelog', 'stale', 'test'];
const words = fc.constantFrom(
  ...['fix: ', 'feat!: ', 'docs: ', 'chore(deps): ', 'fix(test): ', 'fix(docs)!: ', 'api: ', '[BUGFIX] ', '✨ ', '⚠️ '],
  ...[
    'Add ',
    'Fix ',
    'Remove ',
    'Speed up ',
    'Handle ',
    'Support ',
    'Update ',
    'Bump a from 1 to 2',
    'Merge main into ',
  ],
  ...['a test ', 'README.md ', 'the loader ', 'memory leak ', 'CVE-2026-12345 ', 'Security fix ', '[SECURITY] '],
  ...['Release v1.2.3', 'Prepare changelog', 'Update dependencies', 'Initial commit', 'Revert "x"', 'revert: ', 'ci '],
);
const paragraphs = fc.constantFrom(
  ...['## Type of change\n- [x] Breaking change\n- [ ] Docs', '## Type of change\n- [x] Docs', '# Security fix'],
  ...['BREAKING CHANGE: gone', 'BREAKING CHANGE: none', 'Text', '# CVE-2026-12345', '```\nBREAKING CHANGE: x\n```'],
);
const changes = fc.record({
  title: fc.array(words, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
  body: fc.array(paragraphs, { maxLength: 3 }).map((parts) => parts.join('\n\n')),
  labels: fc
    .tuple(fc.subarray(naming, { minLength: 1, maxLength: 3 }), fc.subarray(other, { maxLength: 3 }))
    .map(([kinds, more]) => [...more, ...kinds]),
  headRef: fc.constantFrom(null, 'fix/x', 'feature/x', 'chore/x', 'x'),
  author: fc.constantFrom(
    { login: 'ada', bot: false },
    { login: 'dependabot[bot]', bot: true },
    { login: 'x', bot: true },
  ),
  issue: fc.constantFrom('bug', 'type: feature', 'stale'),
  subject: fc.constantFrom('feat: x', 'fix!: x', 'x'),
});

test('labels with a kind decide section, kind and breaking as before, whatever else is written', () => {
  fc.assert(
    fc.property(changes, ({ issue, subject, ...fields }) => {
      const pull = aPull(1, fields);
      const { section, kind, breaking, besides, kindBy, housekeeping } = classify(
        pull,
        [anIssue(2, { labels: [issue] })],
        { subjects: () => [subject] },
      );
      assert.deepEqual({ section, kind, breaking, besides }, byLabels(pull));
      assert.deepEqual([kindBy, housekeeping], ['label', false]);
    }),
    { numRuns: 5_000 },
  );
});
