/**
 * Measures the drafts of all ranges of a history: which ranges tell customers that nothing changed, how many headings
 * have a single entry, which names are altered, and which lines customers get about work on the project itself.
 */
import { markdownTokens } from '../../src/foundation/markdown.ts';
import { markedIn } from '../../src/foundation/markers.ts';
import { isToolingText } from '../../src/notes/change/leading-words.ts';
import { sharedMeaning } from '../../src/notes/change/scopes.ts';
import { composeAll } from '../../src/notes/draft/compose.ts';
import { isUndecided } from '../../src/notes/draft/diagnose.ts';
import type { Entry } from '../../src/notes/draft/entries.ts';
import { gather } from '../../src/notes/draft/gather.ts';
import type { NotesSource } from '../../src/notes/range/source.ts';
import type { Persona, RangeBounds } from '../../src/protocol/stored.ts';

/** The figures of all drafts of a history. */
export interface DraftResult {
  ranges: number;
  entries: number;
  undecided: number;
  /** Ranges whose draft says that nothing changed for customers. */
  noChanges: number;
  /**
   * Those of `noChanges` that have a breaking change, a feature, a fix, a security update, a performance improvement or
   * a change without a kind.
   */
  falseNoChanges: string[];
  areaHeadings: number;
  singleAreaHeadings: number;
  sectionHeadings: number;
  singleSectionHeadings: number;
  names: number;
  /** Names of titles that the draft for engineers does not show as they were written. */
  alteredNames: string[];
  customerLines: number;
  /** Lines for customers about tests, CI or lint, and lines with an area of the documentation. */
  insideLines: string[];
}

/** The changes of a range and its drafts. */
export interface Written {
  entries: readonly Entry[];
  drafts: Record<Persona, { bodyMd: string }>;
}

/** Words that are surely names: code, paths, calls, versions, and words with a capital or an underscore inside. */
const name = /`[^`]+`|[\w@./-]*(?:\w\(\)|\w_\w|\p{Ll}\p{Lu}|\d\.\d|\w\/\w)[\w./()-]*/gu;

/** Gathers the changes of a range and writes its drafts. */
export function writeDrafts(source: NotesSource, bounds: RangeBounds): Written {
  return { entries: gather(source, bounds).entries, drafts: composeAll(source, bounds).drafts };
}

/**
 * Measures the drafts of some ranges.
 * @param write writes the drafts of a range. Tests pass a function that makes errors, which the result must report
 */
export function measureDrafts(
  source: NotesSource,
  ranges: readonly RangeBounds[],
  write: typeof writeDrafts = writeDrafts,
): DraftResult {
  const result: DraftResult = {
    ...{ ranges: ranges.length, entries: 0, undecided: 0, noChanges: 0, falseNoChanges: [] },
    ...{ areaHeadings: 0, singleAreaHeadings: 0, sectionHeadings: 0, singleSectionHeadings: 0 },
    ...{ names: 0, alteredNames: [], customerLines: 0, insideLines: [] },
  };
  for (const bounds of ranges) {
    const { entries, drafts } = write(source, bounds);
    result.entries += entries.length;
    result.undecided += entries.filter(isUndecided).length;
    for (const { bodyMd } of Object.values(drafts)) countHeadings(bodyMd, result);
    checkNames(drafts.engineer.bodyMd, entries, result);
    checkCustomer(drafts.customer.bodyMd, entries, result, `${bounds.fromTag}..${bounds.toTag}`);
  }
  return result;
}

function countHeadings(bodyMd: string, result: DraftResult): void {
  for (const section of bodyMd.split(/^(?=## )/m)) {
    if (!section.startsWith('## ') || /^## (?:Highlights|Contributors|New Contributors)\n/.test(section)) continue;
    const [, ...areas] = section.split(/^(?=### )/m);
    for (const part of [section, ...areas]) {
      const lines = part.match(/^- /gm)?.length ?? 0;
      const isArea = part !== section;
      if (lines === 0) continue;
      result[isArea ? 'areaHeadings' : 'sectionHeadings'] += 1;
      if (lines === 1) result[isArea ? 'singleAreaHeadings' : 'singleSectionHeadings'] += 1;
    }
  }
}

function checkNames(bodyMd: string, entries: readonly Entry[], result: DraftResult): void {
  const lines = linesOf(bodyMd);
  for (const entry of entries) {
    const text = spelled(entry);
    const shown = textOf(lines.get(entry.marker) ?? '');
    for (const [found] of text.matchAll(name)) {
      const bare = found.replaceAll('`', '').replace(/[.]+$/, '').trim();
      result.names += 1;
      if (!shown.includes(bare)) result.alteredNames.push(`${bare} in: ${text}`);
    }
  }
}

/** Returns the text of an entry with upper and lower case as in the title. */
function spelled({ text, record }: Entry): string {
  const start = record.title.toLowerCase().lastIndexOf(text.toLowerCase());
  return start === -1 ? text : record.title.slice(start, start + text.length);
}

/** Returns the text that readers see. */
function textOf(bodyMd: string): string {
  return markdownTokens(bodyMd)
    .flatMap(({ children }) => children ?? [])
    .map(({ type, content }) => (type === 'text' || type === 'text_special' || type === 'code_inline' ? content : ''))
    .join('');
}

function checkCustomer(bodyMd: string, entries: readonly Entry[], result: DraftResult, range: string): void {
  const listed = ['feature', 'fix', 'security', 'performance', 'breaking'];
  if (bodyMd.startsWith('No changes')) {
    result.noChanges += 1;
    const unsaid = entries.filter((entry) => listed.includes(entry.section) || isUndecided(entry));
    const told = unsaid.filter((entry) => !entry.declined);
    if (told.length > 0) result.falseNoChanges.push(`${range}: ${told[0]?.text}`);
  }
  const lines = linesOf(bodyMd);
  result.customerLines += lines.size;
  for (const { marker, areas, text, note, breaking, section } of entries) {
    const line = lines.get(marker);
    const isInside = sharedMeaning(areas) !== undefined || isToolingText(text);
    if (line !== undefined && !note && !breaking && section !== 'security' && isInside) result.insideLines.push(line);
  }
}

/** Returns the lines of a draft by the markers that they contain. */
function linesOf(bodyMd: string): Map<string, string> {
  return new Map(bodyMd.split('\n').flatMap((line) => markedIn(line).map((marker) => [marker, line] as const)));
}
