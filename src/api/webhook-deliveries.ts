/**
 * What was sent to webhook endpoints: list and get with every attempt, send one again, replay a range of time.
 */
import { invalid, notFound } from '../foundation/errors.ts';
import { slotOfId } from '../foundation/ids.ts';
import { directoryName } from '../journal/subjects.ts';
import {
  type ListWebhookDeliveriesQuery,
  ListWebhookDeliveriesQuerySchema,
  NoQuerySchema,
  type ReplayWebhooksBody,
  ReplayWebhooksBodySchema,
} from '../protocol/api.ts';
import { webhookContracts } from '../protocol/contracts/webhooks.ts';
import type { WebhookDelivery } from '../protocol/webhooks.ts';
import {
  findWebhookDelivery,
  listWebhookDeliveries,
  webhookDeliveryResponse,
} from '../store/tables/webhook-deliveries.ts';
import { carryOut } from './context.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './handle.ts';
import { page } from './page.ts';
import { check } from './validate.ts';
import { checkNothing, visibleEndpoint } from './webhook-endpoints.ts';

const list: ApiRoute<ListWebhookDeliveriesQuery> = {
  method: 'GET',
  path: '/api/webhook-endpoints/:endpointId/deliveries',
  operation: 'listWebhookDeliveries',
  contract: webhookContracts.listWebhookDeliveries,
  scope: 'webhooks:read',
  query: ListWebhookDeliveriesQuerySchema,
  handle: ({ query: { status, ...paging }, ...request }) => {
    const { id } = visibleEndpoint(request);
    const all = listWebhookDeliveries(request.directory, id).filter((each) => !status || each.status === status);
    const { items, ...rest } = page(all, paging, toSortable, { sort: 'createdAt', order: 'desc' });
    return { status: 200, body: { deliveries: items.map(webhookDeliveryResponse), ...rest } };
  },
};

const get: ApiRoute = {
  method: 'GET',
  path: '/api/webhook-endpoints/:endpointId/deliveries/:deliveryId',
  operation: 'getWebhookDelivery',
  contract: webhookContracts.getWebhookDelivery,
  scope: 'webhooks:read',
  query: NoQuerySchema,
  handle: (request) => ({ status: 200, body: webhookDeliveryResponse(visibleDelivery(request)) }),
};

const resend: ApiRoute = {
  method: 'POST',
  path: '/api/webhook-endpoints/:endpointId/deliveries/:deliveryId/resend',
  operation: 'resendWebhookDelivery',
  contract: webhookContracts.resendWebhookDelivery,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  checkBody: checkNothing,
  once: { home: () => directoryName, reply: ok },
  handle: async (request) => {
    const { endpointId, id: deliveryId } = visibleDelivery(request);
    checkNothing(request.body);
    const command = { name: 'resendWebhookDelivery', endpointId, deliveryId } as const;
    return ok(await carryOut(request.context, directoryName, command, request.once));
  },
};

const replay: ApiRoute = {
  method: 'POST',
  path: '/api/webhook-endpoints/:endpointId/replay',
  operation: 'replayWebhookDeliveries',
  contract: webhookContracts.replayWebhookDeliveries,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  checkBody: checkReplay,
  once: { home: () => directoryName, reply: ok },
  handle: async (request) => {
    const { id: endpointId } = visibleEndpoint(request);
    const wanted = checkReplay(request.body);
    const command = { name: 'replayWebhookDeliveries', endpointId, ...wanted } as const;
    return ok(await carryOut(request.context, directoryName, command, request.once));
  },
};

function visibleDelivery(request: ApiRequest): WebhookDelivery {
  const endpoint = visibleEndpoint(request);
  const [, deliveryId = ''] = request.params;
  const isId = slotOfId(deliveryId, 'dlv') !== undefined;
  const delivery = isId ? findWebhookDelivery(request.directory, endpoint.id, deliveryId) : undefined;
  if (!delivery) throw notFound('Webhook delivery', deliveryId);
  return delivery;
}

function checkReplay(body: unknown) {
  const { from, to, status = null } = check<ReplayWebhooksBody>(ReplayWebhooksBodySchema, body, 'body');
  if (Date.parse(from) >= Date.parse(to)) {
    throw invalid({
      from: `expected a time before "to", got "${from}"`,
      to: `expected a time after "from", got "${to}"`,
    });
  }
  return { from: Date.parse(from), to: Date.parse(to), status };
}

function ok(value: unknown): ApiReply {
  return { status: 200, body: value as object };
}

/** Ids of one moment are in no order of their own: the event is what tells them apart for a reader. */
function toSortable({ id, event, createdAt, attempts }: WebhookDelivery) {
  return { id, name: event, createdAt, updatedAt: attempts.at(-1)?.at ?? createdAt };
}

export const webhookDeliveryRoutes = [list, get, resend, replay];
