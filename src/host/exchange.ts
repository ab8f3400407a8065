/**
 * Runs one HTTP exchange with a host. It follows redirects on the same host, limits the time and the size of the reply,
 * and ends when the signal aborts. Callers interpret the reply. Credentials are in `headers` and are sent only to the
 * host of the request.
 */
import { ServiceError } from '../foundation/errors.ts';

/** Maximum number of redirects that are followed for one request. */
const maxRedirects = 5;
/** Maximum size of a reply's body, in bytes. A page of a hundred items with the longest texts is much smaller. */
const maxBodyBytes = 64 * 1024 * 1024;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';

export interface HttpRequest {
  url: string;
  method: Method;
  headers: Record<string, string>;
  /** The JSON body of a write request. */
  body?: string | undefined;
  /** Timeout of the whole exchange, including the body, in milliseconds. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

export interface HttpAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The address that sent the reply, after all redirects. */
  url: string;
}

/**
 * Sends a request and reads its reply, whatever the status of the reply.
 * @throws ServiceError `invalid` when the host redirects to another host or in a circle
 * @throws Error when no complete reply arrives
 */
export async function exchange(request: HttpRequest): Promise<HttpAnswer> {
  const stop = new AbortController();
  const end = (): void => stop.abort(request.signal?.reason);
  const timer = setTimeout(() => stop.abort(new Error('no reply in time')), request.timeoutMs);
  request.signal?.addEventListener('abort', end, { once: true });
  try {
    request.signal?.throwIfAborted();
    return await follow(request, stop.signal);
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', end);
  }
}

/** Follows redirects. The method stays the same, because hosts also redirect writes to a renamed repository. */
async function follow({ url, method, headers, body }: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  let target = url;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await fetch(target, { method, headers, body: body ?? null, signal, redirect: 'manual' });
    const location = redirectOf(response);
    if (location === null) return { ...(await read(response)), url: target };
    await response.body?.cancel();
    target = onSameHost(location, target);
  }
  throw new ServiceError('invalid', `The host ${new URL(url).host} redirects a request in a loop.`);
}

function redirectOf(response: Response): string | null {
  return [301, 302, 307, 308].includes(response.status) ? response.headers.get('location') : null;
}

/**
 * Returns the target of a redirect. A redirect to another host is an error, so credentials are never sent to another
 * host.
 */
function onSameHost(location: string, from: string): string {
  const here = new URL(from);
  const there = URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (there?.origin === here.origin && there.username === '' && there.password === '') return there.href;
  const where = there ? there.origin : 'an invalid address';
  throw new ServiceError(
    'invalid',
    `The host ${here.host} redirects to ${where}. The service does not follow this redirect.`,
  );
}

async function read(response: Response): Promise<Omit<HttpAnswer, 'url'>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new ServiceError('invalid', 'The host replied with more than 64 MiB.');
    chunks.push(chunk);
  }
  return { status: response.status, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') };
}
