/**
 * Starts a source-code host for tests: a real HTTP server that answers from a history, like the REST API of GitHub or
 * Gitea. The server sends pages with Link headers and ETags, checks credentials, and records every request. A test can
 * plan faults, which make matching requests fail.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Host } from '../../../config/hosts.ts';
import { afterwards } from '../cleanup.ts';
import { aboutHost, isAboutHost } from './about.ts';
import type { Reply, TestApp } from './app.ts';
import type { Fault } from './faults.ts';
import type { History } from './history.ts';
import { compared, type HostKind, listItems, oneObject } from './lists.ts';
import { Publishing } from './publishing.ts';
import { type Place, repositoryShape, type Shape } from './shapes.ts';
import { Verdicts } from './verdicts.ts';

export interface TestHostOptions {
  kind?: HostKind;
  /** The token that every request must have; undefined when the host requires none. */
  token?: string;
  /** An app whose tokens the host also accepts. */
  app?: TestApp;
  /** Answers the exchange of the code of an app manifest. */
  convert?: (code: string) => Reply;
  /** True when the token allows reads only. */
  readsOnly?: boolean;
  /** Scopes of the token. If undefined, GitHub reports no scopes and Gitea grants all of them. */
  scopes?: readonly string[];
}

/** A request that the host received. */
export interface SeenRequest {
  method: string;
  /** Path and query of the request. */
  url: string;
  headers: IncomingMessage['headers'];
  /** Status of the answer; 0 before it is sent. */
  status: number;
}

interface PlannedFault {
  pattern: RegExp;
  fault: Fault;
  skip: number;
  times: number;
}

const notFound: Reply = { status: 404, body: { message: 'Not Found' } };

/** Starts a test host, which stops when the test ends. */
export async function startHost(t: TestContext, history: History, options: TestHostOptions = {}): Promise<TestHost> {
  const host = new TestHost(history, options);
  await host.listen();
  afterwards(t, () => host.close());
  return host;
}

export class TestHost {
  readonly history: History;
  /** The releases and files of the host, including those that requests wrote. */
  readonly publishing: Publishing;
  /** The statuses, check runs and comments of the host. */
  readonly verdicts: Verdicts;
  /** All received requests in the order of receipt, except those in `probed`. */
  readonly seen: SeenRequest[] = [];
  /**
   * Received requests about the host itself and about credentials. These requests read no repository. They are sent by
   * `doctor` and at each start of the service.
   */
  readonly probed: SeenRequest[] = [];
  /** Maximum number of concurrent requests seen so far. */
  busiest = 0;
  private readonly options: TestHostOptions;
  private readonly server: Server;
  private readonly faults: PlannedFault[] = [];
  private busy = 0;

  constructor(history: History, options: TestHostOptions) {
    this.history = history;
    this.options = options;
    this.publishing = new Publishing(history, options.kind ?? 'github', () => this.place);
    this.verdicts = new Verdicts(history, options.kind ?? 'github', () => this.place);
    this.server = createServer((request, response) => this.receive(request, response));
  }

  get kind(): HostKind {
    return this.options.kind ?? 'github';
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get apiUrl(): string {
    return this.origin + this.apiPath;
  }

  get place(): Place {
    return { origin: this.origin, apiUrl: this.apiUrl };
  }

  /** This host in the format of the service's settings. */
  get host(): Host {
    const { token, app } = this.options;
    const named = app && { id: app.id, keyFile: app.keyFile };
    return { origin: this.origin, kind: this.kind, apiUrl: this.apiUrl, token, app: named };
  }

  /** Environment variables for a service whose default host is this one. */
  get env(): Record<string, string> {
    const { token, app } = this.options;
    return {
      TIDINGS_HOST_ORIGIN: this.origin,
      TIDINGS_HOST_KIND: this.kind,
      TIDINGS_HOST_API_URL: this.apiUrl,
      ...(token && { TIDINGS_HOST_TOKEN: token }),
      ...(app && { TIDINGS_HOST_APP_ID: app.id, TIDINGS_HOST_APP_KEY_FILE: app.keyFile }),
    };
  }

  /**
   * Plans a fault for requests whose "METHOD path?query" matches the pattern.
   * @param times number of matching requests that fail, counted after the first `skip` matching requests, which succeed
   */
  fail(pattern: RegExp, fault: Fault, { times = 1, skip = 0 }: { times?: number; skip?: number } = {}): void {
    this.faults.push({ pattern, fault, times, skip });
  }

  /** Removes all planned faults. */
  heal(): void {
    this.faults.length = 0;
  }

  /** Returns the path and query of each recorded request that matches `pattern`, in the order of receipt. */
  asked(pattern: RegExp): string[] {
    return this.seen.filter(({ method, url }) => pattern.test(`${method} ${url}`)).map(({ url }) => url);
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private get apiPath(): string {
    return this.kind === 'gitea' ? '/api/v1' : '/api/v3';
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const { method = '', url = '', headers } = request;
    const seen: SeenRequest = { method, url, headers, status: 0 };
    const isProbe = method === 'GET' && isAboutHost(url);
    (isProbe ? this.probed : this.seen).push(seen);
    this.busiest = Math.max(this.busiest, ++this.busy);
    response.once('close', () => {
      this.busy--;
      seen.status = response.statusCode;
    });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    const whole = new Promise<string>((resolve) => {
      request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    });
    const answer = (): void => void whole.then((body) => this.answer(request, response, body));
    const planned = this.faults.find(({ pattern, times }) => times > 0 && pattern.test(`${method} ${url}`));
    if (planned === undefined || planned.skip-- > 0) return answer();
    planned.times--;
    planned.fault(response, answer);
  }

  private answer(request: IncomingMessage, response: ServerResponse, sent: string): void {
    const url = new URL(request.url ?? '', this.origin);
    const { status, body, headers = {} } = this.replyTo(request, url, sent);
    const text = JSON.stringify(body);
    const etag = `W/"${createHash('sha1').update(text).digest('hex')}"`;
    const usual = { 'content-type': 'application/json; charset=utf-8', ...this.quota(), ...headers };
    if (status !== 200) return void response.writeHead(status, usual).end(text);
    const holds = request.headers['if-none-match'] === etag;
    response.writeHead(holds ? 304 : 200, { ...usual, etag });
    response.end(holds ? undefined : text);
  }

  private replyTo(
    { method = '', headers }: IncomingMessage,
    url: URL,
    sent: string,
  ): Reply & { headers?: Record<string, string> } {
    const { app } = this.options;
    const path = url.pathname.startsWith(`${this.apiPath}/`) ? url.pathname.slice(this.apiPath.length) : '';
    const [, installation] = /^\/app\/installations\/([^/]+)\/access_tokens$/.exec(path) ?? [];
    if (installation && method === 'POST' && app) return app.mint(installation, headers.authorization);
    const [, code] = /^\/app-manifests\/([^/]+)\/conversions$/.exec(path) ?? [];
    if (code && method === 'POST') return this.options.convert?.(code) ?? notFound;
    const [, asked] = /^\/app\/installations\/([^/]+)$/.exec(path) ?? [];
    if (asked && method === 'GET' && app) {
      const { login, id } = this.history.owner;
      return app.installation(asked, headers.authorization, { login, id, type: 'Organization' });
    }
    const about =
      method === 'GET'
        ? aboutHost(this.kind, path, headers.authorization, this.lets(headers.authorization), this.options)
        : undefined;
    if (about) return about;
    if (!this.lets(headers.authorization)) return { status: 401, body: { message: 'Bad credentials' } };
    const [, name, id, rest = ''] = /^\/(?:repos\/([^/]+\/[^/]+)|repositories\/(\d+))(?:\/(.+))?$/.exec(path) ?? [];
    const { history } = this;
    if (name && history.formerNames.includes(name)) {
      const location = `${this.apiUrl}/repositories/${history.id}${rest && `/${rest}`}${url.search}`;
      const code = method === 'GET' ? 301 : 307;
      return { status: code, body: { message: 'Moved', url: location }, headers: { location } };
    }
    if (name !== history.fullName && Number(id) !== history.id) return notFound;
    if (method === 'GET') return this.read(rest, url);
    const by = app?.takes(headers.authorization) ? 'app' : 'token';
    const judged = this.verdicts.write(method, rest, JSON.parse(sent) as Shape, by);
    return judged ?? this.publishing.write(method, rest, sent) ?? notFound;
  }

  private read(rest: string, url: URL): Reply & { headers?: Record<string, string> } {
    const holding = { kind: this.kind, history: this.history, place: this.place };
    if (rest === '') return { status: 200, body: { ...repositoryShape(this.history, this.place), ...this.rights } };
    const judged = this.verdicts.read(rest, url.searchParams);
    // Gitea sends all comments of an issue at once.
    const isWhole = this.kind === 'gitea' && rest.endsWith('/comments');
    if (judged) return Array.isArray(judged.body) && !isWhole ? this.pageOf(judged.body, rest, url) : judged;
    const published = this.publishing.read(rest, url.searchParams);
    if (published) return Array.isArray(published.body) ? this.pageOf(published.body, rest, url) : published;
    const items = listItems(holding, rest, url.searchParams);
    if (items) return this.pageOf(items, rest, url);
    const commits = compared(holding, rest);
    if (commits) return this.comparisonOf(commits, rest, url);
    const one = oneObject(holding, rest);
    return one ? { status: 200, body: one } : notFound;
  }

  /** The permissions that the host reports for the credentials; empty when the host requires no credentials. */
  private get rights(): Shape {
    const { token, app, readsOnly = false } = this.options;
    return token === undefined && app === undefined ? {} : { permissions: { pull: true, push: !readsOnly } };
  }

  /**
   * Returns one page of a list with the Link header of the host. GitHub's links contain the id of the repository,
   * and Gitea's links contain its name.
   */
  private pageOf<Item>(
    items: Item[],
    rest: string,
    url: URL,
  ): { status: number; body: Item[]; headers: Record<string, string> } {
    const [sizeName, max] = this.kind === 'gitea' ? (['limit', 50] as const) : (['per_page', 100] as const);
    const size = Math.min(Number(url.searchParams.get(sizeName) ?? 30), max);
    const page = Number(url.searchParams.get('page') ?? 1);
    const last = Math.max(1, Math.ceil(items.length / size));
    const repository = this.kind === 'gitea' ? `repos/${this.history.fullName}` : `repositories/${this.history.id}`;
    const link = (relation: string, number: number): string => {
      const query = new URLSearchParams(url.searchParams);
      query.set('page', String(number));
      return `<${this.apiUrl}/${repository}/${rest}?${query}>; rel="${relation}"`;
    };
    const before = page > 1 ? [link('prev', page - 1), link('first', 1)] : [];
    const after = page < last ? [link('next', page + 1), link('last', last)] : [];
    const links = [...before, ...after].join(', ');
    const headers = {
      ...(links && { link: links }),
      ...(this.kind === 'gitea' && { 'x-total-count': String(items.length) }),
    };
    return { status: 200, body: items.slice((page - 1) * size, page * size), headers };
  }

  /**
   * Returns the answer to a comparison. GitHub divides the commits into pages and lists the changed files. Gitea sends
   * all commits at once, newest first, and lists no files.
   */
  private comparisonOf(commits: Shape[], rest: string, url: URL): Reply & { headers?: Record<string, string> } {
    const total = { total_commits: commits.length };
    if (this.kind === 'gitea')
      return { status: 200, body: { ...total, commits: commits.length > 0 ? commits.toReversed() : null } };
    const page = this.pageOf(commits, rest, url);
    const files = [{ filename: 'src/secret-path.ts', patch: '@@ -1,3 +1,3 @@ secretSourceLine()' }];
    return { ...page, body: { ...total, commits: page.body, files } };
  }

  private lets(authorization: string | undefined): boolean {
    const { token, app } = this.options;
    if (token === undefined && app === undefined) return true;
    const schemes = this.kind === 'gitea' ? ['token'] : ['Bearer', 'token'];
    return schemes.some((scheme) => authorization === `${scheme} ${token}`) || app?.takes(authorization) === true;
  }

  private quota(): Record<string, string> {
    if (this.kind === 'gitea') return {};
    const reset = String(Math.floor(Date.now() / 1000) + 3600);
    return {
      'x-github-request-id': 'C0DE:1',
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4990',
      'x-ratelimit-reset': reset,
    };
  }
}
