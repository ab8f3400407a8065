/** Recognizes a host's rate limit in a reply, and computes how long to wait. `requests.ts` waits for this time. */
import type { HttpAnswer } from './exchange.ts';

/**
 * Maximum length of one wait, in milliseconds. If a limit lasts longer, the request is sent again after this time and
 * is limited again.
 */
const maxMs = 3_600_000;
/** Length of the first wait, in milliseconds, when the host limits a request and states no time. */
const unnamedMs = 60_000;

export interface Limit {
  reason: 'rate_limit' | 'secondary_limit';
  ms: number;
}

/**
 * Returns the limit that a reply reports, or undefined.
 * @param repeats how often the same request was already limited. The wait grows with this number if the host states a
 *   time that is too short, or states no time.
 * @param stepMs how much the minimum wait grows each time
 */
export function limitOf(
  { status, headers, text }: HttpAnswer,
  repeats: number,
  now: number,
  stepMs = 1000,
): Limit | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const spent = headers.get('x-ratelimit-remaining') === '0';
  const reason = spent ? 'rate_limit' : 'secondary_limit';
  const named = retryAfterMs(headers, now) ?? (spent ? resetMs(headers, now) : undefined);
  if (named !== undefined) return { reason, ms: Math.min(Math.max(named, stepMs * repeats), maxMs) };
  if (!spent && status === 403 && !/secondary rate limit|abuse detection/i.test(text)) return undefined;
  return { reason, ms: Math.min(unnamedMs * 2 ** repeats, maxMs) };
}

/** Returns the wait time of the Retry-After header in milliseconds. The header contains seconds or a date. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const moment = Date.parse(value);
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - hostTime(headers, now));
}

/**
 * Returns the time from now until one second after the reset of the limit, in milliseconds. "Now" is the host's time if
 * the reply contains it.
 */
function resetMs(headers: Headers, now: number): number | undefined {
  const reset = headers.get('x-ratelimit-reset') ?? '';
  if (!/^\d{1,12}$/.test(reset)) return undefined;
  return Math.max(0, Number(reset) * 1000 - hostTime(headers, now)) + 1000;
}

function hostTime(headers: Headers, now: number): number {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? now : date;
}
