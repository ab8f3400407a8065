/**
 * Compares the selected changes with the true ancestry of random repositories. The repositories have merges, squashes,
 * rebases, octopus merges, cherry-picks, release branches, force pushes, pushes that the host cut short, and tags. Some
 * of the tagged commits are on a branch, and some are not. If a range is assumed, its assumption is compared too: whenever
 * the assumption is true, the range must be exact.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { select } from '../../../../src/notes/range/select.ts';
import type { PullRecord, TagRecord } from '../../../../src/protocol/stored.ts';
import { assumptionHolds } from '../../../helpers/assumption.ts';
import { aPull, aPush, aTag, day, history, type Memory, memorySource } from '../memory-source.ts';

const kinds = [
  'squash',
  'squash',
  'merge',
  'merge',
  'rebase',
  'direct',
  'octopus',
  'branch',
  'pick',
  'back',
  'tag',
  'tag',
  'aside',
  'inside',
  'force',
  'cut',
] as const;
type Kind = (typeof kinds)[number];
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    on: fc.constantFrom('main', 'main', 'release'),
    count: fc.integer({ min: 1, max: 3 }),
    pick: fc.nat(),
  }),
  { minLength: 4, maxLength: 40 },
);
type Step = { kind: Kind; on: string; count: number; pick: number };

/** A repository that knows the parents of its commits. The service sees only the pushes of the repository. */
class Repository {
  readonly parents = new Map<string, string[]>([['c0', []]]);
  readonly subjects = new Map<string, string>([['c0', 'First']]);
  readonly heads = new Map([['main', 'c0']]);
  readonly pushes = [aPush('main', null, ['c0'], 1)];
  readonly pulls: PullRecord[] = [];
  readonly tags: TagRecord[] = [aTag('t0', 'c0', { date: day(1) })];
  private now = 1;

  run({ kind, on, count, pick }: Step): void {
    this.now += 1;
    const head = this.heads.get(on);
    if (kind === 'branch' && !this.heads.has('release')) this.heads.set('release', this.heads.get('main') as string);
    if (head === undefined) return;
    const steps: Partial<Record<Kind, () => void>> = {
      squash: () => this.push(on, this.pull(on, this.commit([head], `Title (#${this.next})`))),
      rebase: () => this.push(on, this.pull(on, this.line(head, count))),
      direct: () => this.push(on, this.line(head, count)),
      merge: () => this.push(on, this.merge(on, head, count, pick)),
      octopus: () => this.push(on, this.octopus(on, head)),
      pick: () => this.pickOnto(on, head, pick),
      back: () => this.mergeBack(head),
      tag: () => this.tag(head),
      aside: () => this.tag(this.commit([head], 'Version')),
      inside: () => this.tagInside(on, head, count, pick),
      force: () => this.force(on, head),
      cut: () => this.push(on, this.line(head, count + 1), { cut: true }),
    };
    steps[kind]?.();
  }

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

  /**
   * Returns the numbers of the pull requests whose commits are reachable from `to` but not from `from`. The parents of
   * the commits decide which commits are reachable.
   */
  between(from: string, to: string): number[] {
    const excluded = this.ancestors(from);
    const shas = new Set([...this.ancestors(to)].filter((sha) => !excluded.has(sha)));
    const named = [...shas].flatMap((sha) => {
      const subject = this.subjects.get(sha) ?? '';
      const owned = this.pulls.some(({ mergeSha }) => mergeSha === sha);
      return owned ? [] : (/\(#(\d+)\)$/.exec(subject)?.[1] ?? []);
    });
    const merged = this.pulls.filter(({ mergeSha }) => mergeSha !== null && shas.has(mergeSha));
    return [...new Set([...merged.map(({ number }) => number), ...named.map(Number)])].sort((a, b) => a - b);
  }

  private get next(): number {
    return this.pulls.length + 1;
  }

  private commit(parents: string[], subject: string): string {
    const sha = `c${this.parents.size}`;
    this.parents.set(sha, parents);
    this.subjects.set(sha, subject);
    return sha;
  }

  private line(head: string, count: number): string {
    let last = head;
    for (let index = 0; index < count; index += 1) last = this.commit([last], `Work ${index}`);
    return last;
  }

  private pull(base: string, mergeSha: string): string {
    const at = day(this.now) + this.pulls.length;
    this.pulls.push(aPull(this.next, { mergeSha, baseRef: base, mergedAt: at }));
    return mergeSha;
  }

  private merge(on: string, head: string, count: number, pick: number): string {
    const known = [...this.ancestors(head)];
    const topic = this.line(known[pick % known.length] as string, count);
    return this.pull(on, this.commit([head, topic], `Merge pull request #${this.next} from ada/topic`));
  }

  private octopus(on: string, head: string): string {
    const sha = this.commit([head, this.line(head, 1), this.line(head, 1)], "Merge branches 'a' and 'b'");
    this.pull(on, sha);
    return this.pull(on, sha);
  }

  private pickOnto(on: string, head: string, pick: number): void {
    const { number } = this.pulls[pick % Math.max(this.pulls.length, 1)] ?? {};
    if (number !== undefined) this.push(on, this.commit([head], `Picked (#${number})`));
  }

  private mergeBack(head: string): void {
    const release = this.heads.get('release');
    const main = this.heads.get('main') as string;
    if (release === undefined || head !== main || this.ancestors(main).has(release)) return;
    this.push('main', this.commit([main, release], "Merge branch 'release'"));
  }

  private tag(sha: string): void {
    this.tags.push(aTag(`t${this.tags.length}`, sha, { date: day(this.now), pushedAt: day(this.now) }));
  }

  /** Tags the tip of a branch, and then pushes the merge of this branch. */
  private tagInside(on: string, head: string, count: number, pick: number): void {
    const merge = this.merge(on, head, count, pick % 2 === 0 ? 0 : pick);
    this.tag(this.parents.get(merge)?.[1] as string);
    this.push(on, merge);
  }

  private force(on: string, head: string): void {
    const [parent] = this.parents.get(head) ?? [];
    if (parent !== undefined) this.push(on, this.line(parent, 1), { forced: true });
  }

  /**
   * Pushes a new head to a branch. The push lists the commits that are not reachable from the old head, parents first.
   */
  private push(branch: string, after: string, { forced = false, cut = false } = {}): void {
    const before = this.heads.get(branch) as string;
    const known = this.ancestors(before);
    const shas = [...this.ancestors(after)]
      .filter((sha) => !known.has(sha))
      .sort((a, b) => Number(a.slice(1)) - Number(b.slice(1)))
      .slice(cut ? -1 : 0)
      .map((sha) => `${sha}|${this.subjects.get(sha)}`);
    this.heads.set(branch, after);
    this.pushes.push(aPush(branch, before, shas, this.now, { forced, gap: cut }));
  }
}

function build(plan: readonly Step[]): { repository: Repository; memory: Memory } {
  const repository = new Repository();
  for (const step of plan) repository.run(step);
  const { tags, pulls, pushes } = repository;
  return { repository, memory: { tags, pulls, ...history(...pushes) } };
}

test('selection by commits equals the true ancestry, unless it says that it is assumed and the assumption is false', () => {
  const outcomes = { true: 0, false: 0 };
  let exact = 0;
  let all = 0;
  fc.assert(
    fc.property(steps, fc.nat(), fc.nat(), (plan, one, two) => {
      const { repository, memory } = build(plan);
      const { tags } = repository;
      const [from, to] = [tags[one % tags.length], tags[two % tags.length]] as [TagRecord, TagRecord];
      const bounds = { type: 'TAG_BASED', fromTag: from.name, toTag: to.name } as const;
      const source = memorySource(memory);
      const { pulls, resolution, diverged, assumed } = select(source, bounds);
      all += 1;
      if (resolution !== 'commits') return;
      if (assumed) {
        const ends = [from.sha, to.sha] as string[];
        const isTrue = ends.every((sha) => assumptionHolds(source, sha, (of) => repository.ancestors(of)));
        outcomes[isTrue ? 'true' : 'false'] += 1;
        if (!isTrue) return;
      } else exact += 1;
      const numbers = pulls.map(({ number }) => number).sort((a, b) => a - b);
      assert.deepEqual(numbers, repository.between(from.sha as string, to.sha as string));
      assert.equal(diverged, !repository.ancestors(to.sha as string).has(from.sha as string));
    }),
    { numRuns: 3000 },
  );
  assert.ok(exact > all / 2, `only ${exact} of ${all} ranges were exact`);
  assert.ok(outcomes.true > 20, `only ${outcomes.true} assumptions were true`);
  assert.ok(outcomes.false > 20, `only ${outcomes.false} assumptions were false`);
});

test('is exact for every pair of tags on whole histories without tags next to branches', () => {
  fc.assert(
    fc.property(
      steps.map((plan) => plan.filter(({ kind }) => !['aside', 'inside', 'force', 'cut'].includes(kind))),
      (plan) => {
        const { repository, memory } = build(plan);
        for (const from of repository.tags) {
          for (const to of repository.tags) {
            const bounds = { type: 'TAG_BASED', fromTag: from.name, toTag: to.name } as const;
            const { pulls, resolution } = select(memorySource(memory), bounds);
            assert.equal(resolution, 'commits');
            const numbers = pulls.map(({ number }) => number).sort((a, b) => a - b);
            assert.deepEqual(numbers, repository.between(from.sha as string, to.sha as string));
          }
        }
      },
    ),
    { numRuns: 300 },
  );
});
