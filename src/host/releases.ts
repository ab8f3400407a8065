/**
 * Releases of a repository on its host: found by tag, drafts included, made and changed. What stands in one is left to
 * others. Hosts tell the two refusals of a doubled release apart: GitHub 422 with a code, Gitea 409.
 */
import { ServiceError } from '../foundation/errors.ts';
import { type Json, type RepositoryApi, saying } from './repository-api.ts';
import type { Answer } from './retries.ts';

/** A release as it is written. */
export interface ReleaseFields {
  tag: string;
  name: string;
  bodyMd: string;
  draft: boolean;
  prerelease: boolean;
}

/** A release as the host has it. */
export interface HostRelease extends ReleaseFields {
  id: string;
  url: string;
}

/** Pages of releases that are looked through for a draft: the newest come first. */
const mostPages = 20;

/** The release of a tag: a published one by its tag, else the newest draft, which only a list tells of. */
export async function findRelease(api: RepositoryApi, tag: string): Promise<HostRelease | null> {
  const published = await api.read(`releases/tags/${encodeURIComponent(tag)}`);
  if (isRelease(published)) return toRelease(published);
  for await (const item of api.list('releases', mostPages))
    if (item.tag_name === tag && isRelease(item)) return toRelease(item);
  return null;
}

/**
 * Makes a release; one that came to exist meanwhile is changed instead.
 * @param sha commit of the tag: a tag that is gone by now is made anew there and not on the newest commit
 * @throws ServiceError `invalid` with the host's words when it does not take the release
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
  // It exists and is not shown: asked again later, a list may have it.
  throw new ServiceError('unavailable', `The host has a release of ${fields.tag} and does not show it.`);
}

/** @throws ServiceError `invalid` with the host's words when it does not take the release, `notFound` when it is gone */
export async function updateRelease(api: RepositoryApi, id: string, fields: ReleaseFields): Promise<HostRelease> {
  return written(api, await api.write('PATCH', `releases/${encodeURIComponent(id)}`, toBody(fields)));
}

function written(api: RepositoryApi, answer: Answer): HostRelease {
  if (answer.status < 300 && isRelease(answer.data)) return toRelease(answer.data);
  throw api.refusal(answer, 'the release');
}

function isTaken(answer: Answer): boolean {
  return answer.status === 409 || (answer.status === 422 && /already.exists/i.test(saying(answer)));
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
