/**
 * Remembers repositories that the directory lists and whose events are accepted. Nearly all deliveries are about such a
 * repository, so they need no lookup in the directory. A change of the directory removes all entries.
 */
import { directoryName } from '../foundation/partition-names.ts';
import type { EventRepository } from '../protocol/repository.ts';
import type { CurrentState } from '../store/readers.ts';
import { Remembered } from '../store/remembered.ts';

/** The fields of a reported repository that decide which repository is meant and whether its events are accepted. */
type Identity = Pick<EventRepository, 'hostId' | 'fullName' | 'owner'>;

export class KnownRepositories {
  private readonly known: Remembered<Identity>;

  constructor(readers: CurrentState) {
    this.known = new Remembered(readers, directoryName);
  }

  /**
   * Whether the same repository was accepted before in the directory's current state. Only a delivery signed with a
   * secret of the whole host may be asked for: for other deliveries the result also depends on the signer.
   */
  has({ id, hostId, fullName, owner }: EventRepository): boolean {
    const known = this.known.get(id);
    return (
      known !== undefined &&
      known.hostId === hostId &&
      known.fullName === fullName &&
      known.owner.id === owner.id &&
      known.owner.login === owner.login
    );
  }

  /** Remembers a repository that is listed and whose events are accepted. Call `has` before. */
  add({ id, hostId, fullName, owner }: EventRepository): void {
    this.known.set(id, { hostId, fullName, owner });
  }
}
