/**
 * Records what is read of a source, so that a later change of a row can be compared with it. A result that was made from
 * the source stays valid as long as no row changes that was read. Names are kept as short hashes. Two names with one
 * hash can only make a valid result count as outdated, and never the reverse.
 */
import type { WrittenRow } from '../../protocol/tasks.ts';
import type { NotesSource } from './source.ts';

type Span = readonly [from: number, to: number];

/** The names, numbers and times that were read of a source. */
export class Reads {
  private readonly pulls = new Set<number>();
  private readonly issues = new Set<number>();
  private readonly commented = new Set<number>();
  private readonly commanded = new Set<number>();
  private readonly names = new Set<number>();
  private readonly numbered: Span[] = [];
  private readonly merged: Span[] = [];
  private readonly closed: Span[] = [];
  /** The newest time of a push that was read, in milliseconds. */
  newestPush = 0;
  /** Whether the host's comparison of two commits was found. */
  hasComparison = false;

  /** Returns a source that reads from the given source and records what it reads. */
  of(source: NotesSource): NotesSource {
    return {
      ...{ repository: source.repository, settings: source.settings },
      tags: () => source.tags(),
      tag: (name) => source.tag(name),
      pull: (number) => {
        this.pulls.add(number);
        return source.pull(number);
      },
      issue: (number) => {
        this.issues.add(number);
        return source.issue(number);
      },
      commit: (sha) => {
        this.names.add(hashOf(sha));
        return source.commit(sha);
      },
      comparison: (from, to) => {
        const found = source.comparison(from, to);
        this.hasComparison ||= found !== undefined;
        return found;
      },
      push: (branch, after) => {
        this.names.add(hashOf(after));
        const push = source.push(branch, after);
        if (push && push.at > this.newestPush) this.newestPush = push.at;
        return push;
      },
      head: (branch) => {
        this.names.add(hashOf(`head ${branch}`));
        return source.head(branch);
      },
      creationsOf: (branch) => {
        this.names.add(hashOf(`pushes ${branch}`));
        return source.creationsOf(branch);
      },
      pullsMergedAs: (sha) => {
        this.names.add(hashOf(sha));
        const pulls = source.pullsMergedAs(sha);
        for (const { number } of pulls) this.pulls.add(number);
        return pulls;
      },
      firstPullBy: (login) => {
        this.names.add(hashOf(`author ${login.toLowerCase()}`));
        return source.firstPullBy(login);
      },
      pullsMergedBetween: (from, to) => {
        this.merged.push([from, to]);
        const pulls = [...source.pullsMergedBetween(from, to)];
        for (const { number } of pulls) this.pulls.add(number);
        return pulls;
      },
      pullsNumbered: (from, to) => {
        this.numbered.push([from, to]);
        return source.pullsNumbered(from, to);
      },
      commentCount: (number) => {
        this.commented.add(number);
        return source.commentCount(number);
      },
      commandComments: (number) => {
        this.commanded.add(number);
        const found = source.commandComments(number);
        if (found.length > 0) this.commented.add(number);
        return found;
      },
      issuesClosedBetween: (from, to) => {
        this.closed.push([from, to]);
        const issues = [...source.issuesClosedBetween(from, to)];
        for (const { number } of issues) this.issues.add(number);
        return issues;
      },
    };
  }

  /** Whether a commit, or a pull request with this merge commit, was read. */
  hasCommit(sha: string): boolean {
    return this.names.has(hashOf(sha));
  }

  /** Whether a pull request was read, by its number or by an index of pull requests. */
  hasPull(number: number): boolean {
    return this.pulls.has(number);
  }

  /** Whether an issue was read, by its number or by the time at which it was closed. */
  hasIssue(number: number): boolean {
    return this.issues.has(number);
  }

  /**
   * Whether what was read depends on a row. The rows of tags, label changes and comparisons count always.
   * @param isNumbered whether a pull request counts because it is in a range of numbers that was read
   */
  touches({ table, key }: WrittenRow, isNumbered = true): boolean {
    const [first = '', second = ''] = key;
    const number = Number(first);
    switch (table) {
      case 'pulls':
        return this.pulls.has(number) || (isNumbered && isIn(this.numbered, number));
      case 'pullsByMergeSha':
      case 'commits':
        return this.names.has(hashOf(String(first)));
      case 'pullsByMergedAt':
        return isIn(this.merged, number, false);
      case 'pullsByAuthor':
        return this.names.has(hashOf(`author ${first}`));
      case 'issues':
        return this.issues.has(number);
      case 'issuesByClosedAt':
        return isIn(this.closed, number, false);
      case 'comments':
        return this.commented.has(number);
      case 'commandComments':
        return this.commanded.has(number);
      case 'pushes':
        return this.names.has(hashOf(String(second))) || this.names.has(hashOf(`pushes ${first}`));
      case 'branchHeads':
        return this.names.has(hashOf(`head ${first}`));
      default:
        return true;
    }
  }
}

function isIn(spans: readonly Span[], value: number, isClosed = true): boolean {
  return spans.some(([from, to]) => value >= from && (isClosed ? value <= to : value < to));
}

/** Returns a number of 30 bits, which needs no memory beside the set that contains it. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash >>> 2;
}
