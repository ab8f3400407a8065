/**
 * What a delivery says before its payload is looked at: its headers, and its body as JSON.
 */
import { invalid } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';

/** Who sent what, from the headers. */
export interface Delivery {
  event: string;
  id: string;
  source: string;
}

/** Longest delivery id and source, in characters; hosts send a UUID and a number. */
const longestId = 128;

/** X-Scm-* first, then the hosts' own families; an empty header says nothing. */
export function header(exchange: Exchange, name: string): string | undefined {
  const { headers } = exchange;
  return (
    headers[`x-scm-${name}`] ||
    headers[`x-github-${name}`] ||
    headers[`x-gitea-${name}`] ||
    headers[`x-forgejo-${name}`] ||
    undefined
  );
}

/** @throws ServiceError `invalid` naming the header that is missing or too long */
export function readDelivery(exchange: Exchange): Delivery {
  const event = header(exchange, 'event');
  if (event === undefined)
    throw invalid({ 'X-Scm-Event': 'expected the name of the event, got nothing' }, 'A header is missing.');
  const source = exchange.headers['x-github-hook-id'] ?? exchange.headers['x-github-hook-installation-target-id'] ?? '';
  // Without an id a delivery is known by its signature, which is the same for the same bytes.
  const id =
    header(exchange, 'delivery') ?? `signature ${exchange.headers['x-hub-signature-256']?.slice(7, 39).toLowerCase()}`;
  // Keys of folded deliveries are cut at a length: two long ids could be taken for one.
  if (Math.max(id.length, source.length) > longestId) {
    const expected = `expected ids of the delivery and its hook of at most ${longestId} characters`;
    throw invalid({ 'X-Scm-Delivery': expected }, 'A header is too long.');
  }
  return { event, id, source };
}

/** @throws ServiceError `invalid` when the content type or the body is not that of a JSON object */
export function parseBody(exchange: Exchange, body: Buffer): object {
  const type = exchange.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw invalid({ 'Content-Type': `expected application/json, got ${type || 'nothing'}` }, 'The body is not JSON.');
  }
  let payload: unknown;
  try {
    payload = JSON.parse(body.toString('utf8'));
  } catch {
    throw invalid(
      { body: `expected a JSON object, got ${body.length} bytes that are not JSON` },
      'The body is not JSON.',
    );
  }
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw invalid({ body: 'expected a JSON object' }, 'The payload is not an object.');
  }
  return payload;
}
