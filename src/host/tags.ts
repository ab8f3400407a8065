/**
 * Finds the commit and the date of a tag. GitHub describes a tag by a ref and tag objects. Gitea sends the whole tag in
 * one reply. The date is the tagger's date or, if the tag has no tagger, the commit's date.
 */
import { ServiceError } from '../foundation/errors.ts';

export interface TagDetails {
  /** The sha of the commit. */
  sha: string;
  /** The sha of the tag object; null for a tag that is not annotated. */
  object: string | null;
  /** The date in milliseconds since 1970; null when the host sends none. */
  date: number | null;
}

type Get = (path: string) => Promise<Record<string, unknown>>;
type Json = Record<string, unknown> | null | undefined;

/** Maximum number of tag objects that are followed to find the commit. A tag can point at another tag. */
const maxDepth = 5;

/**
 * Reads the details of a tag.
 * @param get reads a path below the repository's address
 * @throws ServiceError `notFound` when the tag does not lead to a commit, or when no tag can have this name. Such a
 *   name is refused because it could lead to another address on the host.
 */
export async function tagDetails(kind: 'github' | 'gitea', get: Get, tag: string): Promise<TagDetails> {
  if (!isTagName(tag)) throw new ServiceError('notFound', 'This is not a valid tag name.');
  const name = tag.split('/').map(encodeURIComponent).join('/');
  return kind === 'gitea' ? fromGitea(get, name) : fromGithub(get, name);
}

/**
 * Whether a tag with this name can be requested safely. Git has more rules for tag names. This function checks only the
 * rules that keep a name from changing the requested address, for example by `..`.
 */
function isTagName(name: string): boolean {
  const parts = name.split('/');
  return parts.every((part) => part !== '' && !part.startsWith('.')) && !/\.\.|[\p{Cc}\\]/u.test(name);
}

async function fromGithub(get: Get, name: string): Promise<TagDetails> {
  let target = targetOf(await get(`git/ref/tags/${name}`));
  const object = target.type === 'tag' ? target.sha : null;
  let date: number | null = null;
  for (let depth = 0; target.type === 'tag' && depth < maxDepth; depth++) {
    const answer = await get(`git/tags/${target.sha}`);
    date ??= toInstant((answer.tagger as Json)?.date);
    target = targetOf(answer);
  }
  if (target.type !== 'commit') throw new ServiceError('notFound', 'The tag does not point to a commit.');
  return { sha: target.sha, object, date: date ?? (await commitDate(get, target.sha)) };
}

async function fromGitea(get: Get, name: string): Promise<TagDetails> {
  const answer = await get(`tags/${name}`);
  const commit = answer.commit as Json;
  const sha = toSha(commit?.sha);
  if (sha === undefined) throw new ServiceError('notFound', 'The tag does not point to a commit.');
  const id = toSha(answer.id);
  const date = toInstant(commit?.created) ?? (await commitDate(get, sha));
  return { sha, object: id !== undefined && id !== sha ? id : null, date };
}

async function commitDate(get: Get, sha: string): Promise<number | null> {
  const answer = await get(`git/commits/${sha}`);
  const commit = (answer.commit ?? answer) as Json;
  return toInstant((commit?.committer as Json)?.date);
}

function targetOf(answer: Record<string, unknown>): { type: string; sha: string } {
  const target = answer.object as Json;
  const sha = toSha(target?.sha);
  if (sha === undefined) throw new ServiceError('notFound', 'The tag does not point to a commit.');
  return { type: String(target?.type), sha };
}

/**
 * Returns the sha of an object if the sha is valid. The sha is checked because it becomes part of the address of the
 * next request.
 */
function toSha(value: unknown): string | undefined {
  return typeof value === 'string' && /^[0-9a-f]{40,64}$/i.test(value) ? value : undefined;
}

/**
 * Returns a time in milliseconds since 1970; null for an earlier or missing time. Hosts send an unknown time as a time
 * before 1970, such as the year 1.
 */
function toInstant(value: unknown): number | null {
  const instant = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return instant > 0 ? instant : null;
}
