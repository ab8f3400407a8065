/**
 * What a branch is called now: the default branch can be renamed, while pull requests, pushes and tags keep the name that they
 * were told with.
 */
import type { NotesSource } from './source.ts';

/**
 * The default branch for a name that it had at a time (milliseconds); any other branch as it is called.
 */
export function branchNow(source: NotesSource, branch: string | null, at: number): string | null {
  const { defaultBranch, formerBranches = [] } = source.repository;
  const wasDefault = formerBranches.some(([name, until]) => name === branch && at <= until);
  return wasDefault ? defaultBranch : branch;
}
