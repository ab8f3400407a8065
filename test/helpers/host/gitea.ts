/**
 * Builds the JSON objects of Gitea's API that differ from those of GitHub's API. In Gitea's API, users have no type,
 * pull requests in lists contain `merged`, and tags contain their commit and date. Reviews and comments contain the web
 * address of the pull request.
 */
import type { History, HistoryPull, HistoryRemark, HistoryTag } from './history.ts';
import { iso } from './history.ts';
import type { Place, Shape } from './shapes.ts';
import * as github from './shapes.ts';

export function pullShape(pull: HistoryPull, history: History, place: Place): Shape {
  const shape = withoutTypes(github.pullShape(pull, history, place));
  return {
    ...shape,
    html_url: `${place.origin}/${history.fullName}/pulls/${pull.number}`,
    merged: pull.mergedAt !== null,
  };
}

export function issueCommentShape(remark: HistoryRemark, history: History, { origin }: Place): Shape {
  const isPull = history.pulls.some(({ number }) => number === remark.number);
  const web = (kind: string): string => `${origin}/${history.fullName}/${kind}/${remark.number}`;
  return {
    id: remark.id,
    html_url: `${web(isPull ? 'pulls' : 'issues')}#issuecomment-${remark.id}`,
    // Gitea sends both `pull_request_url` and `issue_url`, with web addresses instead of API addresses. `issue_url` is
    // empty for a comment on a pull request, and `pull_request_url` is empty for a comment on an issue.
    pull_request_url: isPull ? web('pulls') : '',
    issue_url: isPull ? '' : web('issues'),
    user: { id: remark.author.id, login: remark.author.login, email: `${remark.author.login}@example.com` },
    body: remark.body,
    created_at: iso(remark.createdAt),
    updated_at: iso(remark.updatedAt),
  };
}

export function reviewShape(remark: HistoryRemark, history: History, { origin }: Place): Shape {
  return {
    id: remark.id,
    user: { id: remark.author.id, login: remark.author.login },
    state: remark.state === 'CHANGES_REQUESTED' ? 'REQUEST_CHANGES' : remark.state,
    body: remark.body,
    submitted_at: iso(remark.createdAt),
    updated_at: iso(remark.updatedAt),
    pull_request_url: `${origin}/${history.fullName}/pulls/${remark.number}`,
  };
}

export function tagShape(tag: HistoryTag, history: History, { apiUrl }: Place): Shape {
  const at = tag.object?.at ?? history.commits.get(tag.sha)?.at ?? 0;
  const url = `${apiUrl}/repos/${history.fullName}/git/commits/${tag.sha}`;
  return {
    name: tag.name,
    message: '',
    id: tag.object?.sha ?? tag.sha,
    commit: { url, sha: tag.sha, created: iso(at) },
  };
}

/** Removes the type of the user, because Gitea does not report types of users. */
export function withoutTypes(shape: Shape): Shape {
  const { type: _type, ...user } = shape.user as Shape;
  return { ...shape, user };
}
