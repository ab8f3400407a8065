/**
 * Finds what reverts name among the changes of a range. A range can hold thousands of both, so each is looked up and none is
 * searched for: the time grows with the range.
 */
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import { firstLine } from './attribute.ts';

/** Characters of a number in brackets with the blank before it. */
const longestNumber = 14;

/** The changes of a range by what reverts call them. Nothing is put in order before it is asked for. */
export class RevertTargets {
  private readonly pulls: readonly PullRecord[];
  private readonly commits: readonly CommitRecord[];
  private pullsByTitle: Map<string, PullRecord[]> | undefined;
  private commitsByTitle: Map<string, CommitRecord> | undefined;
  private commitsBySha: CommitRecord[] | undefined;

  constructor(pulls: readonly PullRecord[], commits: readonly CommitRecord[] = []) {
    this.pulls = pulls;
    this.commits = commits;
  }

  get hasCommits(): boolean {
    return this.commits.length > 0;
  }

  /** The newest pull request of a title that was merged before the one that takes it back. */
  pullTitled(title: string, revert: PullRecord): PullRecord | undefined {
    this.pullsByTitle ??= pullsByTitle(this.pulls);
    const alike = this.pullsByTitle.get(titleOf(title)) ?? [];
    const from = firstWhere(alike, (pull) => mergedAt(pull) <= mergedAt(revert));
    return alike.slice(from, from + 2).find(({ number }) => number !== revert.number);
  }

  /** The newest commit whose first line is a title. */
  commitTitled(title: string): CommitRecord | undefined {
    this.commitsByTitle ??= new Map(this.commits.map((commit) => [firstLine(commit.message), commit]));
    return this.commitsByTitle.get(title);
  }

  /** A commit whose sha begins like this; of several the first by sha. */
  commitNamed(sha: string, except?: CommitRecord): CommitRecord | undefined {
    this.commitsBySha ??= this.commits.toSorted((a, b) => (a.sha < b.sha ? -1 : 1));
    const from = firstWhere(this.commitsBySha, (commit) => commit.sha >= sha);
    const next = this.commitsBySha.slice(from, from + 2);
    return next.find((commit) => commit !== except && commit.sha.startsWith(sha));
  }
}

/** Merged pull requests by their titles, the newest of each first. */
function pullsByTitle(pulls: readonly PullRecord[]): Map<string, PullRecord[]> {
  const found = new Map<string, PullRecord[]>();
  for (const pull of pulls.filter(({ state }) => state === 'merged').sort(newestFirst)) {
    const title = titleOf(pull.title);
    const alike = found.get(title);
    if (alike) alike.push(pull);
    else found.set(title, [pull]);
  }
  return found;
}

/** A title without numbers in brackets at its end; letters count alike, capital or not. */
function titleOf(title: string): string {
  let text = title.trimEnd();
  for (;;) {
    // The end alone: from each of many numbers, all that follow would be looked at again.
    const number = / ?\(#\d{1,10}\)$/.exec(text.slice(-longestNumber))?.[0];
    if (number === undefined) return text.trim().toLowerCase();
    text = text.slice(0, -number.length);
  }
}

/** The place of the first item for which something holds, which holds for all after it. */
function firstWhere<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(items[middle] as Item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function mergedAt(pull: PullRecord): number {
  return pull.mergedAt ?? 0;
}

function newestFirst(a: PullRecord, b: PullRecord): number {
  return mergedAt(b) - mergedAt(a) || b.number - a.number;
}
