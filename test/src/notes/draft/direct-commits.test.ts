/**
 * Tests commits without a pull request. They are classified, worded and placed like pull requests, except that labels
 * cannot apply to them.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { explain } from '../../../../src/notes/draft/explain.ts';
import { gather } from '../../../../src/notes/draft/gather.ts';
import { defaultSettings, type NotesSettings } from '../../../../src/protocol/notes.ts';
import type { CommitRecord, Persona, RangeBounds } from '../../../../src/protocol/stored.ts';
import { aPull, aPush, aTag, history, type Memory, memorySource } from '../memory-source.ts';

const range: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' };

/** Returns a release with the given commits. `fields` changes the records of commits by their sha. */
function released(
  commits: string[],
  settings: Partial<NotesSettings> = {},
  fields: Record<string, Partial<CommitRecord>> = {},
  more: Memory = {},
): ReturnType<typeof memorySource> {
  const { pushes, commits: records } = history(
    aPush('main', null, ['m0'], 0),
    aPush('main', 'm0', [...commits, 'end|v2.0.0'], 2),
  );
  return memorySource({
    tags: [aTag('v1', 'm0'), aTag('v2', 'end')],
    pushes,
    commits: records.map((commit) => ({ ...commit, ...fields[commit.sha] })),
    settings: { ...defaultSettings, ...settings },
    ...more,
  });
}

function draft(source: ReturnType<typeof memorySource>, persona: Persona): string {
  return compose(source, range, persona).bodyMd;
}

/** Returns the reasons for the commits of a range as texts of the form `SHA in|out REASON DETAIL SECTION KIND-BY`. */
function reasons(source: ReturnType<typeof memorySource>): string[] {
  return explain(source, range)
    .changes.filter(({ kind }) => kind === 'commit')
    .map(({ sha, included, reason, detail, section, kindBy }) =>
      [sha, included ? 'in' : 'out', reason, detail ?? '-', section ?? '-', kindBy ?? '-'].join(' '),
    );
}

test('a direct commit is an entry with its link, its author and its place', () => {
  const source = released(['0123456789abcdef|feat(api): sort rows', 'b1|fix: keep the cursor']);
  const link = 'https://scm.example/acme/rocket/commit/0123456789abcdef';
  const by = '[@ada](https://scm.example/ada)';
  assert.match(
    draft(source, 'engineer'),
    new RegExp(
      `^## Features\n\n- \\*\\*api:\\*\\* Sort rows \\(\\[\`0123456\`\\]\\(${link}\\)\\) — ${by.replace(/[[\]()]/g, '\\$&')} <!-- rn:commit:0123456789ab -->\n\n## Bug Fixes\n`,
    ),
  );
  assert.match(
    draft(source, 'internal'),
    /^1 feature, 1 fix\n\n## Features\n\n- \*\*api:\*\* Sort rows \(\[`0123456`\]/,
  );
  assert.equal(
    draft(source, 'customer'),
    '## New\n\n- **api:** Sort rows <!-- rn:commit:0123456789ab -->\n\n## Fixed\n\n- Keep the cursor <!-- rn:commit:b1 -->\n',
  );
  assert.deepEqual(reasons(source), [
    '0123456789abcdef in direct - feature prefix',
    'b1 in direct - fix prefix',
    'end out release - - -',
  ]);
});

test('a commit with several inside statements is one direct commit', () => {
  const note = '```release-note\n[CHORE] Move rows\n[CI] Test rows\n[CI] Test columns\n```';
  const source = released([`c1|chore: rows\n\n${note}`]);
  assert.match(draft(source, 'engineer'), /^## Direct Commits\n\n- Rows \(\[`c1`\]\([^)]*\)\)\n\n\*\*Full Changelog/);
  assert.match(draft(source, 'internal'), /^1 internal change$/m);
});

test('prefixes are removed, and keys and numbers follow the link', () => {
  const body = draft(released(['c1|[FIXED] SHOP-12: slow start (#77)']), 'engineer');
  assert.match(body, /^- Slow start \(\[`c1`\]\([^)]*\), SHOP-12, \\#77\) — /m);
  assert.doesNotMatch(body, /FIXED/);
});

test('the message of a commit can have steps and a release note', () => {
  const source = released([
    'b1|fix!: move the file\n\nBREAKING CHANGE: run `rocket move` first',
    'c1|Fix rows\n\n```release-note\n[BUGFIX] api: Rows stay sorted\n```',
  ]);
  assert.match(
    draft(source, 'engineer'),
    /## Breaking Changes\n\n- Move the file \(fix\).*\n\n {2}> run `rocket move` first\n/,
  );
  assert.match(draft(source, 'engineer'), /- \*\*api:\*\* Fix rows .*\n {2}> Rows stay sorted\n/);
  assert.match(draft(source, 'customer'), /- \*\*api:\*\* Rows stay sorted <!-- rn:commit:c1 -->/);
  assert.deepEqual(reasons(source).slice(0, 2), ['b1 in direct - breaking prefix', 'c1 in direct - fix note']);
});

test('authors and co-authors are contributors, unless they are bots or unknown', () => {
  const source = released(
    ['a1|fix: one', 'b1|fix: two', 'c1|fix: three', 'd1|ci: four'],
    {},
    {
      a1: { author: 'grace', coAuthors: ['Lin', 'dependabot[bot]'] },
      b1: { author: null },
      c1: { author: 'renovate[bot]' },
      d1: { author: 'eve' },
    },
  );
  assert.deepEqual(gather(source, range).contributors, ['grace', 'Lin'], 'inside work is only counted');
  assert.match(draft(source, 'engineer'), /^- Two \(\[`b1`\]\([^)]*\)\) <!-- rn:commit:b1 -->$/m);
  assert.deepEqual(gather(source, range).firstContributions, [], 'a commit shows no first contribution');
});

test('inside work is only counted, and listed for engineers without an entry', () => {
  const source = released(['a1|ci: run twice', 'b1|Refactor the loader', 'c1|deps: Bump a from 1 to 2']);
  assert.deepEqual(gather(source, range).entries, []);
  assert.match(
    draft(source, 'engineer'),
    /^## Direct Commits\n\n- Run twice \(\[`a1`\].*\n- Refactor the loader \(.*\n- Bump a from 1 to 2 \(/,
  );
  assert.equal(draft(source, 'internal'), '3 internal changes\n');
  assert.equal(draft(source, 'customer'), 'No changes for customers in this range.\n');
  assert.deepEqual(reasons(source).slice(0, 3), [
    'a1 in direct - commits -',
    'b1 in direct - commits -',
    'c1 in direct - commits -',
  ]);
});

test('merges, releases and routine commits are left out', () => {
  const source = released(['a1|Merge branch x', 'b1|Release 2.0.0', 'c1|Update dependencies', 'd1|prep 2.0.0']);
  assert.deepEqual(reasons(source), [
    'a1 out routine - - -',
    'b1 out release - - -',
    'c1 out routine - - -',
    'd1 out routine - - -',
    'end out release - - -',
  ]);
  assert.equal(draft(source, 'engineer'), 'No changes in this range.\n');
});

test('a merge from a private fork is a security update, even if its message has only trailers', () => {
  const source = released([
    'a1|Merge commit from fork\n\nSigned-off-by: Ada <ada@mail.example>',
    'b1|Merge pull request from GHSA-h3qw-55xv-2c8m',
  ]);
  for (const persona of ['engineer', 'internal', 'customer'] as const) {
    const text = draft(source, persona);
    assert.match(text, /^## Security$/m, persona);
    assert.match(text, /Security update/, persona);
    assert.doesNotMatch(text, /mail\.example|Signed/, persona);
  }
});

test('a reverted commit and its revert are left out', () => {
  const source = released([
    'abcdef1|Add a page of rows',
    'b1|Revert "Add a page of rows"\n\nThis reverts commit abcdef1.',
  ]);
  assert.deepEqual(reasons(source).slice(0, 2), ['abcdef1 out reverted b1 - -', 'b1 out reverts abcdef1 - -']);
});

test('settings leave out direct commits for engineers, except breaking ones, and commits of excluded authors', () => {
  const commits = ['a1|fix: one', 'b1|fix!: two', 'c1|ci: three'];
  const engineer = { ...defaultSettings.engineer, directCommits: false };
  const hidden = draft(released(commits, { engineer }), 'engineer');
  assert.deepEqual(hidden.match(/rn:\S+/g), ['rn:commit:b1']);
  assert.doesNotMatch(hidden, /Direct Commits|One|Three/);
  const excluded = released(commits, { excludedAuthors: ['ADA'] });
  assert.deepEqual(reasons(excluded), [
    'a1 out author ada - -',
    'b1 in direct - breaking prefix',
    'c1 out author ada - -',
    'end out release - - -',
  ]);
});

test('a repository setting stops verbs from deciding the kind of a commit', () => {
  const commits = ['a1|Fix the cursor of rows'];
  assert.equal(reasons(released(commits))[0], 'a1 in direct - fix verb');
  assert.equal(reasons(released(commits, { readVerbs: false }))[0], 'a1 in direct - other -');
  assert.equal(draft(released(commits, { readVerbs: false }), 'customer'), '<!-- 1 change has no kind yet -->\n');
});

test('a commit that carries a captured pull request is listed as that pull request', () => {
  const pulls = [aPull(3, { title: 'feat: sort rows', labels: ['area: api'], mergeSha: '0123456789abcdef' })];
  const carried = 'p1|Sort rows\n\n(cherry picked from commit 0123456789abcdef)';
  const body = draft(released([carried], {}, {}, { pulls }), 'engineer');
  assert.match(
    body,
    /^- \*\*api:\*\* Sort rows \(\[#3\]\([^)]*\), backported in \[`p1`\]\([^)]*\)\) — \[@ada\].* <!-- rn:commit:p1 -->$/m,
  );
});
