/**
 * What a delivery says before its payload is looked at: its headers, and its body as JSON.
 */
import { invalid } from '../foundation/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import { parseJson } from '../intake/json.ts';

/** Who sent what, from the headers. */
export interface Delivery {
  event: string;
  id: string;
  source: string;
}

/** Longest delivery id and source, in characters; hosts send a UUID and a number. */
const longestId = 128;

/** X-Scm-* first, then the hosts' own families; an empty header says nothing. */
export function header({ headers }: Pick<Exchange, 'headers'>, name: string): string | undefined {
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

/** The remedy for a webhook that sends forms. */
export const formRemedy =
  'The body is a form (application/x-www-form-urlencoded). Set the content type of the webhook on the host to application/json.';

/**
 * Whether a delivery is sent as a form. Gitea signs the payload inside the form, so that the signature does not match the body;
 * GitHub signs the form itself.
 */
export function isForm({ headers }: Pick<Exchange, 'headers'>): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '');
}

/** @throws ServiceError `invalid` when the content type or the body is not that of a JSON object */
export function parseBody(exchange: Exchange, body: Buffer): object {
  const type = exchange.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    const wrong = { 'Content-Type': `expected application/json, got ${type || 'nothing'}` };
    throw invalid(wrong, isForm(exchange) ? `The body is not JSON. ${formRemedy}` : 'The body is not JSON.');
  }
  let payload: unknown;
  try {
    payload = parseJson(body.toString('utf8'));
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
