/** Finds a nats-server that is new enough for a cluster: in `.tools/cluster/`, or on the PATH. */
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { atLeast, firstReplicated } from '../../src/journal/topology.ts';
import { findProgram, natsServerVersion } from '../../src/supervisor/nats-server.ts';

const own = fileURLToPath(new URL('../../../.tools/cluster', import.meta.url));
const folders = [own, ...(process.env.PATH ?? '').split(delimiter)];

/** Path of the program; undefined if this machine has none that is new enough. */
export const clusterServer = folders
  .map((folder) => findProgram('nats-server', [folder]))
  .find((program) => program !== undefined && atLeast(natsServerVersion(program), firstReplicated));

/** The reason why tests of several machines are skipped here; false if they are not skipped. */
export const noCluster: string | false =
  clusterServer === undefined &&
  `no nats-server ${firstReplicated.join('.')} or later in ${join('.tools', 'cluster')} or on the PATH`;
