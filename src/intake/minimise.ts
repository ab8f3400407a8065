/**
 * Reduces a payload to the captured fields (spec part 2), converts the fields to the journal's form and redacts them.
 * Fields that are not named here are dropped.
 */
import { nameAsNumber, partEnd, repositoryId } from '../foundation/ids.ts';
import type { BranchPush, IssueSnapshot, PullSnapshot, PushedCommit, TagPush } from '../protocol/events.ts';
import type { HostCommit, HostRepository, IssuesPayload, PullRequestPayload, PushPayload } from '../protocol/host.ts';
import type { EventRepository } from '../protocol/repository.ts';
import { coAuthors } from './redact.ts';
import { address, author, labels, loginOf, maxLengths, name, redacted, time, within } from './text.ts';

/** Maximum number of a push's commits in one record. A push with more commits is split into several records. */
export const commitsPerPart = 256;
/**
 * Maximum total length of the commit messages in one record, in characters. The record stays below the maximum size of
 * a record even after the messages are redacted and encoded as UTF-8.
 */
const charactersPerPart = 393_216;
/** Maximum number of commits that GitHub lists in a push. */
const maxListed = 2048;
/**
 * Maximum number of commits that old versions of Gitea list in a push. These versions send no count of commits and do
 * not mark force pushes.
 */
const maxListedUncounted = 5;

/**
 * Returns the repository of an event. If the host sends no id, an id is derived from the repository's name. The ingress
 * replaces the derived id if the directory already lists the repository (`src/ingress/identity.ts`).
 */
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

/**
 * Returns the snapshot of a pull request. If the host sends no time for the snapshot, `now` (the time of receipt) is
 * used.
 */
export function minimisePull(
  payload: Pick<PullRequestPayload, 'action' | 'pull_request'>,
  repositoryUrl: string,
  now: number,
): PullSnapshot {
  const pull = payload.pull_request;
  const mergedAt = time(pull.merged_at, now);
  const merged = pull.merged === true || mergedAt !== null || payload.action === 'merged';
  const reportedAt = time(pull.updated_at, now);
  const updatedAt = reportedAt ?? lastKnown(payload.action, [mergedAt, time(pull.closed_at, now)]) ?? now;
  const closed = merged || pull.state === 'closed';
  return {
    number: pull.number,
    title: redacted(pull.title, maxLengths.title),
    body: redacted(pull.body ?? '', maxLengths.body),
    state: merged ? 'merged' : closed ? 'closed' : 'open',
    ...labels(pull),
    author: author(pull.user),
    createdAt: time(pull.created_at, now),
    updatedAt,
    ...undated(payload.action, reportedAt),
    closedAt: closed ? (time(pull.closed_at, now) ?? mergedAt ?? updatedAt) : null,
    mergedAt: merged ? (mergedAt ?? time(pull.closed_at, now) ?? updatedAt) : null,
    // On an open pull request, `merge_commit_sha` names a test merge that is not on any branch.
    mergeSha: merged ? pull.merge_commit_sha || null : null,
    baseRef: branch(pull.base?.ref),
    headRef: branch(pull.head?.ref),
    ...headSha(pull.head?.sha),
    url: address(pull.html_url, `${repositoryUrl}/pull/${pull.number}`),
    ...firstTime(pull.author_association, pull.state === 'open' && !merged),
  };
}

/** Returns the newest commit of a pull request; an empty object if the host sends none or no full hash. */
function headSha(sha: unknown): Pick<PullSnapshot, 'headSha'> {
  return typeof sha === 'string' && /^[0-9a-f]{40,64}$/.test(sha) ? { headSha: sha } : {};
}

const firstTimers: readonly unknown[] = ['FIRST_TIME_CONTRIBUTOR', 'FIRST_TIMER'];

/**
 * Returns whether the pull request is its author's first contribution; an empty object if the host does not show it.
 * `CONTRIBUTOR` shows it only while the pull request is open: the author has contributed before. After the merge, every
 * author is a contributor. `OWNER`, `MEMBER` and `COLLABORATOR` show nothing, because the host prefers them to the
 * other words: a new employee is a member before the first contribution. `NONE` shows nothing, because it does not
 * exclude earlier contributions.
 */
function firstTime(association: unknown, isOpen: boolean): Pick<PullSnapshot, 'firstTime'> {
  if (firstTimers.includes(association)) return { firstTime: true };
  return isOpen && association === 'CONTRIBUTOR' ? { firstTime: false } : {};
}

/**
 * Returns the snapshot of an issue. If the host sends no time for the snapshot, `now` (the time of receipt) is used.
 */
export function minimiseIssue(
  payload: Pick<IssuesPayload, 'action' | 'issue'>,
  repositoryUrl: string,
  now: number,
): IssueSnapshot {
  const { action, issue } = payload;
  const reportedAt = time(issue.updated_at, now);
  const closedAt = time(issue.closed_at, now);
  const state = issue.state === 'open' || issue.state === 'closed' ? issue.state : undefined;
  const reactions = reactionCount(issue.reactions);
  return {
    number: issue.number,
    title: redacted(issue.title, maxLengths.title),
    body: redacted(issue.body ?? '', maxLengths.body),
    ...(state && { state }),
    stateReason: /^[a-z_]{1,32}$/.test(issue.state_reason ?? '') ? (issue.state_reason as string) : null,
    ...labels(issue),
    author: author(issue.user),
    createdAt: time(issue.created_at, now),
    updatedAt: reportedAt ?? lastKnown(action, [closedAt]) ?? now,
    ...undated(action, reportedAt),
    // The payload of a reopened issue can still contain the time when it was closed.
    closedAt: state === 'open' ? null : closedAt,
    url: address(issue.html_url, `${repositoryUrl}/issues/${issue.number}`),
    ...(reactions !== undefined && { reactions }),
  };
}

/** Maximum number of reactions that is kept. A larger number is not from a host. */
const maxReactions = 1_000_000;

/** Returns the host's number of reactions; undefined if it is missing or not a plausible number. */
export function reactionCount(reactions: unknown): number | undefined {
  const count = (reactions as { total_count?: unknown } | null | undefined)?.total_count;
  return Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= maxReactions
    ? (count as number)
    : undefined;
}

/**
 * Returns `undated: true` if a delivery contains no time. The snapshot of such a delivery gets the time of receipt. An
 * item from the host's lists is never marked as undated, so that deliveries take precedence over the item.
 */
function undated(action: string, reportedAt: number | null): { undated?: true } {
  return reportedAt === null && action !== 'backfilled' ? { undated: true } : {};
}

/**
 * Returns the time at which an item of the host's lists was merged or closed. The caller uses this time if the host
 * sends no `updated_at`. For a delivery the result is null, because the delivery can be about a later change. For
 * example, an edit after the merge still carries the `merged_at` of the merge.
 */
function lastKnown(action: string, times: readonly (number | null)[]): number | null {
  return action === 'backfilled' ? (times.find((known) => known !== null) ?? null) : null;
}

/**
 * Reduces the payload of a tag push to the captured fields. The tag's name is everything after `refs/tags/`, slashes
 * included.
 */
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

/**
 * Reduces the payload of a branch push to the captured fields, in parts that each fit into a record. Each part begins
 * where the previous part ended.
 */
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

/**
 * Whether the push has more commits than the host listed. If the host sends no count of commits, the function compares
 * the length of the list with the host's maximum. A list of maximum length counts as incomplete.
 */
function isCut({ total_commits, size, forced }: PushPayload, listed: number): boolean {
  const total = total_commits ?? size;
  if (total != null) return total > listed;
  return listed >= (forced === undefined ? maxListedUncounted : maxListed);
}

/** Returns the commits with the oldest first. Gitea lists the newest commit first, GitHub the oldest. */
function oldestFirst(commits: readonly HostCommit[], head: string): readonly HostCommit[] {
  return commits.length > 1 && commits[0]?.id === head ? [...commits].reverse() : commits;
}

/** Returns the index of the first commit after the part that begins at `start`. A part holds at least one commit. */
function endOfPart(commits: readonly HostCommit[], start: number): number {
  let characters = 0;
  for (let end = start; end < commits.length; end++) {
    characters += Math.min(commits[end]?.message?.length ?? 0, maxLengths.message);
    if (end - start === commitsPerPart || (end > start && characters > charactersPerPart)) return end;
  }
  return commits.length;
}

/**
 * Returns the captured fields of a commit from a push or a list. `now` is the time of receipt and limits future times.
 */
export function minimiseCommit(commit: HostCommit, now: number): PushedCommit {
  const message = commit.message ?? '';
  return {
    sha: commit.id,
    message: redacted(message, maxLengths.message),
    at: time(commit.timestamp, now),
    author: loginOf(commit.author?.username),
    coAuthors: coAuthors(within(message, maxLengths.message)),
  };
}

function branchName(ref: string | null | undefined): string | null {
  return ref?.startsWith('refs/heads/') ? branch(ref.slice('refs/heads/'.length)) : null;
}

/**
 * Redacts the name of a branch. All branch names are redacted by this function, so equal names stay equal. For example,
 * the base of a pull request can still be compared with the branch of a push and with the default branch.
 */
function branch(given: string | null | undefined): string | null {
  return given == null ? null : name(given);
}

function isZero(sha: string): boolean {
  return /^0+$/.test(sha);
}
