/**
 * Checks the steps of a branch against the commit graph itself. A walk may start anywhere in any graph. The test
 * compares the steps between two commits of the walk. These steps must list exactly the commits that are reachable from
 * the newer commit but not from the older commit.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { BranchStep } from '../../../src/protocol/events.ts';
import { type CommitGraph, stepsOf } from '../../../workers/host/branch-steps.ts';

type Parents = ReadonlyMap<string, readonly string[]>;

/**
 * Random graphs in which the parents of commit n are among the commits before n. The graphs have few roots and many
 * merges, some with more than two parents.
 */
const anyGraph: fc.Arbitrary<Parents> = fc
  .array(fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 40 })
  .map((rows) => {
    const parents = rows.map((numbers, n): [string, string[]] => {
      const chosen = n === 0 ? [] : numbers.map((number, i) => `c${Math.max(0, n - 1 - (number % (4 + i * 8)))}`);
      return [`c${n}`, [...new Set(chosen)]];
    });
    return new Map(parents);
  });

function graphOf(parents: Parents, stepped: ReadonlySet<string> = new Set()): CommitGraph {
  return {
    parents: (sha) => parents.get(sha),
    at: (sha) => Number(sha.slice(1)) % 7,
    isStepped: (sha) => stepped.has(sha),
  };
}

async function collect(graph: CommitGraph, head: string): Promise<BranchStep[]> {
  const steps: BranchStep[] = [];
  for await (const step of stepsOf(graph, head)) steps.push(step);
  return steps;
}

function reachable(parents: Parents, from: string | null): Set<string> {
  const found = new Set<string>();
  const open = from === null ? [] : [from];
  for (let sha = open.pop(); sha !== undefined; sha = open.pop()) {
    if (found.has(sha) || !parents.has(sha)) continue;
    found.add(sha);
    open.push(...(parents.get(sha) as string[]));
  }
  return found;
}

function assertExact(parents: Parents, steps: readonly BranchStep[]): void {
  for (const { before, after, shas } of steps) {
    const below = reachable(parents, before);
    const gained = [...reachable(parents, after)].filter((sha) => !below.has(sha));
    assert.deepEqual([...shas].sort(), gained.sort());
    assert.equal(shas.at(-1), after);
    for (const [i, sha] of shas.entries()) {
      const later = shas.slice(i + 1);
      assert.ok(!parents.get(sha)?.some((parent) => later.includes(parent)), 'parents come before their children');
    }
  }
}

test('a step lists exactly the commits that it made reachable', async () => {
  await fc.assert(
    fc.asyncProperty(anyGraph, async (parents) => {
      const head = `c${parents.size - 1}`;
      const steps = await collect(graphOf(parents), head);
      assert.equal(steps.at(-1)?.after, head);
      for (const [i, step] of steps.entries()) assert.equal(step.before, steps[i - 1]?.after ?? null);
      assertExact(parents, steps);
      const times = steps.map(({ at }) => at);
      assert.deepEqual([...times].sort(), times);
    }),
    { numRuns: 300 },
  );
});

test('a walk that ends at known steps finds the same steps', async () => {
  await fc.assert(
    fc.asyncProperty(anyGraph, fc.nat(), fc.nat(), async (parents, first, second) => {
      const [older, newer] = [first % parents.size, second % parents.size].map((n) => `c${n}`) as [string, string];
      const known = new Set((await collect(graphOf(parents), older)).map(({ after }) => after));
      const steps = await collect(graphOf(parents, known), newer);
      assert.ok(steps.every(({ after }) => !known.has(after)));
      assertExact(parents, steps);
      const all = await collect(graphOf(parents), newer);
      assert.deepEqual(
        steps.map(({ after }) => after),
        all.map(({ after }) => after).filter((after) => !known.has(after)),
      );
    }),
    { numRuns: 300 },
  );
});

test('a walk ends at commits whose parents are unknown', async () => {
  const parents = new Map([
    ['c3', ['c2', 's1']],
    ['c2', ['c1']],
    ['s1', ['s0']],
  ]);
  const steps = await collect(graphOf(parents), 'c3');
  assert.deepEqual(
    steps.map(({ before, after, shas }) => [before, after, shas]),
    [
      ['c1', 'c2', ['c2']],
      ['c2', 'c3', ['s1', 'c3']],
    ],
  );
  assert.deepEqual(await collect(graphOf(parents), 'unknown'), []);
});
