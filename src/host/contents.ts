/**
 * Reads text files of a repository's branches on its host, and commits changes to these files, one change at a time. A
 * commit names the blob that the new text replaces. If another commit has changed the file meanwhile, the host refuses
 * the commit and the file must be read again.
 */
import { ServiceError } from '../foundation/errors.ts';
import { isProtected } from './protection.ts';
import { encodePath, type Json, type RepositoryApi, refusalText } from './repository-api.ts';
import type { Answer } from './retries.ts';

export interface HostFile {
  sha: string;
  text: string;
  /** Web address of the file. */
  url: string;
}

/** A new text for a file in a branch. */
export interface FileChange {
  path: string;
  branch: string;
  text: string;
  /** The blob that the new text replaces; null for a new file. */
  sha: string | null;
  message: string;
}

/** Maximum size of a file, in bytes. People do not read a longer changelog. */
const maxBytes = 5 * 1024 * 1024;
/**
 * Matches words in a host's refusal of a commit by a rule of the branch. Hosts may send the same status when another
 * commit has changed the branch meanwhile (see `raced`).
 */
const guarded = /protected|rule|pull request|review|status check|required/i;
/**
 * Matches words in a host's refusal of a commit. These words show that another commit has changed the blob or the
 * branch in the meantime.
 */
const raced = /sha|already exists|fast.forward|reference|conflict/i;

/**
 * Reads a file of a branch; null when the file does not exist.
 * @throws ServiceError `notFound` when the branch does not exist
 * @throws ServiceError `invalid` when the path does not lead to a file, or when the file is too large or not in UTF-8
 */
export async function readFile(api: RepositoryApi, path: string, branch: string): Promise<HostFile | null> {
  const found = await api.read(`contents/${encodePath(path)}?ref=${encodeURIComponent(branch)}`);
  if (found === undefined || found === null) {
    await assertBranch(api, branch);
    return null;
  }
  const { type, sha, size, html_url } = found as Json;
  if (Array.isArray(found) || type !== 'file' || typeof sha !== 'string')
    throw new ServiceError('invalid', `${path} is not a file in the repository.`);
  if (Number(size) > maxBytes)
    throw new ServiceError('invalid', `${path} has ${size} bytes; the maximum is ${maxBytes}.`);
  const text = toText(await contentOf(api, found as Json, sha), path);
  return { sha, text, url: typeof html_url === 'string' ? html_url : '' };
}

/**
 * Commits a file's new text.
 * @returns the file's web address; null when another commit has replaced the blob meanwhile
 * @throws ServiceError `conflict` with the host's message when the branch is protected, or `invalid` or `unauthorized`
 *   for any other refusal
 */
export async function writeFile(api: RepositoryApi, change: FileChange): Promise<string | null> {
  const { path, branch, text, sha, message } = change;
  const content = Buffer.from(text, 'utf8').toString('base64');
  const method = api.kind === 'gitea' && sha === null ? 'POST' : 'PUT';
  const body = { message, content, branch, ...(sha !== null && { sha }) };
  const answer = await api.write(method, `contents/${encodePath(path)}`, body, isProtected);
  if (answer.status < 300) {
    const { html_url } = ((answer.data as Json).content ?? {}) as Json;
    return typeof html_url === 'string' ? html_url : '';
  }
  const what = `a commit to ${path} on ${branch}`;
  if (isProtected(answer)) throw api.refusal(answer, what, 'conflict');
  if (isRace(answer)) return null;
  throw api.refusal(answer, what);
}

function isRace(answer: Answer): boolean {
  const words = refusalText(answer);
  if (guarded.test(words)) return false;
  return answer.status === 409 || raced.test(words);
}

/**
 * Returns the base64 form of a file's text. Hosts omit the text of files above one megabyte. Such a text is read from
 * the blob.
 */
async function contentOf(api: RepositoryApi, file: Json, sha: string): Promise<string> {
  if (file.encoding === 'base64' && (file.content !== '' || file.size === 0)) return String(file.content);
  const blob = (await api.read(`git/blobs/${encodeURIComponent(sha)}`)) as Json | undefined;
  if (blob?.encoding === 'base64') return String(blob.content);
  throw new ServiceError('unavailable', 'The host did not return the text of the file.');
}

/** Decodes a text without changing it. A byte order mark is kept. */
function toText(base64: string, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    throw new ServiceError('invalid', `${path} is not UTF-8 text, so the service does not change the file.`);
  }
}

async function assertBranch(api: RepositoryApi, branch: string): Promise<void> {
  if ((await api.read(`branches/${encodePath(branch)}`)) !== undefined) return;
  throw new ServiceError(
    'notFound',
    `The repository has no branch ${branch}, or the token or app has no access to it.`,
  );
}
