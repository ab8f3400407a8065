/**
 * What publishing may do with one repository on its host, as channels see it. Each request is sent once; an expected failure
 * is a `ServiceError`, and only `unavailable` is worth coming again for.
 */
import { ServiceError } from '../foundation/errors.ts';
import { type HostFile, readFile, writeFile } from './contents.ts';
import { createRelease, findRelease, type HostRelease, type ReleaseFields, updateRelease } from './releases.ts';
import { type Json, RepositoryApi } from './repository-api.ts';
import { Requests, type RequestsOptions } from './requests.ts';
import { tagDetails } from './tags.ts';

/** A repository on its host, for publishing. Every method throws ServiceErrors as its requests do, and as `nameOf` does. */
export class RepositoryAccess {
  private readonly options: RequestsOptions;
  private readonly nameOf: () => Promise<string>;
  private opened: Promise<RepositoryApi> | undefined;
  /** Commits of tags that were asked for. */
  private readonly tags = new Map<string, string>();

  /** @param nameOf the repository's name on its host, asked for before the first request; it throws where nothing may be done */
  constructor(options: RequestsOptions, nameOf: () => Promise<string>) {
    this.options = options;
    this.nameOf = nameOf;
  }

  /** Whether the credentials may write here; null where the host does not say. */
  async canWrite(): Promise<boolean | null> {
    const permissions = (await readRepository(await this.api())).permissions as { push?: unknown } | undefined;
    return typeof permissions?.push === 'boolean' ? permissions.push : null;
  }

  /** Commit that a tag points at; null when the host does not have the tag. */
  async tagSha(tag: string): Promise<string | null> {
    const api = await this.api();
    try {
      const { sha } = await tagDetails(api.kind, (path) => mustRead(api, path), tag);
      this.tags.set(tag, sha);
      return sha;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'notFound') throw error;
      // Hosts answer alike for what is not there and for what may not be seen: the repository tells them apart.
      await readRepository(api);
      return null;
    }
  }

  async findRelease(tag: string): Promise<HostRelease | null> {
    return findRelease(await this.api(), tag);
  }

  async createRelease(release: ReleaseFields): Promise<HostRelease> {
    return createRelease(await this.api(), release, this.tags.get(release.tag));
  }

  async updateRelease(id: string, release: ReleaseFields): Promise<HostRelease> {
    return updateRelease(await this.api(), id, release);
  }

  async readFile(path: string, branch: string): Promise<HostFile | null> {
    return readFile(await this.api(), path, branch);
  }

  async writeFile(
    path: string,
    branch: string,
    text: string,
    sha: string | null,
    message: string,
  ): Promise<string | null> {
    return writeFile(await this.api(), { path, branch, text, sha, message });
  }

  private api(): Promise<RepositoryApi> {
    const { options } = this;
    this.opened ??= this.nameOf().then((name) => new RepositoryApi(options.host, name, new Requests(options)));
    return this.opened;
  }
}

async function readRepository(api: RepositoryApi): Promise<Json> {
  const found = await api.read('');
  if (found) return found as Json;
  throw new ServiceError('notFound', 'The repository is not there, or the token or the app may not see it.');
}

async function mustRead(api: RepositoryApi, path: string): Promise<Json> {
  const found = await api.read(path);
  if (found) return found as Json;
  throw new ServiceError('notFound', 'The host has no such tag.');
}
