/**
 * Tests the measure of the words of drafts on small invented histories. For each count of errors, one case has an error
 * that the measure must report.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type DraftResult, measureDrafts, type Written, writeDrafts } from '../../bench/words/drafts.ts';
import { loadHistory } from '../../bench/words/history.ts';
import { measurePrefixes, type PrefixResult } from '../../bench/words/prefixes.ts';
import { type Delivery, inVariant } from '../../bench/words/variants.ts';
import type { Entry } from '../../src/notes/draft/entries.ts';
import type { NotesSource } from '../../src/notes/range/source.ts';
import type { PullRecord, RangeBounds } from '../../src/protocol/stored.ts';
import { issuePayload, pullPayload, pushPayload, shaOf, tagPayload } from '../helpers/payloads.ts';
import { temporaryFolder } from '../helpers/ports.ts';
import { aPull, aPush, aTag, history, memorySource } from '../src/notes/memory-source.ts';

const program = fileURLToPath(new URL('../../bench/words.js', import.meta.url));
const bounds: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1.0.0', toTag: 'v1.1.0' };
const nothingChanged = 'No changes for customers in this range.\n';

/** A pull request as its title, or as its title with further fields. */
type Change = string | (Partial<PullRecord> & { title: string });

/** Returns a repository whose tags `v1.0.0` and `v1.1.0` have the given pull requests between them, from #1 on. */
function repository(...changes: Change[]): NotesSource {
  const pulls = changes.map((change, index) =>
    aPull(index + 1, typeof change === 'string' ? { title: change } : change),
  );
  const merges = pulls.map(({ mergeSha }) => mergeSha as string);
  const pushed = [aPush('main', null, ['m0'], 1), ...(merges.length > 0 ? [aPush('main', 'm0', merges, 20)] : [])];
  const tags = [aTag('v1.0.0', 'm0'), aTag('v1.1.0', merges.at(-1) ?? 'm0')];
  return memorySource({ pulls, tags, ...history(...pushed) });
}

function prefixesOf(...changes: Change[]): PrefixResult {
  return measurePrefixes(repository(...changes));
}

function draftsOf(...changes: Change[]): DraftResult {
  return measureDrafts(repository(...changes), [bounds]);
}

/** Measures the drafts of a range after `spoil` has changed them or the entries. */
function spoiled(changes: readonly Change[], spoil: (written: Written) => Partial<Written>): DraftResult {
  return measureDrafts(repository(...changes), [bounds], (source, range) => {
    const written = writeDrafts(source, range);
    return { ...written, ...spoil(written) };
  });
}

/** Replaces the draft of one persona. */
function withBody({ drafts }: Written, persona: keyof Written['drafts'], bodyMd: string): Partial<Written> {
  return { drafts: { ...drafts, [persona]: { bodyMd } } };
}

test('all prefixes of a title that name a kind are taken off', () => {
  const rest = 'Fix the crash of the parser';
  const prefixes = [
    ...['feat: ', 'feat(parser)!: ', 'Feature: ', 'new feature: ', 'FEAT:'],
    ...['[FEATURE] ', '[Feature]: '],
    ...['✨ ', '✨', '✨: ', ':sparkles: ', '⚡️ ', ':zap: '],
    ...['✨ feat: ', '✨ feat(parser): ', '[Feature] feat: ', 'feat: ✨ '],
  ];
  for (const prefix of prefixes) {
    const { wrong } = prefixesOf(prefix + rest);
    assert.match(wrong.join(), /^fix, not (?:feature|performance): Fix the crash of the parser$/, prefix);
  }
});

test('the branch or area in brackets before a prefix stays in the title', () => {
  const { wrong } = prefixesOf('[release-1.2] ✨ Fix the crash of the parser', '[ui] feat: Fix the crash on startup');
  assert.deepEqual(wrong, [
    'fix, not feature: [release-1.2] Fix the crash of the parser',
    'fix, not feature: [ui] Fix the crash on startup',
  ]);
});

test('titles without a prefix that names a kind do not count', () => {
  const nothing = { prefixed: 0, decided: 0, right: 0, insideListed: 0, inside: 0, wrong: [] };
  const plain = ['Fix the crash of the parser', 'parser: Fix the crash', '[ui] Fix the crash', '🎉 Fix the crash'];
  const names = ['test:unit fails after a restart', 'wip: Fix the crash'];
  const others = ['Revert "feat: Add albums"', 'Release v1.2.0', 'chore(deps): Bump left-pad from 1.0.0 to 1.1.0'];
  for (const title of [...plain, ...names, ...others]) assert.deepEqual(prefixesOf(title), nothing, title);
});

test('a title that names a kind even without its prefixes does not count', () => {
  assert.equal(prefixesOf('parser: fix: Prevent a crash').prefixed, 0);
  assert.equal(prefixesOf('fix: Refuse expired links of albums (security)').prefixed, 0);
});

test('only merged pull requests of people count', () => {
  const title = 'fix: Prevent a crash of the parser';
  const bot = { login: 'builder', bot: true };
  const { prefixed } = prefixesOf(title, { title, state: 'open' }, { title, state: 'closed' }, { title, author: bot });
  assert.equal(prefixed, 1);
});

test('a decided kind is right if it is the kind of the prefix', () => {
  const result = prefixesOf(
    'fix: Prevent a crash of the parser',
    'feat: Support albums of several people',
    'docs: Explain upgrades in the readme',
    'perf: Speed up the search for faces',
    'feat: Prevent a crash on startup',
    'fix: Upload of large photos',
  );
  const wrong = ['fix, not feature: Prevent a crash on startup'];
  assert.deepEqual(result, { prefixed: 6, decided: 5, right: 4, insideListed: 0, inside: 0, wrong });
});

test('work on the project itself is listed wrongly if it gets a section', () => {
  const { inside, insideListed, prefixed } = prefixesOf(
    'chore: Add a search field for albums',
    'test: Add unit tests for the parser',
    '🌱 Photo albums',
  );
  assert.deepEqual({ inside, insideListed, prefixed }, { inside: 3, insideListed: 1, prefixed: 0 });
});

test('for a breaking change, the kind that it has besides is compared', () => {
  const body = 'BREAKING CHANGE: the old format is gone';
  const { decided, right, wrong } = prefixesOf(
    { title: 'fix!: Prevent a crash of the parser', body },
    { title: 'feat!: Prevent a crash on startup', body },
    { title: 'feat!: Photo albums', body },
  );
  assert.deepEqual([decided, right], [2, 1]);
  assert.deepEqual(wrong, ['fix, not feature: Prevent a crash on startup']);
});

test('labels and branch names decide if a history has them', () => {
  const title = 'feat: Photo albums';
  const { wrong } = prefixesOf(title, { title, labels: ['type: bug'] }, { title, headRef: 'docs/albums' });
  assert.deepEqual(wrong, ['fix, not feature: Photo albums', 'documentation, not feature: Photo albums']);
  const { prefixed, decided } = prefixesOf({ title: 'feat: Add albums of people', labels: ['dependencies'] });
  assert.deepEqual({ prefixed, decided }, { prefixed: 1, decided: 0 });
});

test('squashed commits decide, unless the first one repeats the title', () => {
  const measured = (subject: string) => {
    const pull = aPull(1, { title: 'fix: Upload of large photos' });
    const message = `${pull.title} (#1)\n\n* ${subject}\n* docs: Explain it`;
    return measurePrefixes(memorySource({ pulls: [pull], ...history(aPush('main', 'm0', [`m1|${message}`], 1)) }));
  };
  assert.deepEqual(measured('feat: Close files early').wrong, ['feature, not fix: Upload of large photos']);
  assert.deepEqual([measured('fix: Close files early').right, measured('fix: Close files early').decided], [1, 1]);
  assert.equal(measured('fix: upload of large photos').decided, 0);
});

const labels = [{ name: 'type: fix' }, { name: 'area: ui' }];

function delivery(event: string, body: Record<string, unknown>): Delivery {
  return { event, delivery: 'd1', body };
}

/** Returns the pull request of a delivery in the bare variant. */
function bare(fields: Record<string, unknown>, event = 'pull_request'): Record<string, unknown> {
  const made = inVariant(delivery(event, pullPayload(1, { body: '', ...fields })), 'bare');
  return made?.body.pull_request as Record<string, unknown>;
}

test('the given variant contains each delivery unchanged', () => {
  const body = '```release-note\nAlbums\n```';
  for (const given of [
    delivery('pull_request', pullPayload(1, { labels, body, head: { ref: 'fix/login' } })),
    delivery('issues', issuePayload(2)),
    delivery('push', pushPayload([1], shaOf(0))),
  ]) {
    const before = structuredClone(given);
    assert.deepEqual(inVariant(given, 'given'), before);
  }
});

test('the bare variant has no events of issues, and pushes stay unchanged', () => {
  assert.equal(inVariant(delivery('issues', issuePayload(2)), 'bare'), undefined);
  assert.equal(inVariant(delivery('issue_comment', issuePayload(2)), 'bare'), undefined);
  const push = delivery('push', pushPayload([1], shaOf(0)));
  assert.deepEqual(inVariant(push, 'bare'), structuredClone(push));
});

test('the bare variant removes the labels of people and keeps those of bots', () => {
  assert.deepEqual(bare({ labels }).labels, []);
  assert.deepEqual(bare({ labels }, 'pull_request_review').labels, []);
  assert.deepEqual(bare({ labels, user: null }).labels, []);
  assert.deepEqual(bare({ labels, user: { login: 'updater', type: 'Bot' } }).labels, labels);
  assert.deepEqual(bare({ labels, user: { login: 'updater[bot]' } }).labels, labels);
});

test('the bare variant removes branch names, except those that bots make', () => {
  const branchOf = (ref: string) => bare({ head: { ref, sha: 'a1' } }).head;
  for (const ref of ['fix/login', 'feat-albums', 'ada/docs/readme', 'fix/backport-list'])
    assert.deepEqual(branchOf(ref), { ref: 'topic', sha: 'a1' }, ref);
  for (const ref of ['dependabot/npm/left-pad-1.1.0', 'cherry-pick-12-to-release-1.0', 'backport-12-to-1.x'])
    assert.deepEqual(branchOf(ref), { ref, sha: 'a1' });
});

test('the bare variant removes release notes and upgrade steps from a body', () => {
  const removed = [
    '```release-note\nAlbums load faster.\n```',
    '~~~release-note:bug\nAlbums load again.\n~~~',
    '```` release-note\n```\nAlbums\n```\n````',
    '## Upgrade\nRun `migrate`.',
    '### Migration guide\n\nRun it.\n\nThen restart.',
    '## How to upgrade\nRun `migrate`.',
    '## Action required\n- stop\n#### Then\n- start',
    '## Breaking changes\n```sh\n# stop first\nstop\n```',
    '**Upgrade steps**\nRun `migrate`.',
    '## Release notes\nAlbums',
    '# Changelog\nAlbums',
  ];
  for (const part of removed)
    assert.doesNotMatch(String(bare({ body: `Before.\n\n${part}\n` }).body), /^(?!Before\.$)./m, part);
});

test('the bare variant keeps all other text of a body', () => {
  const kept = [
    'Fixes #5. After the upgrade, albums load faster.',
    '## Summary\nAlbums',
    '## Upgraded parser\nAlbums',
    '```sh\n# upgrade\nrun\n```\nAlbums',
    '```\nrelease-note\n```',
    'BREAKING CHANGE: the old format is gone',
  ];
  for (const body of kept) assert.equal(bare({ body }).body, body);
  assert.equal(bare({ body: null }).body, null);
});

test('the bare variant keeps the text around a removed part', () => {
  const steps = '## Upgrade\r\n```sh\r\n# first\r\nrun\r\n```\r\n### Then\r\nStop.\r\n';
  const note = '```release-note\r\nAlbums\r\n```\r\n';
  const { body, title } = bare({ body: `Why\r\n${steps}## Tests\r\nNone\r\n${note}End`, title: 'fix: Albums' });
  assert.equal(body, 'Why\n## Tests\nNone\n\nEnd');
  assert.equal(title, 'fix: Albums');
});

test('the bare variant does not change the recorded delivery', () => {
  const given = delivery('pull_request', pullPayload(1, { labels, body: '## Upgrade\nRun it.' }));
  const before = structuredClone(given);
  assert.notDeepEqual(inVariant(given, 'bare'), before);
  assert.deepEqual(given, before);
});

test('counts ranges, entries and entries without a kind', () => {
  const source = repository('Fix the crash of the parser', 'Photo albums', 'ci: Cache the build');
  const { ranges, entries, undecided } = measureDrafts(source, [bounds, bounds]);
  assert.deepEqual({ ranges, entries, undecided }, { ranges: 2, entries: 6, undecided: 2 });
});

test('counts ranges that say that nothing changed for customers', () => {
  const inside = ['ci: Cache the build', 'docs: Explain albums', 'test: Flaky unit test of the parser'];
  const { noChanges, falseNoChanges } = draftsOf(...inside);
  assert.deepEqual({ noChanges, falseNoChanges }, { noChanges: 1, falseNoChanges: [] });
  assert.equal(draftsOf('feat: Photo albums').noChanges, 0);
  assert.equal(draftsOf('Photo albums').noChanges, 0);
  assert.equal(draftsOf(...inside, 'fix: Flaky unit test of the parser').noChanges, 0);
});

test('reports a draft that says “No changes” although there are changes', () => {
  const listed = [
    'feat: Photo albums',
    'fix: Photo albums',
    'perf: Photo albums',
    'docs!: Photo albums',
    'Photo albums',
  ];
  for (const title of [...listed, 'security: Photo albums']) {
    const { noChanges, falseNoChanges } = spoiled(['ci: Cache the build', title], (written) =>
      withBody(written, 'customer', nothingChanged),
    );
    assert.equal(noChanges, 1);
    assert.deepEqual(falseNoChanges, ['v1.0.0..v1.1.0: Photo albums'], title);
  }
});

test('a change whose author declined a release note does not contradict “No changes”', () => {
  const body = '```release-note\nNONE\n```';
  const { noChanges, falseNoChanges } = draftsOf({ title: 'feat: Photo albums', body }, { title: 'Albums', body });
  assert.deepEqual({ noChanges, falseNoChanges }, { noChanges: 1, falseNoChanges: [] });
});

function headingsOf({ areaHeadings, singleAreaHeadings, sectionHeadings, singleSectionHeadings }: DraftResult) {
  return { areas: [areaHeadings, singleAreaHeadings], sections: [sectionHeadings, singleSectionHeadings] };
}

test('counts the headings of the three drafts, and those with one entry', () => {
  // Each draft has one section for the fix and one for the features.
  assert.deepEqual(headingsOf(draftsOf('fix: Albums', 'feat: Photos', 'feat: Faces')), {
    areas: [0, 0],
    sections: [6, 3],
  });
});

test('a section with headings of areas has all entries below them', () => {
  const areas = (...names: string[]) => names.map((name, index) => `feat(${name}): Photo albums ${index}`);
  const twoAreas = { areas: [6, 0], sections: [3, 0] };
  assert.deepEqual(headingsOf(draftsOf(...areas('ui', 'ui', 'ui', 'api', 'api', 'api'))), twoAreas);
  // The entry of `web` is before the first heading of an area.
  assert.deepEqual(headingsOf(draftsOf(...areas('ui', 'ui', 'ui', 'api', 'api', 'api', 'web'))), twoAreas);
});

test('reports an area heading with one entry', () => {
  const body = '## Features\n\n### api\n\n- Albums\n\n### ui\n\n- Photos\n- Faces\n';
  const result = spoiled([], (written) => withBody(written, 'engineer', body));
  assert.deepEqual(headingsOf(result), { areas: [2, 1], sections: [1, 0] });
});

test('highlights, contributors, nested lines and sections without entries are not counted', () => {
  const risks = '## Known Risks\n\nNone.\n\n';
  const people = '## New Contributors\n\n- Ada\n\n## Contributors\n\n- Ada\n';
  const body = `2 features\n\n## Highlights\n\n- Photos\n\n## Features\n\n- Photos\n  - Reported as: Albums\n\n${risks}${people}`;
  const result = spoiled([], (written) => withBody(written, 'internal', body));
  assert.deepEqual(headingsOf(result), { areas: [0, 0], sections: [1, 1] });
});

const named = 'fix: reload() of `album.open` reads src/app_v2.ts, Node 20.19 and @acme/photos.';

test('names that the draft for engineers shows unchanged are counted and not reported', () => {
  const { names, alteredNames } = draftsOf(named, 'feat: Photo albums', 'fix: *snake_case* <b>ofAll</b> & a__b#2');
  assert.deepEqual({ names, alteredNames }, { names: 8, alteredNames: [] });
});

test('reports each name that the draft for engineers alters', () => {
  const { names, alteredNames } = spoiled([named], (written) =>
    withBody(
      written,
      'engineer',
      written.drafts.engineer.bodyMd
        .replace('reload()', 'Reload()')
        .replace('album.open', 'Album.open')
        .replace('app_v2', 'app v2')
        .replace('20.19', '20')
        .replace('@acme', 'acme'),
    ),
  );
  const altered = ['reload()', 'album.open', 'src/app_v2.ts', '20.19', '@acme/photos'];
  const text = 'reload() of `album.open` reads src/app_v2.ts, Node 20.19 and @acme/photos';
  assert.equal(names, 5);
  assert.deepEqual(
    alteredNames,
    altered.map((name) => `${name} in: ${text}`),
  );
});

test('reports an altered name that another line shows unchanged', () => {
  const { alteredNames } = spoiled(['fix: Close readAll. Then stop.', 'fix: Stop readAll late'], (written) =>
    withBody(written, 'engineer', written.drafts.engineer.bodyMd.replace('Close readAll', 'Close readall')),
  );
  assert.deepEqual(alteredNames, ['readAll in: Close readAll. Then stop']);
});

test('reports a name whose case differs from the title, and a name without a line', () => {
  const capital = ({ drafts, entries }: Written): Written => ({
    entries: entries.map((entry) => ({ ...entry, text: entry.text.replace('readAll', 'ReadAll') })),
    drafts: { ...drafts, engineer: { bodyMd: drafts.engineer.bodyMd.replace('readAll', 'ReadAll') } },
  });
  assert.deepEqual(spoiled(['fix: readAll hangs'], capital).alteredNames, ['readAll in: readAll hangs']);
  const { alteredNames } = spoiled(['fix: readAll hangs'], (written) => withBody(written, 'engineer', 'Nothing.\n'));
  assert.deepEqual(alteredNames, ['readAll in: readAll hangs']);
});

/** Replaces the draft for customers by one line for each entry. */
function everyEntry(written: Written): Partial<Written> {
  const line = ({ text, marker }: Entry) => `- ${text} <!-- rn:${marker} -->\n`;
  return withBody(written, 'customer', `## Fixed\n\n${written.entries.map(line).join('')}`);
}

test('customer lines about work for users are counted and not reported', () => {
  const { customerLines, insideLines } = draftsOf('fix: Slow uploads', 'feat(ui): Photo albums', 'ci: Cache the build');
  assert.deepEqual({ customerLines, insideLines }, { customerLines: 2, insideLines: [] });
});

test('reports a customer line about tests that a label calls a fix', () => {
  const { customerLines, insideLines } = draftsOf('Slow uploads', {
    title: 'Flaky unit test of the parser',
    labels: ['type: bug'],
  });
  assert.equal(customerLines, 1);
  assert.deepEqual(insideLines, ['- Flaky unit test of the parser <!-- rn:pr:2 -->']);
});

test('reports customer lines with an area of tests, CI or documentation', () => {
  const areas = ['e2e', 'ci', 'lint', 'docs'];
  const changes = [...areas.map((area) => `fix(${area}): Slow albums`), 'fix(ui): Slow albums', 'fix: Slow CI jobs'];
  const { customerLines, insideLines } = spoiled(changes, everyEntry);
  assert.equal(customerLines, 6);
  assert.deepEqual(insideLines, [
    ...areas.map((_, index) => `- Slow albums <!-- rn:pr:${index + 1} -->`),
    '- Slow CI jobs <!-- rn:pr:6 -->',
  ]);
});

test('breaking changes, security updates and release notes may be about tests', () => {
  const title = 'fix(e2e): Slow albums';
  const note = { title, body: '```release-note\nThe test mode is faster.\n```' };
  const security = { title, labels: ['type: security'] };
  const { customerLines, insideLines } = spoiled(['fix(e2e)!: Slow albums', note, security], everyEntry);
  assert.deepEqual({ customerLines, insideLines }, { customerLines: 3, insideLines: [] });
});

/** Writes a history of the repository acme/rocket to a folder, and returns the path of its deliveries. */
function record(folder: string, deliveries: readonly [string, Record<string, unknown>][]): string {
  const file = join(folder, 'rocket.deliveries.jsonl.gz');
  const lines = deliveries.map(([event, body], index) => JSON.stringify({ event, delivery: `d${index}`, body }));
  writeFileSync(file, gzipSync(`${lines.join('\n')}\n`));
  const entries = [{ id: 'a', expectedPrs: [2, 3, 4], ...bounds }, { type: 'DATE_BASED' }];
  writeFileSync(join(folder, 'rocket.oracle.json'), JSON.stringify({ entries }));
  return file;
}

const rocket: [string, Record<string, unknown>][] = [
  ['ping', { zen: 'A ping of an organization has no repository.' }],
  ['pull_request', pullPayload(1, { title: 'First light' })],
  ['pull_request', pullPayload(2, { title: 'feat: Fix the crash of `readAll`', body: 'Fixes #5' })],
  ['pull_request', pullPayload(3, { title: 'Flaky unit test of the parser', labels })],
  ['pull_request', pullPayload(4, { title: 'chore: Photo albums', head: { ref: 'feat/albums' } })],
  ['issues', issuePayload(5)],
  ['push', pushPayload([1], shaOf(0))],
  ['push', pushPayload([2, 3, 4], shaOf(1))],
  ['push', tagPayload('v1.0.0', 1)],
  ['push', tagPayload('v1.1.0', 4)],
];

test('loads a history in both variants, with its ranges between tags', async (t) => {
  const file = record(temporaryFolder(t), rocket);
  for (const variant of ['given', 'bare'] as const) {
    const { name, view, ranges, close } = await loadHistory(file, variant);
    try {
      const isGiven = variant === 'given';
      assert.equal(name, 'rocket');
      assert.deepEqual(ranges, [bounds]);
      assert.deepEqual(view.pull(3)?.labels, isGiven ? ['type: fix', 'area: ui'] : []);
      assert.equal(view.pull(4)?.headRef, isGiven ? 'feat/albums' : 'topic');
      assert.equal(view.issue(5)?.title, isGiven ? 'Issue 5' : undefined);
      const { entries, customerLines, insideLines } = measureDrafts(view, ranges);
      assert.deepEqual([entries, customerLines, insideLines.length], isGiven ? [3, 2, 1] : [3, 1, 0]);
    } finally {
      await close();
    }
  }
});

test('rejects a history of several repositories and a history without events', async (t) => {
  const folder = temporaryFolder(t);
  const other = pullPayload(1, {}, { id: 1002, full_name: 'acme/moon' });
  await assert.rejects(
    loadHistory(record(folder, [...rocket, ['pull_request', other]]), 'given'),
    /has deliveries of several repositories/,
  );
  await assert.rejects(loadHistory(record(folder, [['issues', issuePayload(5)]]), 'bare'), /holds no captured event/);
});

/** Runs the program. Its temporary files are in `temporary`. */
function run(temporary: string, ...args: string[]) {
  const env = { ...process.env, TMPDIR: temporary };
  return spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', env });
}

test('the program prints the figures of each history and variant, and its errors on request', (t) => {
  const [folder, temporary] = [temporaryFolder(t), temporaryFolder(t)];
  record(folder, rocket);
  const { stdout, stderr, status } = run(temporary, folder, '--wrong');
  assert.equal(status, 0, stderr);
  const table = stdout.slice(0, stdout.indexOf('\n\n'));
  const [head, , ...rows] = table.split('\n');
  assert.equal(head, '| | rocket, bare | rocket, given |');
  const cells = Object.fromEntries(
    rows.map((row) => [row.split(' | ')[0]?.slice(2), row.slice(2, -2).split(' | ').slice(1)]),
  );
  assert.deepEqual(cells, {
    'kinds without prefix: decided': ['100.0 % (1 of 1)', '100.0 % (1 of 1)'],
    'kinds without prefix: right of decided': ['0.0 % (0 of 1)', '0.0 % (0 of 1)'],
    'inside work that got a section': ['0.0 % (0 of 1)', '100.0 % (1 of 1)'],
    ranges: ['1', '1'],
    entries: ['3', '3'],
    'entries without a kind': ['0.0 % (0 of 3)', '0.0 % (0 of 3)'],
    'ranges that say “No changes”': ['0', '0'],
    '… although there are changes': ['0', '0'],
    'area headings with one entry': ['–', '–'],
    'section headings with one entry': ['75.0 % (3 of 4)', '100.0 % (7 of 7)'],
    'altered names': ['0 of 1', '0 of 1'],
    'customer lines about inside work': ['0 of 1', '1 of 2'],
  });
  assert.match(stdout, /\nrocket, bare: wrong kinds\n {2}fix, not feature: Fix the crash of `readAll`\n/);
  assert.match(stdout, /\nrocket, given: customer lines about inside work\n {2}- .*Flaky unit test of the parser/);
  assert.deepEqual(readdirSync(temporary), []);
  assert.equal(run(temporary, folder).stdout.trimEnd(), table);
});

test('the program reports a folder without histories and a missing folder', (t) => {
  const folder = temporaryFolder(t);
  const empty = run(folder, folder);
  assert.equal(empty.status, 2);
  assert.match(empty.stderr, /No history in .*: expected files named NAME\.deliveries\.jsonl\.gz/);
  const missing = run(folder);
  assert.equal(missing.status, 2);
  assert.match(missing.stderr, /npm run bench:words -- FOLDER/);
});
