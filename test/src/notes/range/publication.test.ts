/**
 * Tests the commits that the service makes when it publishes. Their messages have a trailer with the id of the
 * publication. The next release leaves these commits out. Other changes are listed even if their text contains a copy
 * of the trailer.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changelog } from '../../../../src/channels/host/files.ts';
import { newId } from '../../../../src/foundation/ids.ts';
import { minimiseCommit } from '../../../../src/intake/minimise.ts';
import { compose } from '../../../../src/notes/draft/compose.ts';
import { explain } from '../../../../src/notes/draft/explain.ts';
import { publicationOf } from '../../../../src/notes/range/publication.ts';
import type { RangeBounds } from '../../../../src/protocol/stored.ts';
import { sampleNote } from '../../../helpers/host-note.ts';
import { aPull, aPush, aTag, history, type Memory, memorySource } from '../memory-source.ts';

const id = newId('pub', 7);
const trailer = `Tidings-Publication: ${id}`;
const own = `docs: notes of v1 in CHANGELOG.md\n\n${trailer}`;
const tags: RangeBounds = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' };
const personas = ['engineer', 'internal', 'customer'] as const;

/**
 * Explains the changes of a range between two tags. Returns one text per change. The text contains the number or sha,
 * `in` or `out`, the reason, and the detail.
 */
function explained(memory: Memory): string[] {
  return explain(memorySource(memory), tags).changes.map(({ number, sha, included, reason, detail }) =>
    [number ?? sha, included ? 'in' : 'out', reason, detail ?? '-'].join(' '),
  );
}

/** Returns a range with these commits on top of the commits of v1. Each commit is given as `sha|message`. */
function between(commits: string[], more: Memory = {}): Memory {
  const last = commits.at(-1)?.split('|')[0] as string;
  return {
    tags: [aTag('v1', 'm0'), aTag('v2', last)],
    ...history(aPush('main', null, ['m0'], 1), aPush('main', 'm0', commits, 2)),
    ...more,
  };
}

test('recognizes its own commit message in a captured push', () => {
  const { message } = changelog.render(sampleNote({ publicationId: id }), { message: 'notes of {version}' }) as {
    message: string;
  };
  assert.equal(message, `notes of v2.0.0\n\n${trailer}`);
  const captured = minimiseCommit({ id: 'c1', message, timestamp: '2026-01-01T00:00:00Z' }, Date.now());
  assert.equal(captured.message, message, 'redaction leaves the trailer alone');
  assert.equal(publicationOf(captured.message), id);
});

test('direct commits of the service are left out for every reader, and listed with their reason', () => {
  const memory = between([`a1|${own}`, 'a2|Tune the engine']);
  assert.deepEqual(explained(memory), [`a1 out own ${id}`, 'a2 in direct -']);
  for (const persona of personas) {
    const { bodyMd } = compose(memorySource(memory), tags, persona);
    const without = compose(memorySource(between(['a2|Tune the engine'])), tags, persona);
    assert.equal(bodyMd, without.bodyMd, persona);
  }
});

test('a pull request with only such commits is left out, with every kind of merge', () => {
  const pull = (body = '') => ({ pulls: [aPull(5, { title: 'Release notes', body, mergeSha: 'm5' })] });
  const out = [`5 out own ${id}`];
  const merge = 'm5|Merge pull request #5 from acme/notes\n\nRelease notes';
  const listed = `* docs: notes in CHANGELOG.md\n\n${trailer}\n\n* docs: notes in RELEASES.md\n\nTidings-Publication: ${newId('pub', 7)}`;
  const coAuthored = `${trailer}\n\n---------\n\nCo-authored-by: ada`;
  assert.deepEqual(explained(between([`c1|${own}`, `c2|${own}`, merge], pull('A template.'))), out, 'merge commit');
  assert.deepEqual(explained(between([`c1|${own}`, `m5|${own}`], pull())), out, 'rebase');
  assert.deepEqual(explained(between([`m5|Release notes (#5)\n\n${coAuthored}`], pull())), out, 'squash of one');
  assert.deepEqual(explained(between([`m5|Release notes (#5)\n\n${listed}`], pull())), out, 'squash of two');
  const byNumber: RangeBounds = { type: 'PR_BASED', fromPrNumber: 1, toPrNumber: 9 };
  const reasons = explain(memorySource(pull(`${trailer}\n`)), byNumber).changes.map(({ reason }) => reason);
  assert.deepEqual(reasons, ['own'], 'its body, where no commit is known');
});

test('a pull request of the service is left out, with every kind of merge and message', () => {
  const { pull, message } = changelog.render(sampleNote({ publicationId: id }), {});
  const pulls = { pulls: [aPull(5, { title: pull.title, body: pull.body, mergeSha: 'm5' })] };
  const out = [`5 out own ${id}`];
  const on = 'Reviewed-on: https://host.test/acme/rocket/pulls/5';
  const marker = `<!-- tidings:notes ${pull.branch} -->`;
  const messages = {
    'squash of GitHub': message.replace('\n', ' (#5)\n'),
    'squash of GitHub with the text': `${pull.title} (#5)\n\n${pull.body}`,
    'squash of GitHub with a wrapped marker': `${pull.title} (#5)\n\n${pull.body.replace(marker, marker.replaceAll(' ', '\n'))}`,
    'squash of GitHub with the title only': `${pull.title} (#5)`,
    'squash of Gitea': `${pull.title} (#5)\n\n${pull.body}\n\n${on}\nCo-authored-by: ada`,
    'squash of Gitea with commits': `${pull.title} (#5)\n\n* ${message}\n\n* ${message}\n\n${on}`,
    'squash with carriage returns': `${pull.title} (#5)\n\n${pull.body}`.replaceAll('\n', '\r\n'),
  };
  for (const [style, text] of Object.entries(messages))
    assert.deepEqual(explained(between([`m5|${text}`], pulls)), out, style);
  const merges = [
    'm5|Merge pull request #5 from acme/tidings/notes-v2.0.0',
    `m5|Merge pull request #5 from acme/tidings/notes-v2.0.0\n\n${pull.body}`,
    `m5|Merge pull request '${pull.title}' (#5) from tidings/notes-v2.0.0 into main\n\n${on}`,
    `m5|${pull.title} (#5)`,
  ];
  for (const merge of merges) {
    assert.deepEqual(explained(between([`c1|${message}`, merge], pulls)), out, merge);
    assert.deepEqual(explained(between([merge], pulls)), out, `${merge}, its commit not captured`);
  }
  assert.deepEqual(explained(between([`c1|${message}`, `m5|${message}`], pulls)), out, 'rebase');
  const theirs = `* ${message}\n\n* Faster start`;
  const listed = explained(between([`m5|${pull.title} (#5)\n\n${theirs}`], pulls));
  assert.deepEqual(listed, ['5 in listed -'], 'a commit of a person in it');
});

test('a pull request with any other change is listed', () => {
  const pull = (fields = {}) => ({ pulls: [aPull(5, { title: 'Faster start', mergeSha: 'm5', ...fields })] });
  const kept = ['5 in listed -'];
  const body = { body: trailer };
  const merge = 'm5|Merge pull request #5 from acme/notes';
  assert.deepEqual(explained(between([`c1|${own}`, 'c2|Faster start', merge], pull(body))), kept, 'merge commit');
  assert.deepEqual(explained(between(['c1|Faster start', `m5|${own}`], pull(body))), kept, 'rebase');
  const squashed = `* Faster start\n\n* docs: notes\n\n${trailer}`;
  assert.deepEqual(explained(between([`m5|Faster start (#5)\n\n${squashed}`], pull(body))), kept, 'squash');
  assert.deepEqual(
    explained(between([`m5|Faster start (#5)\n\nWords.\n\n${trailer}`], pull())),
    kept,
    'words beside it',
  );
  assert.deepEqual(
    explained(between([`m5|${own}`], pull({ labels: ['breaking'] }))),
    kept,
    'a breaking change stays in the notes',
  );
});

test('a trailer without the id of a publication hides nothing', () => {
  for (const words of ['Tidings-Publication: none', 'Tidings-Publication: pub_', `see ${trailer}`, ''])
    assert.equal(publicationOf(`Tune\n\n${words}`), undefined, words);
  assert.equal(publicationOf(trailer), undefined, 'a subject is not a trailer');
});
