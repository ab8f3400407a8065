/**
 * Creates the missing streams of the journal, one per partition, and reads the state of streams (`docs/architecture.md`
 * decisions 3, 7 and 8). Also determines which kinds of failure an acknowledged record survives on a given server.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig, type StreamInfo } from 'nats';
import { directoryName, type PartitionName, partitionName, partitionNames } from '../foundation/partition-names.ts';
import type { Journal } from './connect.ts';
import { recordsSubject, streamOf } from './subjects.ts';

/** Minimum `max_payload` of a server, in bytes: a batch of the maximum size and its headers. */
export const neededPayloadBytes = 4_194_304 + 65_536;

/**
 * The failures that an acknowledged record survives: a killed process, a power cut, or the loss of a machine.
 * `replicated-unsynced` survives the loss of one machine, but perhaps not a power cut of several machines at once.
 */
export type DurabilityLevel = 'process-crash' | 'power-loss' | 'replicated-unsynced' | 'replicated';

/** Thrown if the settings or the server's configuration are wrong, so that waiting or trying again would not help. */
export class JournalSetupError extends Error {}

/**
 * The state of a partition's stream. `created` identifies the stream: a new stream has a different time of creation.
 */
export interface StreamState {
  created: string;
  firstSeq: number;
  lastSeq: number;
  bytes: number;
  maxBytes: number;
  replicas: number;
  /** Names of the servers that store the stream. */
  servers: string[];
}

/**
 * Creates the stream of a partition if it is missing. For an existing stream, updates two settings: the maximum size,
 * and the option that forbids deleting messages.
 * @param replicas number of servers that store a new stream. The number of an existing stream does not change
 * @param folded returns the last sequence that the stores of this node contain already. A new stream continues after it
 * @throws JournalSetupError if the server's maximum message size is too small for a batch of the maximum size
 */
export async function ensureStream(
  journal: Journal,
  partition: PartitionName,
  maxBytes: number,
  replicas = 1,
  folded: () => number = () => 0,
): Promise<StreamState> {
  const maxPayload = journal.connection.info?.max_payload ?? 0;
  if (maxPayload < neededPayloadBytes) {
    throw new JournalSetupError(
      `The NATS server accepts messages of up to ${maxPayload} bytes; expected at least ${neededPayloadBytes}. Set max_payload: 8MB in its configuration.`,
    );
  }
  const wanted: Partial<StreamConfig> = {
    name: streamOf(partition),
    subjects: [recordsSubject(partition)],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    num_replicas: replicas,
    discard: DiscardPolicy.New,
    max_bytes: maxBytes,
    max_age: 0,
    duplicate_window: 120_000_000_000,
    // No one may delete a message. A client that publishes a record chooses the subject of the acknowledgement. If the
    // client chose the subject of delete requests, the server would execute its own acknowledgement as a delete
    // request.
    deny_delete: true,
  };
  const found = await findStream(journal, partition);
  if (!found) {
    const after = folded();
    // A server takes 0 for a stream that begins with sequence 1.
    const created = { ...wanted, ...(after > 0 && { first_seq: after + 1 }) };
    return toState(await journal.manager.streams.add(created));
  }
  if (found.config.max_bytes === maxBytes && found.config.deny_delete) return toState(found);
  const changed = { ...found.config, max_bytes: maxBytes, deny_delete: true };
  return toState(await journal.manager.streams.update(streamOf(partition), changed));
}

/** Whether a stream still contains every message after `seq`. */
export function reaches(seq: number, { firstSeq }: StreamState): boolean {
  return seq + 1 >= firstSeq;
}

/** Reads the current state of a stream. */
export async function streamState(journal: Journal, partition: PartitionName): Promise<StreamState> {
  return toState(await journal.manager.streams.info(streamOf(partition)));
}

const existingMs = 10_000;

/**
 * Reads the state of a stream. If the stream is missing, waits up to 10 seconds until it exists. A server can restart
 * without its streams. The supervisor creates them again when it has reconnected.
 */
export async function existingStream(journal: Journal, partition: PartitionName): Promise<StreamState> {
  const deadline = performance.now() + existingMs;
  for (;;) {
    try {
      return await streamState(journal, partition);
    } catch (error) {
      if (!isMissing(error) || performance.now() > deadline) throw error;
      await pause(100);
    }
  }
}

/** @throws JournalSetupError if the server is too old for a cluster */
export function requireClusterServer({ connection }: Pick<Journal, 'connection'>): void {
  const version = connection.info?.version ?? 'unknown';
  if (atLeast(version, firstReplicated)) return;
  throw new JournalSetupError(
    `The NATS server has version ${version}: several machines need nats-server ${firstReplicated.join('.')} or later. Upgrade all servers, or run one machine alone without TIDINGS_NODE.`,
  );
}

/**
 * Checks that the streams on the server are those of so many partitions. Missing streams are created later.
 * @param hasStore whether this machine has a store of the partition, so that only its stream was lost
 * @throws JournalSetupError if the streams show another number of partitions
 */
export async function requirePartitions(
  journal: Journal,
  count: number,
  hasStore: (name: PartitionName) => boolean,
): Promise<void> {
  const names = partitionNames(count).filter((name) => name !== directoryName);
  const next = partitionName(count);
  const [beyond, ...found] = await Promise.all([next, ...names].map((name) => findStream(journal, name)));
  const here = count === 1 ? '1 partition' : `${count} partitions`;
  if (beyond) {
    throw new JournalSetupError(
      `The NATS servers have the stream ${streamOf(next)}, so their service has more partitions than the ${here} of this node. The number cannot change. Join with an empty data directory, or set TIDINGS_NATS_URL to other servers.`,
    );
  }
  const streams = found.filter((stream) => stream !== undefined).length;
  const missing = names.filter((name, i) => !found[i] && !hasStore(name));
  // A first start that was interrupted leaves some streams without messages.
  if (missing.length === 0 || found.every((stream) => (stream?.state.last_seq ?? 0) === 0)) return;
  throw new JournalSetupError(
    `The NATS servers have streams of ${streams} partitions, but this node has ${here}. The number cannot change. Join with an empty data directory, or set TIDINGS_NATS_URL to other servers.`,
  );
}

/**
 * Removes all messages up to and including `seq`. Call this only when verified snapshots contain the records of these
 * messages. Returns how many messages were removed.
 */
export async function purgeStream(journal: Journal, partition: PartitionName, seq: number): Promise<number> {
  const answer = await journal.manager.streams.purge(streamOf(partition), { seq: seq + 1 });
  return answer.purged;
}

/**
 * Maximum size of a block, in bytes. The server stores a stream in several files, which are called blocks. In a small
 * stream, the size of a block is a quarter of the stream's maximum size.
 */
const largestBlockBytes = 8_388_608;

/**
 * Returns how many bytes must follow a message so that a purge certainly removes the message from the disk. A purge
 * removes only whole blocks. So the file of the first remaining block can still contain purged messages. The server
 * does not return purged messages, but a person who reads the file can find them.
 */
export function blockBytesOf({ maxBytes }: Pick<StreamState, 'maxBytes'>): number {
  const quarter = maxBytes > 0 ? Math.ceil(maxBytes / 4) + 100 : largestBlockBytes;
  return Math.min(largestBlockBytes, Math.max(32_768, quarter));
}

async function findStream(journal: Journal, partition: PartitionName): Promise<StreamInfo | undefined> {
  try {
    return await journal.manager.streams.info(streamOf(partition));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether the server reports that the stream does not exist. */
export function isMissing(error: unknown): boolean {
  return /stream not found/i.test((error as Error).message);
}

function toState(info: StreamInfo): StreamState {
  return {
    created: info.created,
    firstSeq: info.state.first_seq,
    lastSeq: info.state.last_seq,
    bytes: info.state.bytes,
    maxBytes: info.config.max_bytes,
    replicas: info.config.num_replicas,
    servers: [info.cluster?.leader ?? '', ...(info.cluster?.replicas ?? []).map(({ name }) => name)].filter(Boolean),
  };
}

/**
 * First version of nats-server whose clusters are relied on. In earlier versions, a cluster could lose acknowledged
 * records at an election or after the loss of a disk.
 */
export const firstReplicated = [2, 12, 0] as const;
/** First version that keeps its streams when it is killed, provided that it calls fsync before it acknowledges. */
const firstDurable = [2, 10, 23] as const;

/**
 * Returns the durability level of acknowledgements.
 * @param versions versions of the servers that are known
 * @param syncs whether each server that stores a stream is known to call fsync before it acknowledges
 * @param replicas number of servers that store each stream
 */
export function durabilityOf(versions: readonly string[], syncs: boolean, replicas: number): DurabilityLevel {
  const since = (first: Version): boolean => syncs && versions.every((version) => atLeast(version, first));
  if (replicas >= 3) return since(firstReplicated) ? 'replicated' : 'replicated-unsynced';
  return since(firstDurable) ? 'power-loss' : 'process-crash';
}

type Version = readonly [number, number, number];

/** Whether `version` (x.y.z; a suffix is ignored) is at least `wanted`. */
export function atLeast(version: string, wanted: Version): boolean {
  const parts = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (!parts) return false;
  for (let i = 0; i < 3; i++) {
    const difference = Number(parts[i + 1]) - (wanted[i] as number);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
