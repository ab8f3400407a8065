/**
 * Collects what the fold of a partition changes, for the live events of clients (`src/protocol/live-events.ts`). The
 * changes are kept in memory only. Of each object, only the newest state is kept.
 */
import type { FoldedEvent, LostRepository, PartitionChanges, RepositoryChange } from '../protocol/live-events.ts';

/**
 * Maximum number of changed objects. Beyond it, only their repositories are remembered, and clients that may see one of
 * them have to read everything again. Beyond the same number of repositories, all clients have to.
 */
const maxChanges = 500;

export class Changes {
  /** What changed in each repository; null if several things changed. */
  private readonly repositories = new Map<string, RepositoryChange | null>();
  /** The newest event of each other object, by the id of the object. */
  private readonly objects = new Map<string, FoldedEvent>();
  /** Repositories that organizations do not have any more, by both ids. */
  private readonly lost = new Map<string, LostRepository>();
  /** Repositories with changes that are not listed, and organizations that lost repositories; undefined = all are listed. */
  private unlisted: { repoIds: Set<string>; orgIds: Set<string> } | undefined;
  private isReset: boolean;

  /** @param isReset whether changes may have been missed before the collection began */
  constructor(isReset = false) {
    this.isReset = isReset;
  }

  /** Notes that something of a repository changed. This function is called for every event. */
  noteRepository(repoId: string, change: RepositoryChange | null): void {
    const known = this.repositories.get(repoId);
    if (known === change || known === null || this.isReset) return;
    if (this.unlisted) this.unlisted.repoIds.add(repoId);
    else this.repositories.set(repoId, known === undefined ? change : null);
    this.limit();
  }

  /** Notes that an organization does not have a repository any more. */
  noteLost(lost: LostRepository): void {
    if (this.isReset) return;
    if (this.unlisted) this.unlisted.orgIds.add(lost.orgId);
    else this.lost.set(`${lost.repoId} ${lost.orgId}`, lost);
    this.limit();
  }

  /** Notes the new state of an object. */
  note(id: string, event: FoldedEvent): void {
    if (this.isReset) return;
    if (this.unlisted) this.unlisted.repoIds.add(event.data.repoId);
    else this.objects.set(id, event);
    this.limit();
  }

  /** Adds later changes. */
  add({ repositories, objects, lost, unlisted, isReset }: Changes): void {
    for (const [repoId, change] of repositories) this.noteRepository(repoId, change);
    for (const [id, event] of objects) this.note(id, event);
    for (const each of lost.values()) this.noteLost(each);
    if (unlisted && !this.isReset) {
      const own = this.unlist();
      for (const repoId of unlisted.repoIds) own.repoIds.add(repoId);
      for (const orgId of unlisted.orgIds) own.orgIds.add(orgId);
      this.limit();
    }
    if (isReset) this.reset();
  }

  /** Returns the changes and forgets them; undefined if there are none. */
  take(): PartitionChanges | undefined {
    const { repositories, objects, lost, unlisted, isReset: reset } = this;
    if (!reset && !unlisted && repositories.size + objects.size + lost.size === 0) return undefined;
    const captured = [...repositories].map(toEvent);
    const changes = {
      reset,
      events: [...captured, ...objects.values()],
      ...(lost.size > 0 && { lost: [...lost.values()] }),
      ...(unlisted && { unlisted: { repoIds: [...unlisted.repoIds], orgIds: [...unlisted.orgIds] } }),
    };
    this.forget();
    this.isReset = false;
    return changes;
  }

  /** Notes that changes may be missing. */
  reset(): void {
    this.isReset = true;
    this.forget();
  }

  private limit(): void {
    const { unlisted } = this;
    if (unlisted) {
      if (unlisted.repoIds.size + unlisted.orgIds.size > maxChanges) this.reset();
    } else if (this.repositories.size + this.objects.size + this.lost.size > maxChanges) {
      this.unlist();
      this.limit();
    }
  }

  /** Remembers from now on only which repositories changed, and which organizations lost repositories. */
  private unlist(): { repoIds: Set<string>; orgIds: Set<string> } {
    if (this.unlisted) return this.unlisted;
    const changed = [...this.objects.values()].map(({ data }) => data.repoId);
    const unlisted = {
      repoIds: new Set([...this.repositories.keys(), ...changed]),
      orgIds: new Set([...this.lost.values()].map(({ orgId }) => orgId)),
    };
    this.forget();
    this.unlisted = unlisted;
    return unlisted;
  }

  private forget(): void {
    this.repositories.clear();
    this.objects.clear();
    this.lost.clear();
    this.unlisted = undefined;
  }
}

function toEvent([repoId, event]: [string, RepositoryChange | null]): FoldedEvent {
  return { event: 'repo.event', data: { repoId, ...(event !== null && { event }) } };
}
