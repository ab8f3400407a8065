/**
 * Builds the JSON objects of GitHub's REST API and of its webhooks from a history. The callers add the fields that
 * exist only in the API or only in webhooks. Like the objects of real hosts, these objects contain diff hunks, paths
 * and addresses. The service must not store these fields.
 */
import type {
  History,
  HistoryCommit,
  HistoryIssue,
  HistoryPull,
  HistoryRemark,
  HistoryTag,
  Person,
} from './history.ts';
import { iso } from './history.ts';

export type Shape = Record<string, unknown>;

/** Base addresses of a host: `origin` for people, `apiUrl` for programs. */
export interface Place {
  origin: string;
  apiUrl: string;
}

export function userShape(who: Person): Shape {
  return { login: who.login, id: who.id, type: who.bot ? 'Bot' : 'User', avatar_url: `https://avatars.test/${who.id}` };
}

export function repositoryShape(history: History, { origin, apiUrl }: Place): Shape {
  return {
    id: history.id,
    name: history.fullName.split('/')[1],
    full_name: history.fullName,
    private: false,
    owner: { login: history.owner.login, id: history.owner.id, type: 'Organization' },
    html_url: `${origin}/${history.fullName}`,
    url: `${apiUrl}/repos/${history.fullName}`,
    default_branch: history.defaultBranch,
    archived: false,
  };
}

/**
 * Returns a pull request without the field `merged`. Hosts omit this field in lists of pull requests and in review
 * deliveries.
 */
export function pullShape(pull: HistoryPull, history: History, place: Place): Shape {
  const url = `${place.origin}/${history.fullName}/pull/${pull.number}`;
  const repo = repositoryShape(history, place);
  return {
    id: 1_800_000_000 + pull.number,
    url: `${place.apiUrl}/repos/${history.fullName}/pulls/${pull.number}`,
    html_url: url,
    number: pull.number,
    state: pull.closedAt === null ? 'open' : 'closed',
    title: pull.title,
    body: pull.body,
    user: userShape(pull.author),
    labels: pull.labels.map(labelShape),
    created_at: iso(pull.createdAt),
    updated_at: iso(pull.updatedAt),
    closed_at: time(pull.closedAt),
    merged_at: time(pull.mergedAt),
    // For a pull request that is not merged, GitHub reports the sha of a test merge that is on no branch.
    merge_commit_sha: pull.mergeSha ?? 'f'.repeat(40),
    draft: false,
    author_association: 'CONTRIBUTOR',
    base: { ref: pull.base, label: `acme:${pull.base}`, sha: '0'.repeat(40), repo },
    head: { ref: pull.head, label: `acme:${pull.head}`, sha: pull.headSha ?? '1'.repeat(40), repo },
  };
}

export function issueShape(issue: HistoryIssue, history: History, { origin, apiUrl }: Place): Shape {
  return {
    id: 2_100_000_000 + issue.number,
    url: `${apiUrl}/repos/${history.fullName}/issues/${issue.number}`,
    html_url: `${origin}/${history.fullName}/issues/${issue.number}`,
    number: issue.number,
    state: issue.closedAt === null ? 'open' : 'closed',
    state_reason: issue.closedAt === null ? null : 'completed',
    title: issue.title,
    body: issue.body,
    user: userShape(issue.author),
    labels: issue.labels.map(labelShape),
    created_at: iso(issue.createdAt),
    updated_at: iso(issue.updatedAt),
    closed_at: time(issue.closedAt),
    author_association: 'NONE',
    reactions: reactionsShape(issue.number, apiUrl),
  };
}

/** Returns the reactions to an issue. Their total is the remainder of its number divided by five. */
export function reactionsShape(number: number, apiUrl: string): Shape {
  const total = number % 5;
  return { url: `${apiUrl}/issues/${number}/reactions`, total_count: total, '+1': total, '-1': 0, heart: 0 };
}

/**
 * Returns a pull request in the form of an issue. Hosts send this form in lists of issues, and in each delivery about a
 * comment.
 */
export function pullAsIssueShape(pull: HistoryPull, history: History, place: Place): Shape {
  const {
    base: _base,
    head: _head,
    draft: _draft,
    merge_commit_sha: _sha,
    merged_at,
    ...rest
  } = pullShape(pull, history, place);
  return {
    ...rest,
    url: `${place.apiUrl}/repos/${history.fullName}/issues/${pull.number}`,
    pull_request: { url: rest.url, html_url: rest.html_url, merged_at },
    reactions: reactionsShape(pull.number, place.apiUrl),
  };
}

/** Returns a comment in the discussion of a pull request or issue. */
export function issueCommentShape(remark: HistoryRemark, history: History, place: Place): Shape {
  const isPull = history.pulls.some(({ number }) => number === remark.number);
  return {
    ...remarkShape(remark),
    created_at: iso(remark.createdAt),
    updated_at: iso(remark.updatedAt),
    html_url: `${place.origin}/${history.fullName}/${isPull ? 'pull' : 'issues'}/${remark.number}#issuecomment-${remark.id}`,
    issue_url: `${place.apiUrl}/repos/${history.fullName}/issues/${remark.number}`,
  };
}

/** Returns a comment on a line of a pull request. */
export function reviewCommentShape(remark: HistoryRemark, history: History, place: Place): Shape {
  return {
    ...remarkShape(remark),
    created_at: iso(remark.createdAt),
    updated_at: iso(remark.updatedAt),
    html_url: `${place.origin}/${history.fullName}/pull/${remark.number}#discussion_r${remark.id}`,
    pull_request_url: `${place.apiUrl}/repos/${history.fullName}/pulls/${remark.number}`,
    diff_hunk: '@@ -1,3 +1,3 @@ secretSourceLine()',
    path: 'src/secret-path.ts',
    position: 4,
  };
}

/** Returns a review as the REST API sends it, with the state in capitals. */
export function reviewShape(remark: HistoryRemark, history: History, place: Place): Shape {
  return {
    ...remarkShape(remark),
    state: remark.state ?? 'COMMENTED',
    submitted_at: iso(remark.createdAt),
    commit_id: '1'.repeat(40),
    html_url: `${place.origin}/${history.fullName}/pull/${remark.number}#pullrequestreview-${remark.id}`,
    pull_request_url: `${place.apiUrl}/repos/${history.fullName}/pulls/${remark.number}`,
  };
}

/** Returns a commit as the REST API lists it. */
export function commitShape(commit: HistoryCommit, history: History, place: Place): Shape {
  const who = { name: 'A Person', email: `${commit.author.login}@example.com`, date: iso(commit.at) };
  const url = `${place.apiUrl}/repos/${history.fullName}/commits/${commit.sha}`;
  return {
    sha: commit.sha,
    url,
    html_url: `${place.origin}/${history.fullName}/commit/${commit.sha}`,
    commit: { author: who, committer: who, message: commit.message, tree: { sha: '2'.repeat(40), url } },
    author: userShape(commit.author),
    committer: userShape(commit.author),
    parents: commit.parents.map((sha) => ({ sha, url })),
  };
}

export function tagShape(tag: HistoryTag, history: History, { apiUrl }: Place): Shape {
  const base = `${apiUrl}/repos/${history.fullName}`;
  return {
    name: tag.name,
    commit: { sha: tag.sha, url: `${base}/commits/${tag.sha}` },
    zipball_url: `${base}/zipball/refs/tags/${tag.name}`,
  };
}

export function releaseShape(name: string, history: History, { origin }: Place): Shape {
  const tag = history.tags.find((candidate) => candidate.name === name);
  return {
    id: 9000 + history.releases.indexOf(name),
    tag_name: name,
    name,
    body: `Notes of ${name}`,
    draft: false,
    prerelease: false,
    created_at: time(tag?.pushedAt ?? null),
    published_at: time(tag?.pushedAt ?? null),
    html_url: `${origin}/${history.fullName}/releases/tag/${name}`,
  };
}

function remarkShape({ id, author, body }: HistoryRemark): Shape {
  return { id, user: userShape(author), body, author_association: 'MEMBER' };
}

function labelShape(name: string): Shape {
  return { id: name.length, name, color: 'ededed', default: false };
}

function time(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}
