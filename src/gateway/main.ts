/**
 * The gateway process: starts the gateway once the partitions are there, makes sure the admin key works, and tells the
 * supervisor. Started by the supervisor.
 */
import { existsSync, readFileSync } from 'node:fs';
import { carryOut } from '../api/context.ts';
import { keyParts } from '../foundation/api-key.ts';
import { hashedId } from '../foundation/ids.ts';
import { directoryName } from '../journal/subjects.ts';
import { keyByHash } from '../store/tables/directory.ts';
import { type ChildContext, type ChildProgram, runChild } from '../supervisor/child-program.ts';
import { adminKeyFile } from '../supervisor/first-start.ts';
import { type Gateway, startGateway } from './gateway.ts';

await runChild('gateway', start);

async function start({ settings, logger, setReady }: ChildContext): Promise<ChildProgram> {
  const gateway = await startGateway(settings, logger);
  const { journal } = gateway.context;
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

/** Makes the key of the data directory known to the service. One that it knows already stays as it is, revoked or rotated. */
async function ensureAdminKey(gateway: Gateway, dataDir: string): Promise<void> {
  const file = adminKeyFile(dataDir);
  if (!existsSync(file)) return;
  const parts = keyParts(readFileSync(file, 'utf8').trim());
  const directory = gateway.context.readers.fresh(directoryName);
  if (directory && keyByHash(directory, parts.hash)) return;
  await carryOut(gateway.context, directoryName, {
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
