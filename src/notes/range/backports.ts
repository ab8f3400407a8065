/**
 * Finds what a pull request carries to another branch: one change, as a backport does, or several changes, as a bulk
 * cherry-pick does. Each carried change becomes an entry under its own title.
 */
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import { visibleProse } from '../change/scan.ts';
import { parseTitle } from '../change/title.ts';
import { endNumber, firstLine, pullsOf } from './attribute.ts';
import { branchNow } from './branches.ts';
import { MergedCommits } from './merged-commits.ts';
import type { NotesSource } from './source.ts';

/**
 * A change that a pull request carries: the captured pull request that made it, or only the commit that carries it, if
 * no captured pull request is known.
 */
export type CarriedChange = { pull: PullRecord } | { commit: CommitRecord };

const phrases =
  /\b(?:(?:manual |automated |automatic |clean )?(?:back-?port|cherry[- ]?pick)(?:s|ed|ing)?(?: of| from|:)?(?: (?:pull request|PR))?:? #(\d{1,10})(?!\w)|cherry[- ]picked from commit ([0-9a-f]{7,64})\b)/gi;
const heads = [
  /(?:^|\/)cherry-pick-(\d{1,10})-to-/,
  /(?:^|\/)backport[-/](\d{1,10})(?:-|$)/,
  /^mergify\/bp\/.{1,200}\/pr-(\d{1,10})$/,
  /(?:back-?port|cherry-?pick).{0,80}?(?:\bpr-?|#)(\d{1,10})(?!\d)/i,
];
const pickedFrom = /\(?cherry[- ]picked from commit ([0-9a-f]{7,64})\b/i;
/** Matches a line that announces a list of carried changes. */
const announcement =
  /^(?:[#*_>\s-]*)(?:this (?:pr|pull request) )?(?:includes?|contains?|cherry[- ]?picks?|back-?ports?|cherry[- ]picked|backported)\b[^#]{0,120}[:：]?[*_\s]*$/i;
const listMark = /^\s*(?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?/;
/** Maximum length of such a line, in characters. */
const maxAnnouncement = 300;
/** Most pull requests carry no change to another branch. */
const none: readonly never[] = [];
/** Maximum length of a word that can be a reference: an address or the name of a repository with a number. */
const maxReference = 300;

/**
 * Returns the captured pull requests that `pull` carries to another branch. The result is empty when `pull` goes into
 * the default branch, or when nothing names an original.
 */
export function originalsOf(source: NotesSource, pull: PullRecord): readonly PullRecord[] {
  const picks = picksOf(source, pull);
  return picks.length === 0 ? none : picks.flatMap((pick) => ('pull' in pick ? [pick.pull] : []));
}

/**
 * Returns the changes that `pull` carries to another branch, each once. If the body lists several pull requests, or if
 * several commits say that they are cherry-picked, each of them is carried. Otherwise at most one change is carried. A
 * number at the end of the title is used only if there is another sign of a backport.
 */
export function picksOf(source: NotesSource, pull: PullRecord): readonly CarriedChange[] {
  const { defaultBranch } = source.repository;
  const base = baseOf(source, pull);
  if (base === null || defaultBranch === null || base === defaultBranch) return none;
  const several = bulk(source, pull, base);
  if (several.length > 1) return several;
  for (const candidate of candidates(source, pull)) {
    if (isOriginal(source, candidate, pull, base)) return [{ pull: candidate }];
  }
  return several;
}

function baseOf(source: NotesSource, pull: PullRecord): string | null {
  return branchNow(source, pull.baseRef, pull.mergedAt ?? pull.updatedAt);
}

/** Whether `candidate` is a merged pull request to a branch other than the branch `base` of `pull`. */
function isOriginal(source: NotesSource, candidate: PullRecord, pull: PullRecord, base: string): boolean {
  return candidate.state === 'merged' && candidate.number !== pull.number && baseOf(source, candidate) !== base;
}

function* candidates(source: NotesSource, pull: PullRecord): Iterable<PullRecord> {
  const head = heads.map((pattern) => pattern.exec(pull.headRef ?? '')?.[1]).find((digits) => digits !== undefined);
  if (head !== undefined) yield* captured(source, head);
  for (const [, digits, sha] of `${pull.title}\n${visibleProse(pull.body)}`.matchAll(phrases)) {
    if (sha !== undefined) yield* pullsOf(source, sha, source.commit(sha)).pulls;
    else yield* captured(source, digits as string);
  }
  const trailing = /\(#(\d{1,10})\)\s*$/.exec(pull.title)?.[1];
  const hinted =
    parseTitle(pull.title).target !== null || pull.author.bot || /back-?port|cherry-?pick/i.test(pull.headRef ?? '');
  if (trailing !== undefined && hinted) yield* captured(source, trailing);
}

/** Returns the changes of a bulk cherry-pick: those that the body lists, then those of its cherry-picked commits. */
function bulk(source: NotesSource, pull: PullRecord, base: string): CarriedChange[] {
  const picks = new Map<string, CarriedChange>();
  const add = (original: PullRecord | undefined, commit?: CommitRecord): void => {
    if (original && isOriginal(source, original, pull, base)) picks.set(`#${original.number}`, { pull: original });
    else if (commit) picks.set(commit.sha, { commit });
  };
  for (const number of listedNumbers(pull.body, source)) add(source.pull(number));
  for (const commit of pickedCommits(source, pull)) add(originalOfCommit(source, commit), commit);
  return [...picks.values()];
}

/**
 * Returns the numbers of the list of a body. A line counts if it is nothing but a reference. Below a line such as
 * "Includes the following:", each item of the list counts that begins or ends with a reference.
 */
function listedNumbers(body: string, { repository }: NotesSource): number[] {
  if (!/#\d|\/pull\/\d/.test(body)) return [];
  const name = repository.fullName.toLowerCase();
  const base = `${repository.url}/pull/`.toLowerCase();
  const found: number[] = [];
  let isAnnounced = false;
  for (const line of visibleProse(body).split('\n')) {
    const isItem = listMark.test(line);
    const text = line.replace(listMark, '').trim();
    if (text === '') continue;
    const only = numberOf(text, name, base);
    if (only !== undefined) found.push(only);
    else if (isItem && isAnnounced) found.push(...endsOf(text, name, base));
    else if (!isItem) isAnnounced = text.length <= maxAnnouncement && announcement.test(line);
  }
  return found;
}

function endsOf(text: string, name: string, base: string): number[] {
  const words = text.split(/\s+/);
  const ends = [words.at(-1) ?? '', words[0] ?? ''].map((word) =>
    word.length > maxReference ? undefined : numberOf(word.replace(/^[([]+|[)\].,:;]+$/g, ''), name, base),
  );
  const number = ends.find((end) => end !== undefined);
  return number === undefined ? [] : [number];
}

/** Returns the number of a reference to a pull request of this repository. */
function numberOf(text: string, name: string, base: string): number | undefined {
  const bare = text.toLowerCase();
  if (bare.startsWith(base)) return numberIn(/^(\d{1,10})\/?$/.exec(bare.slice(base.length))?.[1]);
  const [, repository, digits] = /^([\w-]{1,39}\/[\w.-]{1,100})?#(\d{1,10})$/.exec(bare) ?? [];
  return repository === undefined || repository === name ? numberIn(digits) : undefined;
}

function numberIn(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Returns the commits of a pull request that say that they are cherry-picked. The commits of a squash are read from the
 * message of the merge commit.
 */
function pickedCommits(source: NotesSource, pull: PullRecord): CommitRecord[] {
  const merge = pull.mergeSha === null ? undefined : source.commit(pull.mergeSha);
  if (!merge) return [];
  const squashed = squashedCommits(merge);
  if (squashed.length > 0) return squashed;
  return MergedCommits.of(source)
    .commitsOf(pull)
    .filter(({ message }) => pickedFrom.test(message));
}

/** Splits the message of a squash at the lines that name its commits. */
function squashedCommits(merge: CommitRecord): CommitRecord[] {
  if (!pickedFrom.test(merge.message)) return [];
  const parts = merge.message.split(/\r?\n(?=\* \S)/).slice(1);
  return parts.flatMap((part) => {
    const sha = pickedFrom.exec(part)?.[1];
    return sha === undefined ? [] : [{ ...merge, sha, message: part.replace(/^\* /, '') }];
  });
}

/** Returns the captured pull request that made the change which a commit carries to another branch. */
export function originalOfCommit(source: NotesSource, { message }: CommitRecord): PullRecord | undefined {
  const sha = pickedFrom.exec(message)?.[1];
  if (sha === undefined) return undefined;
  const [merged] = pullsOf(source, sha, source.commit(sha)).pulls;
  if (merged) return merged;
  const number = endNumber(firstLine(message));
  return number === undefined ? undefined : source.pull(number);
}

function captured(source: NotesSource, digits: string): PullRecord[] {
  const pull = source.pull(Number(digits));
  return pull ? [pull] : [];
}
