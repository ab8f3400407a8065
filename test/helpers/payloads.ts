/**
 * Makes webhook payloads for tests, with as few fields as a real host may send. Every function has default values. The
 * caller passes only the fields that have other values.
 */

/** Fields of the repository in a payload. */
export interface RepositoryFields {
  id?: number;
  full_name?: string;
  [field: string]: unknown;
}

/** Returns the fields of a payload that describe the repository. */
export function repositoryPayload(fields: RepositoryFields = {}): Record<string, unknown> {
  const fullName = String(fields.full_name ?? 'acme/rocket');
  return {
    id: 1001,
    full_name: fullName,
    name: fullName.split('/')[1],
    private: false,
    default_branch: 'main',
    html_url: `https://github.com/${fullName}`,
    owner: { login: fullName.split('/')[0], id: 77, type: 'Organization' },
    ...fields,
  };
}

/**
 * Returns the payload of a merged pull request, by default with the action `closed`; `fields` are set in
 * `pull_request`.
 */
export function pullPayload(
  number: number,
  fields: Record<string, unknown> = {},
  repository: RepositoryFields = {},
  action = 'closed',
): Record<string, unknown> {
  const time = timeOf(number);
  return {
    action,
    number,
    pull_request: {
      number,
      title: `Change ${number}`,
      body: null,
      state: 'closed',
      merged: true,
      merged_at: time,
      closed_at: time,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: time,
      merge_commit_sha: shaOf(number),
      user: { login: 'ada', id: 5, type: 'User' },
      labels: [],
      base: { ref: 'main' },
      head: { ref: `change-${number}` },
      html_url: `https://github.com/acme/rocket/pull/${number}`,
      ...fields,
    },
    repository: repositoryPayload(repository),
    sender: { login: 'ada', id: 5, type: 'User' },
  };
}

/** Returns the payload of a closed issue; `fields` are set in `issue`. */
export function issuePayload(
  number: number,
  fields: Record<string, unknown> = {},
  repository: RepositoryFields = {},
  action = 'closed',
): Record<string, unknown> {
  const time = timeOf(number);
  return {
    action,
    issue: {
      number,
      title: `Issue ${number}`,
      body: null,
      state: 'closed',
      closed_at: time,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: time,
      user: { login: 'grace', id: 6, type: 'User' },
      labels: [],
      html_url: `https://github.com/acme/rocket/issues/${number}`,
      ...fields,
    },
    repository: repositoryPayload(repository),
  };
}

/**
 * Returns a push to a branch. It contains the merge commits of the pull requests `numbers`, oldest first, on top of the
 * commit `before`.
 */
export function pushPayload(numbers: readonly number[], before: string, branch = 'main'): Record<string, unknown> {
  const commits = numbers.map((number) => ({
    id: shaOf(number),
    message: `Change ${number} (#${number})`,
    timestamp: timeOf(number),
    author: { username: 'ada', name: 'Ada', email: 'ada@example.com' },
  }));
  const head = commits[commits.length - 1];
  return {
    ref: `refs/heads/${branch}`,
    before,
    after: head?.id,
    created: false,
    deleted: false,
    forced: false,
    base_ref: null,
    commits,
    head_commit: head,
    repository: repositoryPayload({ pushed_at: Date.parse(head?.timestamp ?? timeOf(0)) / 1000 }),
  };
}

/** Returns a push of a lightweight tag on the merge commit of pull request `number`. */
export function tagPayload(name: string, number: number): Record<string, unknown> {
  return {
    ref: `refs/tags/${name}`,
    before: '0'.repeat(40),
    after: shaOf(number),
    created: true,
    deleted: false,
    forced: false,
    base_ref: 'refs/heads/main',
    commits: [],
    head_commit: { id: shaOf(number), message: `Change ${number} (#${number})`, timestamp: timeOf(number) },
    repository: repositoryPayload({ pushed_at: Date.parse(timeOf(number)) / 1000 + 1 }),
  };
}

/** Returns the merge commit of pull request `number` in these payloads. */
export function shaOf(number: number): string {
  return (0xa0000000 + number).toString(16).padEnd(40, '0');
}

/**
 * Returns the time of pull request or issue `number` in these payloads. The times of consecutive numbers are one hour
 * apart.
 */
export function timeOf(number: number): string {
  return new Date(Date.UTC(2026, 0, 2) + number * 3_600_000).toISOString().replace('.000Z', 'Z');
}
