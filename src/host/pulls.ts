/**
 * Creates branches in a repository on its host, and finds, opens and updates pull requests from these branches. A branch
 * or a pull request that exists already is not an error, so each step can be repeated.
 */
import { ServiceError } from '../foundation/errors.ts';
import { encodePath, type Json, type RepositoryApi, refusalText } from './repository-api.ts';
import type { Answer } from './retries.ts';

/** A pull request on the host. */
export interface HostPull {
  number: number;
  /** Web address of the pull request. */
  url: string;
  title: string;
  body: string;
  state: 'open' | 'merged' | 'closed';
}

/** The title and the text of a pull request. */
export interface PullText {
  title: string;
  body: string;
}

/**
 * Creates a branch at the head of another branch. A branch that exists already stays as it is.
 * @throws ServiceError `notFound` when the other branch does not exist, or `invalid` when the host refuses the branch
 */
export async function createBranch(api: RepositoryApi, branch: string, from: string): Promise<void> {
  const sha = await headOf(api, from);
  const answer =
    api.kind === 'gitea'
      ? await api.write('POST', 'branches', { new_branch_name: branch, old_ref_name: sha })
      : await api.write('POST', 'git/refs', { ref: `refs/heads/${branch}`, sha });
  if (answer.status < 300 || isTaken(answer)) return;
  throw api.refusal(answer, `the branch ${branch}`);
}

/** Finds the newest pull request from a branch of the repository into another branch. An open one comes first. */
export async function findPull(api: RepositoryApi, head: string, base: string): Promise<HostPull | null> {
  const pulls = (api.kind === 'gitea' ? await byBranches(api, head, base) : await byHead(api, head)).filter(isPull);
  const found = pulls.filter((pull) => refOf(pull.base) === base).map(toPull);
  return found.find(({ state }) => state === 'open') ?? found[0] ?? null;
}

/**
 * Opens a pull request. If an open one with the same branches exists already, returns that one.
 * @throws ServiceError `invalid` with the host's message when the host refuses the pull request
 */
export async function createPull(
  api: RepositoryApi,
  { head, base, title, body }: PullText & { head: string; base: string },
): Promise<HostPull> {
  const answer = await api.write('POST', 'pulls', { head, base, title, body });
  if (answer.status < 300 && isPull(answer.data)) return toPull(answer.data);
  if (!isTaken(answer)) throw api.refusal(answer, `a pull request from ${head}`);
  const existing = await findPull(api, head, base);
  if (existing?.state === 'open') return existing;
  // The pull request exists, but the list does not contain it yet. A later attempt may find it in the list.
  throw new ServiceError(
    'unavailable',
    `The host reports that a pull request from ${head} exists, but does not return it yet.`,
  );
}

/** @throws ServiceError `invalid` with the host's message when the host refuses the text */
export async function updatePull(api: RepositoryApi, number: number, { title, body }: PullText): Promise<HostPull> {
  const answer = await api.write('PATCH', `pulls/${number}`, { title, body });
  if (answer.status < 300 && isPull(answer.data)) return toPull(answer.data);
  throw api.refusal(answer, `a change of pull request #${number}`);
}

async function headOf(api: RepositoryApi, branch: string): Promise<string> {
  const found = (await api.read(`branches/${encodePath(branch)}`)) as { commit?: Json } | undefined;
  const sha = found?.commit?.sha ?? found?.commit?.id;
  if (typeof sha === 'string') return sha;
  throw new ServiceError(
    'notFound',
    `The repository has no branch ${branch}, or the token or app has no access to it.`,
  );
}

async function byHead(api: RepositoryApi, head: string): Promise<unknown[]> {
  const query = new URLSearchParams({ state: 'all', head: `${api.owner}:${head}`, per_page: '100' });
  return ((await api.read(`pulls?${query}`)) ?? []) as unknown[];
}

/** Gitea cannot filter its list by the head. It returns one pull request for two branches, in any state. */
async function byBranches(api: RepositoryApi, head: string, base: string): Promise<unknown[]> {
  const found = await api.read(`pulls/${encodeURIComponent(base)}/${encodePath(head)}`);
  return found ? [found] : [];
}

/** Whether a reply reports that the branch or the pull request exists already. Gitea sends 409 only for that. */
function isTaken(answer: Answer): boolean {
  return answer.status === 409 || /already exists/i.test(refusalText(answer));
}

function isPull(data: unknown): data is Json {
  return typeof data === 'object' && data !== null && Number.isInteger((data as Json).number);
}

function refOf(branch: unknown): unknown {
  return (branch as Json | null)?.ref;
}

function toPull({ number, html_url, title, body, state, merged, merged_at }: Json): HostPull {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const isMerged = merged === true || typeof merged_at === 'string';
  return {
    number: Number(number),
    url: text(html_url),
    title: text(title),
    body: text(body),
    state: isMerged ? 'merged' : state === 'open' ? 'open' : 'closed',
  };
}
