/**
 * The program of the gateway process, which begins when the partitions are open. It starts the gateway,
 * stores the admin key if it is not stored yet, and reports to the supervisor when the gateway is ready.
 */
import { existsSync, readFileSync } from 'node:fs';
import { runCommand } from '../api/context.ts';
import { keyParts } from '../foundation/api-key.ts';
import { hashedId } from '../foundation/ids.ts';
import { directoryName } from '../foundation/partition-names.ts';
import { keyByHash } from '../store/tables/directory.ts';
import { type ChildContext, type ChildProgram, runChild } from '../supervisor/child-program.ts';
import { adminKeyFile } from '../supervisor/first-start.ts';
import { type Gateway, startGateway } from './gateway.ts';

await runChild('gateway', start);

async function start({ settings, logger, durability, setReady }: ChildContext): Promise<ChildProgram> {
  const gateway = await startGateway(settings, logger, durability);
  const { journal } = gateway.context;
  await gateway.current();
  await ensureAdminKey(gateway, settings.dataDir);
  const address = { host: settings.host, port: gateway.port };
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
