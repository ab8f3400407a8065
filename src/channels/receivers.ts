/**
 * One exchange with a receiver over HTTP, and what its failure means for a publication: whether it may have arrived decides if
 * it is tried again. Messages are for people and name neither addresses nor anything of the reply but a short code.
 */
import { type Egress, EgressError, type EgressReply, type EgressRequest, retryAfterMs } from '../egress/egress.ts';
import { DeliveryError } from './channel.ts';

export interface Exchange {
  egress: Egress;
  signal: AbortSignal;
  /** What people call the receiver, as the beginning of a sentence. */
  receiver: string;
  /** Whether doing it twice leaves what doing it once leaves. */
  repeatable: boolean;
  /** Statuses besides those of the 2xx kind that the caller makes sense of. */
  accepts?: readonly number[];
}

const timeoutMs = 30_000;
const longestWaitMs = 3_600_000;

/** Sends JSON. @throws DeliveryError when there is no reply of the 2xx kind */
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

/** The reply as an object; undefined where it is none, or was too long to read. */
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

/** What a failure after a request was sent means: to be repeated, or not known. */
export function afterSending(repeatable: boolean, message: string): DeliveryError {
  return repeatable
    ? new DeliveryError('retry', message)
    : new DeliveryError('unknown', `${message} It may have arrived all the same.`);
}

/** A code such as `channel_not_found`; anything else is not for people's eyes. */
export function codeOf(value: unknown): string {
  return typeof value === 'string' && /^[a-z][a-z0-9_]{2,60}$/i.test(value) ? value : 'no reason given';
}

function noReply(error: unknown, receiver: string, repeatable: boolean): unknown {
  if (!(error instanceof EgressError)) return error;
  if (error.kind === 'refused') {
    return new DeliveryError('refused', `${receiver} may not be reached there: ${error.message}.`);
  }
  const what = error.kind === 'timeout' ? 'did not answer in time' : 'could not be reached, or ended the connection';
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
    return new DeliveryError('refused', `${receiver} answered with a redirect (${status}), which is not followed.`);
  }
  return new DeliveryError('refused', `${receiver} refused it (${status}, ${reasonOf(reply)}).`);
}

/** Some receivers name the second at which they may be asked again, and no Retry-After. */
function waitMs(reply: EgressReply, now: number): number | undefined {
  const reset = Number(reply.headers['x-ratelimit-reset'] ?? Number.NaN) * 1000 - now;
  return retryAfterMs(reply, now) ?? (reset > 0 ? Math.min(reset, longestWaitMs) : undefined);
}

/** The code in a refusal: of one word, or in one of the usual places of a JSON object. */
function reasonOf(reply: EgressReply): string {
  const json = jsonOf(reply);
  if (!json) return codeOf(reply.body.toString('utf8', 0, 100).trim());
  const { error, code, errors } = json;
  const first: unknown = Array.isArray(errors) ? (errors[0] as Record<string, unknown> | undefined)?.code : undefined;
  return codeOf(
    typeof error === 'object' && error !== null ? (error as Record<string, unknown>).code : (error ?? code ?? first),
  );
}
