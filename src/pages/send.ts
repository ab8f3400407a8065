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
  body: string;
  isListed: boolean;
}

/**
 * Sends a page, or 304 when the browser already has the page.
 * @param caching the Cache-Control of the reply; by default, caches keep the page for a minute
 */
export function sendPage(exchange: Exchange, { type, body, isListed }: Reply, caching = oneMinute(isListed)): void {
  const etag = toEtag(digestOf(body));
  const usual = [...pageHeaders(pagePolicy), 'Cache-Control', caching, 'ETag', etag];
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
