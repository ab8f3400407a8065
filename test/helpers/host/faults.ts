/**
 * Faults of a test host. A fault is a function with two arguments: the response, and a function that sends the normal
 * answer. Some faults need the second argument, because they only delay or change the normal answer.
 */
import type { ServerResponse } from 'node:http';

export type Fault = (response: ServerResponse, answer: () => void) => void;

/** Answers with a status and a body, for instance 500, 502 or 404. */
export function status(code: number, body: unknown = { message: 'No' }, headers: Record<string, string> = {}): Fault {
  return (response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/**
 * Simulates the primary rate limit. The limit resets `seconds` after the time in the answer's `Date` header. Until
 * then, no requests remain.
 */
export function rateLimit(seconds: number, code: 403 | 429 = 403): Fault {
  return (response, answer) => {
    const now = Math.floor(Date.now() / 1000);
    const date = new Date(now * 1000).toUTCString();
    const headers = { date, 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now + seconds) };
    status(code, { message: 'API rate limit exceeded for installation ID 1.' }, headers)(response, answer);
  };
}

/** Simulates the secondary rate limit, with or without a `Retry-After` header. */
export function secondaryLimit(retryAfter?: number | string, code: 403 | 429 = 403): Fault {
  const body = { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' };
  return status(code, body, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
}

export function redirect(code: 301 | 302 | 307 | 308, location: string): Fault {
  return status(code, { message: 'Moved' }, { location });
}

/** Sends the normal answer after a delay. */
export function slow(ms: number): Fault {
  return (response, answer) => {
    const timer = setTimeout(answer, ms);
    response.once('close', () => clearTimeout(timer));
  };
}

/** Delays the normal answers until `release` is called. */
export function held(): { fault: Fault; release: () => void } {
  const waiting = new Set<() => void>();
  let free = false;
  return {
    fault: (response, answer) => {
      if (free) return answer();
      waiting.add(answer);
      response.once('close', () => waiting.delete(answer));
    },
    release: () => {
      free = true;
      for (const answer of waiting) answer();
    },
  };
}

/** Closes the connection before the answer, or in the middle of the answer's body. */
export function cut(where: 'before' | 'within' = 'before'): Fault {
  return (response) => {
    if (where === 'before') return void response.destroy();
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('[{"number":1,', () => response.destroy());
  };
}

/** Sends the normal answer with a different Link header. */
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
