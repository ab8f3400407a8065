/**
 * Sends a page: with the policy of all pages, a strong ETag, and 304 to a browser that has it.
 */
import { digestOf, isKnown, toEtag } from '../foundation/etag.ts';
import type { Exchange } from '../http/exchange.ts';
import { pageHeaders } from '../http/page-headers.ts';
import { pagePolicy } from './policy.ts';

/** What is answered: its type and bytes; `isListed` = anybody may keep it. */
export interface Reply {
  type: string;
  body: string;
  isListed: boolean;
}

/** @param caching how long it may be kept; without it, a minute */
export function sendPage(exchange: Exchange, { type, body, isListed }: Reply, caching = aMinute(isListed)): void {
  const etag = toEtag(digestOf(body));
  const usual = [...pageHeaders(pagePolicy), 'Cache-Control', caching, 'ETag', etag];
  if (!isListed) usual.push('X-Robots-Tag', 'noindex');
  if (isKnown(exchange.headers['if-none-match'], etag)) exchange.reply(304, '', '', usual);
  else exchange.reply(200, type, body, usual);
}

/** A reply to one who knows the key is for nobody else. */
function aMinute(isListed: boolean): string {
  return isListed ? 'public, max-age=60' : 'private, max-age=60';
}
