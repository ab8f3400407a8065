/**
 * Seals the directory's secrets under the current sealing key if they are sealed under a former key or stored in plain
 * text. This happens once per start, through the journal. After that, only older snapshots still need the former key.
 */
import { ulid } from '../../src/foundation/ids.ts';
import type { Logger } from '../../src/foundation/logger.ts';
import { SealError, type Sealer } from '../../src/foundation/seal.ts';
import type { Lane } from '../../src/journal/lane.ts';
import type { CommandRecord } from '../../src/protocol/journal.ts';
import type { Partition } from '../../src/store/partition.ts';
import { listSeals, type StoredSeal } from '../../src/store/tables/seals.ts';
import { isClear, sealAddress } from '../../src/store/tables/webhook-addresses.ts';
import { listWebhookEndpoints } from '../../src/store/tables/webhook-endpoints.ts';

/**
 * Maximum size of the sealed values in one record, in characters. A single value can have several hundred thousand
 * characters.
 */
const maxCharacters = 500_000;

/** Options of a resealer, which seals stored secrets again. `partition` returns the directory's open store. */
export interface ResealerOptions {
  partition: () => Partition;
  lane: Lane;
  sealer: Sealer;
  logger: Logger;
}

export class Resealer {
  private readonly options: ResealerOptions;
  private working: Promise<void> | undefined;

  constructor(options: ResealerOptions) {
    this.options = options;
  }

  /**
   * Starts to seal the secrets again. This function must be called after the directory partition has caught up. Later
   * calls do nothing.
   */
  kick(): void {
    this.working ??= this.run().catch((error: Error) => {
      this.options.logger.error({ err: error }, 'stored secrets could not be sealed with the current sealing key');
    });
  }

  async close(): Promise<void> {
    await this.working;
  }

  private async run(): Promise<void> {
    await this.sealClear();
    const { partition, sealer, logger } = this.options;
    const old = listSeals(partition()).filter(({ sealed }) => !sealer.isCurrent(sealed));
    const seals = old.flatMap((seal) => this.renewed(seal));
    for (const some of batches(seals)) await this.enqueue({ name: 'reseal', seals: some });
    if (seals.length > 0)
      logger.info({ seals: seals.length }, 'stored secrets are now sealed with the current sealing key');
  }

  /** Seals the queries of webhook addresses that an earlier version of Tidings stored in plain text. */
  private async sealClear(): Promise<void> {
    const { partition, sealer, logger } = this.options;
    const clear = listWebhookEndpoints(partition(), null).filter(isClear);
    const addresses = clear.map((endpoint) => {
      return { endpointId: endpoint.id, updatedAt: endpoint.updatedAt, ...sealAddress(sealer, endpoint, endpoint.url) };
    });
    for (const some of batches(addresses)) await this.enqueue({ name: 'sealWebhookAddresses', addresses: some });
    if (clear.length > 0)
      logger.info({ endpoints: clear.length }, 'query strings of stored webhook addresses are now sealed');
  }

  private async enqueue(command: CommandRecord['command']): Promise<void> {
    const now = Date.now();
    await this.options.lane.enqueue({ id: ulid(now), at: now, kind: 'command', command });
  }

  /**
   * Seals a value again under the current key. A value that no key opens is left unchanged, until its key is configured
   * again or the secret is replaced.
   */
  private renewed({ sealed, belongsTo }: StoredSeal): { from: string; to: string }[] {
    const { sealer } = this.options;
    try {
      return [{ from: sealed, to: sealer.seal(sealer.open(sealed, belongsTo), belongsTo) }];
    } catch (error) {
      if (error instanceof SealError) return [];
      throw error;
    }
  }
}

/** Splits the items, in order, into parts that are each small enough for one record. */
function batches<T>(items: readonly T[]): T[][] {
  const parts: T[][] = [];
  let room = 0;
  for (const item of items) {
    const { length } = JSON.stringify(item);
    if (length > room) {
      parts.push([]);
      room = maxCharacters;
    }
    parts.at(-1)?.push(item);
    room -= length;
  }
  return parts;
}
