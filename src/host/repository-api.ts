/**
 * The part of a host's REST API below one repository, for reading and writing what is published there. Each request is sent
 * once: whoever publishes decides when to come again. What a refusal means for a release or a file is left to its file.
 */
import type { Host } from '../../config/hosts.ts';
import { ServiceError } from '../foundation/errors.ts';
import { linksOf } from './link.ts';
import { repositoryPath } from './lists.ts';
import type { Requests } from './requests.ts';
import type { Answer, Asked } from './retries.ts';

export type Json = Record<string, unknown>;

/** Largest part of a host's own words that a message repeats. */
const longestSaying = 200;

export class RepositoryApi {
  readonly kind: Host['kind'];
  private readonly requests: Requests;
  private readonly base: string;
  private readonly name: string;

  constructor(host: Host, fullName: string, requests: Requests) {
    this.kind = host.kind;
    this.requests = requests;
    this.base = `${host.apiUrl}${repositoryPath(fullName)}`;
    this.name = new URL(host.apiUrl).host;
  }

  /** What is at a path below the repository (the repository itself at ''); undefined where nothing is. */
  async read(path: string): Promise<unknown> {
    const answer = await this.requests.once({ url: this.url(path) }, isJson);
    return answer.status === 404 ? undefined : this.accepted(answer, 'GET', path).data;
  }

  /** The items of a list, page by page, as long as they are asked for; `size` is the page's. */
  async *list(path: string, mostPages: number): AsyncGenerator<Json> {
    let url: string | null = `${this.url(path)}?${this.kind === 'gitea' ? 'limit=50' : 'per_page=100'}`;
    for (let page = 0; url !== null && page < mostPages; page++) {
      const answer = this.accepted(await this.requests.once({ url }, isJson), 'GET', path);
      yield* (answer.data ?? []) as Json[];
      const { next } = linksOf(answer.headers.get('link'), answer.url);
      // Gitea can name itself by its web address; page and query are all that is taken from it.
      url = next === null || !URL.canParse(next) ? null : `${this.url(path)}${new URL(next).search}`;
    }
  }

  /**
   * Sends a write and gives its answer, refusals by 409 and 422 included.
   * @throws ServiceError `unauthorized` and `notFound` with the host's own words
   */
  async write(method: NonNullable<Asked['method']>, path: string, body: Json): Promise<Answer> {
    const asked = { method, url: this.url(path), body: JSON.stringify(body) };
    const answer = await this.requests.once(asked, isJson);
    return [409, 422].includes(answer.status) ? answer : this.accepted(answer, method, path);
  }

  /** The refusal that an answer is, in the host's own words. */
  refusal(answer: Answer, what: string): ServiceError {
    return new ServiceError(
      'invalid',
      `The host ${this.name} does not take ${what} (${answer.status}${saying(answer)}).`,
    );
  }

  private url(path: string): string {
    return path === '' ? this.base : `${this.base}/${path}`;
  }

  private accepted(answer: Answer, method: string, path: string): Answer {
    if (answer.status === 200 || answer.status === 201) return answer;
    const said = `The host ${this.name} answered ${answer.status} to ${method} ${path.split('/')[0] || 'the repository'}`;
    if (answer.status === 401 || answer.status === 403)
      throw new ServiceError('unauthorized', `${said}: the token or the app may not do this${saying(answer)}.`);
    if ([404, 410, 451].includes(answer.status))
      throw new ServiceError('notFound', `${said}: it is not there, or the token or the app may not see it.`);
    throw new ServiceError('invalid', `${said}.`);
  }
}

/** A path of several names as part of an address. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** What the host says to a refusal: its message and the codes of its errors, one line. */
export function saying({ data }: Answer): string {
  const { message, errors } = (data ?? {}) as { message?: unknown; errors?: unknown };
  const codes = Array.isArray(errors) ? errors.map((error: Json | null) => error?.message ?? error?.code) : [];
  const words = [message, ...codes].filter((word): word is string => typeof word === 'string');
  const line = words
    .join(', ')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, longestSaying)
    .trim();
  return line === '' ? '' : `: ${line}`;
}

function isJson(data: unknown): boolean {
  return typeof data === 'object';
}
