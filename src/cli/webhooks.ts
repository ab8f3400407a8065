/**
 * `tidings webhooks list|create|enable|disable|rotate|test|delete`: endpoints of outgoing webhooks. A secret is shown once.
 */
import { type ApiContext, carryOut } from '../api/context.ts';
import {
  assertTarget,
  createWebhookEndpoint,
  rotateWebhookEndpoint,
  type WrittenEndpoint,
} from '../api/webhook-endpoint-writes.ts';
import { usualOverlapHours } from '../api/webhook-secrets.ts';
import { notFound } from '../errors.ts';
import { newId, slotOfId } from '../ids.ts';
import { directoryName } from '../journal/subjects.ts';
import { mostOverlapHours } from '../protocol/api.ts';
import { type WebhookEndpointRecord, type WebhookEvent, webhookEvents } from '../protocol/webhooks.ts';
import { listOrganisations } from '../store/directory.ts';
import { shownAddress } from '../store/webhook-addresses.ts';
import { listWebhookEndpoints, readWebhookEndpoint } from '../store/webhook-endpoints.ts';
import { withService } from './connection.ts';
import { findOrganisation } from './organisation.ts';
import { printLines, printText } from './print.ts';
import { type CliCommand, readArgs, UsageError } from './usage.ts';

const hourMs = 3_600_000;

const options = {
  org: { type: 'string' },
  url: { type: 'string' },
  events: { type: 'string' },
  description: { type: 'string' },
  overlap: { type: 'string' },
  quiet: { type: 'boolean' },
} as const;

type Given = Partial<Record<'org' | 'url' | 'events' | 'description' | 'overlap', string>> & { quiet?: boolean };
type Action = (context: ApiContext, given: Given, endpointId: string) => Promise<number>;

const actions: Readonly<Record<string, Action>> = { list, create, enable, disable, rotate, test, delete: remove };

export const webhooksCommand: CliCommand = {
  usage:
    'webhooks create --org LOGIN|ID --url URL [--events a,b] [--description TEXT] [--quiet] | webhooks list [--org LOGIN|ID] | webhooks enable|disable|test|delete ENDPOINT_ID | webhooks rotate ENDPOINT_ID [--overlap HOURS] [--quiet]',
  help: 'Makes, lists, switches, tries, rotates and deletes endpoints of outgoing webhooks',
  run: ([name = '', ...args]) => {
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    const { values, positionals } = readArgs(args, options);
    const [endpointId = ''] = positionals;
    const needsId = name !== 'list' && name !== 'create';
    if (!action || positionals.length !== (needsId ? 1 : 0))
      throw new UsageError(
        'Expected: tidings webhooks list or create, or enable, disable, rotate, test or delete with ENDPOINT_ID',
      );
    return withService((context) => action(context, values, endpointId));
  },
};

async function create(context: ApiContext, { org, url, events, description, quiet }: Given): Promise<number> {
  if (!org || !url) throw new UsageError('Expected: tidings webhooks create --org ORGANISATION --url URL');
  const { id: orgId } = findOrganisation(context.readers, org);
  const wanted = { orgId, url: assertTarget(context, url), events: readEvents(events), description };
  show(await createWebhookEndpoint(context, wanted), quiet);
  return 0;
}

function readEvents(text: string | undefined): WebhookEvent[] | undefined {
  if (text === undefined) return undefined;
  const wanted = text.split(',').map((event) => event.trim());
  const known = webhookEvents.filter((event) => wanted.includes(event));
  if (known.length !== wanted.length)
    throw new UsageError(`--events: expected some of ${webhookEvents.join(', ')}, got ${text}`);
  return known;
}

function show({ value, secret }: WrittenEndpoint, quiet = false): void {
  printText(quiet ? secret : `${secret}\n\nThis is ${value.id}. It is shown once: give it to the receiver now.`);
}

async function list({ readers }: ApiContext, { org }: Given): Promise<number> {
  const orgId = org === undefined ? null : findOrganisation(readers, org).id;
  const directory = readers.fresh(directoryName);
  const endpoints = directory ? listWebhookEndpoints(directory, orgId) : [];
  const logins = new Map((directory ? listOrganisations(directory) : []).map(({ id, login }) => [id, login]));
  const lines = endpoints.map((endpoint) => describe(endpoint, logins.get(endpoint.orgId) ?? endpoint.orgId));
  printLines(lines, 'There are no webhook endpoints.');
  return 0;
}

function describe(endpoint: WebhookEndpointRecord, login: string): string {
  const { id, events, disabled, failingSince } = endpoint;
  const failing = failingSince === null ? 'enabled' : `failing since ${new Date(failingSince).toISOString()}`;
  return `${id}  ${login}  ${shownAddress(endpoint)}  ${events.join(',')}  ${disabled ? `disabled (${disabled.reason})` : failing}`;
}

/** @throws ServiceError `notFound` */
function endpointOf({ readers }: ApiContext, id: string): WebhookEndpointRecord {
  const directory = readers.fresh(directoryName);
  const endpoint = directory && slotOfId(id, 'ep') !== undefined ? readWebhookEndpoint(directory, id) : undefined;
  if (!endpoint) throw notFound('Webhook endpoint', id);
  return endpoint;
}

function enable(context: ApiContext, _: Given, endpointId: string): Promise<number> {
  return turn(context, endpointId, true);
}

function disable(context: ApiContext, _: Given, endpointId: string): Promise<number> {
  return turn(context, endpointId, false);
}

async function turn(context: ApiContext, endpointId: string, enabled: boolean): Promise<number> {
  const { id } = endpointOf(context, endpointId);
  await carryOut(context, directoryName, { name: 'updateWebhookEndpoint', endpointId: id, enabled });
  printLines([`${id} is ${enabled ? 'enabled' : 'disabled: what happens meanwhile is skipped'}.`]);
  return 0;
}

async function rotate(context: ApiContext, { overlap, quiet }: Given, endpointId: string): Promise<number> {
  const hours = overlap === undefined ? usualOverlapHours : /^\d{1,6}$/.test(overlap) ? Number(overlap) : Number.NaN;
  if (!(hours <= mostOverlapHours))
    throw new UsageError(`--overlap: expected whole hours from 0 to ${mostOverlapHours}, got ${overlap}`);
  show(await rotateWebhookEndpoint(context, endpointOf(context, endpointId), hours * hourMs), quiet);
  return 0;
}

async function test(context: ApiContext, _: Given, endpointId: string): Promise<number> {
  const { id } = endpointOf(context, endpointId);
  const command = { name: 'testWebhookEndpoint', endpointId: id, eventId: newId('evt', 0) } as const;
  const delivery = await carryOut<{ id: string }>(context, directoryName, command);
  const path = `/api/webhook-endpoints/${id}/deliveries/${delivery.id}`;
  printLines([`A test event is on its way: GET ${path} says what came of it.`]);
  return 0;
}

async function remove(context: ApiContext, _: Given, endpointId: string): Promise<number> {
  const { id } = endpointOf(context, endpointId);
  await carryOut(context, directoryName, { name: 'deleteWebhookEndpoint', endpointId: id });
  printLines([`${id} is deleted.`]);
  return 0;
}
