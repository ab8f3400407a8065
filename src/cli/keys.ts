/**
 * `tidings keys create|list|rotate|revoke`: API keys, through the journal. A key is shown once, here, and only its hash leaves.
 */

import { createKey, revokeKey, rotateKey } from '../api/key-writes.ts';
import { knownHost } from '../api/webhook-secret-writes.ts';
import { usualOverlapHours } from '../api/webhook-secrets.ts';
import { directoryName } from '../journal/subjects.ts';
import { type KeyRecord, scopes } from '../protocol/commands.ts';
import { listKeys, listOrganisations, readKey } from '../store/directory.ts';
import { type KeyStanding, standingOf } from '../store/key-ends.ts';
import { rotateBy } from '../store/keys.ts';
import type { Partition } from '../store/partition.ts';
import { readKeyUse } from '../store/usage.ts';
import { withService } from './connection.ts';
import { printLines, printText } from './print.ts';
import { type CliCommand, readArgs, UsageError } from './usage.ts';

const hourMs = 3_600_000;
const dayMs = 86_400_000;

export const keysCommand: CliCommand = {
  usage:
    'keys create --org ORGANISATION [--host ORIGIN] --name NAME [--scopes a,b] [--expires DAYS] [--test] [--quiet] | keys list | keys rotate KEY_ID [--overlap HOURS] [--quiet] | keys revoke KEY_ID',
  help: 'Makes, lists, rotates and revokes API keys (--instance instead of --org for a key to everything)',
  run: ([action = '', ...args]) => {
    if (action === 'create') return create(args);
    if (action === 'list') return list();
    if (action === 'rotate') return rotate(args);
    if (action === 'revoke') return revoke(args);
    throw new UsageError('Expected: tidings keys create, list, rotate or revoke');
  },
};

const createOptions = {
  org: { type: 'string' },
  host: { type: 'string' },
  instance: { type: 'boolean' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  expires: { type: 'string' },
  test: { type: 'boolean' },
  quiet: { type: 'boolean' },
} as const;

async function create(args: string[]): Promise<number> {
  const { values } = readArgs(args, createOptions);
  const { name, org } = values;
  if (!name) throw new UsageError('--name: expected a name for the key');
  if (!org === !values.instance)
    throw new UsageError('Expected --org ORGANISATION, or --instance for a key to everything');
  const days = readNumber('--expires', 'days', values.expires, 1, 3650);
  const wanted = {
    name,
    scopes: readScopes(values.scopes),
    mode: values.test ? 'test' : 'live',
    expiresAt: days === undefined ? null : Date.now() + days * dayMs,
    org: org ?? null,
  } as const;
  const { value, key } = await withService((context) =>
    createKey(context, { ...wanted, origin: knownHost(context.settings, values.host) }),
  );
  show(key, value.id, values.quiet);
  return 0;
}

const rotateOptions = { overlap: { type: 'string' }, quiet: { type: 'boolean' } } as const;

async function rotate(args: string[]): Promise<number> {
  const { values, positionals } = readArgs(args, rotateOptions);
  const [keyId] = positionals;
  if (!keyId) throw new UsageError('Expected: tidings keys rotate KEY_ID [--overlap HOURS]');
  const hours = readNumber('--overlap', 'hours', values.overlap, 0, 720) ?? usualOverlapHours;
  const { value, key } = await withService(async (context) => {
    const directory = context.readers.fresh(directoryName);
    const old = directory && readKey(directory, keyId);
    if (!old) throw new Error(`API key ${JSON.stringify(keyId)} is not found.`);
    return rotateKey(context, old, { overlapMs: hours * hourMs });
  });
  show(key, value.id, values.quiet);
  if (!values.quiet) printLines([`${keyId} goes on for ${hours} hours.`]);
  return 0;
}

function show(key: string, id: string, quiet: boolean | undefined): void {
  printText(quiet ? key : `${key}\n\nThis is ${id}. It is shown once: keep it now.`);
}

function readNumber(
  option: string,
  unit: string,
  text: string | undefined,
  least: number,
  most: number,
): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,6}$/.test(text) ? Number(text) : -1;
  if (number < least || number > most)
    throw new UsageError(`${option}: expected a number of ${unit} from ${least} to ${most}, got ${text}`);
  return number;
}

function readScopes(text: string | undefined): string[] {
  if (text === undefined) return [...scopes];
  const wanted = text.split(',').map((scope) => scope.trim());
  const unknown = wanted.filter((scope) => scope !== '*' && !(scopes as readonly string[]).includes(scope));
  if (unknown.length > 0)
    throw new UsageError(`--scopes: unknown ${unknown.join(', ')}; expected some of ${scopes.join(', ')}`);
  return wanted;
}

async function list(): Promise<number> {
  const lines = await withService(async (context) => {
    const directory = context.readers.fresh(directoryName);
    if (!directory) return [];
    const logins = new Map(listOrganisations(directory).map(({ id, login }) => [id, login]));
    return listKeys(directory).map((key) => describe(directory, key, logins));
  });
  printLines(lines, 'There are no keys.');
  return 0;
}

function describe(directory: Partition, key: KeyRecord, logins: ReadonlyMap<string, string>): string {
  const owner = key.orgId === null ? 'instance' : (logins.get(key.orgId) ?? key.orgId);
  const now = Date.now();
  const usedAt = readKeyUse(directory, key.id);
  const used = usedAt === undefined ? 'never used' : `used ${iso(usedAt)}`;
  const standing = standingOf(directory, key, now);
  const reminder = standing.status === 'active' && rotateBy(key) <= now ? '  older than six months: rotate it' : '';
  return `${key.id}  ${key.prefix}…${key.last4}  ${owner}  ${JSON.stringify(key.name)}  ${stateOf(key, standing)}  made ${iso(key.createdAt)}  ${used}${reminder}`;
}

function stateOf({ revokedAt }: KeyRecord, { status, expiresAt, endedWith }: KeyStanding): string {
  if (revokedAt !== null) return `${status} ${iso(revokedAt)}`;
  if (endedWith !== null) return `ended with ${endedWith}`;
  if (expiresAt === null) return status;
  return status === 'expired' ? `${status} ${iso(expiresAt)}` : `${status} until ${iso(expiresAt)}`;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

async function revoke(args: string[]): Promise<number> {
  const [keyId] = readArgs(args, {}).positionals;
  if (!keyId) throw new UsageError('Expected: tidings keys revoke KEY_ID');
  const { endedKeys, rotatedTo } = await withService((context) => revokeKey(context, keyId));
  printLines([
    `${keyId} is revoked.`,
    ...(endedKeys > 0 ? [`Keys that it made have ended with it: ${endedKeys}.`] : []),
    ...(rotatedTo === null ? [] : [`Its successor ${rotatedTo} goes on: revoke it too if you do not know it.`]),
  ]);
  return 0;
}
