/**
 * Finds the repository of a page address, and checks that the reader may see the pages of this repository. After a
 * rename, another repository can get the old name. Therefore, a cached name is compared with the directory partition on
 * each request.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Settings } from '../../config/schema.ts';
import { ServiceError } from '../foundation/errors.ts';
import { partitionOf, slotOfId } from '../foundation/ids.ts';
import { directoryName, partitionName } from '../foundation/partition-names.ts';
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
import { WorkLimiter } from './work-limiter.ts';

/** A repository whose pages the reader may see, and the settings of these pages. */
export interface Pages {
  repository: RepositoryRecord;
  settings: PageSettings;
  partition: Partition;
}

/** A repository with public notes, and its newest version. */
export interface Published {
  fullName: string;
  version: string;
  /** Date of the newest version's note, in milliseconds since 1970. */
  date: number;
}

/**
 * Minimum pause between two reads of all repositories. The pause is also at least 50 times as long as the read.
 * Example: after a read of 100 ms, the pause is 5 seconds.
 */
const pollMs = 1000;
const restTimes = 50;

export class PageFinder {
  private readonly readers: Readers;
  private readonly settings: Pick<Settings, 'partitions' | 'hostOrigin'>;
  /** Ids of repositories by their current name. `byFormerName` contains the ids by former name. */
  private byName = new Map<string, string[]>();
  private byFormerName = new Map<string, string[]>();
  private readonly nameRefreshes = new WorkLimiter(pollMs, restTimes);
  /** Names of the repositories in the last list of published notes. */
  private listed: readonly string[] = [];
  private readonly lists = new WorkLimiter(pollMs, restTimes);

  constructor(readers: Readers, settings: Pick<Settings, 'partitions' | 'hostOrigin'>) {
    this.readers = readers;
    this.settings = settings;
  }

  /**
   * Finds the pages of a repository by its name. Returns undefined if the repository is unknown or the reader may not
   * see its pages. If repositories on two hosts have this name, returns the repository on the default host.
   * @param key the key in the request, for unlisted pages
   */
  find(fullName: string, key: string | null): Pages | undefined {
    const directory = this.directory();
    return this.shown(directory, this.named(directory, fullName.toLowerCase()), key);
  }

  /**
   * Returns the current name of a repository that formerly had the given name, so that old links still work. Returns
   * undefined if another repository has the name now, if no repository had the name, or if the reader may not see the
   * pages.
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
   * Lists the repositories with public notes, sorted by their newest note. Private repositories are omitted even when
   * their pages are public, so that their names are known only to readers who received the address. A new note can be
   * missing from the list for a moment. A note that is no longer public disappears immediately.
   * @param max maximum number of repositories
   */
  published(max: number): Published[] {
    const directory = this.directory();
    this.lists.run(() => {
      this.refreshNames(directory);
      const all = [...this.byName.keys()].flatMap((name) => this.newest(directory, name) ?? []);
      this.listed = all
        .sort(byDate)
        .slice(0, max)
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
    const isRefreshed = known.length === 0 && this.nameRefreshes.run(() => this.refreshNames(directory));
    return isRefreshed ? this.remembered(directory, name) : known;
  }

  private refreshNames(directory: Partition): void {
    this.byName = new Map();
    this.byFormerName = new Map();
    for (const { id, fullName } of listDirectoryRepositories(directory, null)) {
      note(this.byName, fullName.toLowerCase(), id);
      for (const former of this.formerNames(id)) note(this.byFormerName, former, id);
    }
  }

  /** Returns the former names of a repository, in lower case. */
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

/** Returns a digest of a text. Texts can have any length, but `timingSafeEqual` requires values of the same length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
