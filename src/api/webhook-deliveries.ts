/**
 * Handles the deliveries to webhook endpoints: list, get with all attempts, resend one delivery, replay the deliveries
 * of a time range.
 */
import { invalid, notFound } from '../foundation/errors.ts';
import { slotOfId } from '../foundation/ids.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { NoQuerySchema } from '../protocol/resources/fields.ts';
import {
  type ListWebhookDeliveriesQuery,
  ListWebhookDeliveriesQuerySchema,
  type ReplayWebhooksBody,
  ReplayWebhooksBodySchema,
  webhookDeliveryContracts,
} from '../protocol/resources/webhook-deliveries.ts';
import type { WebhookDelivery } from '../protocol/webhooks.ts';
import {
  findWebhookDelivery,
  listWebhookDeliveries,
  webhookDeliveryResponse,
} from '../store/tables/webhook-deliveries.ts';
import { runCommand } from './context.ts';
import { page } from './page.ts';
import type { ApiReply, ApiRequest, ApiRoute } from './route.ts';
import { check } from './validate.ts';
import { checkNothing, visibleEndpoint } from './webhook-endpoints.ts';

const list: ApiRoute<ListWebhookDeliveriesQuery> = {
  method: 'GET',
  path: '/api/webhook-endpoints/:endpointId/deliveries',
  operation: 'listWebhookDeliveries',
  contract: webhookDeliveryContracts.listWebhookDeliveries,
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
  contract: webhookDeliveryContracts.getWebhookDelivery,
  scope: 'webhooks:read',
  query: NoQuerySchema,
  handle: (request) => ({ status: 200, body: webhookDeliveryResponse(visibleDelivery(request)) }),
};

const resend: ApiRoute = {
  method: 'POST',
  path: '/api/webhook-endpoints/:endpointId/deliveries/:deliveryId/resend',
  operation: 'resendWebhookDelivery',
  contract: webhookDeliveryContracts.resendWebhookDelivery,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  checkBody: checkNothing,
  once: { home: () => directoryName, reply: ok },
  handle: async (request) => {
    const { endpointId, id: deliveryId } = visibleDelivery(request);
    checkNothing(request.body);
    const command = { name: 'resendWebhookDelivery', endpointId, deliveryId } as const;
    return ok(await runCommand(request.context, directoryName, command, request.once));
  },
};

const replay: ApiRoute = {
  method: 'POST',
  path: '/api/webhook-endpoints/:endpointId/replay',
  operation: 'replayWebhookDeliveries',
  contract: webhookDeliveryContracts.replayWebhookDeliveries,
  scope: 'webhooks:write',
  query: NoQuerySchema,
  checkBody: checkReplay,
  once: { home: () => directoryName, reply: ok },
  handle: async (request) => {
    const { id: endpointId } = visibleEndpoint(request);
    const wanted = checkReplay(request.body);
    const command = { name: 'replayWebhookDeliveries', endpointId, ...wanted } as const;
    return ok(await runCommand(request.context, directoryName, command, request.once));
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

/** Returns the fields that deliveries are sorted by. The field `name` contains the event. */
function toSortable({ id, event, createdAt, attempts }: WebhookDelivery) {
  return { id, name: event, createdAt, updatedAt: attempts.at(-1)?.at ?? createdAt };
}

export const webhookDeliveryRoutes = [list, get, resend, replay];
