/**
 * Where a tag leads: GitHub tells by its ref and the tag objects behind it, Gitea by the tag itself. The dates that Gitea
 * gives are those of the tagger, or of the commit where nobody signed the tag.
 */
import { ServiceError } from '../foundation/errors.ts';

export interface TagDetails {
  /** The commit. */
  sha: string;
  /** The tag object of an annotated tag. */
  object: string | null;
  /** Milliseconds. */
  date: number | null;
}

type Get = (path: string) => Promise<Record<string, unknown>>;
type Json = Record<string, unknown> | null | undefined;

/** Tags can point at tags; the host's own tools follow a few. */
const maxDepth = 5;

/**
 * @param get reads a path below the repository's address
 * @throws ServiceError `notFound` also for a name that no tag can have: it must not lead elsewhere on the host
 */
export async function tagDetails(kind: 'github' | 'gitea', get: Get, tag: string): Promise<TagDetails> {
  if (!isTagName(tag)) throw new ServiceError('notFound', 'No tag can have this name.');
  const name = tag.split('/').map(encodeURIComponent).join('/');
  return kind === 'gitea' ? fromGitea(get, name) : fromGithub(get, name);
}

/** What Git takes as a name in `refs/tags/`, as far as an address can be led astray by it. */
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
  if (target.type !== 'commit') throw new ServiceError('notFound', 'The tag leads to no commit.');
  return { sha: target.sha, object, date: date ?? (await commitDate(get, target.sha)) };
}

async function fromGitea(get: Get, name: string): Promise<TagDetails> {
  const answer = await get(`tags/${name}`);
  const commit = answer.commit as Json;
  const sha = toSha(commit?.sha);
  if (sha === undefined) throw new ServiceError('notFound', 'The tag leads to no commit.');
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
  if (sha === undefined) throw new ServiceError('notFound', 'The tag leads to no commit.');
  return { type: String(target?.type), sha };
}

/** An object's name: what goes into the next address. */
function toSha(value: unknown): string | undefined {
  return typeof value === 'string' && /^[0-9a-f]{40,64}$/i.test(value) ? value : undefined;
}

/** A moment after 1970; hosts write what they do not know as a time before it. */
function toInstant(value: unknown): number | null {
  const instant = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return instant > 0 ? instant : null;
}
