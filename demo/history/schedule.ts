/**
 * Adds the facts that the content files leave open: the author of a change, the times of its opening and merge, its
 * number and its hashes. The result is a plan without payloads. The timeline turns the plan into deliveries.
 */

import { type Change, change, type Milestone, type Report } from './change.ts';
import { changesOf } from './changes.ts';
import { branchCommitSubjects } from './content/remarks.ts';
import { answeredReports } from './content/upkeep.ts';
import { bot, maintainers, newcomers, type Person, regulars, reporters } from './people.ts';
import type { PlannedIssue, PlannedPullRequest, Schedule } from './plan.ts';
import type { Random } from './random.ts';
import { patchRelease, type Release, releases, sampleRepository, toSeconds } from './repository.ts';

const minute = 60;
const hour = 3600;
const day = 24 * hour;
const birth = toSeconds(sampleRepository.createdAt);

/**
 * Makes the plan of the whole history. Every number is unique, and pull requests and issues are opened in the order of
 * their numbers.
 */
export function createSchedule(random: Random): Schedule {
  const pullRequests = releases.flatMap((release) => planRelease(random, release));
  pullRequests.push(...planPatchRelease(random, pullRequests));
  linkReverts(pullRequests);
  const answered = answeredReports.map((report, index) => planAnswered(random, report, index));
  const issues = [...pullRequests.filter(closesIssues).flatMap((pull) => pull.issues), ...answered];
  dealNumbers(pullRequests, issues);
  return { pullRequests, issues };
}

/**
 * Whether the pull request closes issues of its own. A backport closes no issues, but mentions the issues of its
 * original pull request.
 */
function closesIssues(pull: PlannedPullRequest): boolean {
  return pull.change.backportOf === undefined;
}

function planRelease(random: Random, release: Release): PlannedPullRequest[] {
  const changes = inMergeOrder(random, changesOf(release.milestone));
  const authors = chooseAuthors(random, changes, release.milestone);
  const lastMerge = release.tag === null ? release.end : release.end - 3 * hour;
  const step = (lastMerge - release.start) / changes.length;
  const plans = changes.map((each, index) => {
    const endedAt = Math.floor(release.start + step * (index + random.fraction() * 0.8));
    return planChange(random, each, { milestone: release.milestone, endedAt, author: authors[index]! });
  });
  if (release.tag !== null) plans.push(planReleaseChange(random, release.tag.name, release.milestone, release.end));
  return plans;
}

/**
 * Shuffles the changes. Early changes stay early, late changes stay late, and dependency updates keep their written
 * order.
 */
function inMergeOrder(random: Random, changes: Change[]): Change[] {
  const bumps = changes.filter((each) => each.byBot);
  const positionOf = (each: Change): number => {
    if (each.byBot) return (bumps.indexOf(each) + random.fraction()) / bumps.length;
    if (each.position === 'early') return random.fraction() * 0.1;
    return each.position === 'late' ? 0.9 + random.fraction() * 0.1 : random.fraction();
  };
  const placed = changes.map((each) => ({ each, position: positionOf(each) }));
  return placed.sort((left, right) => left.position - right.position).map(({ each }) => each);
}

/**
 * Chooses authors. Newcomers get one small change each, and all other changes go to regular contributors and
 * maintainers.
 */
function chooseAuthors(random: Random, changes: Change[], milestone: Milestone): Person[] {
  const authors = changes.map((each) => {
    if (each.byBot) return bot;
    return each.reverts === undefined && random.chance(0.5) ? random.pick(regulars) : random.pick(maintainers);
  });
  const small = changes.flatMap((each, index) => (isSmall(each) ? [index] : []));
  const chosen = random.shuffle(small);
  newcomers[milestone].forEach((newcomer, index) => {
    authors[chosen[index]!] = newcomer;
  });
  return authors;
}

function isSmall(each: Change): boolean {
  const isPlain = !each.labels.includes('priority: high') && !each.labels.includes('type: breaking');
  return isPlain && each.outcome === 'merged' && !each.byBot && each.reverts === undefined && each.key === undefined;
}

type Circumstances = {
  milestone: Milestone;
  endedAt: number;
  author: Person;
  base?: string;
  branch?: string;
  lifetime?: number;
};

function planChange(random: Random, each: Change, given: Circumstances): PlannedPullRequest {
  const others = [...maintainers, ...regulars.slice(0, 4)].filter((who) => who !== given.author);
  const lifetime = given.lifetime ?? random.between(3 * hour, 7 * day);
  const openedAt = Math.max(birth + random.between(hour, 6 * hour), given.endedAt - lifetime);
  const isPlain = !each.byBot && given.branch === undefined && each.reverts === undefined;
  const branchCommits = isPlain && random.chance(0.16) ? planBranchCommits(random, each) : [];
  return {
    number: 0,
    change: each,
    milestone: given.milestone,
    author: given.author,
    coAuthors: isPlain && random.chance(0.08) ? [random.pick(others)] : [],
    mergedBy: random.pick(maintainers.filter((who) => who !== given.author)),
    base: given.base ?? sampleRepository.defaultBranch,
    branch: given.branch ?? branchName(each),
    fromFork: isPlain,
    openedAt,
    endedAt: each.outcome === 'open' ? null : given.endedAt,
    headSha: branchCommits.at(-1)?.sha ?? random.hex(40),
    testMergeSha: random.hex(40),
    mergeSha: random.hex(40),
    branchCommits,
    issues: each.closes.map((report) => planIssue(random, report, openedAt)),
  };
}

function planBranchCommits(random: Random, each: Change): PlannedPullRequest['branchCommits'] {
  const following = random.shuffle(branchCommitSubjects).slice(0, random.between(1, 3));
  return [each.title, ...following].map((subject) => ({ sha: random.hex(40), subject }));
}

function planIssue(random: Random, report: Report, before: number): PlannedIssue {
  const earliest = birth + random.between(5 * minute, 50 * minute);
  const openedAt = Math.max(earliest, before - random.between(2 * hour, 20 * day));
  return { number: 0, report, reporter: random.pick(reporters), openedAt };
}

function planAnswered(random: Random, report: Report & { answer: string }, index: number): PlannedIssue {
  const release = releases[index + 1] ?? releases[0]!;
  const openedAt = release.start + random.between(day, 6 * day);
  const answer = { text: report.answer, at: openedAt + random.between(2 * hour, 2 * day) };
  return { number: 0, report, reporter: random.pick(reporters), openedAt, answer };
}

function planReleaseChange(random: Random, tag: string, milestone: Milestone, end: number, base?: string) {
  const title = tag === 'v2.0.0' ? 'chore(main): release 2.0.0' : `Release ${tag}`;
  const body = `Sets the version to ${tag.slice(1)} and closes the changelog of this release.`;
  return planChange(random, change(title, body), {
    milestone,
    endedAt: end - 20 * minute,
    author: maintainers[0]!,
    branch: `prepare-${tag}`,
    lifetime: 70 * minute,
    ...(base === undefined ? {} : { base }),
  });
}

function planPatchRelease(random: Random, merged: PlannedPullRequest[]): PlannedPullRequest[] {
  const { branch, branchedAt, end, keys, tag } = patchRelease;
  const ports = keys.map((key, index) => {
    const original = findByKey(merged, key);
    const { title, labels } = original.change;
    const port = change(`[${branch}] ${title}`, '', { labels, backportOf: key });
    const endedAt = branchedAt + (index + 1) * 11 * hour + random.between(0, hour);
    const given = { milestone: original.milestone, endedAt, author: maintainers[1]!, base: branch, lifetime: 8 * hour };
    return { ...planChange(random, port, { ...given, branch: `backport-${key}-to-${branch}` }), original };
  });
  return [...ports, planReleaseChange(random, tag.name, 'v1.3.0', end, branch)];
}

function linkReverts(pulls: PlannedPullRequest[]): void {
  for (const pull of pulls) {
    if (pull.change.reverts !== undefined) pull.original = findByKey(pulls, pull.change.reverts);
  }
}

function findByKey(pulls: PlannedPullRequest[], key: string): PlannedPullRequest {
  const found = pulls.find((pull) => pull.change.key === key);
  if (found === undefined) throw new Error(`No change has the key ${key}`);
  return found;
}

/**
 * Gives issues and pull requests their numbers from one sequence, in the order of opening. No two of them are opened in
 * the same second.
 */
function dealNumbers(pulls: PlannedPullRequest[], issues: PlannedIssue[]): void {
  const openings = [...issues, ...pulls].sort((left, right) => left.openedAt - right.openedAt);
  let previous = birth;
  openings.forEach((opening, index) => {
    opening.number = index + 1;
    opening.openedAt = Math.max(opening.openedAt, previous + 1);
    previous = opening.openedAt;
  });
}

function branchName(each: Change): string {
  const words = each.title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .split('-')
    .filter((word) => word !== '');
  if (each.byBot) return `harbourmaster/${words.slice(1).join('-')}`;
  return words.slice(0, 5).join('-');
}
