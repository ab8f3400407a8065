/**
 * Lists the people of a release: authors and co-authors, without bots and deleted accounts. It also lists first
 * contributions, as the host reports them or as the captured history shows them.
 */
import type { CommitRecord, PullRecord } from '../../protocol/stored.ts';
import type { NotesSource } from '../range/source.ts';
import { byMerge } from '../range/window.ts';

/** A person's first merged pull request. */
export interface FirstContribution {
  login: string;
  pull: PullRecord;
}

const knownBots = new Set([
  'dependabot',
  'dependabot-preview',
  'renovate',
  'pre-commit-ci',
  'github-actions',
  'mergify',
  'copilot',
  'copilot-swe-agent',
  'allcontributors',
  'greenkeeper',
  'web-flow',
  'weblate',
  'bors',
]);
/** Names of bot accounts that the host does not mark as bots. */
const botNames = /\[bot\]$|[-_](?:ro)?bot$|^(?:ro)?bot[-_]/;
/**
 * `probes` is the number of samples that check whether earlier history is captured. Each sample is a number below the
 * lowest pull request number of the range. At most `missingProbes` samples may have no captured pull request or issue.
 * Discussions use the same sequence of numbers, so some numbers are missing even if all history is captured.
 */
const probes = 40;
const missingProbes = 2;

/** Whether an account is a person who can be credited. */
export function isPerson(login: string, bot = false): boolean {
  const name = login.toLowerCase();
  return !bot && name !== '' && name !== 'ghost' && !botNames.test(name) && !knownBots.has(name);
}

/** Returns the people of a pull request: the author, then co-authors from the merge commit. */
export function peopleOf(source: NotesSource, pull: PullRecord): string[] {
  const author = isPerson(pull.author.login, pull.author.bot) ? [pull.author.login] : [];
  const coAuthors = (pull.mergeSha !== null && source.commit(pull.mergeSha)?.coAuthors) || [];
  if (coAuthors.length === 0) return author;
  return distinctLogins([...author, ...coAuthors.filter((login) => isPerson(login))]);
}

/** Returns the people of a commit without a pull request: its author, if the push names the author, then co-authors. */
export function peopleOfCommit({ author, coAuthors }: CommitRecord): string[] {
  return distinctLogins([author ?? '', ...coAuthors].filter((login) => isPerson(login)));
}

/** Returns each login once without regard to case, in the given order. */
export function distinctLogins(logins: Iterable<string>): string[] {
  const found = new Map<string, string>();
  for (const login of logins) {
    const name = login.toLowerCase();
    if (!found.has(name)) found.set(name, login);
  }
  return [...found.values()];
}

/**
 * Returns the first contributions among the given pull requests, in merge order. A first contribution is the earliest
 * captured merged pull request of its author, under one of these conditions (`firstTime` in the record):
 * - The host called the author a first-time contributor. Earlier history need not be captured. Example: of two pull
 *   requests that a newcomer opened on one day, only the one merged first is listed.
 * - The host did not show it, for instance because a backfill read the pull request after its merge. Then the history
 *   before the given pull requests must be captured.
 *
 * If the host called the author a contributor before the merge, the pull request is never listed. Example: the author
 * has committed before without a pull request, or under a former login.
 */
export function firstContributions(source: NotesSource, pulls: readonly PullRecord[]): FirstContribution[] {
  const logins = new Set<string>();
  for (const { author, firstTime } of pulls) if (!author.bot && firstTime !== false) logins.add(author.login);
  const people = [...logins].filter((login) => isPerson(login));
  const numbers = new Set(people.map((login) => source.firstPullBy(login)));
  const first = pulls.filter(({ number, firstTime }) => numbers.has(number) && firstTime !== false);
  const isUnclear = first.some(({ firstTime }) => firstTime === undefined);
  const counts = isUnclear && !reachesBack(source, pulls) ? first.filter(({ firstTime }) => firstTime) : first;
  return counts.sort(byMerge).map((pull) => ({ login: pull.author.login, pull }));
}

/**
 * Whether the history before the range is captured. The function samples numbers below the lowest number in the range.
 * Pull requests or issues with nearly all of these numbers must be captured.
 */
function reachesBack(source: NotesSource, pulls: readonly PullRecord[]): boolean {
  const lowest = Math.min(...pulls.map(({ number }) => number));
  let missing = 0;
  for (let probe = 0; probe < probes; probe += 1) {
    const number = 1 + Math.floor((probe * (lowest - 1)) / probes);
    if (number < lowest && !source.pull(number) && !source.issue(number)) missing += 1;
  }
  return missing <= missingProbes;
}
