/** Reads repositories with what happened in them since their newest release. */
import type { Operations, Repository } from '../../sdk/index.ts';
import { api, mayUse } from './session.ts';

/** Returns the parts of a repository to ask for beside the usual ones. The counts need a scope of their own. */
export function withCounts(): { include?: 'unreleased' } {
  return mayUse('ranges:read') ? { include: 'unreleased' } : {};
}

/** Reads one page of repositories. The counts of a repository are null while the service still counts. */
export function readActivity(
  { offset, limit = 50, q }: { offset: number; limit?: number; q?: string },
  signal: AbortSignal,
): Promise<Operations['listRepositories']['reply']> {
  const input = { ...withCounts(), sort: 'name', order: 'asc', offset, limit, ...(q && { q }) } as const;
  return api().listRepositories(input, { signal });
}

export type Active = Repository;
