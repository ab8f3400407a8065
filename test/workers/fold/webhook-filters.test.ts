/**
 * Checks the filters of webhook endpoints: which events they stop, and how commands change them. The published list of
 * events must name exactly the filters that can stop each event.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exampleOf } from '../../../src/api/json-schema.ts';
import { digestOf } from '../../../src/foundation/etag.ts';
import { outgoingWebhooks, webhookFilters } from '../../../src/protocol/resources/outgoing-webhooks.ts';
import { testEvent, type WebhookEndpointRecord, webhookEvents } from '../../../src/protocol/webhooks.ts';
import { webhookEndpointDigest, webhookEndpointResponse } from '../../../src/store/tables/webhook-endpoints.ts';
import { wants, withFilters } from '../../../workers/fold/webhook-filters.ts';

const endpoint: WebhookEndpointRecord = {
  ...{ id: 'ep_a', orgId: 'org_a', url: 'https://a.example/', description: '', events: [...webhookEvents] },
  ...{ disabled: null, sealed: '', previous: [], failingSince: null, createdAt: 0, updatedAt: 0 },
};

/** Filters that let through no event that has their field. */
const closed = { personas: ['internal'], channels: ['email'], repositories: ['repo_other'] } as const;

/** Returns an event with the data of its published example. */
function exampleEvent(event: (typeof webhookEvents)[number]) {
  const body = outgoingWebhooks[event]?.body ?? assert.fail(event);
  return { repoId: 'repo_1', event, data: (exampleOf(body) as { data: never }).data };
}

test('a filter stops exactly the events that the published list names', () => {
  for (const event of webhookEvents) {
    const reported = exampleEvent(event);
    assert.ok(wants(endpoint, reported), event);
    const stopping = webhookFilters.filter((name) => !wants({ ...endpoint, [name]: [...closed[name]] }, reported));
    assert.deepEqual(stopping, outgoingWebhooks[event]?.filters, event);
  }
  assert.deepEqual(outgoingWebhooks[testEvent]?.filters, []);
});

test('an event passes filters that contain its values, and empty filters', () => {
  const failed = exampleEvent('publication.failed');
  for (const filters of [
    { personas: ['engineer', 'customer'], channels: ['workspace_chat'], repositories: ['repo_1'] },
    { personas: [], channels: [], repositories: [] },
  ] satisfies Partial<WebhookEndpointRecord>[])
    assert.ok(wants({ ...endpoint, ...(filters as Partial<WebhookEndpointRecord>) }, failed));
  assert.ok(!wants({ ...endpoint, events: ['range.created'] }, failed));
});

test('a filter that is not given stays, and an empty one is removed', () => {
  const both = withFilters(endpoint, { personas: ['customer'], repositories: ['repo_1'] });
  const { personas, ...rest } = both;
  assert.deepEqual([personas, rest], [['customer'], { ...endpoint, repositories: ['repo_1'] }]);
  assert.deepEqual(withFilters(both, {}), both);
  assert.deepEqual(withFilters(both, { personas: [], channels: ['email'] }), {
    ...endpoint,
    channels: ['email'],
    repositories: ['repo_1'],
  });
});

test('an endpoint without filters keeps the row, the reply and the digest of earlier versions', () => {
  assert.deepEqual(Object.keys(withFilters(endpoint, {})), Object.keys(endpoint));
  for (const name of webhookFilters) assert.ok(!(name in webhookEndpointResponse({ ...endpoint, [name]: [] })), name);
  assert.equal(webhookEndpointDigest({ ...endpoint, personas: [] }), webhookEndpointDigest(endpoint));
  const { id, orgId, url, events } = endpoint;
  const former = digestOf(JSON.stringify([id, orgId, url, '', events, null, [], null, 0, 0]));
  assert.equal(webhookEndpointDigest(endpoint), former);
  const digests = webhookFilters.map((name) => webhookEndpointDigest({ ...endpoint, [name]: [...closed[name]] }));
  assert.equal(new Set([...digests, webhookEndpointDigest(endpoint)]).size, 4, 'each filter changes the digest');
});
