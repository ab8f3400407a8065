/**
 * Sends requests to one host, one after another. Waits at rate limits, retries after temporary faults, and replaces a
 * refused installation token once, until each request has a final reply. Callers choose the requests and interpret the
 * replies.
 *
 * Octokit's plugins decide which requests are sent again. The waiting is done here, because the plugins' own waits
 * cannot be aborted, cannot be reported, and keep a process alive. The plugins see only paths, statuses and limits, so
 * the errors of the plugins contain no token, no query and no body.
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

/** Maximum number of retries after temporary faults. */
const retries = 3;
/**
 * Maximum number of consecutive rate limits of one request. After this number the request fails. The waits can take up
 * to half a day, since one wait is at most an hour.
 */
const maxLimits = 12;
/** Maximum pause before a retry after a temporary fault, in milliseconds, even if the host requests a longer pause. */
const maxPauseMs = 300_000;

/** A wait before the next request to the host. */
export interface Wait {
  reason: Limit['reason'] | 'server_error';
  ms: number;
}

export interface RequestsOptions {
  host: Host;
  /** The installation whose token is used, if the host has an app. */
  installationId?: string;
  logger: Logger;
  /** Called before each wait, with its reason and length. */
  onWait?: (wait: Wait) => void;
  /** Aborts the current request and every wait. */
  signal?: AbortSignal;
  /** Timeout of one exchange, 60,000 ms by default. */
  timeoutMs?: number;
  /**
   * Pause before the first retry after a temporary fault, 1000 ms by default. The next two pauses are 4 and 9 times as
   * long.
   */
  retryMs?: number;
  /** Minimum interval between two writes to the host, 1000 ms by default. */
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
   * Sends a GET request for an address below the API's base. Waits at rate limits and retries after temporary faults.
   * @param isWhole whether a body has the expected shape; any other body counts as a temporary fault
   * @returns the final reply (2xx, 304 or 4xx), never a rate limit or a temporary fault
   * @throws ServiceError `unavailable` when all attempts failed, `unauthorized` when the host refuses an installation
   *   token, or `invalid` when the host redirects to another host or in a circle
   * @throws the signal's reason when the signal ended the request
   */
  get(asked: Omit<Asked, 'method' | 'body'>, isWhole: (data: unknown) => boolean): Promise<Answer> {
    return this.inTurn(() => this.attemptUntilDone(new Course(asked, isWhole)));
  }

  /**
   * Sends a request once. Throws an error for a rate limit or a temporary fault, and does not retry. Before a write,
   * waits until the minimum interval since the previous write has passed.
   * @returns the reply, if it is neither a rate limit nor a temporary fault. The body of a refusal is parsed if it is
   *   JSON.
   * @throws ServiceError in the same cases as `get`; `unavailable` carries the wait time that the host requests
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

  private async attemptUntilDone(course: Course): Promise<Answer> {
    this.course = course;
    const { pathname } = new URL(course.url);
    try {
      await this.octokit.request({ method: 'GET', url: pathname, request: { fetch: () => this.attempt(course) } });
    } catch {
      // The error that the plugins throw is dropped. `course.conclude` throws an error with more details of the
      // failure.
    } finally {
      this.course = undefined;
    }
    this.options.signal?.throwIfAborted();
    return course.conclude(new URL(this.options.host.apiUrl).host);
  }

  /**
   * Makes one attempt and stores its outcome in `course`. The plugins read the returned reply and decide whether to
   * make another attempt.
   */
  private async attempt(course: Course): Promise<Response> {
    try {
      await this.pauseAfterFault(course);
      return course.take(await this.authorised(course), this.options.retryMs);
    } catch (error) {
      return course.fail(error, this.options.signal?.aborted === true);
    }
  }

  /** Sends the request with its authorization. A refused installation token is replaced once. */
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

  /**
   * Handles the reply to a failed request for an installation token. A rate limit or temporary fault is returned as it
   * is. Any other refusal means that the installation no longer exists or is suspended.
   */
  private withoutToken(answer: HttpAnswer): HttpAnswer {
    if (answer.status < 400) throw new Error('no token in the answer');
    if (answer.status >= 500 || limitOf(answer, 0, Date.now())) return answer;
    const installation = this.options.installationId;
    throw new ServiceError(
      'unauthorized',
      `The host refused a token for installation ${installation} of the app (${answer.status}). The installation may be suspended or removed.`,
    );
  }

  private async pauseAfterFault({ faults, fault, askedMs }: Course): Promise<void> {
    if (fault === undefined) return;
    const usual = (this.options.retryMs ?? 1000) * faults ** 2;
    await this.wait({ reason: 'server_error', ms: Math.min(Math.max(usual, askedMs), maxPauseMs) });
  }

  /** Waits at the rate limit of the current request. Returns whether to send the request again. */
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
      // The wait was aborted. The code below and the callers check the signal.
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
