/**
 * Selects ranges from payloads as hosts send them. Covers long pushes in parts, merge queues, lists that the host cut
 * short, pull requests whose merge commit changed, and a renamed default branch.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ulid } from '../../../src/foundation/ids.ts';
import { toEvents } from '../../../src/intake/events.ts';
import { select } from '../../../src/notes/range/select.ts';
import type { EventRecord } from '../../../src/protocol/journal.ts';
import type { Partition } from '../../../src/store/partition.ts';
import { RepositoryView } from '../../../src/store/repository-view.ts';
import { countsOf } from '../../../workers/render/preview.ts';
import { foldRecords, openTestPartition } from '../../helpers/partition.ts';
import { pullPayload, pushPayload, shaOf, tagPayload, timeOf } from '../../helpers/payloads.ts';

type HostDelivery = [event: string, payload: object];

const zeros = '0'.repeat(40);
const range = { type: 'TAG_BASED', fromTag: 'v1', toTag: 'v2' } as const;
const seconds = (number: number): number => Date.parse(timeOf(number)) / 1000;

/**
 * Returns a push at the hour `at`. Each commit is a pair: the number from which `shaOf` makes the sha, and the message.
 */
function push(
  branch: string,
  before: number | null,
  commits: [number, string][],
  at: number,
  fields = {},
): HostDelivery {
  const list = commits.map(([number, message]) => ({ id: shaOf(number), message, timestamp: timeOf(at) }));
  const payload = pushPayload([], before === null ? zeros : shaOf(before), branch);
  const repository = { ...(payload.repository as object), pushed_at: seconds(at) };
  return [
    'push',
    { ...payload, commits: list, after: list.at(-1)?.id, created: before === null, repository, ...fields },
  ];
}

function merged(number: number, sha: number, fields = {}): HostDelivery {
  return ['pull_request', pullPayload(number, { merge_commit_sha: shaOf(sha), ...fields })];
}

const tag = (name: string, number: number): HostDelivery => ['push', tagPayload(name, number)];
const works = (from: number, to: number): [number, string][] =>
  Array.from({ length: to - from }, (_, i) => [from + i + 1, `Work ${from + i + 1}`]);

async function folded(t: Parameters<typeof openTestPartition>[0], deliveries: HostDelivery[]): Promise<RepositoryView> {
  const partition: Partition = openTestPartition(t);
  const records = deliveries.flatMap(([event, payload], i): EventRecord[] => {
    const now = Date.UTC(2026, 3, 1) + i;
    const events = toEvents(event, payload, 'https://github.com', now);
    if (!events) return [];
    const { repository, bodies } = events;
    return bodies.map((body, part) => ({
      ...{ id: ulid(now), at: now, kind: 'event', delivery: `d${i}`, source: '', part, repository, body },
    }));
  });
  await foldRecords(partition, 1, ...records);
  return RepositoryView.of(partition, records[0]?.repository.id ?? '') as RepositoryView;
}

function held(view: RepositoryView, bounds: Parameters<typeof select>[1] = range) {
  const { pulls, resolution, commitsWithoutPull } = select(view, bounds);
  return {
    pulls: pulls.map(({ number }) => number),
    resolution,
    direct: commitsWithoutPull.map(({ sha }) => sha),
  };
}

test('commits that a long push merges do not include those of its base', async (t) => {
  // main has commits 1 to 5. A branch of 300 commits begins at commit 1 and is pushed in two steps. Commit 900 merges
  // the branch into main.
  const line = works(100, 400);
  const view = await folded(t, [
    push('main', null, [[1, 'Start']], 1),
    tag('v1', 1),
    ...[2, 3, 4, 5].flatMap((number): HostDelivery[] => [
      push('main', number - 1, [[number, `Change (#${number})`]], number),
      merged(number, number),
    ]),
    push('release', 1, line.slice(0, 256), 6),
    push('release', 356, line.slice(256), 7),
    push('main', 5, [...line, [900, "Merge branch 'release'"]], 8),
    tag('v2', 900),
    tag('v3', 356),
  ]);
  assert.deepEqual(held(view).pulls, [2, 3, 4, 5]);
  assert.equal(held(view).resolution, 'commits');
  assert.deepEqual(held(view, { ...range, toTag: 'v3' }).pulls, [], 'a tag on the branch, inside the long push');
  assert.deepEqual(held(view, { ...range, fromTag: 'v3' }).pulls, [2, 3, 4, 5]);
});

test('assumes the ancestors of a commit inside a long push that ends in a merge', async (t) => {
  const view = await folded(t, [
    push('main', null, [[1, 'Start']], 1),
    tag('v1', 1),
    push('main', 1, [[2, 'Change (#2)']], 2),
    merged(2, 2),
    push('main', 2, [...works(100, 400), [900, "Merge branch 'release'"]], 8),
    tag('v2', 120),
  ]);
  assert.deepEqual(countsOf(select(view, range)), { prCount: 1, issueCount: 0, resolution: 'commits', assumed: true });
});

test('selects up to a tag inside the push of a merge queue', async (t) => {
  const view = await folded(t, [
    push('main', null, [[1, 'Start']], 1),
    tag('v1', 1),
    push('gh-readonly-queue/main/pr-2', null, [[2, 'Change (#2)']], 2),
    push('gh-readonly-queue/main/pr-3', null, [[3, 'Change (#3)']], 2),
    push(
      'main',
      1,
      [
        [2, 'Change (#2)'],
        [3, 'Change (#3)'],
      ],
      3,
    ),
    merged(2, 2),
    merged(3, 3),
    tag('v2', 2),
  ]);
  assert.deepEqual(held(view), { pulls: [2], resolution: 'commits', direct: [] });
});

test('commits that a merge queue rebased belong to their pull requests', async (t) => {
  const view = await folded(t, [
    push('main', null, [[1, 'Start']], 1),
    tag('v1', 1),
    push(
      'main',
      1,
      [
        [10, 'First part'],
        [2, 'Second part'],
        [11, 'Other part'],
        [3, 'Other rest'],
      ],
      3,
    ),
    merged(2, 2),
    merged(3, 3),
    tag('v2', 3),
  ]);
  assert.deepEqual(held(view), { pulls: [2, 3], resolution: 'commits', direct: [] });
});

test('the newest known merge commit of a pull request counts', async (t) => {
  for (const [first, second] of [
    [2, 3],
    [3, 2],
  ] as const) {
    const view = await folded(t, [
      push('main', null, [[1, 'Start']], 1),
      tag('v1', 1),
      push('main', 1, [[second, 'Its own words']], 4),
      merged(7, first, { updated_at: timeOf(4) }),
      ['pull_request', pullPayload(7, { merge_commit_sha: shaOf(second), updated_at: timeOf(5) }, {}, 'labeled')],
      tag('v2', second),
    ]);
    assert.deepEqual(held(view).pulls, [7]);
  }
});

test('a push from which the host left commits out is a gap', async (t) => {
  const many = works(100, 2148);
  const gitea = { created: undefined, deleted: undefined, forced: undefined, base_ref: undefined };
  const cut: [string, HostDelivery][] = [
    ['the most that GitHub lists', push('main', 1, many, 3)],
    ['a size that says so', push('main', 1, works(100, 120), 3, { size: 30 })],
    ['an old Gitea that does not count', push('main', 1, works(100, 105), 3, gitea)],
  ];
  for (const [name, delivery] of cut) {
    const after = Number.parseInt((delivery[1] as { after: string }).after.slice(0, 8), 16) - 0xa0000000;
    const view = await folded(t, [push('main', null, [[1, 'Start']], 1), tag('v1', 1), delivery, tag('v2', after)]);
    assert.equal(held(view).resolution, 'window', name);
  }
});

test('assumes the ancestors of a commit that a merge under its title may have brought', async (t) => {
  const view = await folded(t, [
    push('main', null, [[1, 'Start']], 1),
    tag('v1', 1),
    push('main', 1, [[2, 'Change (#2)']], 2),
    merged(2, 2),
    // The pushes of the release branch were lost. The commit that merges the branch into main has the title of a pull
    // request.
    push(
      'main',
      2,
      [
        [10, 'Fix it'],
        [11, 'Version'],
        [3, 'Release back (#3)'],
      ],
      5,
    ),
    merged(3, 3),
    tag('v2', 11),
  ]);
  assert.deepEqual(countsOf(select(view, range)), { prCount: 1, issueCount: 0, resolution: 'commits', assumed: true });
});

test('dates decide up to the cut that the push of a new branch shows', async (t) => {
  const pull = (number: number, base: string) => merged(number, number, { base: { ref: base } });
  const deliveries: HostDelivery[] = [
    push('main', 1, [[2, 'Change (#2)']], 2),
    pull(2, 'main'),
    push('main', 2, [[3, 'Change (#3)']], 3),
    pull(3, 'main'),
    push('release', null, [], 4, { after: shaOf(3), base_ref: 'refs/heads/main' }),
    push('main', 3, [[5, 'Change (#5)']], 5),
    pull(5, 'main'),
    // The first push of the branch was lost.
    push('release', 40, [[6, 'Change (#6)']], 6),
    pull(6, 'release'),
    ['push', { ...tagPayload('v1', 1), base_ref: null }],
    ['push', { ...tagPayload('v2', 6), base_ref: null }],
  ];
  for (const arrived of [deliveries, deliveries.toReversed()]) {
    const view = await folded(t, arrived);
    assert.deepEqual(held(view), { pulls: [2, 3, 6], resolution: 'window', direct: [] });
    assert.deepEqual(
      view.creationsOf('release').map(({ after, baseRef, shas }) => [after, baseRef, shas]),
      [[shaOf(3), 'main', []]],
    );
    assert.deepEqual(view.creationsOf('rel'), []);
  }
});

test('dates decide on the default branch under all its names', async (t) => {
  const renamed = { default_branch: 'main' };
  const old = { default_branch: 'master' };
  const view = await folded(t, [
    ['push', { ...tagPayload('v1', 1), base_ref: null }],
    ['pull_request', pullPayload(2, { base: { ref: 'master' } }, old)],
    [
      'repository',
      {
        action: 'edited',
        changes: { default_branch: { from: 'master' } },
        repository: { ...(pullPayload(3, {}, renamed).repository as object), updated_at: timeOf(3) },
      },
    ],
    ['pull_request', pullPayload(4, {}, renamed)],
    // After the rename, a new branch with the name `master` is not the default branch.
    ['pull_request', pullPayload(30, { base: { ref: 'master' }, merged_at: timeOf(4) }, renamed)],
    ['push', { ...tagPayload('v2', 5), base_ref: null }],
  ]);
  assert.deepEqual(held(view), { pulls: [2, 4], resolution: 'window', direct: [] });
});
