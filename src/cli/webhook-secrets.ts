/**
 * `tidings webhook-secrets create|list|rotate|revoke`: manages webhook secrets of hosts and organizations. A generated
 * secret is shown once. An existing secret is read from a file. It is never read from the command line, where other
 * users could see it.
 */
import { readFileSync } from 'node:fs';
import { hostsOf } from '../../config/hosts.ts';
import type { ApiContext } from '../api/context.ts';
import {
  createWebhookSecret,
  revokeWebhookSecret,
  rotateWebhookSecret,
  secretFault,
  type WrittenSecret,
} from '../api/webhook-secret-writes.ts';
import { webhookSecretRoutes } from '../api/webhook-secrets.ts';
import { directoryName } from '../foundation/partition-names.ts';
import type { WebhookSecretRecord } from '../protocol/commands.ts';
import { maxOverlapHours, usualOverlapHours } from '../protocol/limits.ts';
import { listOrganizations } from '../store/tables/directory.ts';
import { unusedSecrets } from '../store/tables/host-apps.ts';
import { listWebhookSecrets } from '../store/tables/webhook-secrets.ts';
import { withService } from './connection.ts';
import { printReply } from './json.ts';
import { printLines, printText } from './print.ts';
import type { webhookSecretsEntry } from './table/access.ts';
import { type Given, type Runs, UsageError } from './usage.ts';

type Actions = (typeof webhookSecretsEntry)['actions'];

export const webhookSecretActions: Runs<typeof webhookSecretsEntry> = {
  create,
  list: ({ json }) =>
    withService((context) => (json ? printReply(context, webhookSecretRoutes, 'listWebhookSecrets') : list(context))),
  rotate,
  revoke,
};

async function create(values: Given<Actions['create']>): Promise<number> {
  const { host, org, name = '' } = values;
  const secret = values['secret-file'] === undefined ? undefined : readSecret(values['secret-file']);
  const made = await withService((context) => createWebhookSecret(context, { host, org, name, secret, only: null }));
  show(made, values.quiet ?? false);
  return 0;
}

/**
 * Reads a secret from a file. Editors add a line end to the file. This line end is not part of the secret, so it is
 * removed.
 */
function readSecret(file: string): string {
  const text = readFileSync(file === '-' ? 0 : file, 'utf8').replace(/\r?\n$/, '');
  const fault = secretFault(text);
  if (fault) throw new UsageError(`--secret-file: ${fault}`);
  return text;
}

function show({ value, secret }: WrittenSecret, quiet: boolean): void {
  if (quiet) printText(secret ?? value.id);
  else if (secret === undefined) printText(`The id of this secret is ${value.id}.`);
  else
    printText(
      `${secret}\n\nThe id of this secret is ${value.id}. The secret is shown only once. Save it in the webhook settings of the host now.`,
    );
}

async function list({ readers, settings }: ApiContext): Promise<number> {
  const directory = readers.fresh(directoryName);
  const logins = new Map((directory ? listOrganizations(directory) : []).map(({ id, login }) => [id, login]));
  const secrets = directory ? listWebhookSecrets(directory, null) : [];
  const unused = directory ? unusedSecrets(directory, hostsOf(settings)) : new Set();
  const lines = secrets.map((secret) => {
    const line = describe(secret, logins, Date.now());
    return unused.has(secret.id) ? `${line}  not used` : line;
  });
  printLines(lines, 'There are no webhook secrets of hosts or organizations.');
  return 0;
}

function describe(secret: WebhookSecretRecord, logins: ReadonlyMap<string, string>, now: number): string {
  const { id, origin, orgId, name, previous, createdAt } = secret;
  const owner = orgId === null ? 'whole host' : (logins.get(orgId) ?? orgId);
  const ends = previous.filter(({ until }) => until > now).map(({ until }) => new Date(until).toISOString());
  const overlap = ends.length > 0 ? `  older until ${ends.join(', ')}` : '';
  return `${id}  ${origin}  ${owner}  ${JSON.stringify(name)}  ${new Date(createdAt).toISOString()}${overlap}`;
}

async function rotate(values: Given<Actions['rotate']>, [secretId = '']: readonly string[]): Promise<number> {
  const hours = readOverlap(values.overlap);
  show(await withService((context) => rotateWebhookSecret(context, secretId, hours, null)), values.quiet ?? false);
  return 0;
}

function readOverlap(text: string | undefined): number {
  if (text === undefined) return usualOverlapHours;
  const hours = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(hours <= maxOverlapHours))
    throw new UsageError(`--overlap: expected whole hours from 0 to ${maxOverlapHours}, got ${JSON.stringify(text)}`);
  return hours;
}

async function revoke(_: unknown, [secretId = '']: readonly string[]): Promise<number> {
  await withService((context) => revokeWebhookSecret(context, secretId, null));
  printLines([`${secretId} is revoked.`]);
  return 0;
}
