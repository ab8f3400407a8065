/**
 * A payload's whitelist: the fields that are captured (spec part 2), brought into the journal's form and redacted. What is
 * not named here goes no further.
 */
import { nameAsNumber, partEnd, repositoryId } from '../foundation/ids.ts';
import type { BranchPush, IssueSnapshot, PullSnapshot, PushedCommit, TagPush } from '../protocol/events.ts';
import type { HostCommit, HostRepository, IssuesPayload, PullRequestPayload, PushPayload } from '../protocol/host.ts';
import type { EventRepository } from '../protocol/repository.ts';
import { coAuthors } from './redact.ts';
import { address, author, labels, loginOf, longest, name, redacted, time, within } from './text.ts';

/** Commits of a push that go into one record; a longer push is split. */
export const commitsPerPart = 256;
/** Characters of commit messages that go into one record: redacted and in UTF-8 they stay below the largest record. */
const charactersPerPart = 393_216;
/** Commits that GitHub lists at most. */
const mostListed = 2048;
/** And a Gitea so old that it does not count them; it does not tell a force push either. */
const mostListedUncounted = 5;

/** The repository an event is about. Where the host sends no id the name stands for it, until the edge knows better. */
export function minimiseRepository(repository: HostRepository, origin: string): EventRepository {
  const hostId = repository.id == null ? nameAsNumber(repository.full_name) : String(repository.id);
  const login = repository.owner?.login ?? (repository.full_name.split('/')[0] as string);
  const ownerId = repository.owner?.id == null ? nameAsNumber(login) : String(repository.owner.id);
  return {
    id: repositoryId(origin, hostId),
    origin,
    hostId,
    fullName: repository.full_name,
    defaultBranch: branch(repository.default_branch),
    url: address(repository.html_url, `${origin}/${repository.full_name}`),
    private: repository.private ?? false,
    ...(repository.private == null && { bare: true as const }),
    owner: { id: ownerId, login },
  };
}

/** A pull request's snapshot, received at `now`: the time of the snapshot where the host gives none. */
export function minimisePull(
  payload: Pick<PullRequestPayload, 'action' | 'pull_request'>,
  repositoryUrl: string,
  now: number,
): PullSnapshot {
  const pull = payload.pull_request;
  const mergedAt = time(pull.merged_at, now);
  const merged = pull.merged === true || mergedAt !== null || payload.action === 'merged';
  const told = time(pull.updated_at, now);
  const updatedAt = told ?? lastKnown(payload.action, [mergedAt, time(pull.closed_at, now)]) ?? now;
  const closed = merged || pull.state === 'closed';
  return {
    number: pull.number,
    title: redacted(pull.title, longest.title),
    body: redacted(pull.body ?? '', longest.body),
    state: merged ? 'merged' : closed ? 'closed' : 'open',
    ...labels(pull),
    author: author(pull.user),
    createdAt: time(pull.created_at, now),
    updatedAt,
    ...undated(payload.action, told),
    closedAt: closed ? (time(pull.closed_at, now) ?? mergedAt ?? updatedAt) : null,
    mergedAt: merged ? (mergedAt ?? time(pull.closed_at, now) ?? updatedAt) : null,
    // Of an open pull request this is a test merge that is in no branch.
    mergeSha: merged ? pull.merge_commit_sha || null : null,
    baseRef: branch(pull.base?.ref),
    headRef: branch(pull.head?.ref),
    url: address(pull.html_url, `${repositoryUrl}/pull/${pull.number}`),
  };
}

/** An issue's snapshot, received at `now`: the time of the snapshot where the host gives none. */
export function minimiseIssue(
  payload: Pick<IssuesPayload, 'action' | 'issue'>,
  repositoryUrl: string,
  now: number,
): IssueSnapshot {
  const { action, issue } = payload;
  const told = time(issue.updated_at, now);
  const closedAt = time(issue.closed_at, now);
  const state = issue.state === 'open' || issue.state === 'closed' ? issue.state : undefined;
  return {
    number: issue.number,
    title: redacted(issue.title, longest.title),
    body: redacted(issue.body ?? '', longest.body),
    ...(state && { state }),
    stateReason: /^[a-z_]{1,32}$/.test(issue.state_reason ?? '') ? (issue.state_reason as string) : null,
    ...labels(issue),
    author: author(issue.user),
    createdAt: time(issue.created_at, now),
    updatedAt: told ?? lastKnown(action, [closedAt]) ?? now,
    ...undated(action, told),
    // A reopened issue can still carry the time it was closed.
    closedAt: state === 'open' ? null : closedAt,
    url: address(issue.html_url, `${repositoryUrl}/issues/${issue.number}`),
  };
}

/** A delivery without a time counts as of its receipt. What was read from the host's lists yields to deliveries. */
function undated(action: string, told: number | null): { undated?: true } {
  return told === null && action !== 'backfilled' ? { undated: true } : {};
}

/** The last change that an item of the host's lists tells the time of. A delivery says nothing by it: an edit comes after. */
function lastKnown(action: string, times: readonly (number | null)[]): number | null {
  return action === 'backfilled' ? (times.find((known) => known !== null) ?? null) : null;
}

/** A tag push; the name is what follows `refs/tags/`, slashes included. */
export function minimiseTag(payload: PushPayload, now: number): TagPush {
  const deleted = payload.deleted === true || isZero(payload.after);
  const head = payload.head_commit;
  return {
    name: name(payload.ref.slice('refs/tags/'.length)),
    sha: deleted ? null : (head?.id ?? null),
    object: deleted ? payload.before : payload.after,
    baseRef: branchName(payload.base_ref),
    date: time(head?.timestamp, now),
    deleted,
    pushedAt: time(payload.repository.pushed_at, now) ?? now,
  };
}

/** A branch push, in parts that fit into a record; each part begins where the one before it ended. */
export function minimisePush(payload: PushPayload, now: number): BranchPush[] {
  const commits = oldestFirst(payload.commits ?? [], payload.after);
  const whole = {
    branch: branchName(payload.ref) ?? name(payload.ref),
    baseRef: branchName(payload.base_ref),
    forced: payload.forced === true,
    gap: isCut(payload, commits.length),
    deleted: payload.deleted === true || isZero(payload.after),
    pushedAt: time(payload.repository.pushed_at, now) ?? now,
  };
  const parts: BranchPush[] = [];
  let before = isZero(payload.before) ? null : payload.before;
  let start = 0;
  do {
    const end = endOfPart(commits, start);
    const part = commits.slice(start, end);
    const after = end === commits.length ? payload.after : partEnd(payload.after, parts.length + 1);
    const first = start === 0;
    parts.push({
      ...whole,
      before,
      after,
      commits: part.map((commit) => minimiseCommit(commit, now)),
      forced: whole.forced && first,
      gap: whole.gap && first,
    });
    before = after;
    start = end;
  } while (start < commits.length);
  return parts;
}

/** Whether the host left commits out; where it does not count them, whether it may have. */
function isCut({ total_commits, size, forced }: PushPayload, listed: number): boolean {
  const total = total_commits ?? size;
  if (total != null) return total > listed;
  return listed >= (forced === undefined ? mostListedUncounted : mostListed);
}

/** Gitea lists the newest commit first, GitHub the oldest. */
function oldestFirst(commits: readonly HostCommit[], head: string): readonly HostCommit[] {
  return commits.length > 1 && commits[0]?.id === head ? [...commits].reverse() : commits;
}

/** Where the part that begins at `start` ends; it holds one commit at least. */
function endOfPart(commits: readonly HostCommit[], start: number): number {
  let characters = 0;
  for (let end = start; end < commits.length; end++) {
    characters += Math.min(commits[end]?.message?.length ?? 0, longest.message);
    if (end - start === commitsPerPart || (end > start && characters > charactersPerPart)) return end;
  }
  return commits.length;
}

/** A commit of a push or of a list, received at `now`. */
export function minimiseCommit(commit: HostCommit, now: number): PushedCommit {
  const message = commit.message ?? '';
  return {
    sha: commit.id,
    message: redacted(message, longest.message),
    at: time(commit.timestamp, now),
    author: loginOf(commit.author?.username),
    coAuthors: coAuthors(within(message, longest.message)),
  };
}

function branchName(ref: string | null | undefined): string | null {
  return ref?.startsWith('refs/heads/') ? branch(ref.slice('refs/heads/'.length)) : null;
}

/** Every branch goes through here, so that a base, a push and a default branch of one name stay one. */
function branch(given: string | null | undefined): string | null {
  return given == null ? null : name(given);
}

function isZero(sha: string): boolean {
  return /^0+$/.test(sha);
}
