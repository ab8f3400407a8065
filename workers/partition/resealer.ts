/**
 * Seals what the directory keeps under the sealing key in use, when it is under a former one or in clear: once after each start,
 * through the journal like any write. When that is done the former key is needed no more, but for snapshots of before.
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

/** Sealed texts that one record holds, in characters; one of them has at most some hundred thousand. */
const mostCharacters = 500_000;

/** What a resealer works with. `partition` is the directory as of now. */
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

  /** Begins, when this is the first time that the directory has caught up. */
  kick(): void {
    this.working ??= this.run().catch((error: Error) => {
      this.options.logger.error({ err: error }, 'stored secrets could not be sealed under the sealing key in use');
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
      logger.info({ seals: seals.length }, 'stored secrets are sealed under the sealing key in use');
  }

  /** Seals the queries of addresses that an earlier version kept in clear. */
  private async sealClear(): Promise<void> {
    const { partition, sealer, logger } = this.options;
    const clear = listWebhookEndpoints(partition(), null).filter(isClear);
    const addresses = clear.map((endpoint) => {
      return { endpointId: endpoint.id, updatedAt: endpoint.updatedAt, ...sealAddress(sealer, endpoint, endpoint.url) };
    });
    for (const some of batches(addresses)) await this.enqueue({ name: 'sealWebhookAddresses', addresses: some });
    if (clear.length > 0) logger.info({ endpoints: clear.length }, 'queries of webhook addresses are sealed');
  }

  private async enqueue(command: CommandRecord['command']): Promise<void> {
    const now = Date.now();
    await this.options.lane.enqueue({ id: ulid(now), at: now, kind: 'command', command });
  }

  /** What no key opens stays as it is, until somebody puts its key back or the secret anew. */
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

/** The items in order, in parts that fit into a record. */
function batches<T>(items: readonly T[]): T[][] {
  const parts: T[][] = [];
  let room = 0;
  for (const item of items) {
    const { length } = JSON.stringify(item);
    if (length > room) {
      parts.push([]);
      room = mostCharacters;
    }
    parts.at(-1)?.push(item);
    room -= length;
  }
  return parts;
}
