/** Holds the repositories that the key may see, and the one that the person works on. */
import { computed, signal } from '@preact/signals';
import type { Repository } from '../../sdk/index.ts';
import { api, mayUse, noteRefusal } from './session.ts';

/** Maximum number of repositories that are loaded for the switcher and the jump box. */
const maxListed = 1000;

export const repositories = signal<readonly Repository[] | undefined>(undefined);
/** Number of the newest load. The reply of an older one is dropped. */
let loads = 0;

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
  loads += 1;
  const own = loads;
  try {
    const found: Repository[] = [];
    for await (const each of api().each('listRepositories', { sort: 'name', order: 'asc' })) {
      found.push(each);
      if (found.length >= maxListed) break;
    }
    if (own !== loads) return;
    const text = JSON.stringify(found);
    if (text !== JSON.stringify(repositories.peek())) repositories.value = found;
  } catch (error) {
    // The next change of a repository asks again.
    noteRefusal(error);
  }
}

/** Forgets the repositories, since the next session may see others. */
export function forgetRepositories(): void {
  loads += 1;
  repositories.value = undefined;
}
