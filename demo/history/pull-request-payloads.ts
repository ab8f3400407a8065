/**
 * Builds the three forms that a pull request has in payloads. Events of the pull request contain the full form. Reviews
 * contain a form without the merge fields. Comments contain the form of an issue. The builders are pure.
 */

import { describePullRequest } from './descriptions.ts';
import {
  apiUrl,
  commonFields,
  nodeId,
  type Payload,
  repositoryPayload,
  type Snapshot,
  userPayload,
} from './payloads.ts';
import type { PlannedPullRequest } from './plan.ts';
import { sampleRepository, toTime } from './repository.ts';

const { hostOrigin, htmlUrl, owner } = sampleRepository;

/** Returns a pull request in the form of an issue. Payloads of comments contain this form. */
export function pullRequestAsIssue(pull: PlannedPullRequest, now: Snapshot): Payload {
  const url = `${htmlUrl}/pull/${pull.number}`;
  const mergedAt = isMerged(pull, now) ? toTime(now.closedAt!) : null;
  return {
    id: 2_140_000_000 + pull.number * 41,
    url: `${apiUrl}/issues/${pull.number}`,
    html_url: url,
    ...commonFields(pull.number, pull.author, pull.openedAt, now),
    pull_request: {
      url: `${apiUrl}/pulls/${pull.number}`,
      html_url: url,
      diff_url: `${url}.diff`,
      merged_at: mergedAt,
    },
  };
}

/**
 * Returns a pull request in the form that reviews contain. This form lacks the fields that `pullRequestPayload` adds.
 */
export function simplePullRequestPayload(pull: PlannedPullRequest, now: Snapshot, baseSha: string): Payload {
  const id = 1_840_000_000 + pull.number * 37;
  const url = `${htmlUrl}/pull/${pull.number}`;
  const merged = isMerged(pull, now);
  return {
    id,
    node_id: nodeId('PR', id),
    url: `${apiUrl}/pulls/${pull.number}`,
    html_url: url,
    diff_url: `${url}.diff`,
    issue_url: `${apiUrl}/issues/${pull.number}`,
    ...commonFields(pull.number, pull.author, pull.openedAt, now),
    draft: false,
    merged_at: merged ? toTime(now.closedAt!) : null,
    merge_commit_sha: merged ? pull.mergeSha : pull.testMergeSha,
    requested_reviewers: [],
    head: headPayload(pull),
    base: refPayload(owner.login, pull.base, baseSha, repositoryPayload(pull.openedAt)),
    auto_merge: null,
  };
}

/** Returns a pull request in the full form, which only events of the pull request itself contain. */
export function pullRequestPayload(pull: PlannedPullRequest, now: Snapshot, baseSha: string): Payload {
  const merged = isMerged(pull, now);
  const size = (pull.number * 7919) % 400;
  return {
    ...simplePullRequestPayload(pull, now, baseSha),
    merged,
    mergeable: now.state === 'open' ? true : null,
    merged_by: merged ? userPayload(pull.mergedBy) : null,
    commits: Math.max(1, pull.branchCommits.length),
    additions: 12 + size,
    deletions: 3 + (size % 90),
    changed_files: 1 + (size % 14),
  };
}

/** Returns the first state of a pull request: open, with the given labels. */
export function openingSnapshot(pull: PlannedPullRequest, labels: string[], withLinks: boolean): Snapshot {
  const title = pull.change.titleAtMerge ?? pull.change.title;
  const body = describePullRequest(pull, withLinks);
  return { title, body, labels, state: 'open', updatedAt: pull.openedAt, closedAt: null, comments: 0 };
}

function headPayload(pull: PlannedPullRequest): Payload {
  const { author, branch, headSha } = pull;
  if (!pull.fromFork) return refPayload(owner.login, branch, headSha, repositoryPayload(pull.openedAt));
  const fork = {
    id: sampleRepository.id + author.id,
    name: sampleRepository.name,
    full_name: `${author.login}/${sampleRepository.name}`,
    private: false,
    owner: userPayload(author),
    html_url: `${hostOrigin}/${author.login}/${sampleRepository.name}`,
    fork: true,
    default_branch: sampleRepository.defaultBranch,
  };
  return refPayload(author.login, branch, headSha, fork);
}

function refPayload(login: string, ref: string, sha: string, repo: Payload): Payload {
  return { label: `${login}:${ref}`, ref, sha, user: { login }, repo };
}

function isMerged(pull: PlannedPullRequest, now: Snapshot): boolean {
  return now.state === 'closed' && pull.change.outcome === 'merged';
}
