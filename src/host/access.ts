/**
 * What publishing may do with one repository on its host, as channels see it. Each request is sent once; an expected failure
 * is a `ServiceError`, and only `unavailable` is worth coming again for.
 */
import { ServiceError } from '../errors.ts';
import { type HostFile, readFile, writeFile } from './contents.ts';
import { createRelease, findRelease, type HostRelease, type ReleaseFields, updateRelease } from './releases.ts';
import { type Json, RepositoryApi } from './repository-api.ts';
import { Requests, type RequestsOptions } from './requests.ts';
import { tagDetails } from './tags.ts';

/** A repository on its host, for publishing. Every method throws ServiceErrors as its requests do. */
export class RepositoryAccess {
  private readonly api: RepositoryApi;
  /** Commits of tags that were asked for. */
  private readonly tags = new Map<string, string>();

  constructor(options: RequestsOptions, fullName: string) {
    this.api = new RepositoryApi(options.host, fullName, new Requests(options));
  }

  /** Whether the credentials may write here; null where the host does not say. */
  async canWrite(): Promise<boolean | null> {
    const permissions = (await this.repository()).permissions as { push?: unknown } | undefined;
    return typeof permissions?.push === 'boolean' ? permissions.push : null;
  }

  /** Commit that a tag points at; null when the host does not have the tag. */
  async tagSha(tag: string): Promise<string | null> {
    try {
      const { sha } = await tagDetails(this.api.kind, (path) => this.mustRead(path), tag);
      this.tags.set(tag, sha);
      return sha;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'notFound') throw error;
      // Hosts answer alike for what is not there and for what may not be seen: the repository tells them apart.
      await this.repository();
      return null;
    }
  }

  findRelease(tag: string): Promise<HostRelease | null> {
    return findRelease(this.api, tag);
  }

  createRelease(release: ReleaseFields): Promise<HostRelease> {
    return createRelease(this.api, release, this.tags.get(release.tag));
  }

  updateRelease(id: string, release: ReleaseFields): Promise<HostRelease> {
    return updateRelease(this.api, id, release);
  }

  readFile(path: string, branch: string): Promise<HostFile | null> {
    return readFile(this.api, path, branch);
  }

  writeFile(path: string, branch: string, text: string, sha: string | null, message: string): Promise<string | null> {
    return writeFile(this.api, { path, branch, text, sha, message });
  }

  private async repository(): Promise<Json> {
    const found = await this.api.read('');
    if (found) return found as Json;
    throw new ServiceError('notFound', 'The repository is not there, or the token or the app may not see it.');
  }

  private async mustRead(path: string): Promise<Json> {
    const found = await this.api.read(path);
    if (found) return found as Json;
    throw new ServiceError('notFound', 'The host has no such tag.');
  }
}
