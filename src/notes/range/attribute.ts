/**
 * Finds the pull requests that the commits in a list belong to. If the host reported a commit as the merge commit of a
 * pull request, the commit belongs to this pull request. For any other commit, the number in the commit's subject names
 * the pull request. The caller decides which commits to examine.
 */
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import { isForeign } from './foreign-numbers.ts';
import { leavesOpen, publicationOfAll } from './publication.ts';
import type { NotesSource } from './source.ts';

export interface Attribution {
  /** The pull requests, each once, in the order of their commits. */
  pulls: PullRecord[];
  /** Commits that belong to no merged pull request. */
  commitsWithoutPull: CommitRecord[];
  /**
   * Numbers of the pull requests that were found only by the subject of a commit. Their own merge commit is not among
   * the given commits.
   */
  bySubject: Set<number>;
  /** Numbers of the pull requests that commits name as their own, but that are not captured at all. */
  notCaptured: Set<number>;
  /** Commits that name a pull request of another repository, by sha, with its number (`foreign-numbers.ts`). */
  foreign: Map<string, number>;
  /**
   * Maps the number of a pull request to the id of the publication that made its commits (`publication.ts`). The value
   * is undefined if a commit was not made by a publication, or is not captured. The map contains only pull requests
   * with at least one captured commit that is not a merge.
   */
  publications: Map<number, string | undefined>;
}

/**
 * Matches the subject of a merge of one branch into another. Such a commit contains other commits, but is not a change
 * of its own.
 */
const branchMerge = /^Merge (?:remote-tracking )?(?:branch|branches|tag|commit) ['"\u2018]/;
const mergeSubject = /^Merge (?:pull request|PR) #(\d{1,10})(?!\d)/;
/** The words that all merge subjects begin with. */
const mergeHint = /^\s*(?:Merge|Pull|Auto|Rollup)/;
/** Further forms of merge subjects, which some hosts and merge bots use. */
const otherMergeSubjects = [
  /^Merge pull request ['"\u2018].{0,1000}['"\u2019] \([#!](\d{1,10})\) from /,
  /^Merged in .{1,300} \(pull request #(\d{1,10})\)$/,
  /^Pull request #(\d{1,10}): /,
  /^Merged PR (\d{1,10}): /,
  /^(?:Auto merge|Rollup merge) of #(\d{1,10})(?!\d)/,
];
/**
 * Matches the number in brackets at the end of a subject. The last number names the pull request. An earlier number may
 * name an issue or the change that was cherry-picked.
 */
const trailingNumber = /\(#(\d{1,10})\)$/;

/**
 * Returns the pull requests of pushes, and the commits that belong to no pull request. The caller passes the pushes
 * with the oldest first, and the commits of each push in the same order.
 */
export function attribute(source: NotesSource, pushes: readonly string[][]): Attribution {
  const pulls = new Map<number, PullRecord>();
  const leftovers: CommitRecord[] = [];
  const byMerge = new Set<number>();
  const notCaptured = new Set<number>();
  const foreign = new Map<string, number>();
  const publications = new Map<number, string | undefined>();
  for (const shas of pushes) {
    let waiting: CommitRecord[] = [];
    let isWhole = true;
    for (let index = 0; index < shas.length; index += 1) {
      const sha = shas[index] as string;
      const commit = source.commit(sha);
      const found = pullsOf(source, sha, commit);
      for (const pull of found.pulls) {
        if (!pulls.has(pull.number)) pulls.set(pull.number, pull);
        if (found.exact) byMerge.add(pull.number);
      }
      if (found.unknown !== undefined) notCaptured.add(found.unknown);
      if (found.foreign !== undefined) foreign.set(sha, found.foreign);
      if (found.pulls.length === 0) {
        if (!commit) isWhole = false;
        else if (!branchMerge.test(commit.message)) waiting.push(commit);
        continue;
      }
      // A push contains a merge together with the commits that were merged or rebased. These commits belong to the
      // merged pull request.
      const endsRun = found.merge || (found.exact && index === shas.length - 1);
      const brought = [...(endsRun ? waiting : []), ...(commit && !found.merge ? [commit] : [])];
      if (brought.length > 0 && !leavesOpen(brought)) {
        const publication = isWhole || !endsRun ? publicationOfAll(brought) : undefined;
        for (const { number } of found.pulls)
          publications.set(number, publications.has(number) && !publications.get(number) ? undefined : publication);
      }
      if (endsRun) [waiting, isWhole] = [[], true];
    }
    leftovers.push(...waiting);
  }
  const bySubject = new Set<number>();
  for (const number of pulls.keys()) if (!byMerge.has(number)) bySubject.add(number);
  return { pulls: [...pulls.values()], commitsWithoutPull: leftovers, bySubject, notCaptured, foreign, publications };
}

/**
 * Returns the merged pull requests of one commit: the pull requests whose merge commit is this commit, else the pull
 * request that the commit's subject names. `unknown` is a number that is not captured, and `foreign` is a number of
 * another repository.
 */
export function pullsOf(
  source: NotesSource,
  sha: string,
  commit: CommitRecord | undefined,
): { pulls: PullRecord[]; exact: boolean; merge: boolean; unknown?: number; foreign?: number } {
  const message = commit?.message ?? '';
  const merge = mergeHint.test(message) ? mergeOf(firstLine(message)) : null;
  const mergedAs = source.pullsMergedAs(sha);
  if (mergedAs.length > 0) return { pulls: mergedAs, exact: true, merge: merge !== null };
  const subject = firstLine(message);
  const digits = merge?.[1] ?? trailingNumber.exec(subject)?.[1];
  if (digits === undefined) return { pulls: [], exact: false, merge: merge !== null };
  const number = Number(digits);
  const named = source.pull(number);
  // The number of an issue or of a pull request that is not merged.
  const isOther = named ? named.state !== 'merged' : source.issue(number) !== undefined;
  if (commit && !isOther && isForeign(source, commit, number, wordsOf(message, subject, merge !== null), named)) {
    return { pulls: [], exact: false, merge: merge !== null, foreign: number };
  }
  if (named?.state === 'merged') return { pulls: [named], exact: false, merge: merge !== null };
  const unknown = isOther ? undefined : number;
  return { pulls: [], exact: false, merge: merge !== null, ...(unknown !== undefined && { unknown }) };
}

/** Returns the words of a commit that describe its change. Under the subject of a merge, hosts write the title. */
function wordsOf(message: string, subject: string, isMerge: boolean): string {
  return isMerge ? message.slice(subject.length) : subject.replace(trailingNumber, '');
}

function mergeOf(subject: string): RegExpExecArray | null {
  const merge = mergeSubject.exec(subject);
  return merge ?? otherMergeSubjects.map((pattern) => pattern.exec(subject)).find((found) => found !== null) ?? null;
}

/** Whether a commit only merges one branch into another. */
export function isBranchMerge(message: string): boolean {
  return branchMerge.test(message);
}

/** Whether the subject of a commit ends with the number of a pull request: `Add search (#12)`. */
export function endsWithNumber(message: string): boolean {
  return trailingNumber.test(firstLine(message));
}

/** Returns the number at the end of a subject: 12 for `Add search (#12)`. */
export function endNumber(subject: string): number | undefined {
  const digits = trailingNumber.exec(subject)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Returns the subject of a commit message. */
export function firstLine(message: string): string {
  const end = message.search(/[\r\n]/);
  return (end === -1 ? message : message.slice(0, end)).trim();
}
