/**
 * Requests to one host, one after the other, until each has an answer worth reading: limits are waited out, passing faults
 * tried again, a token that the host no longer takes is replaced once. Which request to send, and what an answer holds, is
 * the client's business.
 *
 * The plugins decide what is sent again; the waiting is ours, since theirs can neither be aborted nor reported and keeps a
 * process alive. They see paths, statuses and limits only: no token, no query and no body reaches their errors.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Octokit } from '@octokit/core';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import type { Host } from '../../config/hosts.ts';
import { ServiceError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/logger.ts';
import { Credentials } from './credentials.ts';
import { exchange, type HttpAnswer, type HttpRequest } from './exchange.ts';
import { type Limit, limitOf } from './limits.ts';
import { type Answer, type Asked, Course } from './retries.ts';
import { writeTurn } from './writes.ts';

/** Further attempts after a passing fault. */
const retries = 3;
/** Limits met in a row by one request before it is given up: half a day, as one lasts an hour at most. */
const maxLimits = 12;
/** Longest pause before another attempt, even when the host asks for more. */
const longestPauseMs = 300_000;

/** A wait for the host. */
export interface Wait {
  reason: Limit['reason'] | 'server_error';
  ms: number;
}

export interface RequestsOptions {
  host: Host;
  /** With an app: the installation whose token is used. */
  installationId?: string;
  logger: Logger;
  /** Told of each wait before it begins. */
  onWait?: (wait: Wait) => void;
  /** Ends the request under way and every wait. */
  signal?: AbortSignal;
  /** Longest time for one exchange. */
  timeoutMs?: number;
  /** Pause before the first further attempt after a passing fault (the next ones are 4 and 9 times as long), 1000 ms. */
  retryMs?: number;
  /** Least time between two writes to the host, 1000 ms. */
  writeGapMs?: number;
}

const Throttled = Octokit.plugin(throttling, retry);
const quiet = { debug: noop, info: noop, warn: noop, error: noop };

export class Requests {
  private readonly options: RequestsOptions;
  private readonly credentials: Credentials;
  private readonly octokit: InstanceType<typeof Throttled>;
  private course: Course | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(options: RequestsOptions) {
    this.options = options;
    this.credentials = new Credentials(options.host, options.installationId);
    const onLimit = (): Promise<boolean> => this.waitForLimit();
    this.octokit = new Throttled({
      log: quiet,
      throttle: {
        id: options.host.apiUrl,
        retryAfterBaseValue: 0,
        onRateLimit: onLimit,
        onSecondaryRateLimit: onLimit,
      },
      retry: { retryAfterBaseValue: 0, retries, doNotRetry: [400, 401, 403, 404, 409, 410, 422, 429, 451] },
    });
  }

  /**
   * Gets an address below the API's base, and waits out limits and passing faults.
   * @param isWhole whether a body is what was asked for; another one counts as a passing fault
   * @returns any answer that is neither a limit nor a passing fault: 2xx, 304, 4xx
   * @throws ServiceError `unavailable` when the host stays away, `unauthorized` when it makes no token, `invalid` when it
   *   leads elsewhere; the signal's reason when that ended it
   */
  get(asked: Omit<Asked, 'method' | 'body'>, isWhole: (data: unknown) => boolean): Promise<Answer> {
    return this.inTurn(() => this.patiently(new Course(asked, isWhole)));
  }

  /**
   * Sends a request once, whatever comes of it: its limits and passing faults are left to whoever sends it again. Writes keep
   * the host's distance from each other.
   * @returns any answer that is neither a limit nor a passing fault, the body of a refusal read where it is JSON
   * @throws ServiceError as `get` does, `unavailable` with the time that the host asks for
   */
  once(asked: Asked, isWhole: (data: unknown) => boolean): Promise<Answer> {
    return this.inTurn(async () => {
      const { host, signal, writeGapMs } = this.options;
      const course = new Course(asked, isWhole);
      if (course.method !== 'GET') await writeTurn(host.apiUrl, writeGapMs, signal);
      await this.attempt(course);
      signal?.throwIfAborted();
      return course.conclude(new URL(host.apiUrl).host);
    });
  }

  private async inTurn(request: () => Promise<Answer>): Promise<Answer> {
    const mine = this.last.then(request);
    this.last = mine.catch(noop);
    return mine;
  }

  private async patiently(course: Course): Promise<Answer> {
    this.course = course;
    const { pathname } = new URL(course.url);
    try {
      await this.octokit.request({ method: 'GET', url: pathname, request: { fetch: () => this.attempt(course) } });
    } catch {
      // What the plugins throw says less than the course does.
    } finally {
      this.course = undefined;
    }
    this.options.signal?.throwIfAborted();
    return course.conclude(new URL(this.options.host.apiUrl).host);
  }

  /** One attempt, its outcome kept in the course; what is returned tells the plugins whether another one is wanted. */
  private async attempt(course: Course): Promise<Response> {
    try {
      await this.pauseAfterFault(course);
      return course.take(await this.authorised(course), this.options.retryMs);
    } catch (error) {
      return course.fail(error, this.options.signal?.aborted === true);
    }
  }

  /** Sends the request as what the host takes us for; a token refused is replaced once. */
  private async authorised({ method, url, headers, body, asApp }: Course): Promise<HttpAnswer> {
    const send = (header: string | undefined): Promise<HttpAnswer> =>
      this.exchange({ method, url, headers: { ...headers, ...authorise(header) }, body });
    if (asApp) return send(this.credentials.appAuthorization());
    for (;;) {
      const given = await this.credentials.authorization((path, header) => this.post(path, header));
      if ('refused' in given) return this.withoutToken(given.refused);
      const answer = await send(given.header);
      if (answer.status !== 401 || !this.credentials.renewable) return answer;
      this.credentials.forget();
      if (given.fresh) return answer;
    }
  }

  /** The answer to a request for a token: limits and faults pass, refusals mean that the installation is gone. */
  private withoutToken(answer: HttpAnswer): HttpAnswer {
    if (answer.status < 400) throw new Error('no token in the answer');
    if (answer.status >= 500 || limitOf(answer, 0, Date.now())) return answer;
    const installation = this.options.installationId;
    throw new ServiceError(
      'unauthorized',
      `The host gives no token for installation ${installation} of the app (${answer.status}): it may be suspended or removed.`,
    );
  }

  private async pauseAfterFault({ faults, fault, askedMs }: Course): Promise<void> {
    if (fault === undefined) return;
    const usual = (this.options.retryMs ?? 1000) * faults ** 2;
    await this.wait({ reason: 'server_error', ms: Math.min(Math.max(usual, askedMs), longestPauseMs) });
  }

  /** Whether the request that met a limit is to be sent again, asked after the wait. */
  private async waitForLimit(): Promise<boolean> {
    const { course } = this;
    if (course?.limit === undefined || ++course.limits > maxLimits) return false;
    await this.wait(course.limit);
    return !this.options.signal?.aborted;
  }

  private async wait(wait: Wait): Promise<void> {
    const { host, logger, onWait, signal } = this.options;
    logger.info({ host: host.origin, ...wait }, 'waiting for the host');
    onWait?.(wait);
    try {
      await sleep(wait.ms, undefined, { ref: false, ...(signal && { signal }) });
    } catch {
      // Aborted: whoever waits looks at the signal.
    }
    if (signal?.aborted && wait.reason === 'server_error') throw signal.reason;
  }

  private post(path: string, header: string): Promise<HttpAnswer> {
    return this.exchange({ method: 'POST', url: this.options.host.apiUrl + path, headers: authorise(header) });
  }

  private exchange(request: Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'>): Promise<HttpAnswer> {
    const { host, signal, timeoutMs = 60_000 } = this.options;
    const usual = host.kind === 'gitea' ? giteaHeaders : githubHeaders;
    const typed: Record<string, string> = request.body === undefined ? {} : { 'content-type': 'application/json' };
    return exchange({ ...request, headers: { ...usual, ...typed, ...request.headers }, timeoutMs, signal });
  }
}

const giteaHeaders = { accept: 'application/json', 'user-agent': 'tidings' };
const githubHeaders = {
  accept: 'application/vnd.github+json',
  'user-agent': 'tidings',
  'x-github-api-version': '2022-11-28',
};

function authorise(header: string | undefined): Record<string, string> {
  return header === undefined ? {} : { authorization: header };
}

function noop(): void {}
