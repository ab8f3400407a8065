/**
 * Sorts the steps of the plan by time and turns each step into the deliveries that a host would send for it. The steps
 * run one after another and change a common state. Every payload therefore shows the state at its own time.
 */

import { remarkSteps } from './conversations.ts';
import { mergeMessage } from './descriptions.ts';
import { closeIssue, issueSteps } from './issues.ts';
import { type Commit, surroundings } from './payloads.ts';
import { bot, maintainers } from './people.ts';
import type { PlannedPullRequest, Schedule } from './plan.ts';
import {
  closePullRequest,
  createPage,
  editPullRequest,
  labelPullRequest,
  openPullRequest,
  type Page,
} from './pull-requests.ts';
import type { Random } from './random.ts';
import {
  createRecording,
  type Delivery,
  deleteBranch,
  pushBranch,
  pushCommits,
  pushTag,
  type Recording,
  record,
  type Step,
} from './recording.ts';
import { patchRelease, releases, sampleRepository, toSeconds } from './repository.ts';

const founder = maintainers[0]!;

/** Returns all deliveries of the plan, oldest first. */
export function playTimeline(random: Random, schedule: Schedule): Delivery[] {
  const steps = [
    ...foundingSteps(random),
    ...releaseSteps(),
    ...schedule.issues.flatMap((issue) => issueSteps(random, issue)),
    ...schedule.pullRequests.flatMap((pull) => pullRequestSteps(random, pull)),
  ];
  const recording = createRecording(random);
  steps.sort((left, right) => left.at - right.at);
  for (const step of steps) step.run(recording);
  return recording.deliveries;
}

function foundingSteps(random: Random): Step[] {
  const at = toSeconds(sampleRepository.createdAt);
  const first: Commit = { sha: random.hex(40), message: 'Start of the public history', author: founder, at, files: [] };
  const ping = {
    zen: 'Keep what you would miss.',
    hook_id: 7041,
    hook: { type: 'Repository', active: true, events: ['*'] },
  };
  return [
    { at, run: (recording) => record(recording, 'ping', { ...ping, ...surroundings(founder, at) }) },
    {
      at: at + 60,
      run: (recording) => pushCommits(recording, sampleRepository.defaultBranch, [first], founder, at + 60),
    },
  ];
}

function releaseSteps(): Step[] {
  const { branch, branchedFrom, branchedAt, end, tag } = patchRelease;
  const tags = releases.flatMap((release): Step[] => {
    const { tag, end } = release;
    if (tag === null) return [];
    return [{ at: end, run: (recording) => pushTag(recording, tag, sampleRepository.defaultBranch, founder, end) }];
  });
  return [
    ...tags,
    {
      at: branchedAt,
      run: (recording) => pushBranch(recording, branch, recording.tags.get(branchedFrom)!, founder, branchedAt),
    },
    { at: end, run: (recording) => pushTag(recording, tag, branch, founder, end) },
  ];
}

function pullRequestSteps(random: Random, pull: PlannedPullRequest): Step[] {
  const page = createPage(random, pull);
  const steps: Step[] = [
    ...branchSteps(pull),
    { at: pull.openedAt, run: (recording) => openPullRequest(recording, page) },
  ];
  page.labelsSoon.forEach((label, index) => {
    const at = pull.openedAt + 25 + index * 9;
    steps.push({ at, run: (recording) => labelPullRequest(recording, page, label, at) });
  });
  steps.push(...remarkSteps(random, page));
  if (pull.endedAt === null) return steps;
  if (pull.change.outcome === 'closed') return [...steps, closingStep(page, pull.endedAt)];
  return [...steps, ...mergeSteps(page, pull.endedAt), ...afterthoughts(random, page, pull.endedAt)];
}

/**
 * Returns one step: the push of a pull request's branch, one second before the pull request is opened. Returns an empty
 * list for a branch in a fork, because a push to a fork is not an event of this repository.
 */
function branchSteps(pull: PlannedPullRequest): Step[] {
  if (pull.fromFork) return [];
  const at = pull.openedAt - 1;
  const commit: Commit = { sha: pull.headSha, message: pull.change.title, author: pull.author, at: at - 40, files: [] };
  const run = (recording: Recording) => pushCommits(recording, pull.branch, [commit], pull.author, at);
  return [{ at, run }];
}

function closingStep(page: Page, at: number): Step {
  return { at, run: (recording) => closePullRequest(recording, page, at) };
}

/**
 * Returns the steps of a merge. As on a real host, the push to the base branch precedes the closing of the pull
 * request. The merge commit is one second older than the merge.
 */
function mergeSteps(page: Page, at: number): Step[] {
  const { pull } = page;
  const push = (recording: Recording) => pushCommits(recording, pull.base, mergedCommits(pull, at), pull.mergedBy, at);
  const steps = [{ at, run: push }, closingStep(page, at)];
  if (!pull.fromFork) {
    steps.push({ at: at + 5, run: (recording) => deleteBranch(recording, pull.branch, pull.mergedBy, at + 5) });
  }
  if (page.linksLate) return steps;
  return [...steps, ...closeIssues(page, at + 1)];
}

/** Returns the steps that close the issues of a pull request. A backport closes no issues. */
function closeIssues(page: Page, at: number): Step[] {
  return page.pull.issues.map((issue, index) => ({
    at: at + index,
    run: (recording) => closeIssue(recording, issue, page.pull.mergedBy, at + index),
  }));
}

function mergedCommits(pull: PlannedPullRequest, at: number): Commit[] {
  const files = [`src/${pull.branch.split('/').at(-1)}.ts`, `test/${pull.branch.split('/').at(-1)}.test.ts`];
  const isMergeCommit = pull.branchCommits.length > 0;
  const author = isMergeCommit ? pull.mergedBy : pull.author;
  const merge = {
    sha: pull.mergeSha,
    message: mergeMessage(pull),
    author,
    at: at - 1,
    files: isMergeCommit ? [] : files,
  };
  const branch = pull.branchCommits.map(({ sha, subject }, index) => {
    return { sha, message: subject, author: pull.author, at: pull.openedAt - 1800 + index * 420, files };
  });
  return [...branch, merge];
}

/**
 * Returns the corrections that people make after the merge, as steps. Examples: a missing label, a better title, a
 * forgotten issue.
 */
function afterthoughts(random: Random, page: Page, mergedAt: number): Step[] {
  const steps: Step[] = [];
  const soon = () => mergedAt + random.between(1200, 40_000);
  for (const label of page.labelsLate) {
    const at = soon();
    steps.push({ at, run: (recording) => labelPullRequest(recording, page, label, at) });
  }
  const needsEdit = page.linksLate || page.pull.change.titleAtMerge !== undefined;
  if (!needsEdit || page.pull.author === bot) return steps;
  const at = soon();
  steps.push({ at, run: (recording) => editPullRequest(recording, page, at) });
  return page.linksLate ? [...steps, ...closeIssues(page, at + 300)] : steps;
}
