/**
 * Tests the preview of a pull request: its lines are the lines of a draft, whether it is merged or open, and the check
 * names what is missing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleHistory } from '../../../../demo/history/index.ts';
import { withoutMarkers } from '../../../../src/foundation/markers.ts';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { previewEntry } from '../../../../src/notes/draft/preview-entry.ts';
import { cachingSource } from '../../../../src/notes/range/caching-source.ts';
import type { NotesSource } from '../../../../src/notes/range/source.ts';
import { defaultSettings, type NotesSettings } from '../../../../src/protocol/notes.ts';
import type { CommentRecord, PullRecord } from '../../../../src/protocol/stored.ts';
import { RepositoryView } from '../../../../src/store/repository-view.ts';
import { foldOrder, type StreamedDelivery } from '../../../helpers/orders.ts';
import { anIssue, aPull, day, memorySource } from '../memory-source.ts';

const personas = ['engineer', 'internal', 'customer'] as const;
const history = sampleHistory() as readonly StreamedDelivery[];

/** The settings of a repository that requires everything. */
function checking(fields: Partial<NotesSettings['noteCheck']> = {}): NotesSettings {
  const noteCheck = { ...defaultSettings.noteCheck, mode: 'require' as const, ...fields };
  return { ...defaultSettings, noteCheck };
}

function verdictOf(pull: Partial<PullRecord>, settings = checking(), commandComments: CommentRecord[] = []) {
  const source = memorySource({ pulls: [aPull(1, pull)], settings, commandComments });
  return previewEntry(source, 1)?.verdict ?? assert.fail();
}

test('the preview of a pull request is what the draft of a range with only this pull request says', async (t) => {
  const partition = await foldOrder(t, history, Date.UTC(2030, 0, 1));
  const [repoId = ''] = [...partition.tables.repositories.getKeys({})] as string[];
  const view = RepositoryView.of(partition, repoId) ?? assert.fail();
  const pulls = [...view.pullsNumbered(1, 100_000)];
  const compared = { merged: 0, open: 0, lines: 0 };
  for (const pull of pulls.filter(({ state }) => state === 'merged')) {
    const { number } = pull;
    const bounds = { type: 'PR_BASED', fromPrNumber: number, toPrNumber: number } as const;
    const preview = previewEntry(view, number) ?? assert.fail();
    for (const persona of personas) {
      const { bodyMd } = compose(view, bounds, persona);
      const lines = preview.lines[persona].map(({ markdown }) => markdown);
      for (const line of lines)
        assert.ok(withoutMarkers(bodyMd).includes(`\n${line}\n`), `#${number}\n${line}\n${bodyMd}`);
      const marked = bodyMd.split('\n').filter((line) => line.startsWith('- ') && line.includes(' <!-- rn:pr:'));
      assert.equal(lines.length, marked.length, `every entry of #${number} is shown once\n${bodyMd}`);
      compared.lines += lines.length;
    }
    compared.merged += 1;
    // The same pull request before its merge. Only its merge commit names co-authors and squashed commits.
    const open: PullRecord = { ...pull, state: 'open', mergedAt: null, closedAt: null, mergeSha: null };
    const { message = '', coAuthors = [] } = view.commit(pull.mergeSha ?? '') ?? {};
    if (coAuthors.length > 0 || message.includes('\n* ')) continue;
    const before = previewEntry(beforeMerge(view, open), number);
    assert.deepEqual(before, preview, `#${number} before its merge`);
    compared.open += 1;
  }
  assert.ok(compared.merged > 150 && compared.open > 100 && compared.lines > 300, JSON.stringify(compared));
});

/** Returns the view as it was before a pull request was merged: `open` is its state, and its issues were open. */
function beforeMerge(view: RepositoryView, open: PullRecord): NotesSource {
  const isOther = ({ number }: PullRecord) => number !== open.number;
  const source = cachingSource(view);
  return {
    ...source,
    pull: (number) => (number === open.number ? open : source.pull(number)),
    pullsNumbered: (from, to) => [...source.pullsNumbered(from, to)].map((pull) => (isOther(pull) ? pull : open)),
    pullsMergedAs: (sha) => source.pullsMergedAs(sha).filter(isOther),
    pullsMergedBetween: (from, to) => [...source.pullsMergedBetween(from, to)].filter(isOther),
    issue: (number) => {
      const issue = source.issue(number);
      return issue && open.linkedIssues.includes(number) ? { ...issue, state: 'open', closedAt: null } : issue;
    },
  };
}

test('the issues that an open pull request links are shown as closed by it', () => {
  const pull = aPull(1, { title: 'fix: leak', body: 'Fixes #2', linkedIssues: [2], state: 'open', mergedAt: null });
  const issue = anIssue(2, { state: 'open', closedAt: null, title: 'It leaks when it rains' });
  const preview = previewEntry(memorySource({ pulls: [pull], issues: [issue] }), 1);
  assert.match(preview?.lines.engineer[0]?.markdown ?? '', /\(fixes \[#2\]/);
  assert.deepEqual(preview?.lines.customer, [{ heading: 'Fixed', markdown: '- It leaks when it rains' }]);
});

test('each statement of a release note is a line, and a left-out change has none', () => {
  const body = '```release-note\n[FEATURE] Add a\n[BUGFIX] Fix b\n```';
  const lines = previewEntry(memorySource({ pulls: [aPull(1, { title: 'Add a and fix b', body })] }), 1)?.lines;
  assert.deepEqual(lines?.customer, [
    { heading: 'New', markdown: '- Add a' },
    { heading: 'Fixed', markdown: '- Fix b' },
  ]);
  const skipped = previewEntry(memorySource({ pulls: [aPull(1, { labels: ['skip-changelog'] })] }), 1);
  assert.deepEqual([skipped?.included, skipped?.reason, skipped?.detail], [false, 'label', 'skip-changelog']);
  assert.deepEqual(skipped?.lines, { engineer: [], internal: [], customer: [] });
  assert.equal(previewEntry(memorySource({}), 1), undefined);
});

test('the check is off by default', () => {
  const verdict = verdictOf({ title: 'Something' }, defaultSettings);
  assert.deepEqual(verdict, { state: 'neutral', missing: [], message: 'Release notes are not checked.' });
});

test('the check names all that is missing and how to add it', () => {
  const all = checking({ need: ['type', 'area', 'note'], noteFor: ['other'] });
  const { state, missing, message } = verdictOf({ title: 'Something' }, all);
  assert.deepEqual([state, missing], ['failure', ['type', 'area', 'note']]);
  for (const remedy of ['/kind fix', '/area ui', '/note TEXT']) assert.ok(message.includes(`\`${remedy}\``), message);
  const informing = verdictOf({ title: 'Something' }, checking({ mode: 'inform' }));
  assert.deepEqual([informing.state, informing.missing], ['neutral', ['type']]);
});

test('a pull request with all that is needed passes', () => {
  const note = '```release-note\nSearch finds files.\n```';
  const passes = (pull: Partial<PullRecord>, settings?: NotesSettings) => verdictOf(pull, settings).missing;
  assert.deepEqual(passes({ title: 'feat: add search' }), ['note']);
  assert.deepEqual(passes({ title: 'feat: add search', body: note }), []);
  assert.deepEqual(passes({ title: 'feat: add search', body: '```release-note\nNONE\n```' }), []);
  assert.deepEqual(passes({ title: 'feat!: drop search' }), ['note']);
  assert.deepEqual(passes({ title: 'fix: search' }), []);
  assert.deepEqual(passes({ title: 'fix: search' }, checking({ need: ['area'] })), ['area']);
  assert.deepEqual(passes({ title: 'fix(ui): search' }, checking({ need: ['area'] })), []);
  assert.deepEqual(passes({ title: 'chore: tidy up' }, checking({ need: ['type', 'area', 'note'] })), []);
  assert.deepEqual(passes({ title: 'Bump left-pad from 1 to 2', author: { login: 'x[bot]', bot: true } }), []);
  assert.deepEqual(passes({ title: 'Something', state: 'open', mergedAt: null }), ['type']);
});

test('commands give what is missing, and left-out and exempt changes need nothing', () => {
  const author = { login: 'ada', bot: false };
  const rest = { state: null, createdAt: day(1), updatedAt: day(1), deleted: false, rank: 1, author };
  const said = (body: string): CommentRecord[] => [
    { kind: 'discussion', id: '1', number: 1, body, association: 'OWNER', ...rest },
  ];
  const settings = checking({ need: ['type', 'area', 'note'] });
  const commands = said('/kind feature\n/area ui\n/note Search finds files.');
  assert.deepEqual(verdictOf({ title: 'Something' }, settings, commands).state, 'success');
  assert.deepEqual(verdictOf({ title: 'Something' }, settings, said('/note none')), {
    ...{ state: 'success', missing: [], message: 'A command leaves the change out of the notes.' },
  });
  assert.equal(verdictOf({ labels: ['skip-changelog'] }, settings).state, 'success');
  const exempt = { authors: ['Ada'], labels: ['No Note'] };
  assert.equal(verdictOf({}, checking({ exempt })).state, 'success');
  assert.equal(verdictOf({ author: { login: 'bo', bot: false } }, checking({ exempt })).state, 'failure');
  const labels = ['no-note'];
  assert.equal(verdictOf({ author: { login: 'bo', bot: false }, labels }, checking({ exempt })).state, 'success');
});
