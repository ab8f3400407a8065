/**
 * Tells a host's limit from a refusal, and how long it lasts. Waiting is left to the requests.
 */
import type { HttpAnswer } from './exchange.ts';

/** Longest single wait; a longer limit is asked about again after it. */
const longestMs = 3_600_000;
/** First wait at a limit that names no time. */
const unnamedMs = 60_000;

export interface Limit {
  reason: 'rate_limit' | 'secondary_limit';
  ms: number;
}

/**
 * The limit that an answer speaks of, or undefined.
 * @param repeats how often the same request has met a limit already: waits that are named too short or not at all grow
 * @param stepMs by how much the least wait grows each time
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
  if (named !== undefined) return { reason, ms: Math.min(Math.max(named, stepMs * repeats), longestMs) };
  if (!spent && status === 403 && !/secondary rate limit|abuse detection/i.test(text)) return undefined;
  return { reason, ms: Math.min(unnamedMs * 2 ** repeats, longestMs) };
}

/** What Retry-After asks for: seconds, or a moment. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const moment = Date.parse(value);
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - hostTime(headers, now));
}

/** Until a second after the limit's reset, by the host's own clock. */
function resetMs(headers: Headers, now: number): number | undefined {
  const reset = headers.get('x-ratelimit-reset') ?? '';
  if (!/^\d{1,12}$/.test(reset)) return undefined;
  return Math.max(0, Number(reset) * 1000 - hostTime(headers, now)) + 1000;
}

function hostTime(headers: Headers, now: number): number {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? now : date;
}
