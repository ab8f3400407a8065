/**
 * Finds the issues that a pull request closes by keyword (spec part 2, rule 1), in all nine words the hosts honour. Whether
 * a number is an issue, and closed, is decided where notes are selected: here it may not be captured yet.
 */
import { visibleProse } from './scan.ts';

/** Which repository the body belongs to; links to others are not followed. */
export interface LinkContext {
  fullName: string;
  formerNames: readonly string[];
  /** Web address of the host, e.g. `https://github.com`. */
  origin: string;
  /** Number of the pull request itself, which cannot close itself. */
  ownNumber: number;
}

/** Bounded everywhere, so that no body makes it backtrack; one keyword links one issue. */
const keyword =
  /(?<![\w/#@.-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?::[ \t]{0,8}|[ \t]{1,8})(?:([a-z0-9][\w-]{0,38}\/[\w.-]{1,100})?#(\d{1,10})(?!\w)|(https?:\/\/[^\s<>()[\]"']{1,400}))/gi;

/** Most bodies link nothing: this is a fraction of the cost of stripping what does not count. */
const mayLink = /(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[: \t]/i;

/** Numbers that the body links by keyword, in the order of their first mention. */
export function linkedIssues(body: string, context: LinkContext): number[] {
  if (body.search(mayLink) === -1) return [];
  const names = new Set([context.fullName, ...context.formerNames].map((name) => name.toLowerCase()));
  const found = new Set<number>();
  for (const [, repository, digits, url] of visibleProse(body).matchAll(keyword)) {
    const number = url === undefined ? Number(digits) : issueOfUrl(url, names, context.origin);
    if (repository !== undefined && !names.has(repository.toLowerCase())) continue;
    if (number && number !== context.ownNumber) found.add(number);
  }
  return [...found];
}

function issueOfUrl(url: string, names: ReadonlySet<string>, origin: string): number | undefined {
  const base = `${origin.replace(/\/$/, '')}/`.toLowerCase();
  if (!url.toLowerCase().startsWith(base)) return undefined;
  const [owner, name, kind, last] = url.slice(base.length).split('/');
  if (kind !== 'issues' || !names.has(`${owner}/${name}`.toLowerCase())) return undefined;
  const digits = /^\d{1,10}(?!\w)/.exec(last ?? '');
  return digits ? Number(digits[0]) : undefined;
}
