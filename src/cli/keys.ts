/**
 * `tidings keys create|list|rotate|revoke`: manages API keys through the journal. The command shows a new key once; the
 * service stores only its hash.
 */
import type { ApiContext } from '../api/context.ts';
import { createKey, revokeKey, rotateKey } from '../api/key-writes.ts';
import { keyRoutes } from '../api/keys.ts';
import { knownHost } from '../api/webhook-secret-writes.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { type KeyRecord, scopes } from '../protocol/commands.ts';
import { usualOverlapHours } from '../protocol/limits.ts';
import type { Partition } from '../store/partition.ts';
import { listKeys, listOrganizations, readKey } from '../store/tables/directory.ts';
import { type KeyState, keyStateOf } from '../store/tables/key-ends.ts';
import { rotateBy } from '../store/tables/keys.ts';
import { readKeyUse } from '../store/tables/usage.ts';
import { withService } from './connection.ts';
import { printReply } from './json.ts';
import { readNumber } from './number.ts';
import { printLines, printText } from './print.ts';
import type { keysEntry } from './table/access.ts';
import { type Given, NotFoundError, type Runs, UsageError } from './usage.ts';

const hourMs = 3_600_000;
const dayMs = 86_400_000;

type Actions = (typeof keysEntry)['actions'];

export const keyActions: Runs<typeof keysEntry> = {
  create,
  list: ({ json }) => withService((context) => (json ? printReply(context, keyRoutes, 'listKeys') : list(context))),
  rotate,
  revoke,
};

async function create(values: Given<Actions['create']>): Promise<number> {
  const { name, org } = values;
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

async function rotate(values: Given<Actions['rotate']>, [keyId = '']: readonly string[]): Promise<number> {
  const hours = readNumber('--overlap', 'hours', values.overlap, 0, 720) ?? usualOverlapHours;
  const { value, key } = await withService(async (context) => {
    const directory = context.readers.fresh(directoryName);
    const old = directory && readKey(directory, keyId);
    if (!old) throw new NotFoundError(`API key ${JSON.stringify(keyId)} is not found.`);
    return rotateKey(context, old, { overlapMs: hours * hourMs });
  });
  show(key, value.id, values.quiet);
  if (!values.quiet) printLines([`${keyId} stays valid for ${hours} hours.`]);
  return 0;
}

function show(key: string, id: string, quiet: boolean | undefined): void {
  printText(quiet ? key : `${key}\n\nThe id of this key is ${id}. The key is shown only once. Save it now.`);
}

function readScopes(text: string | undefined): string[] {
  if (text === undefined) return [...scopes];
  const wanted = text.split(',').map((scope) => scope.trim());
  const unknown = wanted.filter((scope) => scope !== '*' && !(scopes as readonly string[]).includes(scope));
  if (unknown.length > 0)
    throw new UsageError(`--scopes: unknown scope ${unknown.join(', ')}; expected one or more of ${scopes.join(', ')}`);
  return wanted;
}

async function list({ readers }: ApiContext): Promise<number> {
  const directory = readers.fresh(directoryName);
  const logins = new Map((directory ? listOrganizations(directory) : []).map(({ id, login }) => [id, login]));
  const lines = directory ? listKeys(directory).map((key) => describe(directory, key, logins)) : [];
  printLines(lines, 'There are no keys.');
  return 0;
}

function describe(directory: Partition, key: KeyRecord, logins: ReadonlyMap<string, string>): string {
  const owner = key.orgId === null ? 'instance' : (logins.get(key.orgId) ?? key.orgId);
  const now = Date.now();
  const usedAt = readKeyUse(directory, key.id);
  const used = usedAt === undefined ? 'never used' : `used ${iso(usedAt)}`;
  const state = keyStateOf(directory, key, now);
  const reminder = state.status === 'active' && rotateBy(key) <= now ? '  older than six months: rotate it' : '';
  return `${key.id}  ${key.prefix}…${key.last4}  ${owner}  ${JSON.stringify(key.name)}  ${stateOf(key, state)}  created ${iso(key.createdAt)}  ${used}${reminder}`;
}

function stateOf({ revokedAt }: KeyRecord, { status, expiresAt, endedWith }: KeyState): string {
  if (revokedAt !== null) return `${status} ${iso(revokedAt)}`;
  if (endedWith !== null) return `ended with ${endedWith}`;
  if (expiresAt === null) return status;
  return status === 'expired' ? `${status} ${iso(expiresAt)}` : `${status} until ${iso(expiresAt)}`;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

async function revoke(_: unknown, [keyId = '']: readonly string[]): Promise<number> {
  const { endedKeys, rotatedTo } = await withService((context) => revokeKey(context, keyId));
  printLines([
    `${keyId} is revoked.`,
    ...(endedKeys > 0 ? [`Number of keys that this key created and that ended with it: ${endedKeys}.`] : []),
    ...(rotatedTo === null
      ? []
      : [`Its successor ${rotatedTo} stays valid. If you do not recognize the successor, revoke it too.`]),
  ]);
  return 0;
}
