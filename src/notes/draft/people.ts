/**
 * Tells who made a release: authors and co-authors, without bots and without accounts that are gone; and who did so for
 * the first time, if the captured history reaches back far enough to know.
 */
import type { PullRecord } from '../../protocol/stored.ts';
import type { NotesSource } from '../range/source.ts';
import { byMerge } from '../range/window.ts';

/** Somebody's first merged pull request. */
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
/** How accounts of machines are named that the host takes for people. */
const botNames = /\[bot\]$|[-_](?:ro)?bot$|^(?:ro)?bot[-_]/;
/** Numbers looked at to tell whether earlier history is captured, and how many may be missing (discussions share the numbers). */
const probes = 40;
const missingProbes = 2;

/** A person who can be credited. */
export function isPerson(login: string, bot = false): boolean {
  const name = login.toLowerCase();
  return !bot && name !== '' && name !== 'ghost' && !botNames.test(name) && !knownBots.has(name);
}

/** People behind a pull request, the author first; co-authors as the merge commit names them. */
export function peopleOf(source: NotesSource, pull: PullRecord): string[] {
  const author = isPerson(pull.author.login, pull.author.bot) ? [pull.author.login] : [];
  const coAuthors = (pull.mergeSha !== null && source.commit(pull.mergeSha)?.coAuthors) || [];
  if (coAuthors.length === 0) return author;
  return distinctLogins([...author, ...coAuthors.filter((login) => isPerson(login))]);
}

/** Logins once each, case aside, in the order given. */
export function distinctLogins(logins: Iterable<string>): string[] {
  const found = new Map<string, string>();
  for (const login of logins) {
    const name = login.toLowerCase();
    if (!found.has(name)) found.set(name, login);
  }
  return [...found.values()];
}

/**
 * Authors of these pull requests (in merge order) who had none merged before. Claims nothing where the numbers before
 * theirs are not captured.
 */
export function firstContributions(source: NotesSource, pulls: readonly PullRecord[]): FirstContribution[] {
  const logins = new Set<string>();
  for (const { author } of pulls) if (!author.bot) logins.add(author.login);
  const people = [...logins].filter((login) => isPerson(login));
  const numbers = new Set(people.map((login) => source.firstPullBy(login)));
  const first = pulls.filter(({ number }) => numbers.has(number));
  if (first.length === 0 || !reachesBack(source, pulls)) return [];
  return first.sort(byMerge).map((pull) => ({ login: pull.author.login, pull }));
}

/** Samples the numbers below those of the range: nearly all must be captured. */
function reachesBack(source: NotesSource, pulls: readonly PullRecord[]): boolean {
  const lowest = Math.min(...pulls.map(({ number }) => number));
  let missing = 0;
  for (let probe = 0; probe < probes; probe += 1) {
    const number = 1 + Math.floor((probe * (lowest - 1)) / probes);
    if (number < lowest && !source.pull(number) && !source.issue(number)) missing += 1;
  }
  return missing <= missingProbes;
}
