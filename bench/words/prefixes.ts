/**
 * Measures the rules that decide the kind of a change. The prefixes of each title (`fix: …`, `[BUGFIX] …`, `✨ …`) are
 * taken off, the rules decide from the rest of the title, the body and the squashed commits, and the result is compared
 * with the prefixes. If the first squashed commit repeats the title, no squashed commit is read, because its prefix is
 * the one that was taken off.
 */
import { classify } from '../../src/notes/change/classify.ts';
import { parseTitle } from '../../src/notes/change/title.ts';
import { meaningOf, signOf } from '../../src/notes/change/title-words.ts';
import { squashedSubjects } from '../../src/notes/draft/entries.ts';
import { wordsOf } from '../../src/notes/draft/escape.ts';
import type { NotesSource } from '../../src/notes/range/source.ts';
import type { PullRecord } from '../../src/protocol/stored.ts';

/**
 * The result for the changes whose prefix names a section, such as `fix` or `docs`. Prefixes for work on the project
 * itself name no section, and neither does a decision for such work. A change does not count if its title still names a
 * kind without its prefixes, because that kind would decide.
 */
export interface PrefixResult {
  prefixed: number;
  decided: number;
  right: number;
  /** The number of changes whose prefix is for inside work and that got a section all the same. */
  insideListed: number;
  /** The number of changes whose prefix is for inside work. */
  inside: number;
  /** One line for each wrong decision: the decided kind, the kind of the prefix, and the rest of the title. */
  wrong: string[];
}

const target = /^\[[^\]]{1,40}\]\s*/;
const word = /^([A-Za-z][A-Za-z ]{1,20})(?:\([^()]{1,60}\))?!?:\s*/;
const bracket = /^\[([A-Za-z][A-Za-z ]{1,20})\]\s*:?\s*/;

/** Compares the decided kinds with the prefixes of all merged pull requests of people. */
export function measurePrefixes(source: NotesSource): PrefixResult {
  const result: PrefixResult = { prefixed: 0, decided: 0, right: 0, insideListed: 0, inside: 0, wrong: [] };
  for (const pull of source.pullsNumbered(1, Number.MAX_SAFE_INTEGER)) {
    const known = pull.state === 'merged' && !pull.author.bot ? prefixKind(pull) : undefined;
    const title = withoutPrefixes(pull.title);
    if (known === undefined || title === undefined) continue;
    const decided = sectionOf({ ...pull, title }, otherSubjects(source, pull, title));
    if (known === 'inside') {
      result.inside += 1;
      if (decided !== undefined) result.insideListed += 1;
      continue;
    }
    result.prefixed += 1;
    if (decided === undefined) continue;
    result.decided += 1;
    if (decided === known) result.right += 1;
    else result.wrong.push(`${decided}, not ${known}: ${title}`);
  }
  return result;
}

/** Returns the kind that the prefix of a title names. Titles of releases, reverts and updates have none. */
function prefixKind(pull: PullRecord): string | undefined {
  const { kind } = classify({ ...pull, labels: [] }, []);
  const { type, housekeeping } = parseTitle(pull.title);
  if (kind !== 'change') return undefined;
  return type ?? (housekeeping ? 'inside' : undefined);
}

function sectionOf(pull: PullRecord, subjects: string[]): string | undefined {
  const { section, besides } = classify(pull, [], { subjects: () => subjects });
  if (section === 'breaking') return besides ?? undefined;
  return section === 'dependency' || section === 'other' ? undefined : section;
}

/** Returns the subjects of the squashed commits; none if the first of them repeats the title. */
function otherSubjects(source: NotesSource, pull: PullRecord, title: string): string[] {
  const subjects = squashedSubjects(source, pull);
  const [first] = subjects;
  const isRepeated = first !== undefined && wordsOf(parseTitle(first).text) === wordsOf(parseTitle(title).text);
  return isRepeated ? [] : subjects;
}

/**
 * Removes all prefixes of a title that name a kind, as in `✨ feat: Add x`. Returns undefined if the rest still names a
 * kind, as in `parser: fix: …` or `Refuse x (security)`.
 */
function withoutPrefixes(title: string): string | undefined {
  let rest = title;
  while (namesKind(rest)) {
    const shorter = withoutPrefix(rest);
    if (shorter === rest) return undefined;
    rest = shorter;
  }
  return rest;
}

function namesKind(title: string): boolean {
  const { type, housekeeping } = parseTitle(title);
  return type !== null || housekeeping;
}

/** Removes the first part of a title that names a kind. The name of a branch before it stays. */
function withoutPrefix(title: string): string {
  const before = target.exec(title)?.[0] ?? '';
  const isKind = meaningOf(before.trim().slice(1, -1)) !== undefined;
  const lead = isKind ? '' : before;
  const rest = title.slice(lead.length);
  const sign = signOf(rest);
  if (sign && sign.meaning !== 'plain') return lead + rest.slice(sign.length).replace(/^[\s:]+/, '');
  const match = word.exec(rest) ?? bracket.exec(rest);
  return match && meaningOf(match[1] as string) !== undefined ? lead + rest.slice(match[0].length) : title;
}
