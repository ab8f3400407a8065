/**
 * Lists the newest incoming webhook deliveries. The lists of refused deliveries and of others are read from the memory
 * of the gateways. A refused delivery proves only that it is signed, so a key of an organization sees those that are
 * signed with the organization's own secret. Of the others, it also sees those that a secret of the whole host has signed and that
 * are about its repositories.
 */
import type { GatewayDeliveries } from '../journal/gateway-facts.ts';
import { ignoredReasons, type RecentDelivery, type RecentMemory } from '../protocol/recent-deliveries.ts';
import { type RefusalMemory, type RefusedDelivery, refusalReasons } from '../protocol/refused-deliveries.ts';
import {
  deliveryContracts,
  type ListDeliveriesQuery,
  ListDeliveriesQuerySchema,
} from '../protocol/resources/deliveries.ts';
import type { Caller } from './authenticate.ts';
import { page } from './page.ts';
import type { ApiReply, ApiRoute } from './route.ts';

type Listed = RefusedDelivery | RecentDelivery;

const listDeliveries: ApiRoute<ListDeliveriesQuery> = {
  method: 'GET',
  path: '/api/deliveries',
  operation: 'listDeliveries',
  contract: deliveryContracts.listDeliveries,
  scope: 'webhooks:read',
  query: ListDeliveriesQuerySchema,
  handle: ({ query, caller, context: { gateways, refusals, recent } }) => {
    if (!gateways) return listed(query, caller, { refusals, recent });
    return gateways.deliveries().then((all) => listed(query, caller, memoriesOf(all)));
  },
};

/** The deliveries in the memory of gateways. */
interface Memories {
  refusals?: Pick<RefusalMemory, 'since' | 'list'> | undefined;
  recent?: RecentMemory | undefined;
}

function memoriesOf({ since, refused, recentSince, recent }: GatewayDeliveries): Memories {
  const ofOrganization = (orgId: string | null) => refused.filter((each) => orgId === null || each.orgId === orgId);
  return { refusals: { since, list: ofOrganization }, recent: { since: recentSince, list: () => recent } };
}

function listed(query: ListDeliveriesQuery, caller: Caller, { refusals, recent }: Memories): ApiReply {
  const { reason, outcome, event, repoId, ...paging } = query;
  const refused: Listed[] = outcome === undefined || outcome === 'refused' ? refusedFor(caller, refusals) : [];
  const others: Listed[] = outcome === 'refused' ? [] : recentFor(caller, recent);
  const wanted = [...refused, ...others].filter(
    (each) =>
      (outcome === undefined || outcomeOf(each) === outcome) &&
      (reason === undefined || each.reason === reason) &&
      (event === undefined || each.event === event) &&
      (repoId === undefined || repositoryOf(each)?.id === repoId),
  );
  const { items, ...rest } = page(wanted, paging, toSortable, { sort: 'createdAt', order: 'desc' });
  const since = Math.max(refusals?.since ?? 0, (outcome !== 'refused' && recent?.since) || 0);
  return { status: 200, body: { deliveries: items.map(deliveryResponse), ...rest, since: iso(since) } };
}

function refusedFor({ key }: Caller, refusals: { list(orgId: string | null): RefusedDelivery[] } | undefined) {
  return refusals?.list(key.orgId) ?? [];
}

/**
 * Returns the deliveries that a caller may see. A repository that the caller may not see is left out of them. A key of
 * the instance sees also the name of a repository that is not listed, because its deliveries are dropped.
 */
function recentFor({ key, maySee }: Caller, recent: { list(): RecentDelivery[] } | undefined): RecentDelivery[] {
  return (recent?.list() ?? []).flatMap((entry) => {
    const isShown = entry.repository && (key.orgId === null || maySee(entry.repository.id));
    const repository = isShown ? entry.repository : null;
    const isOwn = entry.orgId === key.orgId || (entry.orgId === null && repository !== null);
    return key.orgId === null || isOwn ? [{ ...entry, repository }] : [];
  });
}

/** Makes the part of a reply that describes a delivery. */
export function deliveryResponse(delivery: Listed): object {
  return 'outcome' in delivery ? recentResponse(delivery) : refusedResponse(delivery);
}

function refusedResponse({ id, receivedAt, status, reason, ...rest }: RefusedDelivery): object {
  const { because, remedy } = refusalReasons[reason];
  const why = { reason, message: because, remedy };
  return {
    id,
    receivedAt: iso(receivedAt),
    outcome: 'refused',
    status,
    ...why,
    repoId: null,
    repository: null,
    ...rest,
  };
}

function recentResponse(delivery: RecentDelivery): object {
  const { id, receivedAt, outcome, status, reason, repository, secretId, ...rest } = delivery;
  const { because: message, remedy } = reason ? ignoredReasons[reason] : { because: null, remedy: null };
  return {
    ...{ id, receivedAt: iso(receivedAt), outcome, status, reason, message, remedy },
    ...{ repoId: repository?.id ?? null, repository: repository?.fullName ?? null },
    ...rest,
    ...{ hostKind: null, address: null, contentType: null, triedSecrets: [secretId] },
  };
}

function outcomeOf(delivery: Listed): string {
  return 'outcome' in delivery ? delivery.outcome : 'refused';
}

function repositoryOf(delivery: Listed): RecentDelivery['repository'] {
  return 'repository' in delivery ? delivery.repository : null;
}

function toSortable({ id, event, receivedAt }: Listed) {
  return { id, name: event ?? '', createdAt: receivedAt, updatedAt: receivedAt };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

export const deliveryRoutes = [listDeliveries];
