/**
 * Reads the commits between two commits, page by page. GitHub reports the number of commits and lists a hundred per
 * page; Gitea lists all commits on one page. The host also lists changed files, which are ignored.
 */

import { linksOf } from './link.ts';
import type { Answer } from './retries.ts';

type Item = Record<string, unknown>;

/**
 * Returns the commits of a comparison in the host's order. Returns undefined when there are more than `max` commits, or
 * when the host does not list all of them.
 * @param get reads an address that must return a comparison
 */
export async function comparedCommits(
  get: (url: string) => Promise<Answer>,
  first: string,
  max: number,
): Promise<Item[] | undefined> {
  const found: Item[] = [];
  for (let url: string | null = first; url !== null; ) {
    const answer = await get(url);
    const { total_commits: total, commits } = answer.data as { total_commits: number; commits: Item[] | null };
    found.push(...(commits ?? []));
    if (total > max || found.length > total) return undefined;
    if (found.length === total) return found;
    // Stops at a page without commits, because the links from such a page to further pages might never end.
    if (!commits?.length) return undefined;
    url = linksOf(answer.headers.get('link'), answer.url).next;
  }
  return undefined;
}

/** Whether a body is a comparison. Gitea sends an empty list of commits as null. */
export function isComparison(data: unknown): boolean {
  const { total_commits: total, commits } = (data ?? {}) as Item;
  return Number.isInteger(total) && (commits === null || (Array.isArray(commits) && commits.every(isItem)));
}

function isItem(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
