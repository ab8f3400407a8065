/**
 * Finds the issues that a pull request closes by keyword (spec part 2, rule 1), with all nine keywords that the hosts
 * support. This file does not check whether a number belongs to a closed issue, because the issue may not be captured
 * yet. That check is made when notes are selected.
 */
import { visibleProse } from './scan.ts';

/** The pull request whose body is read, and its repository. Links to other repositories are ignored. */
export interface LinkContext {
  fullName: string;
  formerNames: readonly string[];
  /** Web address of the host, e.g. `https://github.com`. */
  origin: string;
  /** Number of the pull request itself. A pull request cannot close itself. */
  ownNumber: number;
}

/**
 * Matches a keyword with the one issue that it links. All repetitions in the expression are bounded, so that no body
 * causes long backtracking.
 */
const keyword =
  /(?<![\w/#@.-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?::[ \t]{0,8}|[ \t]{1,8})(?:([a-z0-9][\w-]{0,38}\/[\w.-]{1,100})?#(\d{1,10})(?!\w)|(https?:\/\/[^\s<>()[\]"']{1,400}))/gi;

/**
 * Matches a body that may link an issue. Most bodies link nothing. For these bodies, this quick check replaces the much
 * slower removal of code, comments and quotations.
 */
const mayLink = /(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[: \t]/i;

/** Returns the issue numbers that the body links by keyword, in the order of their first mention. */
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
