/**
 * Writes the verdict of the release note check for a commit to a host: a check run if an app writes, since hosts allow
 * check runs to apps only, otherwise a commit status. A verdict that the host shows already is not written again.
 */
import { noteCheckName } from '../protocol/note-checks.ts';
import type { NoteVerdict } from '../protocol/pull-note.ts';
import type { Json, RepositoryApi } from './repository-api.ts';

/** A verdict as the host shows it. */
export interface HostVerdict {
  state: NoteVerdict['state'];
  /** One line. Longer lines than `maxLineLength` are cut in a commit status. */
  title: string;
  /** Markdown below the title of a check run. */
  summary: string;
}

/** The result of a write. */
export type Written = 'created' | 'updated' | 'unchanged';

/** Identifies the check run of the service among check runs of the same name. */
const externalId = 'tidings-note-check';
/** Maximum number of pages of statuses that are searched. The newest statuses are on the first page. */
const maxPages = 3;
/** Maximum length of the text of a commit status, in characters. GitHub refuses a longer text. */
const maxLineLength = 140;

/**
 * Writes a verdict as the check run of a commit. A commit has one check run of the service, which is updated in place.
 * @throws ServiceError `invalid` with the host's message when the host refuses the check run
 */
export async function writeCheckRun(
  api: RepositoryApi,
  sha: string,
  { state, title, summary }: HostVerdict,
): Promise<Written> {
  const output = { title, summary };
  const fields = { name: noteCheckName, status: 'completed', conclusion: state, output };
  const own = await findCheckRun(api, sha);
  if (own && own.conclusion === state && isSameOutput(own.output, output)) return 'unchanged';
  const answer = own
    ? await api.write('PATCH', `check-runs/${own.id}`, fields)
    : await api.write('POST', 'check-runs', { ...fields, head_sha: sha, external_id: externalId });
  if (answer.status < 300) return own ? 'updated' : 'created';
  throw api.refusal(answer, 'the check run');
}

/**
 * Writes a verdict as the commit status of a commit. The newest status of a name counts on the host. A neutral verdict
 * becomes a success, because no host has a neutral status.
 * @throws ServiceError `invalid` with the host's message when the host refuses the status
 */
export async function writeStatus(api: RepositoryApi, sha: string, verdict: HostVerdict): Promise<Written> {
  const state = verdict.state === 'failure' ? 'failure' : 'success';
  const description = shortened(verdict.title);
  const own = await findStatus(api, sha);
  // Gitea calls the state of a status `status`.
  if (own && (own.state ?? own.status) === state && own.description === description) return 'unchanged';
  const answer = await api.write('POST', `statuses/${sha}`, { context: noteCheckName, state, description });
  if (answer.status < 300) return own ? 'updated' : 'created';
  throw api.refusal(answer, 'the commit status');
}

async function findCheckRun(api: RepositoryApi, sha: string): Promise<Json | undefined> {
  const query = new URLSearchParams({ check_name: noteCheckName, per_page: '100' });
  const found = (await api.read(`commits/${sha}/check-runs?${query}`)) as { check_runs?: Json[] } | null | undefined;
  return found?.check_runs?.find((run) => run.external_id === externalId && Number.isInteger(run.id));
}

/**
 * Returns the newest status of the check. Hosts list the newest statuses first. Statuses of the same second can be in
 * any order, so the number decides. The combined status is not used, because some versions of Gitea leave the list out
 * of it.
 */
async function findStatus(api: RepositoryApi, sha: string): Promise<Json | undefined> {
  let newest: Json | undefined;
  for await (const status of api.list(`commits/${sha}/statuses`, maxPages))
    if (status.context === noteCheckName && Number(status.id) > Number(newest?.id ?? 0)) newest = status;
  return newest;
}

function isSameOutput(shown: unknown, output: Record<string, string>): boolean {
  return Object.entries(output).every(([field, text]) => (shown as Json | null | undefined)?.[field] === text);
}

function shortened(line: string): string {
  const characters = [...line];
  return characters.length <= maxLineLength ? line : `${characters.slice(0, maxLineLength - 1).join('')}…`;
}
