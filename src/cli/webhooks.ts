/**
 * `tidings webhooks list|events|create|update|enable|disable|rotate|test|delete`: manages endpoints of outgoing webhooks.
 * A secret is shown once, by the command that generates it.
 */
import { type ApiContext, readPartition, runCommand } from '../api/context.ts';
import { webhookDeliveryRoutes } from '../api/webhook-deliveries.ts';
import {
  assertRepositories,
  assertTarget,
  createWebhookEndpoint,
  rotateWebhookEndpoint,
  type WrittenEndpoint,
} from '../api/webhook-endpoint-writes.ts';
import { webhookEndpointRoutes } from '../api/webhook-endpoints.ts';
import { webhookEventRoutes } from '../api/webhook-events.ts';
import { notFound } from '../foundation/errors.ts';
import { newId, slotOfId } from '../foundation/ids.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { maxOverlapHours, usualOverlapHours } from '../protocol/limits.ts';
import { channelNames, personas as personaNames } from '../protocol/names.ts';
import { outgoingWebhooks } from '../protocol/resources/outgoing-webhooks.ts';
import {
  type WebhookEndpointRecord,
  type WebhookEvent,
  type WebhookFilters,
  webhookEvents,
} from '../protocol/webhooks.ts';
import { listOrganizations } from '../store/tables/directory.ts';
import { shownAddress } from '../store/tables/webhook-addresses.ts';
import { listWebhookDeliveries } from '../store/tables/webhook-deliveries.ts';
import { listWebhookEndpoints, readWebhookEndpoint } from '../store/tables/webhook-endpoints.ts';
import { withService } from './connection.ts';
import { printReply } from './json.ts';
import { findOrganization } from './organization.ts';
import { printLines, printText } from './print.ts';
import { findRepository } from './repository.ts';
import { allWord, type filterOptions, type webhooksEntry } from './table/receivers.ts';
import { type Given, type Runs, UsageError, type Values } from './usage.ts';

const hourMs = 3_600_000;

type Actions = (typeof webhooksEntry)['actions'];

export const webhookActions: Runs<typeof webhooksEntry> = {
  create: (given) => withService((context) => create(context, given)),
  update: (given, [id = '']) => withService((context) => update(context, given, id)),
  events: ({ json }) =>
    json ? withService((context) => printReply(context, webhookEventRoutes, 'listWebhookEvents', {})) : listEvents(),
  list: ({ org, json }) => withService((context) => list(context, org, json)),
  deliveries: ({ json }, [id = '']) => withService((context) => deliveries(context, id, json)),
  enable: (_, [id = '']) => withService((context) => setEnabled(context, id, true)),
  disable: (_, [id = '']) => withService((context) => setEnabled(context, id, false)),
  rotate: (given, [id = '']) => withService((context) => rotate(context, given, id)),
  test: (_, [id = '']) => withService((context) => test(context, id)),
  delete: (_, [id = '']) => withService((context) => remove(context, id)),
};

async function create(
  context: ApiContext,
  { org, url, events, description, quiet, ...given }: Given<Actions['create']>,
): Promise<number> {
  const { id: orgId } = findOrganization(context.readers, org);
  const filters = readFilters(context, given);
  assertRepositories(readPartition(context, directoryName), orgId, filters);
  const wanted = { orgId, url: assertTarget(context, url), events: readEvents(events), description, ...filters };
  show(await createWebhookEndpoint(context, wanted), quiet);
  return 0;
}

async function update(
  context: ApiContext,
  { events, description, ...given }: Given<Actions['update']>,
  endpointId: string,
): Promise<number> {
  const { id, orgId, repositories } = endpointOf(context, endpointId);
  const filters = readFilters(context, given);
  assertRepositories(readPartition(context, directoryName), orgId, filters, repositories);
  const subscribed = readEvents(events);
  const changes = {
    ...(subscribed && { events: subscribed }),
    ...filters,
    ...(description !== undefined && { description: description.toWellFormed() }),
  };
  if (Object.keys(changes).length === 0) throw new UsageError('expected at least one option');
  await runCommand(context, directoryName, { name: 'updateWebhookEndpoint', endpointId: id, ...changes });
  printLines([`${id} is changed.`]);
  return 0;
}

function readEvents(text: string | undefined): WebhookEvent[] | undefined {
  return text === undefined ? undefined : readNames('--events', text, webhookEvents);
}

/** Reads the filters of a command line. An empty filter stops no event and removes a stored one. */
function readFilters({ readers }: ApiContext, given: Values<typeof filterOptions>): WebhookFilters {
  const { personas, channels, repos } = given;
  return {
    ...(personas !== undefined && { personas: readNames('--personas', personas, personaNames, allWord) }),
    ...(channels !== undefined && { channels: readNames('--channels', channels, channelNames, allWord) }),
    ...(repos !== undefined && {
      repositories: repos === allWord ? [] : partsOf(repos).map((name) => findRepository(readers, name).id),
    }),
  };
}

/**
 * Reads a list of names.
 * @param none the text that means an empty list, if the option accepts it
 */
function readNames<Name extends string>(option: string, text: string, names: readonly Name[], none?: string): Name[] {
  if (text === none) return [];
  const wanted = partsOf(text);
  const known = names.filter((name) => wanted.includes(name));
  if (known.length !== wanted.length)
    throw new UsageError(`${option}: expected one or more of ${names.join(', ')}, got ${text}`);
  return known;
}

function partsOf(list: string): string[] {
  return [...new Set(list.split(',').map((part) => part.trim()))];
}

function show({ value, secret }: WrittenEndpoint, quiet = false): void {
  printText(
    quiet
      ? secret
      : `${secret}\n\nThe id of this endpoint is ${value.id}. The secret is shown only once. Save it at the receiver now.`,
  );
}

async function listEvents(): Promise<number> {
  const lines = Object.entries(outgoingWebhooks).map(([event, { summary, filters }]) =>
    [event, summary, ...(filters.length > 0 ? [`filters: ${filters.join(', ')}`] : [])].join('  '),
  );
  printLines(lines);
  return 0;
}

async function list(context: ApiContext, org: string | undefined, json = false): Promise<number> {
  const { readers } = context;
  const orgId = org === undefined ? null : findOrganization(readers, org).id;
  if (json) return printReply(context, webhookEndpointRoutes, 'listWebhookEndpoints', { orgId });
  const directory = readers.fresh(directoryName);
  const endpoints = directory ? listWebhookEndpoints(directory, orgId) : [];
  const logins = new Map((directory ? listOrganizations(directory) : []).map(({ id, login }) => [id, login]));
  const lines = endpoints.map((endpoint) => describe(endpoint, logins.get(endpoint.orgId) ?? endpoint.orgId));
  printLines(lines, 'There are no webhook endpoints.');
  return 0;
}

function describe(endpoint: WebhookEndpointRecord, login: string): string {
  const { id, events, disabled, failingSince } = endpoint;
  const failing = failingSince === null ? 'enabled' : `failing since ${new Date(failingSince).toISOString()}`;
  const { personas, channels, repositories } = endpoint;
  const filters = Object.entries({ personas, channels, repositories })
    .filter(([, values]) => values !== undefined)
    .map(([name, values]) => `${name}=${values?.join(',')}  `)
    .join('');
  const state = disabled ? `disabled (${disabled.reason})` : failing;
  return `${id}  ${login}  ${shownAddress(endpoint)}  ${events.join(',')}  ${filters}${state}`;
}

async function deliveries(context: ApiContext, endpointId: string, json = false): Promise<number> {
  const { id } = endpointOf(context, endpointId);
  if (json) return printReply(context, webhookDeliveryRoutes, 'listWebhookDeliveries', { params: [id] });
  const sent = listWebhookDeliveries(readPartition(context, directoryName), id);
  const lines = sent.map(
    (each) =>
      `${each.id}  ${new Date(each.createdAt).toISOString()}  ${each.event}  ${each.status}  attempts: ${each.attemptCount}`,
  );
  printLines(lines.reverse(), 'Nothing was sent to this endpoint.');
  return 0;
}

/** @throws ServiceError `notFound` */
function endpointOf({ readers }: ApiContext, id: string): WebhookEndpointRecord {
  const directory = readers.fresh(directoryName);
  const endpoint = directory && slotOfId(id, 'ep') !== undefined ? readWebhookEndpoint(directory, id) : undefined;
  if (!endpoint) throw notFound('Webhook endpoint', id);
  return endpoint;
}

async function setEnabled(context: ApiContext, endpointId: string, enabled: boolean): Promise<number> {
  const { id } = endpointOf(context, endpointId);
  await runCommand(context, directoryName, { name: 'updateWebhookEndpoint', endpointId: id, enabled });
  printLines([`${id} is ${enabled ? 'enabled' : 'disabled: new events are not sent to it'}.`]);
  return 0;
}

async function rotate(
  context: ApiContext,
  { overlap, quiet }: Given<Actions['rotate']>,
  endpointId: string,
): Promise<number> {
  const hours = overlap === undefined ? usualOverlapHours : /^\d{1,6}$/.test(overlap) ? Number(overlap) : Number.NaN;
  if (!(hours <= maxOverlapHours))
    throw new UsageError(`--overlap: expected whole hours from 0 to ${maxOverlapHours}, got ${overlap}`);
  show(await rotateWebhookEndpoint(context, endpointOf(context, endpointId), hours * hourMs), quiet);
  return 0;
}

async function test(context: ApiContext, endpointId: string): Promise<number> {
  const { id } = endpointOf(context, endpointId);
  const command = { name: 'testWebhookEndpoint', endpointId: id, eventId: newId('evt', 0) } as const;
  const delivery = await runCommand<{ id: string }>(context, directoryName, command);
  const path = `/api/webhook-endpoints/${id}/deliveries/${delivery.id}`;
  printLines([`A test event is queued: GET ${path} shows its result.`]);
  return 0;
}

async function remove(context: ApiContext, endpointId: string): Promise<number> {
  const { id } = endpointOf(context, endpointId);
  await runCommand(context, directoryName, { name: 'deleteWebhookEndpoint', endpointId: id });
  printLines([`${id} is deleted.`]);
  return 0;
}
