/**
 * Remembers responses that are ready to send until their partition changes. Clients poll drafts much more often than
 * drafts change, so most reads need no read of the store.
 */
import type { Partition } from './partition.ts';
import type { CurrentState } from './readers.ts';
import { type ReadyResponse, readResponse } from './tables/responses.ts';

/** Maximum number of bytes of all remembered responses. At the maximum, all are removed. */
const maxBytes = 8_388_608;
/** Maximum number of bytes of a response that is remembered. */
const maxResponseBytes = 65_536;

interface Entry {
  partition: Partition;
  seq: number;
  response: ReadyResponse;
}

export class ReadyResponses {
  private readonly readers: CurrentState;
  private readonly entries = new Map<string, Entry>();
  private bytes = 0;

  constructor(readers: CurrentState) {
    this.readers = readers;
  }

  /** Returns the response of a range or draft if it is remembered and its partition has not changed since. */
  remembered(id: string): ReadyResponse | undefined {
    const entry = this.entries.get(id);
    if (!entry) return undefined;
    const { partition, seq, response } = entry;
    const isCurrent = this.readers.current(partition.name) === partition && this.readers.seq(partition.name) === seq;
    return isCurrent ? response : undefined;
  }

  /**
   * Reads the response of a range or draft, and remembers it.
   * @param partition the state that `readers.current` returned
   */
  read(partition: Partition, id: string): ReadyResponse | undefined {
    const response = readResponse(partition, id);
    if (!response || response.json.length > maxResponseBytes) return response;
    // `readResponse` reuses its buffer for the next response, so the bytes are copied.
    const kept = { ...response, json: Buffer.from(response.json) };
    const before = this.entries.get(id)?.response.json.length ?? 0;
    this.bytes += kept.json.length - before;
    if (this.bytes > maxBytes) {
      this.entries.clear();
      this.bytes = kept.json.length;
    }
    this.entries.set(id, { partition, seq: this.readers.seq(partition.name), response: kept });
    return kept;
  }
}
