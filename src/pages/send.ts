/**
 * Sends a page with the Content-Security-Policy of all pages and a strong ETag. A browser that already has the page
 * gets 304.
 */
import { digestOf, isKnown, toEtag } from '../foundation/etag.ts';
import type { Exchange } from '../http/exchange.ts';
import { pageHeaders } from '../http/page-headers.ts';
import { pagePolicy } from './policy.ts';

/**
 * The content type and body of a reply. When `isListed` is true, shared caches and search engines may keep the reply.
 */
export interface Reply {
  type: string;
  body: string | Uint8Array;
  isListed: boolean;
  /** The Content-Security-Policy; by default, the one of pages without exceptions. */
  policy?: string;
  /** The Cache-Control; by default, caches keep the reply for a minute. */
  caching?: string;
  /** For a request that is refused because too many arrive: the seconds until it may be sent again. */
  retryAfter?: number;
}

/** Sends a page, or 304 when the browser already has the page with this policy. */
export function sendPage(exchange: Exchange, reply: Reply): void {
  const { type, body, isListed, policy = pagePolicy, caching, retryAfter } = reply;
  if (retryAfter !== undefined) {
    const headers = ['Cache-Control', 'no-store', 'Retry-After', String(retryAfter)];
    return exchange.reply(429, type, body, [...pageHeaders(policy), ...headers]);
  }
  const own = digestOf(body);
  const etag = toEtag(policy === pagePolicy ? own : digestOf(`${policy} ${own}`));
  const usual = [...pageHeaders(policy), 'Cache-Control', caching ?? oneMinute(isListed), 'ETag', etag];
  if (!isListed) usual.push('X-Robots-Tag', 'noindex');
  if (isKnown(exchange.headers['if-none-match'], etag)) exchange.reply(304, '', '', usual);
  else exchange.reply(200, type, body, usual);
}

/**
 * Returns a Cache-Control of one minute. Shared caches must not keep unlisted pages, because only readers with the key
 * or the secret address may see them.
 */
function oneMinute(isListed: boolean): string {
  return isListed ? 'public, max-age=60' : 'private, max-age=60';
}
