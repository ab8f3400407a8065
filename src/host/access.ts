/**
 * Gives access to one repository on its host: its releases, files, tags, pull requests and verdicts. Each request is
 * sent once, without retries. An expected failure is a `ServiceError`. The caller should retry only after
 * `unavailable`.
 */
import { ServiceError } from '../foundation/errors.ts';
import { type HostComment, type WrittenComment, writeComment } from './comments.ts';
import { type HostFile, readFile, writeFile } from './contents.ts';
import { createBranch, createPull, findPull, type HostPull, type PullText, updatePull } from './pulls.ts';
import { createRelease, findRelease, type HostRelease, type ReleaseFields, updateRelease } from './releases.ts';
import { type Json, RepositoryApi } from './repository-api.ts';
import { Requests, type RequestsOptions } from './requests.ts';
import { tagDetails } from './tags.ts';
import { type HostVerdict, type Written, writeCheckRun, writeStatus } from './verdicts.ts';

/**
 * Access to one repository on its host, for publishing. Every method can throw a ServiceError when one of its requests
 * or `nameOf` fails.
 */
export class RepositoryAccess {
  private readonly options: RequestsOptions;
  private readonly nameOf: () => Promise<string>;
  private opened: Promise<RepositoryApi> | undefined;
  /** The commits of tags that `tagSha` has already read. */
  private readonly tags = new Map<string, string>();

  /**
   * @param nameOf returns the repository's name on its host. It is called before the first request. It throws if the
   *   service must not use the repository.
   */
  constructor(options: RequestsOptions, nameOf: () => Promise<string>) {
    this.options = options;
    this.nameOf = nameOf;
  }

  /** Whether the credentials allow the service to write to the repository; null when the host does not report it. */
  async canWrite(): Promise<boolean | null> {
    const permissions = (await readRepository(await this.api())).permissions as { push?: unknown } | undefined;
    return typeof permissions?.push === 'boolean' ? permissions.push : null;
  }

  /** Returns the commit of a tag; null when the host does not have the tag. */
  async tagSha(tag: string): Promise<string | null> {
    const api = await this.api();
    try {
      const { sha } = await tagDetails(api.kind, (path) => mustRead(api, path), tag);
      this.tags.set(tag, sha);
      return sha;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'notFound') throw error;
      // Hosts send 404 both for a tag that does not exist and for a repository that is hidden. The repository is read
      // to distinguish the two cases: `readRepository` throws if the repository is hidden.
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

  async createBranch(branch: string, from: string): Promise<void> {
    return createBranch(await this.api(), branch, from);
  }

  async findPull(head: string, base: string): Promise<HostPull | null> {
    return findPull(await this.api(), head, base);
  }

  async createPull(pull: PullText & { head: string; base: string }): Promise<HostPull> {
    return createPull(await this.api(), pull);
  }

  async updatePull(number: number, text: PullText): Promise<HostPull> {
    return updatePull(await this.api(), number, text);
  }

  /** Whether an app writes, and not a token. */
  get isApp(): boolean {
    return this.options.host.app !== undefined && this.options.installationId !== undefined;
  }

  /** Writes a verdict about a commit. */
  async writeVerdict(sha: string, verdict: HostVerdict): Promise<Written> {
    return (this.isApp ? writeCheckRun : writeStatus)(await this.api(), sha, verdict);
  }

  /** Writes the comment of the service on a pull request. */
  async writeComment(number: number, comment: HostComment): Promise<WrittenComment> {
    return writeComment(await this.api(), number, comment);
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
  throw new ServiceError('notFound', 'The repository does not exist, or the token or app has no access to it.');
}

async function mustRead(api: RepositoryApi, path: string): Promise<Json> {
  const found = await api.read(path);
  if (found) return found as Json;
  throw new ServiceError('notFound', 'The tag does not exist on the host.');
}
