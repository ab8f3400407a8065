/**
 * Defines what the partitions of one worker process share.
 */
import type { Settings } from '../../config/schema.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import type { PartitionName } from '../../src/foundation/partition-names.ts';
import type { Journal } from '../../src/journal/connect.ts';
import type { Lane } from '../../src/journal/lane.ts';
import type { Partition } from '../../src/store/partition.ts';
import type { BackfillPlaces } from '../host/backfills.ts';
import type { HostContext } from '../host/context.ts';
import type { Owners } from '../host/owners.ts';
import type { Delivering } from '../publish/context.ts';
import type { RenderPool } from '../render/pool.ts';
import type { HandOver } from './hand-over.ts';
import type { Peers } from './peers.ts';

/** Maximum time to answer a question, in milliseconds. The client waits ten seconds. */
export const answerMs = 8000;

/** The parts of the worker process that a partition needs: its settings and its logger. */
export interface WorkerContext {
  settings: Settings;
  logger: Logger;
  /** Resolves when this node may lead partitions. */
  mayLead: Promise<void>;
}

/** Resources that the partitions of this worker share. */
export interface Shared {
  journal: Journal;
  pool: RenderPool;
  laneOf: (name: PartitionName) => Lane;
  places: BackfillPlaces;
  /** Reads a repository from the directory partition, even if another worker owns the directory partition. */
  listed: HostContext['listed'];
  owners: Owners;
  delivering: Delivering;
  /** Opens the current state of any partition for reading; undefined while it cannot be read. */
  read: (name: PartitionName) => Partition | undefined;
  /** The other nodes of a cluster; undefined on one machine. */
  peers?: Peers | undefined;
  /** Hands leads over to other nodes; undefined on one machine. */
  handOver?: HandOver | undefined;
}
