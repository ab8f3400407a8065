/**
 * Requests data from a source-code host. The client reads a repository, its lists page by page, the details of a tag,
 * and the commits between two commits. One client reads for one repository with one set of credentials, and sends one
 * request at a time. It returns items as the host sent them.
 */
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { Host } from '../../config/hosts.ts';
import { ServiceError } from '../foundation/errors.ts';
import { type HostRepository, HostRepositorySchema } from '../protocol/host.ts';
import { comparedCommits, isComparison } from './compare.ts';
import { installationPath } from './credentials.ts';
import { linksOf } from './link.ts';
import { type ListKind, type ListRequest, listUrl, repositoryPath } from './lists.ts';
import { denialOf } from './refusals.ts';
import { Requests, type RequestsOptions } from './requests.ts';
import type { Answer, Asked } from './retries.ts';
import { type TagDetails, tagDetails } from './tags.ts';

export type { ListKind, ListRequest } from './lists.ts';
export type { Wait as HostWait } from './requests.ts';
export type { TagDetails } from './tags.ts';

export interface HostClientOptions extends RequestsOptions {
  /**
   * If false, a request for a repository or an installation is not retried. Such a request fails with `unavailable` at
   * a rate limit or temporary fault.
   */
  isPatient?: boolean;
}

/** One page of a list. */
export interface HostPage {
  items: readonly Record<string, unknown>[];
  /**
   * Address of the next page as the host sent it; null on the last page. Pass the address to `page` to read that page.
   * The address may be stored and used after a restart.
   */
  next: string | null;
  /** Number of pages of the list; null when the host does not report it. */
  pages: number | null;
  etag: string | null;
  /** Whether the host reported that the list still has the etag that the request sent. If true, `items` is empty. */
  notModified: boolean;
}

const repositoryCheck = TypeCompiler.Compile(HostRepositorySchema);
const emptyPage: HostPage = { items: [], next: null, pages: 1, etag: null, notModified: false };

/**
 * A host's REST API. In addition to the documented errors, every method throws ServiceError:
 * - `unauthorized`: 401, 403, or the host issues no token for the installation
 * - `notFound`: 404, 410, 451
 * - `unavailable`: several attempts failed
 * - `invalid`: the host redirects to another host or in a circle
 *
 * When the signal ends a request, the method throws the signal's reason. No error contains a token or a body.
 */
export class HostClient {
  private readonly host: Host;
  private readonly options: HostClientOptions;
  private readonly requests: Requests;
  /** For each list that is being read: the addresses of the visited pages, in order. */
  private readonly walks = new Map<ListKind, string[]>();

  constructor(options: HostClientOptions) {
    this.host = options.host;
    this.options = options;
    this.requests = new Requests(options);
  }

  get origin(): string {
    return this.host.origin;
  }

  /** The installation whose token is used; undefined when the client uses the token of the settings or no token. */
  get installationId(): string | undefined {
    return this.host.app === undefined ? undefined : this.options.installationId;
  }

  /**
   * Reads a repository by its current or a former name. The result contains the current name.
   * @throws ServiceError `invalid` when the name is not of the form OWNER/NAME
   */
  async repository(fullName: string): Promise<HostRepository> {
    return this.readRepository(`${this.host.apiUrl}${repositoryPath(fullName)}`);
  }

  /**
   * Reads a repository by the host's id. This works even if another repository now has the former name of the
   * repository.
   */
  async repositoryById(hostId: string): Promise<HostRepository> {
    return this.readRepository(`${this.host.apiUrl}/repositories/${encodeURIComponent(hostId)}`);
  }

  /**
   * Returns the account of the installation whose token is used; undefined when the host knows no such installation of
   * the app.
   */
  async installationAccount(): Promise<{ id: string; login: string } | undefined> {
    const path = installationPath(this.options.installationId ?? '');
    const answer = await this.ask({ url: `${this.host.apiUrl}${path}`, asApp: true }, isObject);
    if (answer.status === 404) return undefined;
    const { account } = this.accepted(answer).data as { account?: { id?: unknown; login?: unknown } | null };
    const isAccount = Number.isInteger(account?.id) && typeof account?.login === 'string';
    return isAccount ? { id: String(account?.id), login: account?.login as string } : undefined;
  }

  /**
   * Reads the first page of a list. The page is empty if the host has no such list or the repository has no commits
   * yet. It is also empty if this part of the repository, such as issues, is disabled.
   */
  async first({ fullName }: { fullName: string }, request: ListRequest): Promise<HostPage> {
    const url = listUrl(this.host, fullName, request);
    if (url === undefined) return emptyPage;
    this.walks.set(request.kind, []);
    const headers: Record<string, string> = request.etag ? { 'if-none-match': request.etag } : {};
    const answer = await this.requests.get({ url, headers }, isList);
    if (answer.status === 304) return { ...emptyPage, pages: null, etag: request.etag ?? null, notModified: true };
    if (answer.status === 409 && request.kind === 'commits') return emptyPage;
    // Hosts send the same status for a list that is disabled (for example, issues) and for a hidden repository. The
    // repository is read to distinguish the two cases: `repository` throws if the repository is hidden.
    if ((answer.status === 404 || answer.status === 410) && (await this.repository(fullName))) return emptyPage;
    return this.toPage(answer, url, request.kind);
  }

  /**
   * Reads a page after the first.
   * @param url `next` of the previous page
   * @throws ServiceError `invalid` when the address does not belong to this host's API
   */
  async page(url: string, kind: ListKind): Promise<HostPage> {
    const address = this.onApi(url);
    return this.toPage(await this.requests.get({ url: address }, isList), url, kind);
  }

  /**
   * Returns the commit of a tag, the tag object of an annotated tag, and the date in milliseconds. The date is the
   * tagger's date or, without a tagger, the commit's date.
   * @throws ServiceError `notFound` when the tag does not exist or does not lead to a commit
   */
  async tagDetails({ fullName }: { fullName: string }, tag: string): Promise<TagDetails> {
    const base = `${this.host.apiUrl}${repositoryPath(fullName)}`;
    const get = async (path: string): Promise<Record<string, unknown>> => {
      const answer = await this.requests.get({ url: `${base}/${path}` }, isObject);
      return this.accepted(answer).data as Record<string, unknown>;
    };
    return tagDetails(this.host.kind, get, tag);
  }

  /**
   * Returns the commits reachable from `to` but not from `from` (two shas), in the host's order. The result is
   * undefined when there are more than `max` commits, or when the host does not list all of them.
   * @throws ServiceError `notFound` when the host does not know one of the two commits, or the commits have no common
   *   history
   */
  async compare(
    { fullName }: { fullName: string },
    from: string,
    to: string,
    max: number,
  ): Promise<Record<string, unknown>[] | undefined> {
    const size = this.host.kind === 'gitea' ? 'limit=50' : 'per_page=100';
    const path = `compare/${encodeURIComponent(from)}...${encodeURIComponent(to)}?${size}`;
    const get = async (url: string): Promise<Answer> =>
      this.accepted(await this.requests.get({ url: this.onApi(url) }, isComparison));
    return comparedCommits(get, `${this.host.apiUrl}${repositoryPath(fullName)}/${path}`, max);
  }

  private ask(asked: Pick<Asked, 'url' | 'asApp'>, isWhole: (data: unknown) => boolean): Promise<Answer> {
    return this.options.isPatient === false ? this.requests.once(asked, isWhole) : this.requests.get(asked, isWhole);
  }

  private async readRepository(url: string): Promise<HostRepository> {
    const answer = await this.ask({ url }, (data) => repositoryCheck.Check(data));
    return this.accepted(answer).data as HostRepository;
  }

  private toPage(answer: Answer, url: string, kind: ListKind): HostPage {
    const items = (this.accepted(answer).data ?? []) as Record<string, unknown>[];
    const { next, pages } = linksOf(answer.headers.get('link'), answer.url);
    this.advance(kind, url, next);
    return { items, next, pages, etag: answer.headers.get('etag'), notModified: false };
  }

  /**
   * Adds a page to the visited pages of a list. When the caller goes back to a visited page, the pages after it are
   * removed.
   */
  private advance(kind: ListKind, url: string, next: string | null): void {
    const walk = this.walks.get(kind) ?? [];
    const seen = walk.lastIndexOf(url);
    const passed = seen < 0 ? [...walk, url] : walk.slice(0, seen + 1);
    if (next !== null && passed.includes(next))
      throw new ServiceError('invalid', `The page links of ${kind} on the host ${this.name} form a loop.`);
    this.walks.set(kind, passed);
  }

  /**
   * Replaces the origin in the address of a page by the origin of `apiUrl` in the settings. A Gitea can have different
   * addresses for its web pages and its API. Its link to the next page may contain the address of the web pages.
   */
  private onApi(url: string): string {
    const api = new URL(this.host.apiUrl);
    const page = URL.canParse(url) ? new URL(url) : undefined;
    if (page && page.username === '' && page.password === '') {
      if (page.origin === api.origin) return url;
      const isOwn = this.host.kind === 'gitea' && page.origin === new URL(this.host.origin).origin;
      if (isOwn) return `${api.origin}${page.pathname}${page.search}`;
    }
    throw new ServiceError('invalid', `The host ${this.name} sent a page link that leads outside its API.`);
  }

  private accepted(answer: Answer): Answer {
    if (answer.status === 200) return answer;
    const summary = `The host ${this.name} answered ${answer.status} to GET ${new URL(answer.url).pathname}`;
    throw denialOf(answer.status, summary, 'to read this') ?? new ServiceError('unavailable', `${summary}.`);
  }

  private get name(): string {
    return new URL(this.host.apiUrl).host;
  }
}

/** Whether a body is a list of objects. Gitea sends an empty list as null. */
function isList(data: unknown): boolean {
  return data === null || (Array.isArray(data) && data.every(isObject));
}

function isObject(data: unknown): boolean {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}
