/**
 * `tidings keys create|list|revoke`: API keys, through the journal. A key is shown once, here, and only its hash leaves.
 */

import { carryOut } from '../api/context.ts';
import { knownHost } from '../api/webhook-secret-writes.ts';
import { keyParts, newKey } from '../api-key.ts';
import { newId } from '../ids.ts';
import { directoryName } from '../journal/subjects.ts';
import { type KeyRecord, scopes } from '../protocol/commands.ts';
import { listKeys, listOrganisations } from '../store/directory.ts';
import { withService } from './connection.ts';
import { type CliCommand, readArgs, UsageError } from './usage.ts';

export const keysCommand: CliCommand = {
  usage:
    'keys create --org ORGANISATION [--host ORIGIN] --name NAME [--scopes a,b] [--quiet] | keys list | keys revoke KEY_ID',
  help: 'Makes, lists and revokes API keys (--instance instead of --org for a key to everything)',
  run: ([action = '', ...args]) => {
    if (action === 'create') return create(args);
    if (action === 'list') return list();
    if (action === 'revoke') return revoke(args);
    throw new UsageError('Expected: tidings keys create, list or revoke');
  },
};

const createOptions = {
  org: { type: 'string' },
  host: { type: 'string' },
  instance: { type: 'boolean' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  quiet: { type: 'boolean' },
} as const;

async function create(args: string[]): Promise<number> {
  const { values } = readArgs(args, createOptions);
  if (!values.name) throw new UsageError('--name: expected a name for the key');
  if (!values.org === !values.instance)
    throw new UsageError('Expected --org ORGANISATION, or --instance for a key to everything');
  const key = newKey('live');
  const record: KeyRecord = {
    ...keyParts(key),
    id: newId('key', 0),
    name: values.name,
    orgId: null,
    scopes: readScopes(values.scopes),
    createdAt: 0,
    expiresAt: null,
    revokedAt: null,
  };
  await withService((context) =>
    carryOut(context, directoryName, {
      name: 'createKey',
      org: values.org ?? null,
      origin: knownHost(context.settings, values.host),
      key: record,
    }),
  );
  process.stdout.write(values.quiet ? `${key}\n` : `${key}\n\nThis is ${record.id}. It is shown once: keep it now.\n`);
  return 0;
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
    return listKeys(directory).map((key) => describe(key, logins));
  });
  process.stdout.write(lines.length > 0 ? `${lines.join('\n')}\n` : 'There are no keys.\n');
  return 0;
}

function describe(key: KeyRecord, logins: ReadonlyMap<string, string>): string {
  const owner = key.orgId === null ? 'instance' : (logins.get(key.orgId) ?? key.orgId);
  const state = key.revokedAt === null ? 'active' : `revoked ${new Date(key.revokedAt).toISOString()}`;
  return `${key.id}  ${key.prefix}…${key.last4}  ${owner}  ${JSON.stringify(key.name)}  ${state}  ${new Date(key.createdAt).toISOString()}`;
}

async function revoke(args: string[]): Promise<number> {
  const [keyId] = readArgs(args, {}).positionals;
  if (!keyId) throw new UsageError('Expected: tidings keys revoke KEY_ID');
  await withService((context) => carryOut(context, directoryName, { name: 'revokeKey', keyId }));
  process.stdout.write(`${keyId} is revoked.\n`);
  return 0;
}
