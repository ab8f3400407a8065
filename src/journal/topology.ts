/**
 * The streams of the journal: one a partition, made when missing and read back (`docs/architecture.md` decisions 3, 7 and 8).
 * Also says how durable an acknowledgement is on the server in use.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig, type StreamInfo } from 'nats';
import type { Journal } from './connect.ts';
import { type PartitionName, recordsSubject, streamOf } from './subjects.ts';

/** Smallest `max_payload` a server may have: a full batch of the largest size, and its headers. */
export const neededPayloadBytes = 4_194_304 + 65_536;

/** What an acknowledged record survives: a killed process, a power cut, or the loss of a machine. */
export type DurabilityLevel = 'process-crash' | 'power-loss' | 'replicated';

/** Size limits of a server are set-up faults: starting would only lose time. */
export class JournalSetupError extends Error {}

/** Where a partition's stream stands. `created` identifies the stream: a new one has another time. */
export interface StreamState {
  created: string;
  firstSeq: number;
  lastSeq: number;
  bytes: number;
  maxBytes: number;
  replicas: number;
}

/**
 * Makes the stream of a partition when it is missing, and brings up to date its size limit and that no message of it can be deleted.
 * @throws JournalSetupError when the server takes smaller messages than a batch can be
 */
export async function ensureStream(journal: Journal, partition: PartitionName, maxBytes: number): Promise<StreamState> {
  const maxPayload = journal.connection.info?.max_payload ?? 0;
  if (maxPayload < neededPayloadBytes) {
    throw new JournalSetupError(
      `The NATS server takes messages up to ${maxPayload} bytes; expected at least ${neededPayloadBytes}. Set max_payload: 8MB in its configuration.`,
    );
  }
  const wanted: Partial<StreamConfig> = {
    name: streamOf(partition),
    subjects: [recordsSubject(partition)],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_bytes: maxBytes,
    max_age: 0,
    duplicate_window: 120_000_000_000,
    // Whoever enqueues names the subject of the acknowledgement, and the server obeys a request for a deletion that is one.
    deny_delete: true,
  };
  const found = await findStream(journal, partition);
  if (!found) return toState(await journal.manager.streams.add(wanted));
  if (found.config.max_bytes === maxBytes && found.config.deny_delete) return toState(found);
  const changed = { ...found.config, max_bytes: maxBytes, deny_delete: true };
  return toState(await journal.manager.streams.update(streamOf(partition), changed));
}

/** Reads where a stream stands now. */
export async function streamState(journal: Journal, partition: PartitionName): Promise<StreamState> {
  return toState(await journal.manager.streams.info(streamOf(partition)));
}

const existingMs = 10_000;

/**
 * Reads where a stream stands, waiting a while for one that is missing: a server can come back without its streams, and the
 * supervisor makes them again as soon as it is connected.
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

/** Removes everything up to and including `seq`: it is covered by verified snapshots. */
export async function purgeStream(journal: Journal, partition: PartitionName, seq: number): Promise<number> {
  const answer = await journal.manager.streams.purge(streamOf(partition), { seq: seq + 1 });
  return answer.purged;
}

/** Largest block of a file-based stream, in bytes; a smaller stream has smaller ones, a quarter of its bound. */
const largestBlockBytes = 8_388_608;

/**
 * So many bytes after a message, and its block is full and closed. A purge drops whole blocks only and leaves of the first
 * one what it purged: readable in its file, though no longer by any request.
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

/** Whether the server says that there is no such stream. */
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
  };
}

/**
 * The durability level in force. `power-loss` is claimed only for the supervised server, whose configuration is ours,
 * and only from 2.10.23 on: before that a kill alone could lose a stream even with an fsync before every PubAck.
 * @param supervised whether `config/nats-server.conf` is in force
 * @param replicas copies of the streams on an external cluster
 */
export function durabilityOf(version: string, supervised: boolean, replicas: number): DurabilityLevel {
  if (replicas >= 3) return 'replicated';
  return supervised && atLeast(version, [2, 10, 23]) ? 'power-loss' : 'process-crash';
}

/** Whether `version` (x.y.z, a suffix is ignored) is at least `wanted`. */
export function atLeast(version: string, wanted: readonly [number, number, number]): boolean {
  const parts = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version);
  if (!parts) return false;
  for (let i = 0; i < 3; i++) {
    const difference = Number(parts[i + 1]) - (wanted[i] as number);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
