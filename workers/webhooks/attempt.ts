/**
 * One attempt to deliver a webhook: the secrets are opened, the body is signed and sent, and what the receiver answered is
 * put into words. When there is another attempt is decided by the schedule.
 */
import { type Egress, EgressError, type EgressReply, retryAfterMs } from '../../src/egress/egress.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { SealError, type Sealer } from '../../src/foundation/seal.ts';
import { redactText } from '../../src/intake/redact.ts';
import {
  testEvent,
  type WebhookAttempted,
  type WebhookDelivery,
  type WebhookEndpointRecord,
} from '../../src/protocol/webhooks.ts';
import { openAddress } from '../../src/store/tables/webhook-addresses.ts';
import { sealedForEndpoint } from '../../src/store/tables/webhook-endpoints.ts';
import { nextTry } from './schedule.ts';
import { signedHeaders } from './sign.ts';

/** What an attempt is made with. */
export interface Means {
  egress: Egress;
  sealer: Sealer;
  logger: Logger;
}

/** Longest time of an attempt. */
const timeoutMs = 20_000;
/** As much of a reply's body is kept, in characters. */
const keptCharacters = 500;
/** Shorter values of a query are words such as `v2` or `chat`, and no tokens. */
const leastSecret = 8;
/** Statuses that say when to come back. */
const throttling: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** What an attempt came to, before it is known when the next one is. */
type Came = Pick<WebhookAttempted, 'outcome'> &
  Pick<WebhookAttempted['attempt'], 'status' | 'error' | 'response'> & { askedMs?: number };

/**
 * Makes one attempt. Nothing is thrown for what a receiver does.
 * @param signal ends it; what it came to then must not be written down
 */
export async function attemptDelivery(
  means: Means,
  endpoint: WebhookEndpointRecord,
  delivery: WebhookDelivery,
  signal: AbortSignal,
): Promise<WebhookAttempted> {
  const at = Date.now();
  const { outcome, askedMs, ...came } = await send(means, endpoint, delivery, at, signal);
  const now = Date.now();
  const isLast = outcome !== 'failed' || delivery.event === testEvent;
  return {
    result: 'webhookAttempted',
    endpointId: endpoint.id,
    deliveryId: delivery.id,
    number: delivery.attemptCount + 1,
    attempt: { at, ms: Math.max(0, now - at), ...came },
    outcome,
    retryAt: isLast ? null : nextTry(delivery.tries + 1, now, askedMs, Math.random()),
  };
}

async function send(
  { egress, sealer, logger }: Means,
  endpoint: WebhookEndpointRecord,
  { eventId, body }: WebhookDelivery,
  at: number,
  signal: AbortSignal,
): Promise<Came> {
  try {
    const headers = signedHeaders(openSecrets(sealer, endpoint, at), eventId, body, at);
    const url = openAddress(sealer, endpoint);
    const reply = await egress.request({ method: 'POST', url, headers, body, timeoutMs, signal });
    return judge(reply, url);
  } catch (error) {
    return { outcome: 'failed', status: null, error: errorOf(error, logger), response: null };
  }
}

/** The secrets in force: the current one, and those that a rotation left. */
function openSecrets(sealer: Sealer, endpoint: WebhookEndpointRecord, at: number): string[] {
  const { sealed, previous } = endpoint;
  const inForce = [sealed, ...previous.filter(({ until }) => until > at).map((each) => each.sealed)];
  return inForce.map((each) => sealer.open(each, sealedForEndpoint(endpoint)));
}

function judge(reply: EgressReply, url: string): Came {
  const { status } = reply;
  const response = textOf(reply.body, new URL(url).search);
  if (status >= 200 && status < 300) return { outcome: 'delivered', status, error: null, response };
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  const error = `The receiver answered ${status}${redirect}.`;
  if (status === 410) return { outcome: 'gone', status, error, response };
  const asked = throttling.has(status) ? retryAfterMs(reply, Date.now()) : undefined;
  return { outcome: 'failed', status, error, response, ...(asked !== undefined && { askedMs: asked }) };
}

/** The beginning of a reply as a person may see it: whatever a receiver writes there, no secret of anybody is kept. */
function textOf(body: Buffer, query: string): string | null {
  const beginning = body.subarray(0, keptCharacters * 4).toString('utf8');
  const text = withoutQuery(beginning.replace(/\p{Cc}+/gu, ' '), query).trim();
  return text === '' ? null : redactText([...text].slice(0, keptCharacters).join(''), 'comment');
}

/** A text without the query of the address and its values, which some receivers repeat. */
function withoutQuery(text: string, query: string): string {
  const pairs = query.slice(1).split('&');
  const raw = pairs.map((pair) => pair.slice(pair.indexOf('=') + 1));
  const values = [query.slice(1), ...raw, ...new URLSearchParams(query).values()];
  const secrets = values.filter(({ length }) => length >= leastSecret).sort((a, b) => b.length - a.length);
  return secrets.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
}

/** A defect of ours is an attempt too: without an end of attempts it would meet the receiver again and again. */
function errorOf(error: unknown, logger: Logger): string {
  if (error instanceof EgressError) return `The webhook was not taken: ${error.message}.`;
  if (error instanceof SealError) return `The secret of the endpoint cannot be opened: ${error.message}.`;
  logger.error({ err: error }, 'a webhook cannot be sent');
  return 'The webhook could not be sent.';
}
