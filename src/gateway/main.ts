/**
 * The program of the gateway process, which begins when the partitions are open. It compares this node with the other
 * nodes of its cluster before it serves anyone. Then it stores the admin key if it is not stored yet, and reports to the
 * supervisor that the gateway is ready.
 */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Settings } from '../../config/schema.ts';
import { type ApiContext, runCommand } from '../api/context.ts';
import { ClusterError, differenceMessage, differences, readMembership } from '../cluster/identity.ts';
import { keyParts } from '../foundation/api-key.ts';
import { ServiceError } from '../foundation/errors.ts';
import { hashedId } from '../foundation/ids.ts';
import type { Logger } from '../foundation/logger.ts';
import { directoryName } from '../foundation/partition-names.ts';
import type { DirectoryCommand } from '../protocol/commands.ts';
import type { Identity } from '../protocol/identity.ts';
import { keyByHash } from '../store/tables/directory.ts';
import { type ChildContext, type ChildProgram, runChild } from '../supervisor/child-program.ts';
import { adminKeyFile, identityOf } from '../supervisor/first-start.ts';
import { type Gateway, openGateway } from './gateway.ts';

/** Interval between attempts to store the identity, in milliseconds. */
const retryMs = 1000;

await runChild('gateway', start);

async function start({ settings, logger, durability, setReady }: ChildContext): Promise<ChildProgram> {
  const gateway = await openGateway(settings, logger, durability, Number(process.argv[2] ?? 0));
  const { journal } = gateway.context;
  await gateway.current();
  await ensureIdentity(gateway, settings, logger);
  const address = { host: settings.host, port: await gateway.listen() };
  await ensureAdminKey(gateway, settings.dataDir);
  setReady(journal.connected(), address);
  journal.onDisconnect(() => setReady(false));
  journal.onReconnect(() => setReady(true, address));
  logger.info(address, 'gateway listens');
  return {
    stop: () => {
      setReady(false);
      return gateway.stop();
    },
  };
}

/**
 * Compares this node with the identity that the directory partition stores, and stores the identity of this node. On one
 * machine, nothing is compared.
 * @throws ClusterError if this node does not match the other nodes
 */
async function ensureIdentity({ context }: Gateway, settings: Settings, logger: Logger): Promise<void> {
  const identity = identityOf(settings);
  if (!identity) return;
  const other = 'the other nodes';
  const former = readMembership(settings.dataDir)?.former;
  let replaces: Identity | null = null;
  for (;;) {
    const stored = await setIdentity(context, { name: 'setIdentity', identity, replaces }, logger);
    if (isDeepStrictEqual(stored, identity)) return;
    replaces = stored;
    // The first node of a new cluster brings data that belonged to another one. No node of that one is compared.
    if (stored.cluster === former) continue;
    const directory = context.readers.fresh(directoryName);
    const { hash } = keyParts(readFileSync(adminKeyFile(settings.dataDir), 'utf8').trim());
    // An admin key that the service knows was rotated. It does not give anyone access that they did not have.
    const isKnownKey = directory !== undefined && keyByHash(directory, hash) !== undefined;
    const found = differences(identity, stored, other).filter(({ part }) => part !== 'adminKey' || !isKnownKey);
    if (found.length > 0) throw new ClusterError(differenceMessage(found, other));
  }
}

/**
 * Sends the command and returns the identity that is stored afterwards. The result arrives when this node has folded
 * everything before the command. A new node can need longer for that than a command may take, so the command is repeated.
 */
async function setIdentity(
  context: ApiContext,
  command: Extract<DirectoryCommand, { name: 'setIdentity' }>,
  logger: Logger,
): Promise<Identity> {
  for (;;) {
    try {
      return await runCommand<Identity>(context, directoryName, command);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== 'unavailable') throw error;
      logger.info('waiting until this node has folded the directory partition');
      await pause(retryMs);
    }
  }
}

/**
 * Stores the admin key, which is read from its file in the data directory. A key that is already stored is not changed,
 * because it may have been revoked or rotated.
 */
async function ensureAdminKey(gateway: Gateway, dataDir: string): Promise<void> {
  const file = adminKeyFile(dataDir);
  if (!existsSync(file)) return;
  const parts = keyParts(readFileSync(file, 'utf8').trim());
  const directory = gateway.context.readers.fresh(directoryName);
  if (directory && keyByHash(directory, parts.hash)) return;
  await runCommand(gateway.context, directoryName, {
    name: 'createKey',
    org: null,
    origin: gateway.context.settings.hostOrigin,
    key: {
      ...parts,
      id: hashedId('key', 0, parts.hash),
      name: 'instance admin',
      orgId: null,
      scopes: ['*'],
      createdAt: 0,
      expiresAt: null,
      revokedAt: null,
    },
  });
}
