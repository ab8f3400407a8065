/**
 * Makes one HTTP exchange with a receiver and maps a failure to an outcome. If the message may have arrived, only a
 * request that is safe to repeat gets the outcome `retry`. Error messages are for people. They contain no addresses,
 * and quote only a short code of the reply.
 */
import { type Egress, EgressError, type EgressReply, type EgressRequest, retryAfterMs } from '../egress/egress.ts';
import { DeliveryError } from './channel.ts';

export interface Exchange {
  egress: Egress;
  signal: AbortSignal;
  /** Name of the receiver, as the beginning of a sentence, for example `The chat`. */
  receiver: string;
  /** Whether a repeated request has the same result as a single request. */
  repeatable: boolean;
  /** Statuses other than 2xx that the caller handles. */
  accepts?: readonly number[];
}

const timeoutMs = 30_000;
const maxWaitMs = 3_600_000;

/** Sends JSON. @throws DeliveryError when the reply is missing or not 2xx */
export async function exchangeJson(
  { egress, signal, receiver, repeatable, accepts = [] }: Exchange,
  { body, headers, ...request }: Omit<EgressRequest, 'timeoutMs' | 'signal' | 'body'> & { body?: unknown },
): Promise<EgressReply> {
  const sent: EgressRequest = { ...request, timeoutMs, signal, headers: { accept: 'application/json', ...headers } };
  if (body !== undefined) {
    sent.body = JSON.stringify(body);
    sent.headers = { 'content-type': 'application/json; charset=utf-8', ...sent.headers };
  }
  const reply = await egress.request(sent).catch((error: unknown) => {
    throw noReply(error, receiver, repeatable);
  });
  const failure = accepts.includes(reply.status) ? undefined : failureOf(reply, receiver, repeatable);
  if (failure) throw failure;
  return reply;
}

/** Returns the reply as an object; undefined if the reply is not an object or was too long to read. */
export function jsonOf(reply: EgressReply): Record<string, unknown> | undefined {
  if (reply.truncated) return undefined;
  try {
    const value: unknown = JSON.parse(reply.body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the error for a failure after the request was sent: `retry` if the request is repeatable, otherwise
 * `unknown`.
 */
export function afterSending(repeatable: boolean, message: string): DeliveryError {
  return repeatable
    ? new DeliveryError('retry', message)
    : new DeliveryError('unknown', `${message} The message may have arrived.`);
}

/**
 * Returns the value if it is a code such as `channel_not_found`, otherwise a fixed text. So an error message never
 * quotes longer texts of the receiver.
 */
export function codeOf(value: unknown): string {
  return typeof value === 'string' && /^[a-z][a-z0-9_]{2,60}$/i.test(value) ? value : 'no reason given';
}

function noReply(error: unknown, receiver: string, repeatable: boolean): unknown {
  if (!(error instanceof EgressError)) return error;
  if (error.kind === 'refused') {
    return new DeliveryError('refused', `${receiver} cannot be reached: ${error.message}.`);
  }
  const what = error.kind === 'timeout' ? 'did not answer in time' : 'could not be reached, or closed the connection';
  if (!error.sent) return new DeliveryError('retry', `${receiver} ${what}.`);
  return afterSending(repeatable, `${receiver} ${what}.`);
}

function failureOf(reply: EgressReply, receiver: string, repeatable: boolean): DeliveryError | undefined {
  const { status } = reply;
  if (status >= 200 && status < 300) return undefined;
  const wait = waitMs(reply, Date.now());
  if (status === 429 || status === 503)
    return new DeliveryError('retry', `${receiver} asks to wait (${status}).`, wait);
  if (status >= 500) return afterSending(repeatable, `${receiver} failed (${status}).`);
  if (status >= 300 && status < 400) {
    return new DeliveryError(
      'refused',
      `${receiver} answered with a redirect (${status}). The service does not follow redirects.`,
    );
  }
  return new DeliveryError('refused', `${receiver} refused the request (${status}, ${reasonOf(reply)}).`);
}

/**
 * Returns how long to wait, in milliseconds. Some receivers send the time from which requests are accepted again
 * (`x-ratelimit-reset`) instead of Retry-After.
 */
function waitMs(reply: EgressReply, now: number): number | undefined {
  const reset = Number(reply.headers['x-ratelimit-reset'] ?? Number.NaN) * 1000 - now;
  return retryAfterMs(reply, now) ?? (reset > 0 ? Math.min(reset, maxWaitMs) : undefined);
}

/**
 * Returns the code of a refusal. The code is the whole reply, if the reply is a single word. In a JSON object, the code
 * is in `error`, `error.code`, `code` or `errors[0].code`.
 */
function reasonOf(reply: EgressReply): string {
  const json = jsonOf(reply);
  if (!json) return codeOf(reply.body.toString('utf8', 0, 100).trim());
  const { error, code, errors } = json;
  const first: unknown = Array.isArray(errors) ? (errors[0] as Record<string, unknown> | undefined)?.code : undefined;
  return codeOf(
    typeof error === 'object' && error !== null ? (error as Record<string, unknown>).code : (error ?? code ?? first),
  );
}
