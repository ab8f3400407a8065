/**
 * Text files of a repository's branches on its host, read and committed one at a time. A commit names the blob that it
 * replaces, so that what others commit meanwhile is never lost: then the file has to be read again.
 */
import { ServiceError } from '../foundation/errors.ts';
import { encodePath, type Json, type RepositoryApi, saying } from './repository-api.ts';
import type { Answer } from './retries.ts';

export interface HostFile {
  sha: string;
  text: string;
  /** Its web address. */
  url: string;
}

/** A file's new text. */
export interface FileChange {
  path: string;
  branch: string;
  text: string;
  /** Blob that it replaces; null for a new file. */
  sha: string | null;
  message: string;
}

/** Largest file taken: what is longer is no list of versions that people read. */
const maxBytes = 5 * 1024 * 1024;
/** Words of a host that keeps the branch from being written to; they come with the statuses of a race. */
const guarded = /protected|rule|pull request|review|status check|required/i;
/** Words of a race: another blob, or another commit on the branch. */
const raced = /sha|already exists|fast.forward|reference|conflict/i;

/**
 * A file of a branch; null when it does not exist.
 * @throws ServiceError `notFound` when there is no such branch; `invalid` when it is no file, too large or not in UTF-8
 */
export async function readFile(api: RepositoryApi, path: string, branch: string): Promise<HostFile | null> {
  const found = await api.read(`contents/${encodePath(path)}?ref=${encodeURIComponent(branch)}`);
  if (found === undefined || found === null) {
    await assertBranch(api, branch);
    return null;
  }
  const { type, sha, size, html_url } = found as Json;
  if (Array.isArray(found) || type !== 'file' || typeof sha !== 'string')
    throw new ServiceError('invalid', `${path} is no file in the repository.`);
  if (Number(size) > maxBytes)
    throw new ServiceError('invalid', `${path} has ${size} bytes; at most ${maxBytes} are changed.`);
  const text = toText(await contentOf(api, found as Json, sha), path);
  return { sha, text, url: typeof html_url === 'string' ? html_url : '' };
}

/**
 * Commits a file's new text.
 * @returns its web address; null when the blob was not the newest any more
 * @throws ServiceError `invalid` or `unauthorized` with the host's words when it takes no commit on this branch
 */
export async function writeFile(api: RepositoryApi, change: FileChange): Promise<string | null> {
  const { path, branch, text, sha, message } = change;
  const content = Buffer.from(text, 'utf8').toString('base64');
  const method = api.kind === 'gitea' && sha === null ? 'POST' : 'PUT';
  const body = { message, content, branch, ...(sha !== null && { sha }) };
  const answer = await api.write(method, `contents/${encodePath(path)}`, body);
  if (answer.status < 300) {
    const { html_url } = ((answer.data as Json).content ?? {}) as Json;
    return typeof html_url === 'string' ? html_url : '';
  }
  if (isRace(answer)) return null;
  throw api.refusal(answer, `a commit to ${path} on ${branch}`);
}

function isRace(answer: Answer): boolean {
  const words = saying(answer);
  if (guarded.test(words)) return false;
  return answer.status === 409 || raced.test(words);
}

/** Above a megabyte a host leaves the text out and gives it by its blob. */
async function contentOf(api: RepositoryApi, file: Json, sha: string): Promise<string> {
  if (file.encoding === 'base64' && (file.content !== '' || file.size === 0)) return String(file.content);
  const blob = (await api.read(`git/blobs/${encodeURIComponent(sha)}`)) as Json | undefined;
  if (blob?.encoding === 'base64') return String(blob.content);
  throw new ServiceError('unavailable', 'The host does not give the text of the file.');
}

/** Text as it stands, its byte order mark included. */
function toText(base64: string, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    throw new ServiceError('invalid', `${path} is not in UTF-8, so it is left alone.`);
  }
}

async function assertBranch(api: RepositoryApi, branch: string): Promise<void> {
  if ((await api.read(`branches/${encodePath(branch)}`)) !== undefined) return;
  throw new ServiceError('notFound', `The repository has no branch ${branch}, or the token or the app may not see it.`);
}
