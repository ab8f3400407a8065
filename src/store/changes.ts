/**
 * Collects what the fold of a partition changes, for the live events of clients (`src/protocol/live-events.ts`). The
 * changes are kept in memory only. Of each object, only the newest state is kept.
 */
import type { FoldedEvent, LostRepository, PartitionChanges, RepositoryChange } from '../protocol/live-events.ts';

/**
 * Maximum number of changed objects. Beyond it, the objects are forgotten, and clients have to read everything again.
 */
const maxChanges = 500;

export class Changes {
  /** What changed in each repository; null if several things changed. */
  private readonly repositories = new Map<string, RepositoryChange | null>();
  /** The newest event of each other object, by the id of the object. */
  private readonly objects = new Map<string, FoldedEvent>();
  /** Repositories that organizations do not have any more, by both ids. */
  private readonly lost = new Map<string, LostRepository>();
  private isReset: boolean;

  /** @param isReset whether changes may have been missed before the collection began */
  constructor(isReset = false) {
    this.isReset = isReset;
  }

  /** Notes that something of a repository changed. This function is called for every event. */
  noteRepository(repoId: string, change: RepositoryChange | null): void {
    const known = this.repositories.get(repoId);
    if (known === change || known === null || this.isReset) return;
    this.repositories.set(repoId, known === undefined ? change : null);
    this.limit();
  }

  /** Notes that an organization does not have a repository any more. */
  noteLost(lost: LostRepository): void {
    if (this.isReset) return;
    this.lost.set(`${lost.repoId} ${lost.orgId}`, lost);
    this.limit();
  }

  /** Notes the new state of an object. */
  note(id: string, event: FoldedEvent): void {
    if (this.isReset) return;
    this.objects.set(id, event);
    this.limit();
  }

  /** Adds later changes. */
  add({ repositories, objects, lost, isReset }: Changes): void {
    for (const [repoId, change] of repositories) this.noteRepository(repoId, change);
    for (const [id, event] of objects) this.note(id, event);
    for (const each of lost.values()) this.noteLost(each);
    if (isReset) this.reset();
  }

  /** Returns the changes and forgets them; undefined if there are none. */
  take(): PartitionChanges | undefined {
    const { repositories, objects, lost, isReset: reset } = this;
    if (!reset && repositories.size + objects.size + lost.size === 0) return undefined;
    const captured = [...repositories].map(toEvent);
    const changes = {
      reset,
      events: [...captured, ...objects.values()],
      ...(lost.size > 0 && { lost: [...lost.values()] }),
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
    if (this.repositories.size + this.objects.size + this.lost.size > maxChanges) this.reset();
  }

  private forget(): void {
    this.repositories.clear();
    this.objects.clear();
    this.lost.clear();
  }
}

function toEvent([repoId, event]: [string, RepositoryChange | null]): FoldedEvent {
  return { event: 'repo.event', data: { repoId, ...(event !== null && { event }) } };
}
