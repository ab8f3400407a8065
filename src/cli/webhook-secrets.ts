/**
 * `tidings webhook-secrets create|list|rotate|revoke`: secrets of hosts and organisations. A secret that is made here is
 * shown once; one of the caller's own comes from a file, never from the command line, where other users could read it.
 */
import { readFileSync } from 'node:fs';
import {
  createWebhookSecret,
  revokeWebhookSecret,
  rotateWebhookSecret,
  secretFault,
  type WrittenSecret,
} from '../api/webhook-secret-writes.ts';
import { usualOverlapHours } from '../api/webhook-secrets.ts';
import { directoryName } from '../journal/subjects.ts';
import { mostOverlapHours } from '../protocol/api.ts';
import type { WebhookSecretRecord } from '../protocol/commands.ts';
import { listOrganisations } from '../store/directory.ts';
import { listWebhookSecrets } from '../store/webhook-secrets.ts';
import { withService } from './connection.ts';
import { printLines, printText } from './print.ts';
import { type CliCommand, readArgs, UsageError } from './usage.ts';

export const webhookSecretsCommand: CliCommand = {
  usage:
    'webhook-secrets create [--host ORIGIN] [--org LOGIN|ID] [--name NAME] [--secret-file FILE|-] [--quiet] | webhook-secrets list | webhook-secrets rotate SECRET_ID [--overlap HOURS] [--quiet] | webhook-secrets revoke SECRET_ID',
  help: 'Makes, lists, rotates and revokes webhook secrets of a host (without --org) or of one organisation',
  run: ([action = '', ...args]) => {
    if (action === 'create') return create(args);
    if (action === 'list') return list();
    if (action === 'rotate') return rotate(args);
    if (action === 'revoke') return revoke(args);
    throw new UsageError('Expected: tidings webhook-secrets create, list, rotate or revoke');
  },
};

const createOptions = {
  host: { type: 'string' },
  org: { type: 'string' },
  name: { type: 'string' },
  'secret-file': { type: 'string' },
  quiet: { type: 'boolean' },
} as const;

async function create(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, createOptions);
  if (positionals.length > 0) throw new UsageError('Expected options only: a secret is read by --secret-file');
  const { host, org, name = '' } = values;
  const secret = values['secret-file'] === undefined ? undefined : readSecret(values['secret-file']);
  const made = await withService((context) => createWebhookSecret(context, { host, org, name, secret, only: null }));
  show(made, values.quiet ?? false);
  return 0;
}

/** A line end at the end of the file is the editor's, not the secret's. */
function readSecret(file: string): string {
  const text = readFileSync(file === '-' ? 0 : file, 'utf8').replace(/\r?\n$/, '');
  const fault = secretFault(text);
  if (fault) throw new UsageError(`--secret-file: ${fault}`);
  return text;
}

function show({ value, secret }: WrittenSecret, quiet: boolean): void {
  if (quiet) printText(secret ?? value.id);
  else if (secret === undefined) printText(`This is ${value.id}.`);
  else printText(`${secret}\n\nThis is ${value.id}. It is shown once: give it to the host now.`);
}

async function list(): Promise<number> {
  const lines = await withService(async (context) => {
    const directory = context.readers.fresh(directoryName);
    if (!directory) return [];
    const logins = new Map(listOrganisations(directory).map(({ id, login }) => [id, login]));
    return listWebhookSecrets(directory, null).map((secret) => describe(secret, logins, Date.now()));
  });
  printLines(lines, 'There are no webhook secrets of hosts or organisations.');
  return 0;
}

function describe(secret: WebhookSecretRecord, logins: ReadonlyMap<string, string>, now: number): string {
  const { id, origin, orgId, name, previous, createdAt } = secret;
  const owner = orgId === null ? 'whole host' : (logins.get(orgId) ?? orgId);
  const ends = previous.filter(({ until }) => until > now).map(({ until }) => new Date(until).toISOString());
  const overlap = ends.length > 0 ? `  older until ${ends.join(', ')}` : '';
  return `${id}  ${origin}  ${owner}  ${JSON.stringify(name)}  ${new Date(createdAt).toISOString()}${overlap}`;
}

async function rotate(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, { overlap: { type: 'string' }, quiet: { type: 'boolean' } });
  const [secretId] = positionals;
  if (!secretId) throw new UsageError('Expected: tidings webhook-secrets rotate SECRET_ID [--overlap HOURS]');
  const hours = readOverlap(values.overlap);
  show(await withService((context) => rotateWebhookSecret(context, secretId, hours, null)), values.quiet ?? false);
  return 0;
}

function readOverlap(text: string | undefined): number {
  if (text === undefined) return usualOverlapHours;
  const hours = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(hours <= mostOverlapHours))
    throw new UsageError(`--overlap: expected whole hours from 0 to ${mostOverlapHours}, got ${JSON.stringify(text)}`);
  return hours;
}

async function revoke(args: string[]): Promise<number> {
  const [secretId] = readArgs(args, {}).positionals;
  if (!secretId) throw new UsageError('Expected: tidings webhook-secrets revoke SECRET_ID');
  await withService((context) => revokeWebhookSecret(context, secretId, null));
  printLines([`${secretId} is revoked.`]);
  return 0;
}
