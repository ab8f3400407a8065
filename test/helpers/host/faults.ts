/**
 * What a test host does instead of answering. Each fault takes the response and, where it only delays or changes the
 * answer, the way on to the usual one.
 */
import type { ServerResponse } from 'node:http';

export type Fault = (response: ServerResponse, answer: () => void) => void;

/** A bare status with a body, for instance 500, 502, 404. */
export function status(code: number, body: unknown = { message: 'No' }, headers: Record<string, string> = {}): Fault {
  return (response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** The primary limit: nothing remains until some seconds after the moment that the answer names as its own. */
export function rateLimit(seconds: number, code: 403 | 429 = 403): Fault {
  return (response, answer) => {
    const now = Math.floor(Date.now() / 1000);
    const date = new Date(now * 1000).toUTCString();
    const headers = { date, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now + seconds) };
    status(code, { message: 'API rate limit exceeded for installation ID 1.' }, headers)(response, answer);
  };
}

/** The secondary limit, with or without a time. */
export function secondaryLimit(retryAfter?: number | string, code: 403 | 429 = 403): Fault {
  const body = { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' };
  return status(code, body, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
}

export function redirect(code: 301 | 302 | 307 | 308, location: string): Fault {
  return status(code, { message: 'Moved' }, { location });
}

/** The usual answer, late. */
export function slow(ms: number): Fault {
  return (response, answer) => {
    const timer = setTimeout(answer, ms);
    response.once('close', () => clearTimeout(timer));
  };
}

/** The usual answers, none of them before they are let go. */
export function held(): { fault: Fault; letGo: () => void } {
  const waiting = new Set<() => void>();
  let free = false;
  return {
    fault: (response, answer) => {
      if (free) return answer();
      waiting.add(answer);
      response.once('close', () => waiting.delete(answer));
    },
    letGo: () => {
      free = true;
      for (const answer of waiting) answer();
    },
  };
}

/** The connection ends before an answer, or in the middle of its body. */
export function cut(where: 'before' | 'within' = 'before'): Fault {
  return (response) => {
    if (where === 'before') return void response.destroy();
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('[{"number":1,', () => response.destroy());
  };
}

/** The usual answer under another Link header. */
export function withLink(link: string): Fault {
  return (response, answer) => {
    const write = response.writeHead.bind(response) as (
      code: number,
      headers: Record<string, string>,
    ) => ServerResponse;
    response.writeHead = ((code: number, headers: Record<string, string>) =>
      write(code, { ...headers, link })) as ServerResponse['writeHead'];
    answer();
  };
}
