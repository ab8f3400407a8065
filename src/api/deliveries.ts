/**
 * Deliveries of hosts: the refused ones of the last day, from the gateway's memory. A key of an organization sees those that the
 * organization's own secret signed: whatever else a refused delivery says of its sender can be forged.
 */
import { type ListDeliveriesQuery, ListDeliveriesQuerySchema } from '../protocol/api.ts';
import { operatorContracts } from '../protocol/contracts/operations.ts';
import { type RefusedDelivery, refusalReasons } from '../protocol/refused-deliveries.ts';
import type { ApiRoute } from './handle.ts';
import { page } from './page.ts';

const listDeliveries: ApiRoute<ListDeliveriesQuery> = {
  method: 'GET',
  path: '/api/deliveries',
  operation: 'listDeliveries',
  contract: operatorContracts.listDeliveries,
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

/** A refused delivery as the API shows it. */
export function deliveryResponse({ id, receivedAt, status, reason, ...rest }: RefusedDelivery) {
  const { because, remedy } = refusalReasons[reason];
  const at = new Date(receivedAt).toISOString();
  return { id, receivedAt: at, outcome: 'refused', status, reason, message: because, remedy, ...rest };
}

function toSortable({ id, event, receivedAt }: RefusedDelivery) {
  return { id, name: event ?? '', createdAt: receivedAt, updatedAt: receivedAt };
}

export const deliveryRoutes = [listDeliveries];
