/**
 * Builds the host's payloads: users, labels, the repository, issues, remarks and commits. `pull-request-payloads.ts`
 * builds pull requests. The builders are pure, and the timeline decides when each event happens. The payloads contain
 * file names and author addresses, as real payloads do. The service must not keep these names and addresses.
 */

import { emailOf, maintainers, type Person, regulars } from './people.ts';
import type { PlannedIssue } from './plan.ts';
import { sampleRepository, toOffsetTime, toSeconds, toTime } from './repository.ts';

const { hostOrigin, htmlUrl, owner } = sampleRepository;
export const apiUrl = `${hostOrigin}/api/v3/repos/${sampleRepository.fullName}`;

export type Payload = Record<string, unknown>;

/** The fields of an issue or pull request that change over time. */
export type Snapshot = {
  title: string;
  body: string | null;
  labels: string[];
  state: 'open' | 'closed';
  updatedAt: number;
  closedAt: number | null;
  comments: number;
};

export type Commit = { sha: string; message: string; author: Person; at: number; files: string[] };

export const userPayload = (who: Person): Payload => ({
  login: who.login,
  id: who.id,
  node_id: nodeId('U', who.id),
  avatar_url: `${hostOrigin}/avatars/${who.id}`,
  url: `${hostOrigin}/api/v3/users/${who.login}`,
  html_url: `${hostOrigin}/${who.login}`,
  type: who.isBot ? 'Bot' : 'User',
  site_admin: false,
});

const labelColors: Record<string, string> = {
  'type: feature': '1d76db',
  'type: bug': 'd73a4a',
  'type: breaking': 'b60205',
};

/** Returns a label. The id is computed from the name, so a label has the same id in every payload. */
export function labelPayload(name: string): Payload {
  const id = [...name].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 900_000_000, 7);
  const url = `${apiUrl}/labels/${encodeURIComponent(name)}`;
  return {
    id,
    node_id: nodeId('LA', id),
    url,
    name,
    color: labelColors[name] ?? 'ededed',
    default: false,
    description: null,
  };
}

/**
 * Returns the repository. `pushedAt` is the time of the last push. In payloads of pushes, times are numbers (epoch
 * seconds). In payloads of other events, times are strings.
 */
export function repositoryPayload(pushedAt: number, inPush = false): Payload {
  const createdAt = toSeconds(sampleRepository.createdAt);
  return {
    id: sampleRepository.id,
    node_id: nodeId('R', sampleRepository.id),
    name: sampleRepository.name,
    full_name: sampleRepository.fullName,
    private: false,
    owner: { ...owner, node_id: nodeId('O', owner.id), html_url: `${hostOrigin}/${owner.login}`, site_admin: false },
    html_url: htmlUrl,
    description: sampleRepository.description,
    fork: false,
    url: apiUrl,
    created_at: inPush ? createdAt : toTime(createdAt),
    updated_at: toTime(pushedAt),
    pushed_at: inPush ? pushedAt : toTime(pushedAt),
    clone_url: `${htmlUrl}.git`,
    visibility: 'public',
    default_branch: sampleRepository.defaultBranch,
  };
}

/** Returns the fields that the payloads of all events have in common. */
export const surroundings = (sender: Person, pushedAt: number, inPush = false): Payload => ({
  repository: repositoryPayload(pushedAt, inPush),
  organization: {
    login: owner.login,
    id: owner.id,
    node_id: nodeId('O', owner.id),
    url: `${hostOrigin}/api/v3/orgs/${owner.login}`,
  },
  sender: userPayload(sender),
});

/** Returns the fields that issues and pull requests have in common, in the state `now`. */
export function commonFields(number: number, author: Person, openedAt: number, now: Snapshot): Payload {
  return {
    number,
    state: now.state,
    locked: false,
    title: now.title,
    body: now.body,
    user: userPayload(author),
    labels: now.labels.map(labelPayload),
    assignees: [],
    milestone: null,
    comments: now.comments,
    created_at: toTime(openedAt),
    updated_at: toTime(now.updatedAt),
    closed_at: now.closedAt === null ? null : toTime(now.closedAt),
    author_association: associationOf(author),
  };
}

/** Returns an issue in the state `now`. */
export function issuePayload(issue: PlannedIssue, now: Snapshot): Payload {
  const id = 2_140_000_000 + issue.number * 41;
  const stateReason = now.state === 'open' ? null : issue.answer === undefined ? 'completed' : 'not_planned';
  return {
    id,
    node_id: nodeId('I', id),
    url: `${apiUrl}/issues/${issue.number}`,
    html_url: `${htmlUrl}/issues/${issue.number}`,
    ...commonFields(issue.number, issue.reporter, issue.openedAt, now),
    state_reason: stateReason,
  };
}

function associationOf(who: Person): string {
  if (maintainers.includes(who)) return 'MEMBER';
  return regulars.includes(who) || who.isBot ? 'CONTRIBUTOR' : 'NONE';
}

/** Returns a comment or a review. The two differ only in their time fields, which the caller adds. */
export function remarkPayload(id: number, who: Person, body: string | null, page: string): Payload {
  return {
    id,
    node_id: nodeId('IC', id),
    html_url: `${page}#${id}`,
    user: userPayload(who),
    body,
    author_association: associationOf(who),
  };
}

/** Returns one commit of a push. */
export function commitPayload(commit: Commit): Payload {
  const who = { name: commit.author.name, email: emailOf(commit.author), username: commit.author.login };
  return {
    id: commit.sha,
    tree_id: [...commit.sha].reverse().join(''),
    distinct: true,
    message: commit.message,
    timestamp: toOffsetTime(commit.at, commit.author.offsetMinutes),
    url: `${htmlUrl}/commit/${commit.sha}`,
    author: who,
    committer: who,
    added: [],
    removed: [],
    modified: commit.files,
  };
}

/** Returns the host's opaque id for an object of a kind. */
export function nodeId(kind: string, id: number): string {
  return `${kind}_${Buffer.from(String(id)).toString('base64url')}`;
}
