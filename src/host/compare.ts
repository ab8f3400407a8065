/**
 * What lies between two commits, page by page: GitHub tells how many they are and lists a hundred at a time, Gitea lists all
 * of them at once. What the host says of changed files is passed over.
 */

import { linksOf } from './link.ts';
import type { Answer } from './retries.ts';

type Item = Record<string, unknown>;

/**
 * The commits of a comparison in the host's order; undefined where they are more than `most`, or not all are told.
 * @param get reads an address that must hold a comparison
 */
export async function comparedCommits(
  get: (url: string) => Promise<Answer>,
  first: string,
  most: number,
): Promise<Item[] | undefined> {
  const found: Item[] = [];
  for (let url: string | null = first; url !== null; ) {
    const answer = await get(url);
    const { total_commits: total, commits } = answer.data as { total_commits: number; commits: Item[] | null };
    found.push(...(commits ?? []));
    if (total > most || found.length > total) return undefined;
    if (found.length === total) return found;
    // A page without commits would lead on for ever.
    if (!commits?.length) return undefined;
    url = linksOf(answer.headers.get('link'), answer.url).next;
  }
  return undefined;
}

/** Gitea writes an empty list as null. */
export function isComparison(data: unknown): boolean {
  const { total_commits: total, commits } = (data ?? {}) as Item;
  return Number.isInteger(total) && (commits === null || (Array.isArray(commits) && commits.every(isItem)));
}

function isItem(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
