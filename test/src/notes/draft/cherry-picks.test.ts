/**
 * Tests pull requests that carry several changes to a release branch. Each carried change is an entry, and the pull
 * request itself is not.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { explain } from '../../../../src/notes/draft/explain.ts';
import { gather } from '../../../../src/notes/draft/gather.ts';
import { defaultSettings } from '../../../../src/protocol/notes.ts';
import type { PullRecord, RangeBounds } from '../../../../src/protocol/stored.ts';
import { aPull, aPush, aTag, history, type Memory, memorySource } from '../memory-source.ts';

const range: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' };
const shas = ['1111111', '2222222', '3333333'];
const originals = [
  aPull(1, { title: 'fix: one', mergeSha: shas[0] as string }),
  aPull(2, { title: 'feat: two', mergeSha: shas[1] as string, author: { login: 'bob', bot: false } }),
  aPull(3, { title: 'fix: three', mergeSha: shas[2] as string }),
];

/** Returns the patch release `v2`, whose branch got the given commits as its only push. The last one is tagged. */
function patch(
  carrier: Partial<PullRecord>,
  commits: string[] = ['m9'],
  more: Memory = {},
): ReturnType<typeof memorySource> {
  const last = (commits.at(-1) as string).split('|')[0] as string;
  return memorySource({
    pulls: [...originals, aPull(9, { title: 'Cherry-picks for 1.0.1', baseRef: '1.x', ...carrier })],
    tags: [aTag('v1', 'b0'), aTag('v2', last)],
    ...history(aPush('main', 'm0', shas, 1), aPush('1.x', 'm0', ['b0'], 1), aPush('1.x', 'b0', commits, 9)),
    ...more,
  });
}

/** Returns the reasons as texts of the form `NUMBER in|out REASON DETAIL`. */
function reasons(source: ReturnType<typeof memorySource>): string[] {
  return explain(source, range).changes.map(({ number, sha, included, reason, detail }) =>
    [number ?? sha, included ? 'in' : 'out', reason, detail ?? '-'].join(' '),
  );
}

function markers(source: ReturnType<typeof memorySource>): string[] {
  return gather(source, range).entries.map(({ marker }) => marker);
}

const picked = (index: number): string => `(cherry picked from commit ${shas[index]})`;

test('each change of a list in the body is an entry of its own', () => {
  const lists = [
    'Includes the following:\n\n- #1\n- Two (#2)\n',
    'This PR includes:\n* #1 - one\n* #2: two',
    '#1\n#2',
    '- [x] #1\n- [x] #2',
    'Backports\n\n1. acme/rocket#1\n2. https://scm.example/acme/rocket/pull/2\n',
    '**Cherry-picks:**\r\n\r\n- #1\r\n- #2\r\n',
  ];
  for (const body of lists) {
    const source = patch({ body });
    assert.deepEqual(markers(source), ['pr:1', 'pr:2'], body);
    assert.deepEqual(reasons(source), ['1 in cherryPicked #9', '2 in cherryPicked #9', '9 in backport #1, #2'], body);
  }
  const engineer = compose(patch({ body: '#1\n#2' }), range, 'engineer').bodyMd;
  assert.match(engineer, /^- One \(\[#1\]\([^)]*\), backported in \[#9\]\([^)]*\)\) — \[@ada\].* <!-- rn:pr:1 -->$/m);
  assert.match(engineer, /^- Two \(.*\) — \[@bob\]/m);
  assert.doesNotMatch(engineer, /Cherry-picks for/);
  const customer = compose(patch({ body: '#1\n#2' }), range, 'customer').bodyMd;
  assert.equal(customer, '## New\n\n- Two <!-- rn:pr:2 -->\n\n## Fixed\n\n- One <!-- rn:pr:1 -->\n');
});

test('a body that only mentions pull requests carries nothing', () => {
  for (const body of [
    'After #1 and #2 this is needed',
    '- see #1 for details\n- and #2 too',
    '> #1\n> #2',
    '```\n#1\n#2\n```',
    '<!--\n#1\n#2\n-->',
    'other/rocket#1\nother/rocket#2',
    'Includes the following:\n\nText\n\n- one (#1) here\n- two (#2) here',
  ])
    assert.deepEqual(markers(patch({ title: 'fix: rows', body })), ['pr:9'], body);
  assert.deepEqual(markers(patch({ title: 'fix: rows', body: '#1\n#2', baseRef: 'main' })), ['pr:9'], 'default branch');
});

test('a carried change with several statements is listed once', () => {
  const noted = (note: string): PullRecord =>
    aPull(1, { mergeSha: shas[0] as string, body: `\`\`\`release-note\n${note}\n\`\`\`` });
  const patched = (note: string, more: Memory = {}): ReturnType<typeof memorySource> =>
    patch({}, undefined, {
      pulls: [noted(note), ...originals.slice(1), aPull(9, { title: 'Picks', body: '#1\n#2', baseRef: '1.x' })],
      ...more,
    });
  const two = patched('[FEATURE] Sort rows\n[BUGFIX] Keep rows');
  assert.deepEqual(markers(two), ['pr:1', 'pr:1.2', 'pr:2']);
  assert.deepEqual(reasons(two), ['1 in cherryPicked #9', '2 in cherryPicked #9', '9 in backport #1, #2']);
  assert.equal(explain(two, range).changes[0]?.section, 'feature', 'the first statement names the section');
  const partly = patched('[BUGFIX] Keep rows\n**Breaking:** Rows have ids', {
    settings: { ...defaultSettings, excludedAuthors: ['ada'] },
  });
  assert.deepEqual(markers(partly), ['pr:1.2', 'pr:2']);
  assert.deepEqual(reasons(partly), ['1 in cherryPicked #9', '2 in cherryPicked #9', '9 in backport #1, #2']);
});

test('each cherry-picked commit of a merge is an entry', () => {
  const commits = [`c1|One\n\n${picked(0)}`, `c2|Two\n\n${picked(1)}`, 'm9|Merge pull request #9 from x'];
  const source = patch({}, commits);
  assert.deepEqual(markers(source), ['pr:1', 'pr:2']);
  assert.deepEqual(
    reasons(source).filter((text) => /cherryPicked|backport/.test(text)),
    ['1 in cherryPicked #9', '2 in cherryPicked #9', '9 in backport #1, #2'],
  );
});

test('each cherry-picked commit of a squash is an entry', () => {
  const message = `Cherry-picks (#9)\n\n* One\n\n${picked(0)}\n\n* Two\n\n${picked(1)}\n`;
  assert.deepEqual(markers(patch({}, [`m9|${message}`])), ['pr:1', 'pr:2']);
});

test('a carried commit without a captured pull request keeps its own subject', () => {
  const message = `Cherry-picks (#9)\n\n* One\n\n${picked(0)}\n\n* fix(api): keep rows\n\n(cherry picked from commit 4444444)\n`;
  const source = patch({}, [`m9|${message}`]);
  assert.deepEqual(markers(source), ['pr:1', 'commit:4444444']);
  assert.match(
    compose(source, range, 'engineer').bodyMd,
    /^- \*\*api:\*\* Keep rows \(\[`4444444`\]\([^)]*\), backported in \[#9\]\([^)]*\)\) — /m,
  );
  assert.deepEqual(reasons(source).at(-1), '9 in backport #1, 4444444');
});

test('a carried change that the line had already is not announced again', () => {
  const first = aPull(8, { title: 'fix: one', body: 'Backport of #1', baseRef: '1.x', mergeSha: 'b8' });
  const source = memorySource({
    pulls: [...originals, first, aPull(9, { title: 'Picks', body: '#1\n#2', baseRef: '1.x' })],
    tags: [aTag('v1', 'b8'), aTag('v2', 'm9')],
    ...history(
      aPush('main', 'm0', shas, 1),
      aPush('1.x', 'm0', ['b0'], 1),
      aPush('1.x', 'b0', ['b8'], 8),
      aPush('1.x', 'b8', ['m9'], 9),
    ),
  });
  assert.deepEqual(markers(source), ['pr:2']);
  assert.deepEqual(reasons(source), ['1 out shipped v1', '2 in cherryPicked #9', '9 in backport #2']);
});

test('a label on a carried change leaves out that change only', () => {
  const pulls = [
    { ...(originals[0] as PullRecord), labels: ['skip-changelog'] },
    originals[1] as PullRecord,
    aPull(9, { title: 'Picks', body: '#1\n#2', baseRef: '1.x', labels: ['type: bug'] }),
  ];
  const source = patch({}, ['m9'], { pulls });
  assert.deepEqual(reasons(source), ['1 out label skip-changelog', '2 in cherryPicked #9', '9 in backport #2']);
  assert.equal(gather(source, range).entries[0]?.section, 'feature', 'labels of the carrier do not apply');
});

test('a pull request whose carried changes are all left out has a reason too', () => {
  const pulls = originals.slice(0, 2).map((pull) => ({ ...pull, labels: ['skip-changelog'] }));
  const source = patch({}, ['m9'], { pulls: [...pulls, aPull(9, { title: 'Picks', body: '#1\n#2', baseRef: '1.x' })] });
  assert.deepEqual(reasons(source), [
    '1 out label skip-changelog',
    '2 out label skip-changelog',
    '9 out label skip-changelog',
  ]);
});
