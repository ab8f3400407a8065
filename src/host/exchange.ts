/**
 * One HTTP exchange with a host: redirects on the same host, a limit on time and size, the signal. What an answer means
 * is left to others. Credentials travel in `headers` and never leave the host that the request was made for.
 */
import { ServiceError } from '../foundation/errors.ts';

/** Redirects followed for one request. */
const maxRedirects = 5;
/** Largest body taken, in bytes: a hundred items with the longest texts stay far below. */
const maxBodyBytes = 64 * 1024 * 1024;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';

export interface HttpRequest {
  url: string;
  method: Method;
  headers: Record<string, string>;
  /** JSON of a write. */
  body?: string | undefined;
  /** Longest time for the whole exchange, body included. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

export interface HttpAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** Where the answer came from, redirects followed. */
  url: string;
}

/**
 * Sends a request and reads its answer, whatever the status.
 * @throws ServiceError `invalid` when the host redirects to another host or in a circle
 * @throws Error when no whole answer comes
 */
export async function exchange(request: HttpRequest): Promise<HttpAnswer> {
  const stop = new AbortController();
  const end = (): void => stop.abort(request.signal?.reason);
  const timer = setTimeout(() => stop.abort(new Error('no answer in time')), request.timeoutMs);
  request.signal?.addEventListener('abort', end, { once: true });
  try {
    request.signal?.throwIfAborted();
    return await follow(request, stop.signal);
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', end);
  }
}

/** Goes on where the host redirects to; the method stays, as hosts answer a write to a repository's former name so. */
async function follow({ url, method, headers, body }: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  let target = url;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await fetch(target, { method, headers, body: body ?? null, signal, redirect: 'manual' });
    const location = redirectOf(response);
    if (location === null) return { ...(await read(response)), url: target };
    await response.body?.cancel();
    target = onSameHost(location, target);
  }
  throw new ServiceError('invalid', `The host ${new URL(url).host} redirects a request in a circle.`);
}

function redirectOf(response: Response): string | null {
  return [301, 302, 307, 308].includes(response.status) ? response.headers.get('location') : null;
}

/** The address a redirect leads to; another host gets neither credentials nor a request. */
function onSameHost(location: string, from: string): string {
  const here = new URL(from);
  const there = URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (there?.origin === here.origin && there.username === '' && there.password === '') return there.href;
  const where = there ? there.origin : 'what is no address';
  throw new ServiceError('invalid', `The host ${here.host} redirects to ${where}, which is not followed.`);
}

async function read(response: Response): Promise<Omit<HttpAnswer, 'url'>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new ServiceError('invalid', 'The host answers with more than 64 MiB.');
    chunks.push(chunk);
  }
  return { status: response.status, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') };
}
