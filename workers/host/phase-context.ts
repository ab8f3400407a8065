/**
 * The context in which a phase of a backfill works. It describes the running backfill, but does not contain the
 * functions that run the backfill.
 */
import type { HostClient } from '../../src/host/client.ts';
import type { RestContext } from '../../src/intake/rest.ts';
import type { BackfillRecord } from '../../src/protocol/backfill.ts';
import type { EventRepository } from '../../src/protocol/repository.ts';
import type { HostContext } from './context.ts';
import type { Progress } from './progress.ts';

export interface PhaseContext {
  readonly context: HostContext;
  readonly row: BackfillRecord;
  readonly progress: Progress;
  readonly kind: 'github' | 'gitea';
  /** Time of the last push, in milliseconds, as the host returned it in its description of the repository. */
  readonly pushedAt: number;
  /** @throws ServiceError `invalid` when the settings do not contain the host */
  readonly client: HostClient;
  /**
   * The repository as the host described it to this process. Until the host has answered, this is the stored
   * repository.
   */
  readonly repository: EventRepository;
  readonly name: { fullName: string };
  /** The context that is needed to convert items of the host. */
  readonly reading: RestContext;
  /** Whether the stored steps of the branches cover the whole period that this backfill reads. */
  readonly stepsReach: boolean;
}
