/**
 * Lists the incoming webhook deliveries that this service refused in the last day. The list is read from the gateway's
 * memory. A key of an organization sees only deliveries that are signed with the organization's own secret. Only this
 * signature proves that a refused delivery is about the organization.
 */
import { type RefusedDelivery, refusalReasons } from '../protocol/refused-deliveries.ts';
import {
  deliveryContracts,
  type ListDeliveriesQuery,
  ListDeliveriesQuerySchema,
} from '../protocol/resources/deliveries.ts';
import { page } from './page.ts';
import type { ApiRoute } from './route.ts';

const listDeliveries: ApiRoute<ListDeliveriesQuery> = {
  method: 'GET',
  path: '/api/deliveries',
  operation: 'listDeliveries',
  contract: deliveryContracts.listDeliveries,
  scope: 'webhooks:read',
  query: ListDeliveriesQuerySchema,
  handle: ({ query: { reason, outcome: _, ...paging }, caller, context: { refusals } }) => {
    const all = refusals?.list(caller.key.orgId) ?? [];
    const wanted = all.filter((each) => reason === undefined || each.reason === reason);
    const { items, ...rest } = page(wanted, paging, toSortable, { sort: 'createdAt', order: 'desc' });
    const since = new Date(refusals?.since ?? 0).toISOString();
    return { status: 200, body: { deliveries: items.map(deliveryResponse), ...rest, since } };
  },
};

/** Makes the part of a reply that describes a refused delivery. */
export function deliveryResponse({ id, receivedAt, status, reason, ...rest }: RefusedDelivery) {
  const { because, remedy } = refusalReasons[reason];
  const at = new Date(receivedAt).toISOString();
  return { id, receivedAt: at, outcome: 'refused', status, reason, message: because, remedy, ...rest };
}

function toSortable({ id, event, receivedAt }: RefusedDelivery) {
  return { id, name: event ?? '', createdAt: receivedAt, updatedAt: receivedAt };
}

export const deliveryRoutes = [listDeliveries];
