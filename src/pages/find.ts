/**
 * Which repository an address of pages means, and whether whoever asks may see it. Names change hands, so what is remembered of
 * them is compared with the directory each time.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Settings } from '../../config/schema.ts';
import { ServiceError } from '../foundation/errors.ts';
import { partitionOf, slotOfId } from '../foundation/ids.ts';
import { directoryName, partitionName } from '../journal/subjects.ts';
import type { RepositoryRecord } from '../protocol/stored.ts';
import type { Partition } from '../store/partition.ts';
import type { Readers } from '../store/readers.ts';
import {
  type DirectoryRepository,
  listDirectoryRepositories,
  readDirectoryRepository,
} from '../store/tables/directory.ts';
import { listHostedNotes } from '../store/tables/hosted-notes.ts';
import { hostedSettings, type PageSettings } from '../store/tables/hosted-settings.ts';
import { readRepository } from '../store/tables/repositories.ts';

/** Pages that may be shown. */
export interface Pages {
  repository: RepositoryRecord;
  settings: PageSettings;
  partition: Partition;
}

/** A repository with public notes, and the newest of them. */
export interface Published {
  fullName: string;
  version: string;
  /** In milliseconds. */
  date: number;
}

/** All repositories are read at most this often, and for a fiftieth of the time at most. */
const lookMs = 1000;
const restTimes = 50;

/** Carries out costly work that anybody can ask for. */
class Seldom {
  private nextAt = Number.NEGATIVE_INFINITY;

  /** Whether the work was done now. */
  run(work: () => void): boolean {
    const began = performance.now();
    if (began < this.nextAt) return false;
    work();
    const ended = performance.now();
    this.nextAt = ended + Math.max(lookMs, (ended - began) * restTimes);
    return true;
  }
}

export class PageFinder {
  private readonly readers: Readers;
  private readonly settings: Pick<Settings, 'partitions' | 'hostOrigin'>;
  /** Ids of repositories by the name they have, and by those that they had. */
  private byName = new Map<string, string[]>();
  private byFormerName = new Map<string, string[]>();
  private readonly looks = new Seldom();
  /** Names of the repositories that the list of published notes shows. */
  private listed: readonly string[] = [];
  private readonly lists = new Seldom();

  constructor(readers: Readers, settings: Pick<Settings, 'partitions' | 'hostOrigin'>) {
    this.readers = readers;
    this.settings = settings;
  }

  /**
   * The pages of a repository by its name; undefined when there is no such repository, or its pages are not for whoever asks.
   * Of two hosts' repositories of one name, that of the default host goes before.
   * @param key that was given for unlisted pages
   */
  find(fullName: string, key: string | null): Pages | undefined {
    const directory = this.directory();
    return this.shown(directory, this.named(directory, fullName.toLowerCase()), key);
  }

  /**
   * The name that a repository has now whose pages were at another one: what was linked stays to be found, until somebody else
   * has that name. Undefined when nobody had it, or the pages are not for whoever asks.
   */
  movedTo(fullName: string, key: string | null): string | undefined {
    const name = fullName.toLowerCase();
    const directory = this.directory();
    if (this.named(directory, name).length > 0) return undefined;
    const had = (this.byFormerName.get(name) ?? [])
      .flatMap((id) => readDirectoryRepository(directory, id) ?? [])
      .filter(({ id }) => this.formerNames(id).includes(name))
      .sort((a, b) => b.seenAt - a.seenAt);
    return this.shown(directory, had, key)?.repository.fullName;
  }

  /**
   * The repositories whose notes everybody may read, that with the newest note first. Private ones are left out, also where their
   * pages are public: whoever has such an address got it from somebody. A new note can be a moment late here; one that is not public
   * any more is gone at once.
   */
  published(most: number): Published[] {
    const directory = this.directory();
    this.lists.run(() => {
      this.look(directory);
      const all = [...this.byName.keys()].flatMap((name) => this.newest(directory, name) ?? []);
      this.listed = all
        .sort(byDate)
        .slice(0, most)
        .map(({ fullName }) => fullName.toLowerCase());
    });
    return this.listed.flatMap((name) => this.newest(directory, name) ?? []).sort(byDate);
  }

  private newest(directory: Partition, name: string): Published | undefined {
    const pages = this.shown(directory, this.remembered(directory, name), null);
    if (!pages || pages.repository.private) return undefined;
    const { id, fullName } = pages.repository;
    const [note] = listHostedNotes(pages.partition, id, 0, 1);
    return note && { fullName, version: note.version, date: note.date };
  }

  private directory(): Partition {
    const directory = this.readers.fresh(directoryName);
    if (!directory) throw new ServiceError('unavailable', 'The service is starting.', { retryAfter: 1 });
    return directory;
  }

  private shown(directory: Partition, named: readonly DirectoryRepository[], key: string | null): Pages | undefined {
    const found = named
      .flatMap((repository) => this.toPages(directory, repository) ?? [])
      .filter(({ settings }) => isShown(settings, key));
    return found.find(({ repository }) => repository.origin === this.settings.hostOrigin) ?? found[0];
  }

  private named(directory: Partition, name: string): DirectoryRepository[] {
    const known = this.remembered(directory, name);
    const hasLooked = known.length === 0 && this.looks.run(() => this.look(directory));
    return hasLooked ? this.remembered(directory, name) : known;
  }

  private look(directory: Partition): void {
    this.byName = new Map();
    this.byFormerName = new Map();
    for (const { id, fullName } of listDirectoryRepositories(directory, null)) {
      note(this.byName, fullName.toLowerCase(), id);
      for (const former of this.formerNames(id)) note(this.byFormerName, former, id);
    }
  }

  /** In lower case. */
  private formerNames(id: string): string[] {
    return (this.stored(id)?.repository.formerNames ?? []).map((name) => name.toLowerCase());
  }

  private remembered(directory: Partition, name: string): DirectoryRepository[] {
    return (this.byName.get(name) ?? [])
      .flatMap((id) => readDirectoryRepository(directory, id) ?? [])
      .filter(({ fullName }) => fullName.toLowerCase() === name)
      .sort((a, b) => b.seenAt - a.seenAt);
  }

  private toPages(directory: Partition, { id, orgId }: DirectoryRepository): Pages | undefined {
    const found = this.stored(id);
    return found && { ...found, settings: hostedSettings(directory, orgId, id, found.repository.private) };
  }

  private stored(id: string): Pick<Pages, 'repository' | 'partition'> | undefined {
    const slot = slotOfId(id) ?? 0;
    const partition = this.readers.fresh(partitionName(partitionOf(slot, this.settings.partitions)));
    const repository = partition && readRepository(partition, id);
    return repository && { repository, partition };
  }
}

function byDate(a: Published, b: Published): number {
  return b.date - a.date || (a.fullName < b.fullName ? -1 : 1);
}

function note(names: Map<string, string[]>, name: string, id: string): void {
  names.set(name, [...(names.get(name) ?? []), id]);
}

function isShown({ visibility, key }: PageSettings, given: string | null): boolean {
  if (visibility !== 'unlisted') return visibility === 'public';
  return key !== undefined && given !== null && timingSafeEqual(digest(key), digest(given));
}

/** Of one length, whatever was given. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
