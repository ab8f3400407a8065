/**
 * Finds the changes that the reverts in a range refer to. A range can contain thousands of changes and thousands of
 * reverts. So each change is found in an index and never by a search over all changes. The time grows in proportion to
 * the number of changes in the range.
 */
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import { firstLine } from './attribute.ts';

/**
 * Maximum length of a pull request's number at the end of a title, in characters. The length includes the brackets and
 * the blank before them, as in ` (#123)`.
 */
const maxNumberLength = 14;

/**
 * Finds the changes of a range by the names that reverts use, such as a title or a sha. Each index is built on first
 * use.
 */
export class RevertTargets {
  private readonly pulls: readonly PullRecord[];
  private readonly commits: readonly CommitRecord[];
  private pullsByTitle: Map<string, PullRecord[]> | undefined;
  private commitsByTitle: Map<string, CommitRecord> | undefined;
  private commitsBySha: CommitRecord[] | undefined;
  /** Titles and shas that reverts have searched for. Changes with other titles and shas have no effect on reverts. */
  readonly asked = { pullTitles: new Set<string>(), commitTitles: new Set<string>(), shas: new Set<string>() };

  constructor(pulls: readonly PullRecord[], commits: readonly CommitRecord[] = []) {
    this.pulls = pulls;
    this.commits = commits;
  }

  get hasCommits(): boolean {
    return this.commits.length > 0;
  }

  /** Returns the newest pull request that has the given title and was merged before `revert`. */
  pullTitled(title: string, revert: PullRecord): PullRecord | undefined {
    this.pullsByTitle ??= pullsByTitle(this.pulls);
    const name = titleOf(title);
    this.asked.pullTitles.add(name);
    const alike = this.pullsByTitle.get(name) ?? [];
    const from = firstWhere(alike, (pull) => mergedAt(pull) <= mergedAt(revert));
    return alike.slice(from, from + 2).find(({ number }) => number !== revert.number);
  }

  /** Returns the newest commit whose first line is the given title. */
  commitTitled(title: string): CommitRecord | undefined {
    this.asked.commitTitles.add(title);
    this.commitsByTitle ??= new Map(this.commits.map((commit) => [firstLine(commit.message), commit]));
    return this.commitsByTitle.get(title);
  }

  /**
   * Returns a commit whose sha begins with the given characters. If several commits match, returns the commit with the
   * lowest sha.
   */
  commitNamed(sha: string, except?: CommitRecord): CommitRecord | undefined {
    this.asked.shas.add(sha);
    this.commitsBySha ??= this.commits.toSorted((a, b) => (a.sha < b.sha ? -1 : 1));
    const from = firstWhere(this.commitsBySha, (commit) => commit.sha >= sha);
    const next = this.commitsBySha.slice(from, from + 2);
    return next.find((commit) => commit !== except && commit.sha.startsWith(sha));
  }
}

/** Returns merged pull requests by title. The newest pull request of each title is first. */
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

/** Returns a title in lower case, without numbers in brackets at its end. */
export function titleOf(title: string): string {
  let text = title.trimEnd();
  for (;;) {
    // Only the end of the text is matched. In a text of many numbers, a search of the whole text would begin at each
    // number and read all later numbers again.
    const number = / ?\(#\d{1,10}\)$/.exec(text.slice(-maxNumberLength))?.[0];
    if (number === undefined) return text.trim().toLowerCase();
    text = text.slice(0, -number.length);
  }
}

/**
 * Returns the index of the first matching item, or the length of the list if no item matches. The list must be sorted
 * so that all matching items come last.
 */
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
