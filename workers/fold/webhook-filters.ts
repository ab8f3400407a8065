/** Decides which events a webhook endpoint receives, and changes its filters. */
import type { RelayBody } from '../../src/protocol/relays.ts';
import type { WebhookEndpointRecord, WebhookFilters } from '../../src/protocol/webhooks.ts';

type Reported = Pick<Extract<RelayBody, { relay: 'webhookEvent' }>, 'repoId' | 'event' | 'data'>;

/**
 * Whether an endpoint subscribes to an event and none of its filters stops the event. A filter stops only events that
 * have its field. Example: `range.created` has no persona, so the filter `personas` does not stop it.
 */
export function wants(
  { events, personas, channels, repositories }: WebhookEndpointRecord,
  { repoId, event, data }: Reported,
): boolean {
  const { persona, channel } = data as { persona?: string; channel?: string };
  return (
    events.includes(event) && passes(personas, persona) && passes(channels, channel) && passes(repositories, repoId)
  );
}

function passes(filter: readonly string[] | undefined, value: string | undefined): boolean {
  return filter === undefined || filter.length === 0 || value === undefined || filter.includes(value);
}

/** Returns the endpoint with changed filters. A filter that is not given stays, and an empty one is removed. */
export function withFilters(before: WebhookEndpointRecord, given: WebhookFilters): WebhookEndpointRecord {
  const { personas, channels, repositories, ...endpoint } = before;
  return {
    ...endpoint,
    ...kept('personas', given.personas ?? personas),
    ...kept('channels', given.channels ?? channels),
    ...kept('repositories', given.repositories ?? repositories),
  };
}

function kept<Name extends string, Item>(name: Name, filter: Item[] | undefined): { [K in Name]?: Item[] } {
  return filter === undefined || filter.length === 0 ? {} : ({ [name]: filter } as { [K in Name]: Item[] });
}
