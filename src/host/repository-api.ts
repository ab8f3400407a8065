/**
 * Reads and writes below the path of one repository in a host's REST API, for publishing. Each request is sent once;
 * the caller decides about retries. `releases.ts` and `contents.ts` interpret refusals.
 */
import type { Host } from '../../config/hosts.ts';
import { type ErrorKind, ServiceError } from '../foundation/errors.ts';
import { linksOf } from './link.ts';
import { repositoryPath } from './lists.ts';
import { denialOf } from './refusals.ts';
import type { Requests } from './requests.ts';
import type { Answer, Asked } from './retries.ts';

export type Json = Record<string, unknown>;

/** Maximum number of characters that are quoted from a host's message. */
const maxMessageLength = 200;

export class RepositoryApi {
  readonly kind: Host['kind'];
  private readonly requests: Requests;
  /** Owner of the repository, by its name on the host. */
  readonly owner: string;
  private readonly base: string;
  private readonly name: string;

  constructor(host: Host, fullName: string, requests: Requests) {
    this.kind = host.kind;
    this.requests = requests;
    this.base = `${host.apiUrl}${repositoryPath(fullName)}`;
    this.owner = fullName.split('/')[0] as string;
    this.name = new URL(host.apiUrl).host;
  }

  /** Reads a path below the repository ('' is the repository itself). Returns undefined when the host replies 404. */
  async read(path: string): Promise<unknown> {
    const answer = await this.requests.once({ url: this.url(path) }, isJson);
    return answer.status === 404 ? undefined : this.accepted(answer, 'GET', path).data;
  }

  /** Returns the items of a list. Each page is requested only when the caller asks for the first item of the page. */
  async *list(path: string, maxPages: number): AsyncGenerator<Json> {
    let url: string | null = `${this.url(path)}?${this.kind === 'gitea' ? 'limit=50' : 'per_page=100'}`;
    for (let page = 0; url !== null && page < maxPages; page++) {
      const answer = this.accepted(await this.requests.once({ url }, isJson), 'GET', path);
      yield* (answer.data ?? []) as Json[];
      const { next } = linksOf(answer.headers.get('link'), answer.url);
      // The address of the next page is built from the API address. Only the query is taken from the link, because a
      // link of Gitea may contain Gitea's web address.
      url = next === null || !URL.canParse(next) ? null : `${this.url(path)}${new URL(next).search}`;
    }
  }

  /**
   * Sends a write and returns the reply, even if the reply is a refusal with 409 or 422.
   * @param isExpected whether any other refusal is returned too
   * @throws ServiceError `unauthorized` with the host's message, `notFound`, or `invalid` for any other status
   */
  async write(
    method: NonNullable<Asked['method']>,
    path: string,
    body: Json,
    isExpected: (answer: Answer) => boolean = () => false,
  ): Promise<Answer> {
    const asked = { method, url: this.url(path), body: JSON.stringify(body) };
    const answer = await this.requests.once(asked, isJson);
    return [409, 422].includes(answer.status) || isExpected(answer) ? answer : this.accepted(answer, method, path);
  }

  /** Makes the error for a reply that refuses a write. It contains the host's message. */
  refusal(answer: Answer, what: string, kind: ErrorKind = 'invalid'): ServiceError {
    return new ServiceError(kind, `The host ${this.name} refused ${what} (${answer.status}${refusalText(answer)}).`);
  }

  private url(path: string): string {
    return path === '' ? this.base : `${this.base}/${path}`;
  }

  private accepted(answer: Answer, method: string, path: string): Answer {
    if (answer.status === 200 || answer.status === 201) return answer;
    const summary = `The host ${this.name} answered ${answer.status} to ${method} ${path.split('/')[0] || 'the repository'}`;
    const permission = `for this${refusalText(answer)}`;
    throw denialOf(answer.status, summary, permission) ?? new ServiceError('invalid', `${summary}.`);
  }
}

/** Encodes each part of a path for use in a URL. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/**
 * Returns the text of a host's refusal on one line: the message, then the text or code of each listed error. The result
 * begins with a colon unless it is empty.
 */
export function refusalText({ data }: Answer): string {
  const { message, errors } = (data ?? {}) as { message?: unknown; errors?: unknown };
  const codes = Array.isArray(errors) ? errors.map((error: Json | null) => error?.message ?? error?.code) : [];
  const words = [message, ...codes].filter((word): word is string => typeof word === 'string');
  const line = words
    .join(', ')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .slice(0, maxMessageLength)
    .trim();
  return line === '' ? '' : `: ${line}`;
}

function isJson(data: unknown): boolean {
  return typeof data === 'object';
}
