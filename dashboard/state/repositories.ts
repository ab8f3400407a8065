/** Holds the repositories that the key may see, and the one that the person works on. */
import { computed, signal } from '@preact/signals';
import type { Repository } from '../../sdk/index.ts';
import { api, mayUse, noteRefusal } from './session.ts';

/** Maximum number of repositories that are loaded for the switcher and the jump box. */
const maxListed = 1000;

export const repositories = signal<readonly Repository[] | undefined>(undefined);
export const repositoriesError = signal<Error | undefined>(undefined);

/** Repositories by id. */
export const repositoryById = computed(() => new Map((repositories.value ?? []).map((each) => [each.id, each])));

const currentName = 'tidings-repository';

/** Id of the repository that was opened last in this browser; an empty text if there is none. */
export const currentRepositoryId = signal(localStorage.getItem(currentName) ?? '');

/** Remembers the repository that the person works on. */
export function openRepository(repoId: string): void {
  if (currentRepositoryId.peek() === repoId) return;
  currentRepositoryId.value = repoId;
  localStorage.setItem(currentName, repoId);
}

/**
 * Loads the repositories, sorted by name. Rows that have not changed keep their object. For a key that may not read
 * repositories, they stay unknown.
 */
export async function loadRepositories(): Promise<void> {
  if (!mayUse('repos:read')) return;
  try {
    const found: Repository[] = [];
    for await (const each of api().each('listRepositories', { sort: 'name', order: 'asc' })) {
      found.push(each);
      if (found.length >= maxListed) break;
    }
    const text = JSON.stringify(found);
    if (text !== JSON.stringify(repositories.peek())) repositories.value = found;
    repositoriesError.value = undefined;
  } catch (error) {
    noteRefusal(error);
    repositoriesError.value = error as Error;
  }
}
