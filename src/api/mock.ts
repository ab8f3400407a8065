/**
 * Serves requests in test mode (spec part 4). The real handler checks the request and stops before it writes. The reply
 * is made up and depends only on the request. Ids of the form `draft_test_…` always exist in test mode. Such ids with
 * one of three endings cause a failure, for example `draft_test_notfound`.
 */
import { notFound, ServiceError } from '../foundation/errors.ts';
import { mocks } from './mocks.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './route.ts';
import { testId } from './samples.ts';

const resources: Readonly<Record<string, string>> = {
  draft: 'Draft',
  range: 'Release range',
  repo: 'Repository',
  pub: 'Publication',
  org: 'Organization',
  key: 'API key',
  secret: 'Webhook secret',
  ep: 'Webhook endpoint',
  dlv: 'Webhook delivery',
};

/** Thrown when a handler in test mode is about to write. It means that the request has passed all checks. */
class WriteReached extends Error {}

/**
 * Makes the reply of a route in test mode.
 * @throws ServiceError the refusal of the handler, `forbidden` for a route without test mode, or the failure that a
 *   test id simulates
 */
export async function serveMock(route: ApiRoute<never>, request: ApiRequest<never>): Promise<ApiReply> {
  const mock = mocks[route.operation];
  if (!mock) throw new ServiceError('forbidden', `The operation ${route.operation} has no test mode.`);
  const ids = testIdsOf(request);
  if (ids.length > 0) {
    route.checkBody?.(request.body);
    for (const id of ids) runMock(id);
  } else await rehearse(route, request);
  return mock(request);
}

/**
 * Runs the handler until its first write. The handler reads real data and refuses the same requests as outside test
 * mode.
 */
async function rehearse(route: ApiRoute<never>, request: ApiRequest<never>): Promise<void> {
  const laneOf = (): never => {
    throw new WriteReached();
  };
  try {
    await route.handle({ ...request, context: { ...request.context, laneOf } });
  } catch (error) {
    if (!(error instanceof WriteReached)) throw error;
  }
}

function testIdsOf({ params, query, body }: ApiRequest<never>): string[] {
  const fields = typeof body === 'object' && body !== null ? Object.values(body) : [];
  const values: unknown[] = [...params, ...Object.values(query), ...fields];
  return values.filter((value): value is string => typeof value === 'string' && testId.test(value));
}

/** Throws the failure that an id simulates, if the id ends with `_notfound`, `_ratelimited` or `_servererror`. */
function runMock(id: string): void {
  const [, kind = '', name] = testId.exec(id) ?? [];
  if (name === 'notfound') throw notFound(resources[kind] ?? '', id);
  if (name === 'ratelimited') {
    const message = 'The limit of 100 requests per minute per API key is exceeded. Wait 60 seconds.';
    throw new ServiceError('rateLimited', message, { retryAfter: 60 });
  }
  if (name === 'servererror') {
    throw new ServiceError('unavailable', 'This id simulates a failure of the service. Send the request again.', {
      retryAfter: 1,
    });
  }
}
