/**
 * Streams live events to clients, as server-sent events. A key with any scope can open a stream, and sees the events of
 * the objects that it may read.
 */
import { ServiceError } from '../foundation/errors.ts';
import {
  eventContracts,
  liveEventSamples,
  type StreamEventsQuery,
  StreamEventsQuerySchema,
} from '../protocol/resources/events.ts';
import type { OpenStreams } from './event-hub.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './route.ts';

const streamEvents: ApiRoute<StreamEventsQuery> = {
  method: 'GET',
  path: '/api/events',
  operation: 'streamEvents',
  contract: eventContracts.streamEvents,
  scope: null,
  query: StreamEventsQuerySchema,
  handle: async (request) => {
    const { events } = request.context;
    if (!events) throw new ServiceError('unavailable', 'The service is starting.', { retryAfter: 1 });
    // The client reads its objects after the head of the reply. From then on, no change may be missed.
    if (!request.test) await events.begin();
    const elsewhere = await request.context.gateways?.openStreams(request.caller);
    return eventsReply(request, elsewhere);
  },
};

/** Makes the reply that continues as a stream. In test mode, the stream has one sample of each event. */
export function eventsReply(
  { context, caller, headers, query, test }: ApiRequest<StreamEventsQuery>,
  elsewhere?: OpenStreams,
): ApiReply {
  const lastEventId = headers['last-event-id'] ?? query.lastEventId;
  const samples = test ? liveEventSamples : undefined;
  return {
    status: 200,
    body: {},
    stream: (exchange, admitAgain) => {
      if (!context.events) return;
      const { contentType, headers: fields } = context.events.head;
      if (exchange.method === 'HEAD') exchange.reply(200, contentType, '', fields);
      else context.events.open(exchange, { caller, admitAgain, lastEventId, samples, ...(elsewhere && { elsewhere }) });
    },
  };
}

export const eventRoutes = [streamEvents];
