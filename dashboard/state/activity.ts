/** Reads repositories with what happened in them since their newest release. */
import type { Operations, Repository } from '../../sdk/index.ts';
import { api } from './session.ts';

/** Reads one page of repositories. The counts of a repository are null while the service still counts. */
export function readActivity(
  { offset, limit = 50, q }: { offset: number; limit?: number; q?: string },
  signal: AbortSignal,
): Promise<Operations['listRepositories']['reply']> {
  const input = { include: 'unreleased', sort: 'name', order: 'asc', offset, limit, ...(q && { q }) } as const;
  return api().listRepositories(input, { signal });
}

export type Active = Repository;
