/** Connects the commands about several machines to the NATS servers that the machines share. */
import { loadSettings } from '../../config/load.ts';
import { natsAddressFaults } from '../../config/nats-addresses.ts';
import type { Settings } from '../../config/schema.ts';
import { ClusterError } from '../cluster/identity.ts';
import { createLogger } from '../foundation/logger.ts';
import { connectJournal, type Journal } from '../journal/connect.ts';
import { requireClusterServer } from '../journal/topology.ts';
import { serversOf } from './connection.ts';
import { UsageError } from './usage.ts';

/**
 * Runs a step with a connection to the NATS servers of the settings.
 * @param addresses other addresses of the servers
 */
export async function withServers(
  step: (journal: Journal, settings: Settings) => Promise<number>,
  addresses?: string,
): Promise<number> {
  const settings = loadSettings();
  if (settings.node === '') {
    throw new ClusterError(
      'TIDINGS_NODE is not set. Set it to a name for this machine, such as a, and TIDINGS_NATS_URL to the addresses of the NATS servers.',
    );
  }
  const fault = addresses === undefined ? undefined : natsAddressFaults(addresses)[0];
  if (fault !== undefined) throw new UsageError(fault.replace('TIDINGS_NATS_URL', 'ADDRESSES'));
  const servers = addresses === undefined ? settings : { ...settings, natsUrl: addresses };
  const asked = await serversOf(servers);
  if (!asked.some(({ answers }) => answers)) {
    throw new ClusterError(`No NATS server answers at ${asked.map(({ server }) => server).join(', ')}.`);
  }
  const client = { role: 'supervisor', name: 'tidings cluster', waits: false } as const;
  const journal = await connectJournal(servers, client, createLogger('cli', 'error'));
  try {
    requireClusterServer(journal);
    return await step(journal, settings);
  } finally {
    await journal.close();
  }
}
