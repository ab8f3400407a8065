/**
 * Defines how the addresses of webhook endpoints are stored. The query of an address is sealed, because it often
 * contains a token. The rest of the address is stored as plain text, so that owners can recognize their endpoints.
 * Replies show `?…` in place of a query. Earlier versions of Tidings stored the whole address as plain text.
 */

import type { Sealer } from '../../foundation/seal.ts';
import type { WebhookEndpointRecord } from '../../protocol/webhooks.ts';

type Owned = Pick<WebhookEndpointRecord, 'id' | 'orgId'>;
/** The fields of an endpoint that hold its address. */
export type WebhookAddress = Pick<WebhookEndpointRecord, 'url' | 'query'>;

/** The text that replies show in place of a query. */
const masked = '?…';

/**
 * Returns the values with which an endpoint's query is sealed. A sealed query that is copied to another address cannot
 * be opened.
 */
export function sealedForQuery({ id, orgId, url }: Owned & Pick<WebhookAddress, 'url'>): string[] {
  return ['webhook endpoint query', id, orgId, url];
}

/**
 * Converts a whole address to the stored form. A fragment (`#…`) is dropped, because HTTP requests do not contain
 * fragments.
 */
export function sealAddress(sealer: Sealer, endpoint: Owned, address: string): WebhookAddress {
  const { url, query } = parts(address);
  if (query === '') return { url };
  const sealed = sealer.seal(query, sealedForQuery({ ...endpoint, url }));
  return { url, query: { sealed, digest: sealer.mac(query, ['webhook endpoint query', endpoint.id]).slice(0, 22) } };
}

/**
 * Returns the whole address.
 * @throws SealError if the sealed query cannot be opened
 */
export function openAddress(sealer: Sealer, endpoint: Owned & WebhookAddress): string {
  const { url, query } = endpoint;
  return query === undefined ? url : url + sealer.open(query.sealed, sealedForQuery(endpoint));
}

/** Returns the address as replies and lists show it. */
export function shownAddress({ url, query }: WebhookAddress): string {
  const { url: bare, query: clear } = parts(url);
  return query === undefined && clear === '' ? bare : bare + masked;
}

/** Whether an address was copied from a reply. Such an address contains `?…` and has lost its query. */
export function isMasked(address: string): boolean {
  return address.endsWith(masked) || address.endsWith(`?${encodeURIComponent('…')}`);
}

/**
 * Whether the stored address contains a query or fragment as plain text. Only earlier versions of Tidings stored such
 * addresses.
 */
export function isClear({ url }: WebhookAddress): boolean {
  return parts(url).url !== url;
}

/** Whether `sealed` is the sealed form of an address that an earlier version of Tidings stored as plain text. */
export function isSame(endpoint: WebhookAddress, sealed: WebhookAddress): boolean {
  return endpoint.query === undefined && isClear(endpoint) && parts(endpoint.url).url === sealed.url;
}

/** Splits an address into the part before the query, and the query with its `?`. An empty query is returned as ''. */
function parts(address: string): { url: string; query: string } {
  const [whole = ''] = address.split('#');
  const at = whole.indexOf('?');
  if (at === -1) return { url: whole, query: '' };
  const query = whole.slice(at);
  return { url: whole.slice(0, at), query: query === '?' ? '' : query };
}
