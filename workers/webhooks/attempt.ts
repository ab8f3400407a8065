/**
 * Makes one attempt to deliver a webhook: opens the secrets, signs and sends the body, and records the receiver's
 * reply. The schedule decides whether and when another attempt follows.
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
import { nextAttemptAt } from './schedule.ts';
import { signedHeaders } from './sign.ts';

/** The dependencies of an attempt. */
export interface AttemptTools {
  egress: Egress;
  sealer: Sealer;
  logger: Logger;
}

/** Maximum time of an attempt, in milliseconds. */
const timeoutMs = 20_000;
/** How much of a reply's body is kept, in characters. */
const keptCharacters = 500;
/**
 * Minimum length of a query value that is treated as a secret. Shorter values are usually words such as `v2` or `chat`,
 * not tokens.
 */
const minSecretLength = 8;
/** Statuses of replies that may contain the time of the next attempt. */
const throttling: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The result of an attempt, without the time of the next attempt. */
type AttemptOutcome = Pick<WebhookAttempted, 'outcome'> &
  Pick<WebhookAttempted['attempt'], 'status' | 'error' | 'response'> & { askedMs?: number };

/**
 * Makes one attempt. Failures of the receiver are returned, never thrown.
 * @param signal aborts the attempt; the result of an aborted attempt must not be stored
 */
export async function attemptDelivery(
  tools: AttemptTools,
  endpoint: WebhookEndpointRecord,
  delivery: WebhookDelivery,
  signal: AbortSignal,
): Promise<WebhookAttempted> {
  const at = Date.now();
  const { outcome, askedMs, ...result } = await send(tools, endpoint, delivery, at, signal);
  const now = Date.now();
  const isLast = outcome !== 'failed' || delivery.event === testEvent;
  return {
    result: 'webhookAttempted',
    endpointId: endpoint.id,
    deliveryId: delivery.id,
    number: delivery.attemptCount + 1,
    attempt: { at, ms: Math.max(0, now - at), ...result },
    outcome,
    retryAt: isLast ? null : nextAttemptAt(delivery.tries + 1, now, askedMs, Math.random()),
  };
}

async function send(
  { egress, sealer, logger }: AttemptTools,
  endpoint: WebhookEndpointRecord,
  { eventId, body }: WebhookDelivery,
  at: number,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  try {
    const headers = signedHeaders(openSecrets(sealer, endpoint, at), eventId, body, at);
    const url = openAddress(sealer, endpoint);
    const reply = await egress.request({ method: 'POST', url, headers, body, timeoutMs, signal });
    return judge(reply, url);
  } catch (error) {
    return { outcome: 'failed', status: null, error: errorOf(error, logger), response: null };
  }
}

/** Returns the secrets to sign with: the current secret, and former secrets whose overlap has not ended. */
function openSecrets(sealer: Sealer, endpoint: WebhookEndpointRecord, at: number): string[] {
  const { sealed, previous } = endpoint;
  const inForce = [sealed, ...previous.filter(({ until }) => until > at).map((each) => each.sealed)];
  return inForce.map((each) => sealer.open(each, sealedForEndpoint(endpoint)));
}

function judge(reply: EgressReply, url: string): AttemptOutcome {
  const { status } = reply;
  const response = textOf(reply.body, new URL(url).search);
  if (status >= 200 && status < 300) return { outcome: 'delivered', status, error: null, response };
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  const error = `The receiver answered ${status}${redirect}.`;
  if (status === 410) return { outcome: 'gone', status, error, response };
  const asked = throttling.has(status) ? retryAfterMs(reply, Date.now()) : undefined;
  return { outcome: 'failed', status, error, response, ...(asked !== undefined && { askedMs: asked }) };
}

/** Returns the beginning of a reply for people to read. Secrets are removed from it, wherever they appear. */
function textOf(body: Buffer, query: string): string | null {
  const beginning = body.subarray(0, keptCharacters * 4).toString('utf8');
  const text = withoutQuery(beginning.replace(/\p{Cc}+/gu, ' '), query).trim();
  return text === '' ? null : redactText([...text].slice(0, keptCharacters).join(''), 'comment');
}

/**
 * Replaces two kinds of secrets by `[secret]`: the query of the endpoint's address, and the values in this query. Some
 * receivers repeat the query or its values in their replies.
 */
function withoutQuery(text: string, query: string): string {
  const pairs = query.slice(1).split('&');
  const raw = pairs.map((pair) => pair.slice(pair.indexOf('=') + 1));
  const values = [query.slice(1), ...raw, ...new URLSearchParams(query).values()];
  const secrets = values.filter(({ length }) => length >= minSecretLength).sort((a, b) => b.length - a.length);
  return secrets.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
}

/**
 * Returns the message of an error. A defect of the sender also counts as a failed attempt. Without this count, the
 * sender would repeat the attempt without end.
 */
function errorOf(error: unknown, logger: Logger): string {
  if (error instanceof EgressError) return `The webhook was not delivered: ${error.message}.`;
  if (error instanceof SealError) return `The secret of the endpoint cannot be decrypted: ${error.message}.`;
  logger.error({ err: error }, 'a webhook cannot be sent');
  return 'The webhook could not be sent.';
}
