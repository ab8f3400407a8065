/** Reads repositories with what happened in them since their newest release. */
import type { Operations, Repository } from '../../sdk/index.ts';
import { api, mayUse } from './session.ts';

export type Active = Repository;

/**
 * The newest known counts, by repository. They are shown while the service counts for the first time after its start.
 */
const counts = new Map<string, Pick<Active, 'lastTag' | 'unreleased'>>();

/** Forgets all counts, since the next session may see other repositories. */
export function forgetCounts(): void {
  counts.clear();
}

/** Reads one page of repositories. The counts of a repository are null while the service counts for the first time. */
export async function readActivity(
  { offset, limit = 50, q }: { offset: number; limit?: number; q?: string },
  signal: AbortSignal,
): Promise<Operations['listRepositories']['reply']> {
  const input = { ...withCounts(), sort: 'name', order: 'asc', offset, limit, ...(q && { q }) } as const;
  const found = await api().listRepositories(input, { signal });
  return { ...found, repos: found.repos.map(withKnown) };
}

/** Reads one repository. Its counts are null while the service counts for the first time. */
export async function readRepository(repoId: string, signal: AbortSignal): Promise<Active> {
  return withKnown(await api().getRepository({ repoId, ...withCounts() }, { signal }));
}

/** Whether the service still counts what is unreleased in a repository. No event reports the end of it. */
export function isCounting({ unreleased }: Active): boolean {
  return unreleased === null || unreleased?.outdated === true;
}

/** Returns the parts of a repository to ask for beside the usual ones. The counts need a scope of their own. */
function withCounts(): { include?: 'unreleased' } {
  return mayUse('ranges:read') ? { include: 'unreleased' } : {};
}

function withKnown(repository: Active): Active {
  const { id, lastTag, unreleased } = repository;
  if (unreleased) counts.set(id, { lastTag: lastTag ?? null, unreleased: { ...unreleased, outdated: true } });
  return unreleased === null ? { ...repository, ...counts.get(id) } : repository;
}
