/** Asks single NATS servers of a cluster who they are, and whether their copies of a stream are current. */
import { connect, type PeerInfo } from 'nats';
import { natsAddressesOf } from '../../config/nats-addresses.ts';
import type { PartitionName } from '../foundation/partition-names.ts';
import { connectionOptions, type Journal } from './connect.ts';
import { explain } from './connect-faults.ts';
import type { NatsSettings } from './credentials.ts';
import type { JournalRole } from './roles.ts';
import { streamOf } from './subjects.ts';
import { atLeast, firstReplicated } from './topology.ts';

/** The answer of a server: its name, or the reason why it cannot be used. `isOld` says that it is too old for a cluster. */
export type ServerAnswer =
  | { address: string; fault: string }
  | { address: string; name: string; version: string; cluster: string; isOld: boolean };

/** Maximum time of one attempt to connect, in milliseconds. */
const connectMs = 2000;

/** Connects to each server of TIDINGS_NATS_URL, with the credentials and certificates of the settings. */
export function askServers(settings: NatsSettings, role: JournalRole): Promise<ServerAnswer[]> {
  const { servers } = natsAddressesOf(settings.natsUrl);
  return Promise.all(servers.map((address) => askServer(settings, role, address)));
}

async function askServer(settings: NatsSettings, role: JournalRole, address: string): Promise<ServerAnswer> {
  try {
    const options = connectionOptions(settings, { role, name: 'tidings probe', waits: false });
    const connection = await connect({ ...options, servers: [address], reconnect: false, timeout: connectMs });
    const { server_name: name = '', version = '', cluster = '' } = connection.info ?? {};
    await connection.close();
    return { address, name, version, cluster, isOld: !atLeast(version, firstReplicated) };
  } catch (error) {
    return { address, fault: explain(error as NodeJS.ErrnoException, settings).message };
  }
}

/** The copies of a stream. */
export interface StreamReplicas {
  partition: PartitionName;
  /** Number of servers that store the stream, by its configuration. */
  replicas: number;
  /** Name of the server that leads the stream; empty while there is none. */
  leader: string;
  /** The copies of the other servers. */
  followers: readonly PeerInfo[];
}

/** Reads the state of the copies of a partition's stream. */
export async function replicasOf({ manager }: Journal, partition: PartitionName): Promise<StreamReplicas> {
  const { config, cluster } = await manager.streams.info(streamOf(partition));
  return {
    partition,
    replicas: config.num_replicas,
    leader: cluster?.leader ?? '',
    followers: cluster?.replicas ?? [],
  };
}
