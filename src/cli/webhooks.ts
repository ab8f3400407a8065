/**
 * `tidings webhooks list|events|create|update|enable|disable|rotate|test|delete`: manages endpoints of outgoing webhooks.
 * A secret is shown once, by the command that generates it.
 */
import { type ApiContext, readPartition, runCommand } from '../api/context.ts';
import {
  assertRepositories,
  assertTarget,
  createWebhookEndpoint,
  rotateWebhookEndpoint,
  type WrittenEndpoint,
} from '../api/webhook-endpoint-writes.ts';
import { usualOverlapHours } from '../api/webhook-secrets.ts';
import { notFound } from '../foundation/errors.ts';
import { newId, slotOfId } from '../foundation/ids.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { channelNames } from '../protocol/channels.ts';
import { maxOverlapHours } from '../protocol/limits.ts';
import { outgoingWebhooks } from '../protocol/resources/outgoing-webhooks.ts';
import { type Persona, PersonaSchema } from '../protocol/stored.ts';
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
import { jsonOption, printReply } from './json.ts';
import { findOrganization } from './organization.ts';
import { printLines, printText } from './print.ts';
import { findRepository } from './repository.ts';
import { action, type CliCommand, UsageError, type Values } from './usage.ts';

const hourMs = 3_600_000;

const quiet = { help: 'Prints only the secret' } as const;

/** Value of a filter option that removes the filter. */
const all = 'all';
const personaNames = PersonaSchema.anyOf.map((persona): Persona => persona.const);

const filterOptions = {
  personas: { value: 'A,B', help: `Sends drafts and publications only for ${personaNames.join(', ')}, or ${all}` },
  channels: { value: 'A,B', help: `Sends publications only on these channels, or ${all}` },
  repos: { value: 'A,B', help: `Sends only events of these repositories (OWNER/REPO or REPO_ID), or ${all}` },
} as const;
const description = { value: 'TEXT', help: 'Description of the endpoint' } as const;
const eventsHelp = 'Events to send; to list them, run: tidings webhooks events';

const createOptions = {
  org: { value: 'LOGIN|ID', required: true, help: 'Organization whose events are sent' },
  url: { value: 'URL', required: true, help: 'Address of the receiver' },
  events: { value: 'A,B', help: `${eventsHelp} (default: all)` },
  ...filterOptions,
  description,
  quiet,
} as const;

const updateOptions = { events: { value: 'A,B', help: eventsHelp }, ...filterOptions, description } as const;

const rotateOptions = {
  overlap: {
    value: 'HOURS',
    help: `Hours that deliveries are signed with both secrets (default: ${usualOverlapHours})`,
  },
  quiet,
} as const;

export const webhooksCommand: CliCommand = {
  help: 'Creates, lists, changes, tests and deletes endpoints of outgoing webhooks',
  examples: [
    'webhooks create --org acme --url https://hooks.example/tidings',
    'webhooks update ep_0000000000000000000000000000 --personas customer --repos acme/rocket',
    'webhooks list --org acme --json',
  ],
  actions: {
    create: action({
      help: 'Creates an endpoint and shows its secret once',
      options: createOptions,
      run: (given) => withService((context) => create(context, given)),
    }),
    update: action({
      arguments: 'ENDPOINT_ID',
      help: 'Changes the events, the filters or the description of an endpoint',
      options: updateOptions,
      run: (given, [id = '']) => withService((context) => update(context, given, id)),
    }),
    events: action({
      help: 'Lists the events, with the filters that can stop each of them',
      options: jsonOption('the reply of GET /api/webhook-events'),
      run: ({ json }) => (json ? withService((context) => printReply(context, 'listWebhookEvents', {})) : listEvents()),
    }),
    list: action({
      help: 'Lists the endpoints, without their secrets',
      options: {
        org: { value: 'LOGIN|ID', help: 'Lists only the endpoints of one organization' },
        ...jsonOption('the reply of GET /api/webhook-endpoints'),
      },
      run: ({ org, json }) => withService((context) => list(context, org, json)),
    }),
    deliveries: action({
      arguments: 'ENDPOINT_ID',
      help: 'Lists the deliveries of an endpoint and their results',
      options: jsonOption('the reply of GET /api/webhook-endpoints/{endpointId}/deliveries'),
      run: ({ json }, [id = '']) => withService((context) => deliveries(context, id, json)),
    }),
    enable: action({
      arguments: 'ENDPOINT_ID',
      help: 'Resumes sending to a disabled endpoint',
      run: (_, [id = '']) => withService((context) => setEnabled(context, id, true)),
    }),
    disable: action({
      arguments: 'ENDPOINT_ID',
      help: 'Stops sending to an endpoint',
      run: (_, [id = '']) => withService((context) => setEnabled(context, id, false)),
    }),
    rotate: action({
      arguments: 'ENDPOINT_ID',
      help: 'Generates a new secret; for some hours, deliveries are signed with both secrets',
      options: rotateOptions,
      run: (given, [id = '']) => withService((context) => rotate(context, given, id)),
    }),
    test: action({
      arguments: 'ENDPOINT_ID',
      help: 'Sends a test event',
      run: (_, [id = '']) => withService((context) => test(context, id)),
    }),
    delete: action({
      arguments: 'ENDPOINT_ID',
      help: 'Deletes an endpoint and its deliveries',
      run: (_, [id = '']) => withService((context) => remove(context, id)),
    }),
  },
};

async function create(
  context: ApiContext,
  { org, url, events, description, quiet, ...given }: Values<typeof createOptions>,
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
  { events, description, ...given }: Values<typeof updateOptions>,
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
    ...(personas !== undefined && { personas: readNames('--personas', personas, personaNames, all) }),
    ...(channels !== undefined && { channels: readNames('--channels', channels, channelNames, all) }),
    ...(repos !== undefined && {
      repositories: repos === all ? [] : partsOf(repos).map((name) => findRepository(readers, name).id),
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
  if (json) return printReply(context, 'listWebhookEndpoints', { orgId });
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
  if (json) return printReply(context, 'listWebhookDeliveries', { params: [id] });
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
  { overlap, quiet }: Values<typeof rotateOptions>,
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
