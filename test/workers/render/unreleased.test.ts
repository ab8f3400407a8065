/**
 * Folds random histories up to each release on the default branch. The unreleased range just before the tag must
 * contain exactly what the range of the tag contains afterwards, and must become that range. A rule that finds no
 * unreleased range must choose the same range.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrivedTag } from '../../../src/notes/range/ends.ts';
import { type Selection, select } from '../../../src/notes/range/select.ts';
import { rangeOfTag } from '../../../src/notes/range/tag-ranges.ts';
import { RepositoryView } from '../../../src/store/repository-view.ts';
import { foldBatch } from '../../../workers/partition/batch.ts';
import { openEndsOf } from '../../../workers/render/preview.ts';
import { previewRange } from '../../../workers/render/range-preview.ts';
import { countUnreleased } from '../../../workers/render/unreleased-count.ts';
import { HostGraph, recordsOf } from '../../helpers/host-graph.ts';
import { openTestPartition, toMessages } from '../../helpers/partition.ts';
import { pick, type Random, seeded } from '../../helpers/random.ts';

const unreleased = { type: 'UNRELEASED' } as const;

/** Ways in which a history grows between two releases. */
const steps: readonly ((graph: HostGraph, random: Random) => void)[] = [
  (graph, random) => {
    const pull = graph.open('main', graph.line(graph.head(), 1 + random(3)));
    const sha = graph.mergeCommit(pull, graph.head());
    graph.push('main', sha);
    graph.close(pull, sha);
  },
  (graph, random) => graph.push('main', graph.line(graph.head(), 1 + random(4))),
  (graph) => graph.push('release', graph.branches.get('release') ?? graph.head()),
  (graph) => {
    if (graph.branches.has('release')) graph.push('release', graph.line(graph.head('release'), 1));
  },
  (graph) => graph.branches.has('release') && graph.tag(`v0.0.${graph.tags.size}`, graph.head('release')),
  (graph) => graph.tag(`v9.0.0-rc.${graph.tags.size}`, graph.head()),
];

for (const kind of ['github', 'gitea'] as const) {
  test(`an unreleased range contains what the range of its tag contains (${kind})`, async (t) => {
    const partition = openTestPartition(t);
    let [seq, compared, exact] = [1, 0, 0];
    for (let seed = 1; seed <= 12; seed++) {
      const random = seeded(seed);
      const graph = new HostGraph(seed, kind, random);
      let folded = 0;
      const fold = async (): Promise<RepositoryView> => {
        const records = recordsOf(graph.deliveries, folded);
        folded = graph.deliveries.length;
        await foldBatch(partition, toMessages([records], seq++));
        return RepositoryView.of(partition, records[0]?.repository.id ?? '') as RepositoryView;
      };
      for (let release = 1; release <= 4; release++) {
        for (let step = 0; step < 6; step++) pick(random, steps)(graph, random);
        steps[0]?.(graph, random);
        const before = await fold();
        const open = select(before, unreleased);
        const ends = openEndsOf(before, unreleased, open);
        assert.ok(ends);
        graph.tag(`v1.${release}.0`, graph.head());
        const after = await fold();
        const name = `${kind} ${seed}: v1.${release}.0`;
        if (release > 1) assert.equal(ends.fromTag, `v1.${release - 1}.0`, name);
        assert.equal(arrivedTag(after, unreleased, ends)?.name, `v1.${release}.0`, name);
        const toTag = `v1.${release}.0`;
        const bounds =
          ends.fromTag === null
            ? ({ type: 'FIRST_RELEASE', toTag } as const)
            : ({ type: 'TAG_BASED', fromTag: ends.fromTag, toTag } as const);
        assert.deepEqual(rangeOfTag(after, toTag), bounds, name);
        const reached = select(after, bounds);
        assert.deepEqual(contentOf(open), contentOf(reached), name);
        compared += 1;
        if (reached.resolution === 'commits') exact += 1;
      }
    }
    assert.equal(compared, 48);
    assert.ok(exact > compared / 2, `only ${exact} of ${compared} ranges were exact`);
  });
}

test('a count names the release that it begins with, not a higher version elsewhere', async (t) => {
  const partition = openTestPartition(t);
  const graph = new HostGraph(1, 'github', seeded(1));
  graph.push('main', graph.line(graph.head(), 2));
  graph.tag('v1.0.0', graph.head());
  graph.push('main', graph.line(graph.head(), 2));
  graph.push('next', graph.line(graph.head(), 1));
  graph.tag('v2.0.0', graph.head('next'));
  const records = recordsOf(graph.deliveries, 0);
  await foldBatch(partition, toMessages([records], 1));
  const { id: repoId } = records[0]?.repository ?? assert.fail();
  const { lastTag, unreleased: counted } = countUnreleased(partition, { task: 'unreleasedCount', repoId }, () => {});
  assert.deepEqual([lastTag?.name, counted.commits], ['v1.0.0', 2]);
  const bounds = { type: 'UNRELEASED' } as const;
  const preview = previewRange(partition, { task: 'rangePreview', repoId, bounds, limit: 1, offset: 0 }, () => {});
  assert.deepEqual(lastTag, { name: preview.since?.tag, date: preview.since?.date });
});

function contentOf({ pulls, issues, commitsWithoutPull, resolution }: Selection): object {
  return {
    pulls: pulls.map(({ number }) => number),
    issues: issues.map(({ number }) => number),
    commits: commitsWithoutPull.map(({ sha }) => sha),
    resolution,
  };
}
