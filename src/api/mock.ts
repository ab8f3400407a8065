/**
 * Test mode (spec part 4): the request is checked as a real one, by its own handler up to the write, and a made-up reply is
 * sent that depends on the request alone. Nothing is written. Ids of the form `draft_test_…` always exist here, and three of
 * them stand for failures.
 */
import { notFound, ServiceError } from '../foundation/errors.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './handle.ts';
import { mocks } from './mocks.ts';
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

/** A handler got as far as its write. */
class WriteReached extends Error {}

/**
 * The reply of a route in test mode.
 * @throws ServiceError what the handler refuses, `forbidden` for a route without test mode, what a magic id stands for
 */
export async function serveMock(route: ApiRoute<never>, request: ApiRequest<never>): Promise<ApiReply> {
  const mock = mocks[route.operation];
  if (!mock) throw new ServiceError('forbidden', `The operation ${route.operation} has no test mode.`);
  const ids = testIdsOf(request);
  if (ids.length > 0) {
    route.checkBody?.(request.body);
    for (const id of ids) actOut(id);
  } else await rehearse(route, request);
  return mock(request);
}

/** Runs the handler until it wants to write; what it reads is real, and so is what it refuses. */
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

/** The failure that a magic id stands for. */
function actOut(id: string): void {
  const [, kind = '', name] = testId.exec(id) ?? [];
  if (name === 'notfound') throw notFound(resources[kind] ?? '', id);
  if (name === 'ratelimited') {
    const message = 'The limit of 100 requests per minute and API key is exceeded. Wait 60 seconds.';
    throw new ServiceError('rateLimited', message, { retryAfter: 60 });
  }
  if (name === 'servererror') {
    throw new ServiceError('unavailable', 'The service failed, as this id asks it to. Send the request again.', {
      retryAfter: 1,
    });
  }
}
