/**
 * What the rest of the service asks a source-code host for: a repository, its lists page by page, the facts of a tag, the
 * commits between two others.
 * One client serves one repository's work with one set of credentials, its requests one after the other. What is done with
 * the items is left to others; they are as the host sent them.
 */
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { Host } from '../../config/hosts.ts';
import { ServiceError } from '../foundation/errors.ts';
import { type HostRepository, HostRepositorySchema } from '../protocol/host.ts';
import { comparedCommits, isComparison } from './compare.ts';
import { installationPath } from './credentials.ts';
import { linksOf } from './link.ts';
import { type ListKind, type ListRequest, listUrl, repositoryPath } from './lists.ts';
import { Requests, type RequestsOptions } from './requests.ts';
import type { Answer, Asked } from './retries.ts';
import { type TagDetails, tagDetails } from './tags.ts';

export type { ListKind, ListRequest } from './lists.ts';
export type { Wait as HostWait } from './requests.ts';
export type { TagDetails } from './tags.ts';

export interface HostClientOptions extends RequestsOptions {
  /** False hands limits and passing faults back as `unavailable` when a repository or an installation is asked for. */
  isPatient?: boolean;
}

/** One page of a list. */
export interface HostPage {
  items: readonly Record<string, unknown>[];
  /** Address of the next page as the host gave it, null at the end: for `page`, also after a restart. */
  next: string | null;
  /** Number of pages, as far as the host says. */
  pages: number | null;
  etag: string | null;
  /** The list still is what it was when the request's etag was given; `items` is empty. */
  notModified: boolean;
}

const repositoryCheck = TypeCompiler.Compile(HostRepositorySchema);
const emptyPage: HostPage = { items: [], next: null, pages: 1, etag: null, notModified: false };

/**
 * A host's REST API. Every method throws, besides what it names: ServiceError `unauthorized` (401, 403, no token for the
 * installation), `notFound` (404, 410, 451), `unavailable` (given up after several attempts), `invalid` (the host leads
 * elsewhere or in a circle); and the signal's reason when that ended it. No error holds a token or a body.
 */
export class HostClient {
  private readonly host: Host;
  private readonly options: HostClientOptions;
  private readonly requests: Requests;
  /** Addresses visited in each list under way, in order. */
  private readonly walks = new Map<ListKind, string[]>();

  constructor(options: HostClientOptions) {
    this.host = options.host;
    this.options = options;
    this.requests = new Requests(options);
  }

  get origin(): string {
    return this.host.origin;
  }

  /** The installation whose token is used; undefined where the token of the settings is, or none. */
  get installationId(): string | undefined {
    return this.host.app === undefined ? undefined : this.options.installationId;
  }

  /**
   * A repository by its present or a former name; the answer holds the present one.
   * @throws ServiceError `invalid` when the name is not of the form OWNER/NAME
   */
  async repository(fullName: string): Promise<HostRepository> {
    return this.readRepository(`${this.host.apiUrl}${repositoryPath(fullName)}`);
  }

  /** A repository by the host's id: right even when its former name was taken by another one. */
  async repositoryById(hostId: string): Promise<HostRepository> {
    return this.readRepository(`${this.host.apiUrl}/repositories/${encodeURIComponent(hostId)}`);
  }

  /** The account behind the installation whose token is used; undefined where the app has no such installation. */
  async installationAccount(): Promise<{ id: string; login: string } | undefined> {
    const path = installationPath(this.options.installationId ?? '');
    const answer = await this.ask({ url: `${this.host.apiUrl}${path}`, asApp: true }, isObject);
    if (answer.status === 404) return undefined;
    const { account } = this.accepted(answer).data as { account?: { id?: unknown; login?: unknown } | null };
    const isAccount = Number.isInteger(account?.id) && typeof account?.login === 'string';
    return isAccount ? { id: String(account?.id), login: account?.login as string } : undefined;
  }

  /**
   * The first page of a list. Without a page where the host has no such list, where the part of the repository (issues,
   * pull requests) is switched off, and where it has no commits yet.
   */
  async first({ fullName }: { fullName: string }, request: ListRequest): Promise<HostPage> {
    const url = listUrl(this.host, fullName, request);
    if (url === undefined) return emptyPage;
    this.walks.set(request.kind, []);
    const headers: Record<string, string> = request.etag ? { 'if-none-match': request.etag } : {};
    const answer = await this.requests.get({ url, headers }, isList);
    if (answer.status === 304) return { ...emptyPage, pages: null, etag: request.etag ?? null, notModified: true };
    if (answer.status === 409 && request.kind === 'commits') return emptyPage;
    // The host answers alike for what is switched off and for what may not be seen: the repository tells them apart.
    if ((answer.status === 404 || answer.status === 410) && (await this.repository(fullName))) return emptyPage;
    return this.toPage(answer, url, request.kind);
  }

  /**
   * A further page.
   * @param url `next` of the page before it
   * @throws ServiceError `invalid` when the address is not one of this host's API
   */
  async page(url: string, kind: ListKind): Promise<HostPage> {
    const address = this.onApi(url);
    return this.toPage(await this.requests.get({ url: address }, isList), url, kind);
  }

  /**
   * The commit of a tag, the tag object of an annotated one, and its date in milliseconds: the tagger's, else the commit's.
   * @throws ServiceError `notFound` when the tag is gone or leads to no commit
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
   * The commits reachable from `to` and not from `from`, both shas, in the host's order. Undefined where they are more than
   * `most`, or where the host does not list all of them.
   * @throws ServiceError `notFound` when the host does not know one of the two, or they have no common history
   */
  async compare(
    { fullName }: { fullName: string },
    from: string,
    to: string,
    most: number,
  ): Promise<Record<string, unknown>[] | undefined> {
    const size = this.host.kind === 'gitea' ? 'limit=50' : 'per_page=100';
    const path = `compare/${encodeURIComponent(from)}...${encodeURIComponent(to)}?${size}`;
    const get = async (url: string): Promise<Answer> =>
      this.accepted(await this.requests.get({ url: this.onApi(url) }, isComparison));
    return comparedCommits(get, `${this.host.apiUrl}${repositoryPath(fullName)}/${path}`, most);
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

  /** Notes a page of a walk; asking again from an earlier page begins there anew. */
  private advance(kind: ListKind, url: string, next: string | null): void {
    const walk = this.walks.get(kind) ?? [];
    const seen = walk.lastIndexOf(url);
    const passed = seen < 0 ? [...walk, url] : walk.slice(0, seen + 1);
    if (next !== null && passed.includes(next))
      throw new ServiceError('invalid', `The pages of ${kind} on the host ${this.name} lead in a circle.`);
    this.walks.set(kind, passed);
  }

  /** The address of a page; a Gitea that names itself by its web address is asked where the settings say. */
  private onApi(url: string): string {
    const api = new URL(this.host.apiUrl);
    const page = URL.canParse(url) ? new URL(url) : undefined;
    if (page && page.username === '' && page.password === '') {
      if (page.origin === api.origin) return url;
      const isOwn = this.host.kind === 'gitea' && page.origin === new URL(this.host.origin).origin;
      if (isOwn) return `${api.origin}${page.pathname}${page.search}`;
    }
    throw new ServiceError('invalid', `A page's address is not one of the API of the host ${this.name}.`);
  }

  private accepted(answer: Answer): Answer {
    if (answer.status === 200) return answer;
    const said = `The host ${this.name} answered ${answer.status} to GET ${new URL(answer.url).pathname}`;
    if (answer.status === 401 || answer.status === 403)
      throw new ServiceError('unauthorized', `${said}: the token or the app may not read this.`);
    if ([404, 410, 451].includes(answer.status))
      throw new ServiceError('notFound', `${said}: it is not there, or the token or the app may not see it.`);
    throw new ServiceError('unavailable', `${said}.`);
  }

  private get name(): string {
    return new URL(this.host.apiUrl).host;
  }
}

/** Gitea writes an empty list as null. */
function isList(data: unknown): boolean {
  return data === null || (Array.isArray(data) && data.every(isObject));
}

function isObject(data: unknown): boolean {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}
