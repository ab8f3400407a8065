/**
 * Checks comparisons against the commit graph itself, for any history and any two commits. A comparison sends requests
 * to the host. Its result must be exactly the commits that are reachable from the second commit but not from the first
 * commit.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { HostClient } from '../../../src/host/client.ts';
import { comparisonOf } from '../../../workers/host/compare.ts';
import type { Reached } from '../../../workers/host/repository-on-host.ts';
import { openClient } from '../../helpers/host/client.ts';
import { status } from '../../helpers/host/faults.ts';
import { type History, reachable } from '../../helpers/host/history.ts';

/** Random graphs in which commit n has one to three parents among the commits before n. */
const anyGraph = fc.array(fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 30 });

function shaOf(number: number): string {
  return number.toString(16).padStart(40, '0');
}

function fill({ commits }: History, rows: readonly (readonly number[])[]): void {
  commits.clear();
  for (const [n, numbers] of rows.entries()) {
    const parents = n === 0 ? [] : numbers.map((number, i) => shaOf(Math.max(0, n - 1 - (number % (3 + i * 8)))));
    const sha = shaOf(n);
    const message = `Commit ${n} by someone@example.com`;
    commits.set(sha, { sha, parents: [...new Set(parents)], message, author: { login: 'ada', id: 5 }, at: n * 1000 });
  }
}

function asked(client: HostClient, history: History): Reached {
  return { client, name: history } as unknown as Reached;
}

for (const kind of ['github', 'gitea'] as const) {
  test(`finds exactly the commits between two commits, on ${kind}`, async (t) => {
    const { client, host } = await openClient(t, { kind });
    const { history } = host;
    await fc.assert(
      fc.asyncProperty(anyGraph, fc.nat(), fc.nat(), async (rows, first, second) => {
        const [from, to] = [shaOf(first % rows.length), shaOf(second % rows.length)];
        fc.pre(from !== to);
        fill(history, rows);
        const before = new Set(reachable(history, from).map(({ sha }) => sha));
        const above = new Set(reachable(history, to).map(({ sha }) => sha));
        const compared = await comparisonOf(asked(client, history), from, to);
        const body = compared?.bodies.at(-1);
        assert.ok(compared && body?.event === 'comparison');
        const { groups, ancestry } = body.comparison;
        assert.deepEqual(groups.flat().sort(), [...above].filter((sha) => !before.has(sha)).sort());
        assert.equal(ancestry, before.has(to) ? 'behind' : above.has(from) ? 'ahead' : 'diverged');
        const listed = compared.bodies.flatMap((each) => (each.event === 'commits' ? each.commits : []));
        assert.deepEqual(listed.map(({ sha }) => sha).sort(), groups.flat().sort());
        assert.ok(!JSON.stringify(compared).includes('example.com'));
        const seen = new Set(before);
        for (const sha of groups.flat()) {
          assert.ok(
            history.commits.get(sha)?.parents.every((parent) => seen.has(parent)),
            'parents come first',
          );
          seen.add(sha);
        }
      }),
      { numRuns: 60 },
    );
  });
}

test('does not use an answer that is inconsistent', async (t) => {
  const { client, host } = await openClient(t);
  fill(host.history, [[], [0], [0], [0]]);
  const reached = asked(client, host.history);
  const item = (number: number, parents: number[]) => ({
    sha: shaOf(number),
    commit: { message: 'x', committer: { date: '2026-01-01T00:00:00Z' } },
    parents: parents.map((parent) => ({ sha: shaOf(parent) })),
  });
  const [two, three] = [item(2, [1]), item(3, [2])];
  const answers: [string, object[]][] = [
    ['one is told twice', [two, two, three]],
    ['the head is missing', [two]],
    ['one in between is missing', [three, item(1, [0])]],
    ['one cannot be read', [two, { ...three, parents: 'none' }]],
  ];
  for (const [what, commits] of answers) {
    host.fail(/compare/, status(200, { total_commits: commits.length, commits }));
    assert.equal(await comparisonOf(reached, shaOf(0), shaOf(3)), undefined, what);
  }
  host.fail(/compare/, status(200, { total_commits: 2, commits: [three, two] }));
  const compared = await comparisonOf(reached, shaOf(1), shaOf(3));
  assert.equal(compared?.ancestry, 'ahead');
});
