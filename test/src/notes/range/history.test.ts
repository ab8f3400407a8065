/**
 * Compares the ancestry derived from pushes with the true ancestry, on random histories of commits, branches and merges.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { commitsBetween } from '../../../../src/notes/range/history.ts';
import { aPush, history, memorySource } from '../memory-source.ts';

const branches = ['main', 'release', 'topic'] as const;
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('commit', 'branch', 'merge', 'forward'),
    on: fc.constantFrom(...branches),
    from: fc.constantFrom(...branches),
    count: fc.integer({ min: 1, max: 3 }),
  }),
  { maxLength: 25 },
);
type Step = { kind: string; on: string; from: string; count: number };

/** A small host that knows the parents of its commits, and sends pushes as a real host does. */
class Host {
  readonly parents = new Map<string, string[]>([['c0', []]]);
  readonly heads = new Map<string, string>([['main', 'c0']]);
  readonly pushes: ReturnType<typeof aPush>[] = [aPush('main', null, ['c0'], 1)];
  /** Commits that tags can name: the head of each push, in the order of the pushes. */
  readonly tagged = ['c0'];

  ancestors(sha: string): Set<string> {
    const found = new Set<string>();
    const open = [sha];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(...(this.parents.get(next) ?? []));
    }
    return found;
  }

  run({ kind, on, from, count }: Step): void {
    const head = this.heads.get(on);
    const other = this.heads.get(from);
    if (kind === 'branch' && head === undefined && other !== undefined) this.heads.set(on, other);
    if (head === undefined || other === undefined) return;
    if (kind === 'commit') this.move(on, head, this.commits(head, count));
    const isBehind = this.ancestors(other).has(head) && other !== head;
    if (kind === 'forward' && isBehind) this.move(on, head, other);
    if (kind === 'merge' && !this.ancestors(head).has(other)) this.move(on, head, this.commit([head, other]));
  }

  private commits(head: string, count: number): string {
    let last = head;
    for (let index = 0; index < count; index += 1) last = this.commit([last]);
    return last;
  }

  private commit(parents: string[]): string {
    const sha = `c${this.parents.size}`;
    this.parents.set(sha, parents);
    return sha;
  }

  /**
   * Stores the push that moves a branch from `before` to `after`. The commits of the push are sorted by number.
   * Commits are numbered in the order of creation, so parents always precede their children.
   */
  private move(branch: string, before: string, after: string): void {
    const known = this.ancestors(before);
    const shas = [...this.ancestors(after)]
      .filter((sha) => !known.has(sha))
      .sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)));
    this.heads.set(branch, after);
    const listed = shas.map((sha) => ((this.parents.get(sha) ?? []).length > 1 ? `${sha}|Merge branch` : sha));
    this.pushes.push(aPush(branch, before, listed, this.pushes.length + 1));
    this.tagged.push(after);
  }
}

test('agrees with true ancestry at the heads of pushes', () => {
  fc.assert(
    fc.property(steps, fc.nat(), fc.nat(), (plan, one, two) => {
      const host = new Host();
      for (const step of plan) host.run(step);
      const from = host.tagged[one % host.tagged.length] as string;
      const to = host.tagged[two % host.tagged.length] as string;
      const found = commitsBetween(memorySource(history(...host.pushes)), from, to);
      const excluded = host.ancestors(from);
      const expected = [...host.ancestors(to)].filter((sha) => !excluded.has(sha));
      assert.deepEqual(found?.pushes.flat().sort(), expected.sort());
      assert.equal(found?.diverged, !host.ancestors(to).has(from));
    }),
    { numRuns: 2000 },
  );
});

test('finds the true commits or nothing where pushes are missing', () => {
  fc.assert(
    fc.property(steps, fc.nat(), fc.nat(), fc.nat(), (plan, one, two, lost) => {
      const host = new Host();
      for (const step of plan) host.run(step);
      const from = host.tagged[one % host.tagged.length] as string;
      const to = host.tagged[two % host.tagged.length] as string;
      const kept = host.pushes.filter((_, index) => index !== lost % host.pushes.length);
      const found = commitsBetween(memorySource(history(...kept)), from, to);
      const excluded = host.ancestors(from);
      const expected = [...host.ancestors(to)].filter((sha) => !excluded.has(sha));
      if (found) assert.deepEqual(found.pushes.flat().sort(), expected.sort());
    }),
    { numRuns: 2000 },
  );
});
