/**
 * A payload's whitelist: the fields that are captured (spec part 2), brought into the journal's form and redacted. What is
 * not named here goes no further.
 */
import { repositoryId } from '../ids.ts';
import type { HostCommit, HostRepository, IssuesPayload, PullRequestPayload, PushPayload } from '../protocol/host.ts';
import type {
  BranchPush,
  EventRepository,
  IssueSnapshot,
  PullSnapshot,
  PushedCommit,
  TagPush,
} from '../protocol/journal.ts';
import { coAuthors, redactText } from './redact.ts';
import { author, clean, labels, time } from './text.ts';

/** Commits of a push that go into one record; a longer push is split. */
export const commitsPerPart = 256;
/** Characters of commit messages that go into one record: redacted and in UTF-8 they stay below the largest record. */
const charactersPerPart = 393_216;
/** Longest commit message kept, in characters. */
const messageLength = 16_384;

/** The repository an event is about. A host that sends no id is known by the name. */
export function minimiseRepository(repository: HostRepository, origin: string): EventRepository {
  const hostId = repository.id == null ? `name:${repository.full_name.toLowerCase()}` : String(repository.id);
  const login = repository.owner?.login ?? (repository.full_name.split('/')[0] as string);
  const ownerId = repository.owner?.id == null ? `name:${login.toLowerCase()}` : String(repository.owner.id);
  return {
    id: repositoryId(origin, hostId),
    origin,
    hostId,
    fullName: repository.full_name,
    defaultBranch: repository.default_branch ?? null,
    url: repository.html_url ?? `${origin}/${repository.full_name}`,
    private: repository.private ?? false,
    owner: { id: ownerId, login },
  };
}

/** A pull request's snapshot at `now`, which stands in for a missing `updated_at`. */
export function minimisePull(
  payload: Pick<PullRequestPayload, 'action' | 'pull_request'>,
  repositoryUrl: string,
  now: number,
): PullSnapshot {
  const pull = payload.pull_request;
  const mergedAt = time(pull.merged_at);
  const merged = pull.merged === true || mergedAt !== null || payload.action === 'merged';
  const updatedAt = time(pull.updated_at) ?? mergedAt ?? time(pull.closed_at) ?? now;
  const closed = merged || pull.state === 'closed';
  return {
    number: pull.number,
    title: redactText(clean(pull.title), 'text'),
    body: redactText(clean(pull.body ?? ''), 'text'),
    state: merged ? 'merged' : closed ? 'closed' : 'open',
    ...labels(pull),
    author: author(pull.user),
    createdAt: time(pull.created_at),
    updatedAt,
    closedAt: closed ? (time(pull.closed_at) ?? mergedAt ?? updatedAt) : null,
    mergedAt: merged ? (mergedAt ?? time(pull.closed_at) ?? updatedAt) : null,
    // Of an open pull request this is a test merge that is in no branch.
    mergeSha: merged ? (pull.merge_commit_sha ?? null) : null,
    baseRef: pull.base?.ref ?? null,
    headRef: pull.head?.ref ?? null,
    url: pull.html_url ?? `${repositoryUrl}/pull/${pull.number}`,
  };
}

/** An issue's snapshot at `now`, which stands in for a missing `updated_at`. */
export function minimiseIssue(
  payload: Pick<IssuesPayload, 'issue'>,
  repositoryUrl: string,
  now: number,
): IssueSnapshot {
  const { issue } = payload;
  const state = issue.state === 'open' || issue.state === 'closed' ? issue.state : undefined;
  return {
    number: issue.number,
    title: redactText(clean(issue.title), 'text'),
    body: redactText(clean(issue.body ?? ''), 'text'),
    ...(state && { state }),
    stateReason: issue.state_reason ?? null,
    ...labels(issue),
    author: author(issue.user),
    createdAt: time(issue.created_at),
    updatedAt: time(issue.updated_at) ?? time(issue.closed_at) ?? now,
    // A reopened issue can still carry the time it was closed.
    closedAt: state === 'open' ? null : time(issue.closed_at),
    url: issue.html_url ?? `${repositoryUrl}/issues/${issue.number}`,
  };
}

/** A tag push; the name is what follows `refs/tags/`, slashes included. */
export function minimiseTag(payload: PushPayload, now: number): TagPush {
  const deleted = payload.deleted === true || isZero(payload.after);
  const head = payload.head_commit;
  return {
    name: redactText(clean(payload.ref.slice('refs/tags/'.length)), 'text'),
    sha: deleted ? null : (head?.id ?? null),
    object: deleted ? payload.before : payload.after,
    baseRef: branchName(payload.base_ref),
    date: time(head?.timestamp),
    deleted,
    pushedAt: time(payload.repository.pushed_at) ?? now,
  };
}

/** A branch push, in parts that fit into a record; each part begins where the one before it ended. */
export function minimisePush(payload: PushPayload, now: number): BranchPush[] {
  const commits = oldestFirst(payload.commits ?? [], payload.after);
  const total = payload.total_commits ?? commits.length;
  const whole = {
    branch: branchName(payload.ref) ?? payload.ref,
    baseRef: branchName(payload.base_ref),
    forced: payload.forced === true,
    gap: total > commits.length,
    deleted: payload.deleted === true || isZero(payload.after),
    pushedAt: time(payload.repository.pushed_at) ?? now,
  };
  const parts: BranchPush[] = [];
  let before = isZero(payload.before) ? null : payload.before;
  let start = 0;
  do {
    const end = endOfPart(commits, start);
    const part = commits.slice(start, end);
    const after = end === commits.length ? payload.after : (part[part.length - 1] as HostCommit).id;
    const first = start === 0;
    parts.push({
      ...whole,
      before,
      after,
      commits: part.map(minimiseCommit),
      forced: whole.forced && first,
      gap: whole.gap && first,
    });
    before = after;
    start = end;
  } while (start < commits.length);
  return parts;
}

/** Gitea lists the newest commit first, GitHub the oldest. */
function oldestFirst(commits: readonly HostCommit[], head: string): readonly HostCommit[] {
  return commits.length > 1 && commits[0]?.id === head ? [...commits].reverse() : commits;
}

/** Where the part that begins at `start` ends; it holds one commit at least. */
function endOfPart(commits: readonly HostCommit[], start: number): number {
  let characters = 0;
  for (let end = start; end < commits.length; end++) {
    characters += Math.min(commits[end]?.message?.length ?? 0, messageLength);
    if (end - start === commitsPerPart || (end > start && characters > charactersPerPart)) return end;
  }
  return commits.length;
}

/** A commit of a push or of a list. */
export function minimiseCommit(commit: HostCommit): PushedCommit {
  // Cut far behind the end first: a secret split by the cut could not be seen, and what is near it is cut away later.
  const message = clean((commit.message ?? '').slice(0, messageLength * 4));
  return {
    sha: commit.id,
    message: redactText(message, 'text').slice(0, messageLength).toWellFormed(),
    at: time(commit.timestamp),
    author: commit.author?.username ?? null,
    coAuthors: coAuthors(message),
  };
}

function branchName(ref: string | null | undefined): string | null {
  return ref?.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
}

function isZero(sha: string): boolean {
  return /^0+$/.test(sha);
}
