/**
 * Tells which pull requests a run of commits brought, by the host's own merge commit first and the commit's subject after
 * that. Which commits to look at is decided elsewhere.
 */
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import { publicationOfAll } from './publication.ts';
import type { NotesSource } from './source.ts';

export interface Attribution {
  /** In the order in which their commits come, each once. */
  pulls: PullRecord[];
  /** Commits that no merged pull request brought. */
  commitsWithoutPull: CommitRecord[];
  /** Pull requests whose own merge commit was not among the commits. */
  bySubject: Set<number>;
  /** Numbers that commits name as their pull request and that are not captured at all. */
  notCaptured: Set<number>;
  /** Of pull requests whose commits were all seen: the publication of this service that made them all, else undefined. */
  publications: Map<number, string | undefined>;
}

/** A merge of one branch into another brings commits, and is no change of its own. */
const branchMerge = /^Merge (?:remote-tracking )?(?:branch|branches|tag|commit) ['"\u2018]/;
const mergeSubject = /^Merge (?:pull request|PR) #(\d{1,10})(?!\d)/;
/** What all of these begin with. */
const mergeHint = /^\s*(?:Merge|Pull|Auto|Rollup)/;
/** How other hosts and merging bots name what they merge. */
const otherMergeSubjects = [
  /^Merge pull request ['"\u2018].{0,1000}['"\u2019] \([#!](\d{1,10})\) from /,
  /^Merged in .{1,300} \(pull request #(\d{1,10})\)$/,
  /^Pull request #(\d{1,10}): /,
  /^Merged PR (\d{1,10}): /,
  /^(?:Auto merge|Rollup merge) of #(\d{1,10})(?!\d)/,
];
/** The last number in brackets names the pull request; one before it may name an issue or the change that was picked. */
const trailingNumber = /\(#(\d{1,10})\)$/;

/** Pull requests and leftover commits of pushes given oldest first, each push's commits oldest first. */
export function attribute(source: NotesSource, pushes: readonly string[][]): Attribution {
  const pulls = new Map<number, PullRecord>();
  const leftovers: CommitRecord[] = [];
  const byMerge = new Set<number>();
  const notCaptured = new Set<number>();
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
      if (found.pulls.length === 0) {
        if (!commit) isWhole = false;
        else if (!branchMerge.test(commit.message)) waiting.push(commit);
        continue;
      }
      // The host pushes a merge together with the commits it merges or rebases: they belong to the pull request.
      const endsRun = found.merge || (found.exact && index === shas.length - 1);
      const brought = [...(endsRun ? waiting : []), ...(commit && !found.merge ? [commit] : [])];
      if (brought.length > 0) {
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
  return { pulls: [...pulls.values()], commitsWithoutPull: leftovers, bySubject, notCaptured, publications };
}

/** Merged pull requests of one commit: those merged as it, else the one its subject names. */
export function pullsOf(
  source: NotesSource,
  sha: string,
  commit: CommitRecord | undefined,
): { pulls: PullRecord[]; exact: boolean; merge: boolean; unknown?: number } {
  const message = commit?.message ?? '';
  const merge = mergeHint.test(message) ? mergeOf(firstLine(message)) : null;
  const mergedAs = source.pullsMergedAs(sha);
  if (mergedAs.length > 0) return { pulls: mergedAs, exact: true, merge: merge !== null };
  const subject = firstLine(message);
  const digits = merge?.[1] ?? trailingNumber.exec(subject)?.[1];
  if (digits === undefined) return { pulls: [], exact: false, merge: merge !== null };
  const named = source.pull(Number(digits));
  if (named?.state === 'merged') return { pulls: [named], exact: false, merge: merge !== null };
  const unknown = named || source.issue(Number(digits)) ? undefined : Number(digits);
  return { pulls: [], exact: false, merge: merge !== null, ...(unknown !== undefined && { unknown }) };
}

function mergeOf(subject: string): RegExpExecArray | null {
  const merge = mergeSubject.exec(subject);
  return merge ?? otherMergeSubjects.map((pattern) => pattern.exec(subject)).find((found) => found !== null) ?? null;
}

/** Whether a commit is called like a pull request, with its number at the end. */
export function endsWithNumber(message: string): boolean {
  return trailingNumber.test(firstLine(message));
}

/** The subject of a commit message. */
export function firstLine(message: string): string {
  const end = message.search(/[\r\n]/);
  return (end === -1 ? message : message.slice(0, end)).trim();
}
