/**
 * Seals what the directory keeps under the sealing key in use, when it is under a former one: once after each start, through the
 * journal like any write. When that is done the former key is needed no more, but for snapshots of before.
 */
import { ulid } from '../../src/ids.ts';
import type { Lane } from '../../src/journal/lane.ts';
import type { Logger } from '../../src/logger.ts';
import { SealError, type Sealer } from '../../src/seal.ts';
import type { Partition } from '../../src/store/partition.ts';
import { listSeals, type StoredSeal } from '../../src/store/seals.ts';

/** Seals that one record holds: a few hundred bytes each. */
const mostAtOnce = 500;

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
    const { partition, lane, sealer, logger } = this.options;
    const old = listSeals(partition()).filter(({ sealed }) => !sealer.isCurrent(sealed));
    const seals = old.flatMap((seal) => this.renewed(seal));
    for (let start = 0; start < seals.length; start += mostAtOnce) {
      const command = { name: 'reseal' as const, seals: seals.slice(start, start + mostAtOnce) };
      const now = Date.now();
      await lane.enqueue({ id: ulid(now), at: now, kind: 'command', command });
    }
    if (seals.length > 0)
      logger.info({ seals: seals.length }, 'stored secrets are sealed under the sealing key in use');
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
