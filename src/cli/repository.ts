/** Finds the repository that a command line names. */
import { directoryName } from '../foundation/partition-names.ts';
import type { RequestReaders } from '../store/readers.ts';
import { type DirectoryRepository, listDirectoryRepositories } from '../store/tables/directory.ts';
import { NotFoundError } from './usage.ts';

/**
 * Finds a repository by its id or by its current full name, ignoring case.
 * @throws NotFoundError when no repository has that id or name, or Error when more than one has it
 */
export function findRepository(readers: RequestReaders, wanted: string): DirectoryRepository {
  const directory = readers.fresh(directoryName);
  const all = directory ? listDirectoryRepositories(directory, null) : [];
  const found = all.filter(({ id, fullName }) => id === wanted || fullName.toLowerCase() === wanted.toLowerCase());
  if (found.length > 1) {
    throw new Error(
      `Several hosts have ${wanted}. Use one of these ids instead: ${found.map(({ id }) => id).join(', ')}`,
    );
  }
  const [repository] = found;
  if (!repository)
    throw new NotFoundError(
      `Repository ${JSON.stringify(wanted)} is not known here. No delivery from it has been processed yet.`,
    );
  return repository;
}
