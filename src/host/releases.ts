/**
 * Finds, creates and updates releases of a repository on its host. Releases are found by tag, drafts included. Callers
 * provide the content. If the release to create already exists, GitHub replies 422 with a code, and Gitea replies 409.
 */
import { ServiceError } from '../foundation/errors.ts';
import { type Json, type RepositoryApi, refusalText } from './repository-api.ts';
import type { Answer } from './retries.ts';

/** The fields of a release that are sent to the host. */
export interface ReleaseFields {
  tag: string;
  name: string;
  bodyMd: string;
  draft: boolean;
  prerelease: boolean;
}

/** A release on the host. */
export interface HostRelease extends ReleaseFields {
  id: string;
  url: string;
}

/** Maximum number of pages that are searched for a draft release. The pages list the newest releases first. */
const maxPages = 20;

/**
 * Finds the release of a tag: the published release, else the newest draft. Drafts appear only in the list of releases.
 */
export async function findRelease(api: RepositoryApi, tag: string): Promise<HostRelease | null> {
  const published = await api.read(`releases/tags/${encodeURIComponent(tag)}`);
  if (isRelease(published)) return toRelease(published);
  for await (const item of api.list('releases', maxPages))
    if (item.tag_name === tag && isRelease(item)) return toRelease(item);
  return null;
}

/**
 * Creates a release. If the host replies that the tag already has a release, updates that release.
 * @param sha commit of the tag. If the tag was deleted meanwhile, the host creates the tag on this commit and not on
 *   the newest commit.
 * @throws ServiceError `invalid` with the host's message when the host refuses the release
 */
export async function createRelease(
  api: RepositoryApi,
  fields: ReleaseFields,
  sha: string | undefined,
): Promise<HostRelease> {
  const body = { ...toBody(fields), ...(sha && { target_commitish: sha }) };
  const answer = await api.write('POST', 'releases', body);
  if (!isTaken(answer)) return written(api, answer);
  const existing = await findRelease(api, fields.tag);
  if (existing) return updateRelease(api, existing.id, fields);
  // The release exists, but the list does not contain it yet. A later attempt may find it in the list.
  throw new ServiceError(
    'unavailable',
    `The host reports that a release of ${fields.tag} exists, but its list of releases does not contain that release yet.`,
  );
}

/**
 * @throws ServiceError `notFound` when the release was deleted, or `invalid` with the host's message when the host
 *   refuses the release
 */
export async function updateRelease(api: RepositoryApi, id: string, fields: ReleaseFields): Promise<HostRelease> {
  return written(api, await api.write('PATCH', `releases/${encodeURIComponent(id)}`, toBody(fields)));
}

function written(api: RepositoryApi, answer: Answer): HostRelease {
  if (answer.status < 300 && isRelease(answer.data)) return toRelease(answer.data);
  throw api.refusal(answer, 'the release');
}

function isTaken(answer: Answer): boolean {
  return answer.status === 409 || (answer.status === 422 && /already.exists/i.test(refusalText(answer)));
}

function toBody({ tag, name, bodyMd, draft, prerelease }: ReleaseFields): Json {
  return { tag_name: tag, name, body: bodyMd, draft, prerelease };
}

function isRelease(data: unknown): data is Json {
  return typeof data === 'object' && data !== null && Number.isInteger((data as Json).id);
}

function toRelease(data: Json): HostRelease {
  const { id, html_url, tag_name, name, body, draft, prerelease } = data;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return {
    id: String(id),
    url: text(html_url),
    tag: text(tag_name),
    name: text(name),
    bodyMd: text(body),
    draft: draft === true,
    prerelease: prerelease === true,
  };
}
