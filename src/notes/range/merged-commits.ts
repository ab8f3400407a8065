/**
 * Finds the pull request whose merge brought a commit to a branch, and the other commits of the same merge. A push lists
 * the commits of a merge before the merge itself.
 */
import type { CommitRecord, PullRecord, PushRecord } from '../../protocol/stored.ts';
import { isBranchMerge, pullsOf } from './attribute.ts';
import type { NotesSource } from './source.ts';
import { wholePush } from './ways-down.ts';

/** A merged pull request, and the commits that its merge brought, oldest first. */
export interface MergedRun {
  pull: PullRecord;
  /** The merge commit. After a rebase, this is the last of the commits. */
  end: string;
  shas: string[];
}

const finders = new WeakMap<NotesSource, MergedCommits>();

/** Finds the merges of the commits in one source. Each push is read once. */
export class MergedCommits {
  private readonly source: NotesSource;
  /** The runs of each push, by the branch and the head of the push. */
  private readonly known = new Map<string, MergedRun[]>();
  private readonly bySha = new Map<string, MergedRun | undefined>();

  private constructor(source: NotesSource) {
    this.source = source;
  }

  /**
   * Returns the finder of a source. All callers with the same source share it, and so read each push once. Most drafts
   * need no finder. One that is kept makes the collection of everything that its source has read costlier.
   */
  static of(source: NotesSource): MergedCommits {
    const finder = finders.get(source) ?? new MergedCommits(source);
    finders.set(source, finder);
    return finder;
  }

  /**
   * Returns the merge that brought the commit with the full hash `sha` to a branch. If several merges did, returns the
   * first one. Returns undefined for a merge commit, and for a commit that was pushed directly.
   */
  broughtBy(sha: string): MergedRun | undefined {
    if (!this.bySha.has(sha)) {
      const runs = this.runsAround(this.source.commit(sha));
      this.bySha.set(
        sha,
        runs.find((run) => run.end !== sha && run.shas.includes(sha)),
      );
    }
    return this.bySha.get(sha);
  }

  /** Returns the commits that the merge of a pull request brought, as far as they are captured. */
  commitsOf({ mergeSha }: PullRecord): CommitRecord[] {
    if (mergeSha === null) return [];
    const run = this.runsAround(this.source.commit(mergeSha)).find(({ end }) => end === mergeSha);
    return (run?.shas ?? []).flatMap((sha) => this.source.commit(sha) ?? []);
  }

  /** Returns the merges in the pushes that list a commit, with the oldest push first. */
  private runsAround(commit: CommitRecord | undefined): MergedRun[] {
    const pushes = (commit?.pushes ?? []).flatMap(([branch, after]) => this.source.push(branch, after) ?? []);
    return pushes.sort((a, b) => a.at - b.at).flatMap((push) => this.runsOf(push));
  }

  private runsOf(push: PushRecord): MergedRun[] {
    const key = `${push.branch} ${push.after}`;
    const runs = this.known.get(key) ?? runsIn(this.source, wholePush(this.source, push));
    this.known.set(key, runs);
    return runs;
  }
}

/** Returns the merges of single pull requests that a push lists, each with the commits that it brought. */
function runsIn(source: NotesSource, shas: readonly string[]): MergedRun[] {
  const runs: MergedRun[] = [];
  let waiting: string[] = [];
  for (const [index, sha] of shas.entries()) {
    const commit = source.commit(sha);
    const { pulls, exact, merge } = pullsOf(source, sha, commit);
    const [pull] = pulls;
    const endsRun = pull !== undefined && (merge || (exact && index === shas.length - 1));
    if (!endsRun) {
      if (!exact && !isBranchMerge(commit?.message ?? '')) waiting.push(sha);
      continue;
    }
    if (pulls.length === 1) runs.push({ pull, end: sha, shas: merge ? waiting : [...waiting, sha] });
    waiting = [];
  }
  return runs;
}
