/**
 * Finds the current name of a branch. The default branch can be renamed, but pull requests, pushes and tags keep the
 * name that the branch had when they were captured.
 */
import type { NotesSource } from './source.ts';

/**
 * Returns the current name of the default branch if `branch` was its name at the time `at` (milliseconds). Any other
 * name is returned unchanged.
 */
export function branchNow(source: NotesSource, branch: string | null, at: number): string | null {
  const { defaultBranch, formerBranches = [] } = source.repository;
  const wasDefault = formerBranches.some(([name, until]) => name === branch && at <= until);
  return wasDefault ? defaultBranch : branch;
}
