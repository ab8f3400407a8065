/**
 * Addresses of webhook endpoints at rest: the query, which often holds a token, is sealed; the rest is in clear, so that owners
 * tell their endpoints apart. Replies show `?…` for a query. Earlier versions kept the whole address in clear.
 */

import type { Sealer } from '../../foundation/seal.ts';
import type { WebhookEndpointRecord } from '../../protocol/webhooks.ts';

type Owned = Pick<WebhookEndpointRecord, 'id' | 'orgId'>;
/** The part of an endpoint that says where webhooks go. */
export type WebhookAddress = Pick<WebhookEndpointRecord, 'url' | 'query'>;

/** What stands for a query in replies. */
const masked = '?…';

/** What an endpoint's sealed query is bound to: beside another address it does not open. */
export function sealedForQuery({ id, orgId, url }: Owned & Pick<WebhookAddress, 'url'>): string[] {
  return ['webhook endpoint query', id, orgId, url];
}

/** A whole address as it is stored. A fragment is dropped: no request carries one. */
export function sealAddress(sealer: Sealer, endpoint: Owned, address: string): WebhookAddress {
  const { url, query } = parts(address);
  if (query === '') return { url };
  const sealed = sealer.seal(query, sealedForQuery({ ...endpoint, url }));
  return { url, query: { sealed, digest: sealer.mac(query, ['webhook endpoint query', endpoint.id]).slice(0, 22) } };
}

/**
 * The whole address.
 * @throws SealError when its query does not open
 */
export function openAddress(sealer: Sealer, endpoint: Owned & WebhookAddress): string {
  const { url, query } = endpoint;
  return query === undefined ? url : url + sealer.open(query.sealed, sealedForQuery(endpoint));
}

/** The address as replies and lists show it. */
export function shownAddress({ url, query }: WebhookAddress): string {
  const { url: bare, query: clear } = parts(url);
  return query === undefined && clear === '' ? bare : bare + masked;
}

/** Whether a text was copied from a reply that showed an address: its query is lost. */
export function isMasked(address: string): boolean {
  return address.endsWith(masked) || address.endsWith(`?${encodeURIComponent('…')}`);
}

/** Whether an endpoint is of an earlier version, with its query or fragment in clear. */
export function isClear({ url }: WebhookAddress): boolean {
  return parts(url).url !== url;
}

/** Whether `sealed` is the address of an endpoint of an earlier version, brought into today's form. */
export function isSame(endpoint: WebhookAddress, sealed: WebhookAddress): boolean {
  return endpoint.query === undefined && isClear(endpoint) && parts(endpoint.url).url === sealed.url;
}

/** An address up to its query, and the query with its mark; empty when it says nothing. */
function parts(address: string): { url: string; query: string } {
  const [whole = ''] = address.split('#');
  const at = whole.indexOf('?');
  if (at === -1) return { url: whole, query: '' };
  const query = whole.slice(at);
  return { url: whole.slice(0, at), query: query === '?' ? '' : query };
}
