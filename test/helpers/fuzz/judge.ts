/**
 * Judges the reply to a generated request. The reply must match the OpenAPI document, must not be a failure of the
 * service, and must contain nothing of another organization.
 */
import { replyFault } from '../contract.ts';
import type { FuzzRequest } from './requests.ts';
import type { FuzzReply } from './send.ts';
import { idsIn, otherThan, type World } from './world.ts';

/** Describes a request in one line, so that a person can repeat the request by hand. */
export function described({ caller, operation, url, headers, body }: FuzzRequest): string {
  const { authorization: _, ...rest } = headers;
  const text = body?.toString('latin1').slice(0, 1500);
  return `${operation.method} ${url} with the key ${caller.name}, ${JSON.stringify(rest)}${text === undefined ? '' : `, ${text}`}`;
}

/**
 * Whether a reply has the status 500 and a `Retry-After` header. A busy machine sends this reply, and the OpenAPI
 * document defines it.
 */
export function isWait({ status, headers }: Pick<FuzzReply, 'status' | 'headers'>): boolean {
  return status === 500 && headers.get('retry-after') !== null && headers.get('x-test-mode') === null;
}

/** Returns the fault of a reply; undefined when the reply has no fault. */
export function faultIn(world: World, request: FuzzRequest, { status, headers, text }: FuzzReply): string | undefined {
  const { operation } = request;
  const sent = `${request.url} ${JSON.stringify(request.headers)} ${request.body?.toString() ?? ''}`;
  const isAskedFor = headers.get('x-test-mode') === 'true' && sent.includes('_test_servererror');
  if (status >= 500 && !isAskedFor && !isWait({ status, headers })) return `a reply of ${status}`;
  let body: unknown = '';
  try {
    if (text !== '') body = JSON.parse(text);
  } catch {
    return 'a body that is not JSON';
  }
  const fault = replyFault(operation.method, operation.path, { status, headers, body });
  if (fault !== undefined) return fault;
  if (/\n\s+at |node_modules|\.(ts|js):\d+/.test(text) && !sent.includes('node_modules')) return 'a stack trace';
  return revealed(world, request, sent, text);
}

/**
 * Returns the fault of a reply that contains something of another organization. Replies to instance keys are exempt,
 * because such keys may see both organizations. Replies with the OpenAPI document are exempt too, because the examples
 * in the document contain real ids of acme/rocket.
 */
function revealed(world: World, { caller, operation }: FuzzRequest, sent: string, text: string): string | undefined {
  if (caller.kind === 'instance' || operation.path === '/api/openapi.json') return undefined;
  const others = caller.org === null ? (['acme', 'umbrella'] as const) : ([otherThan(caller.org)] as const);
  for (const other of others) {
    const id = idsIn(text).find((each) => world.ownerOf(each) === other && !sent.includes(each));
    const shown = id ?? [...world.markers[other]].find((marker) => text.includes(marker) && !sent.includes(marker));
    if (shown !== undefined) return `the reply shows ${shown}, which belongs to ${other}`;
  }
  return undefined;
}
