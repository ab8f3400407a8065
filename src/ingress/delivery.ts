/**
 * Reads the headers of a delivery and parses its body as JSON.
 */
import { invalid } from '../foundation/errors.ts';
import type { Exchange } from '../http/exchange.ts';
import { parsePayload } from '../intake/cut/payload.ts';

/** The headers of a delivery: the name of the event, the id of the delivery, and the hook that sent the delivery. */
export interface Delivery {
  event: string;
  id: string;
  source: string;
}

/**
 * Maximum length of a delivery id and of a hook id (`source`), in characters. Hosts send a UUID as the delivery id and
 * a number as the hook id.
 */
const maxIdLength = 128;

/**
 * Returns a header of the delivery. X-Scm-* headers take precedence over those of the hosts. An empty header counts as
 * missing.
 */
export function header({ headers }: Pick<Exchange, 'headers'>, name: keyof typeof spellings): string | undefined {
  for (const spelling of spellings[name]) {
    const value = headers[spelling];
    if (value) return value;
  }
  return undefined;
}

const kinds = ['scm', 'github', 'gitea', 'forgejo'];
const spellings = {
  event: kinds.map((kind) => `x-${kind}-event`),
  delivery: kinds.map((kind) => `x-${kind}-delivery`),
} as const;

/** @throws ServiceError `invalid` naming the header that is missing or too long */
export function readDelivery(exchange: Exchange): Delivery {
  const event = header(exchange, 'event');
  if (event === undefined)
    throw invalid({ 'X-Scm-Event': 'expected the name of the event, got nothing' }, 'A header is missing.');
  const source = exchange.headers['x-github-hook-id'] ?? exchange.headers['x-github-hook-installation-target-id'] ?? '';
  // A delivery without an id is identified by its signature. If the host sends the delivery again, the bytes are the
  // same, so the signature is the same.
  const id =
    header(exchange, 'delivery') ?? `signature ${exchange.headers['x-hub-signature-256']?.slice(7, 39).toLowerCase()}`;
  // The store shortens long keys of folded deliveries. So two deliveries with long ids could get the same key.
  if (Math.max(id.length, source.length) > maxIdLength) {
    const expected = `expected a delivery id and a hook id of at most ${maxIdLength} characters each`;
    throw invalid({ 'X-Scm-Delivery': expected }, 'A header is too long.');
  }
  return { event, id, source };
}

/** Advice for error messages: how to change a webhook that sends its body as a form. */
export const formRemedy =
  'The body is a form (application/x-www-form-urlencoded). Set the content type of the webhook on the host to application/json.';

/**
 * Whether the body of a delivery is a form. GitHub signs the form itself. Gitea signs only the payload inside the form,
 * so the signature does not match the whole body.
 */
export function isForm({ headers }: Pick<Exchange, 'headers'>): boolean {
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '');
}

/**
 * Parses the body of a delivery. The payload has at least the fields that the schema of its event names.
 * @throws ServiceError `invalid` when the content type is not JSON or the body is not a JSON object
 */
export function parseBody(exchange: Exchange, event: string, body: Buffer): object {
  const type = exchange.headers['content-type'] ?? '';
  if (type !== 'application/json' && !/^application\/json\s*(;|$)/i.test(type)) {
    const wrong = { 'Content-Type': `expected application/json, got ${type || 'nothing'}` };
    throw invalid(wrong, isForm(exchange) ? `The body is not JSON. ${formRemedy}` : 'The body is not JSON.');
  }
  let payload: unknown;
  try {
    payload = parsePayload(event, body);
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
