/** Connects the commands about several machines to the NATS servers that the machines share. */

import { loadSettingsWith } from '../../config/load.ts';
import { natsAddressesOf } from '../../config/nats-addresses.ts';
import { isOneOfSeveral } from '../../config/nodes.ts';
import type { Settings } from '../../config/schema.ts';
import { ClusterError } from '../cluster/identity.ts';
import { createLogger } from '../foundation/logger.ts';
import { connectJournal, type Journal } from '../journal/connect.ts';
import { JournalSetupError, requireClusterServer } from '../journal/topology.ts';

/**
 * Runs a step with a connection to the NATS servers of the settings.
 * @param addresses other addresses of the servers
 */
export async function withServers(
  step: (journal: Journal, settings: Settings) => Promise<number>,
  addresses?: string,
): Promise<number> {
  const settings = loadSettingsWith(addresses === undefined ? {} : { TIDINGS_NATS_URL: addresses });
  if (!isOneOfSeveral(settings)) {
    throw new ClusterError(
      'TIDINGS_NODE is not set. Set it to a name for this machine, such as a, and TIDINGS_NATS_URL to the addresses of the NATS servers.',
    );
  }
  const client = { role: 'supervisor', name: 'tidings cluster', waits: false } as const;
  const journal = await connectJournal(settings, client, createLogger('cli', 'error')).catch((error: Error) => {
    if (error instanceof JournalSetupError) throw error;
    const servers = natsAddressesOf(settings.natsUrl).servers.join(', ');
    throw new ClusterError(
      `No NATS server answers at ${servers}. Start it, or check its address. Reason: ${error.message}.`,
    );
  });
  try {
    requireClusterServer(journal);
    return await step(journal, settings);
  } finally {
    await journal.close();
  }
}
