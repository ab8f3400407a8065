/**
 * `tidings webhook-secrets create|list|rotate|revoke`: secrets of hosts and organisations. A secret that is made here is
 * shown once; one of the caller's own comes from a file, never from the command line, where other users could read it.
 */
import { readFileSync } from 'node:fs';
import type { ApiContext } from '../api/context.ts';
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
import { listOrganisations } from '../store/tables/directory.ts';
import { listWebhookSecrets } from '../store/tables/webhook-secrets.ts';
import { withService } from './connection.ts';
import { jsonOption, printReply } from './json.ts';
import { printLines, printText } from './print.ts';
import { action, type CliCommand, UsageError, type Values } from './usage.ts';

const quiet = { help: 'Prints the secret alone' } as const;

const createOptions = {
  host: { value: 'ORIGIN', help: 'Address of the host; the default host without it' },
  org: { value: 'LOGIN|ID', help: 'Organisation that the secret is for; the whole host without it' },
  name: { value: 'NAME', help: 'Name of the secret, for people' },
  'secret-file': {
    value: 'FILE|-',
    help: 'Takes the secret from a file, or from standard input; makes one without it',
  },
  quiet,
} as const;

const rotateOptions = {
  overlap: { value: 'HOURS', help: `Hours that the old secret verifies too; ${usualOverlapHours} without it` },
  quiet,
} as const;

export const webhookSecretsCommand: CliCommand = {
  help: 'Makes, lists, rotates and revokes webhook secrets of hosts and organisations',
  examples: ['webhook-secrets create --org acme', 'webhook-secrets list'],
  actions: {
    create: action({
      help: 'Makes a secret of a host, or of one organisation, and shows it once',
      options: createOptions,
      run: create,
    }),
    list: action({
      help: 'Lists the secrets, never themselves',
      options: jsonOption('the reply of GET /api/webhook-secrets'),
      run: ({ json }) => withService((context) => (json ? printReply(context, 'listWebhookSecrets') : list(context))),
    }),
    rotate: action({
      arguments: 'SECRET_ID',
      help: 'Makes a new text of a secret; the old one verifies for a while longer',
      options: rotateOptions,
      run: rotate,
    }),
    revoke: action({ arguments: 'SECRET_ID', help: 'Ends a secret at once', run: revoke }),
  },
};

async function create(values: Values<typeof createOptions>): Promise<number> {
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

async function list({ readers }: ApiContext): Promise<number> {
  const directory = readers.fresh(directoryName);
  const logins = new Map((directory ? listOrganisations(directory) : []).map(({ id, login }) => [id, login]));
  const secrets = directory ? listWebhookSecrets(directory, null) : [];
  const lines = secrets.map((secret) => describe(secret, logins, Date.now()));
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

async function rotate(values: Values<typeof rotateOptions>, [secretId = '']: readonly string[]): Promise<number> {
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

async function revoke(_: unknown, [secretId = '']: readonly string[]): Promise<number> {
  await withService((context) => revokeWebhookSecret(context, secretId, null));
  printLines([`${secretId} is revoked.`]);
  return 0;
}
