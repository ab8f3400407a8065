/**
 * Adds a hidden comment beside words of a person about a change that the new draft no longer contains. A person can
 * name a change by its marker, by an entry whose marker was removed, or by the number of the change. The comments of an
 * earlier merge are removed before the merge, and added again after it if they still apply.
 */
import {
  commentsIn,
  conflictComment,
  hasWords,
  isConflictLine,
  mayHaveConflicts,
  numbersIn,
} from '../../foundation/conflicts.ts';
import { type DraftLine, firstLineBeside, lastLinesBeside, readDraftLines } from '../../foundation/draft-lines.ts';
import { hasMarker, markedIn, numberAndSha, withoutMarkers } from '../../foundation/markers.ts';
import type { AbsentChange } from '../../protocol/conflicts.ts';
import { codeSpansIn } from '../change/code-spans.ts';

/** A person's draft without the comments of an earlier merge. */
export interface ReadComments {
  text: string;
  /** For each change that had a comment, the line that the comment was about. */
  hosts: ReadonlyMap<string, LineName>;
}

/** Names a line by its text. `index` counts equal lines before it, because the text can occur several times. */
interface LineName {
  text: string;
  index: number;
}

/** The three drafts of a merge, and why the new draft does not contain some changes. */
export interface MergedFrom {
  base: string;
  next: string;
  hosts: ReadComments['hosts'];
  absent: readonly AbsentChange[];
  /** Returns the name of the section that had a change in the base. */
  sectionOf: (id: string) => string | undefined;
}

const inlineComment = / ?<!-- rn:gone [\w:.]{1,60}(?: (?:(?!-->).){1,300})? -->/g;

/** Removes the comments of an earlier merge. The text must have `\n` as line ends. */
export function readComments(text: string): ReadComments {
  if (!mayHaveConflicts(text)) return { text, hosts: new Map() };
  const lines = readDraftLines(text);
  const comments = commentsIn(lines);
  // A comment that a person has moved into code or into another comment is removed too.
  const removed = new Set(lines.flatMap(({ text }, at) => (isConflictLine(text) ? [at] : [])));
  const kept = lines.map((line, at) =>
    removed.has(at) || line.kind !== 'shown' ? line.text : withoutInline(line.text),
  );
  const names = lineNames(kept, removed);
  const hosts = new Map<string, LineName>();
  for (const { id, host } of comments) {
    const name = host === undefined ? undefined : names[host];
    if (name && !hosts.has(id)) hosts.set(id, name);
  }
  return { text: kept.filter((_line, at) => !removed.has(at)).join('\n'), hosts };
}

/** Removes comments that a person has moved to the end of a line. Comments inside code stay. */
function withoutInline(line: string): string {
  if (!mayHaveConflicts(line)) return line;
  const { spans } = codeSpansIn(line, true);
  let span = 0;
  return line.replace(inlineComment, (comment, at: number) => {
    while (at >= (spans[span]?.end ?? Number.POSITIVE_INFINITY)) span += 1;
    return at >= (spans[span]?.start ?? Number.POSITIVE_INFINITY) ? comment : '';
  });
}

function lineNames(lines: readonly string[], left: ReadonlySet<number> = new Set()): LineName[] {
  const seen = new Map<string, number>();
  return lines.map((text, at) => {
    const index = seen.get(text) ?? 0;
    if (!left.has(at)) seen.set(text, index + 1);
    return { text, index };
  });
}

/** Returns the ids of all changes that a person's draft names by a marker, or that had a comment. */
export function namedIn({ text, hosts }: ReadComments): Set<string> {
  return new Set([...markedIn(text), ...hosts.keys()]);
}

/** Adds the comments to a merged draft. Returns the draft unchanged if no comment applies. */
export function withComments(merged: string, from: MergedFrom): string {
  const inNext = new Set(markedIn(from.next));
  const inBase = new Set(markedIn(from.base));
  const marked = new Set(markedIn(merged));
  const reasons = new Map(from.absent.map((change) => [change.id, change]));
  // A person may take over an entry that the draft has never listed, for instance from the draft for other readers.
  const applies = (id: string): boolean =>
    !inNext.has(id) && (reasons.get(id)?.reason !== 'unlisted' || inBase.has(id) || from.hosts.has(id));
  const ids = new Set([...marked, ...from.hosts.keys(), ...inBase].filter(applies));
  if (ids.size === 0) return merged;
  const lines = readDraftLines(merged);
  const lastLines = lastLinesBeside(lines);
  const comments = new Map<number, AbsentChange[]>();
  for (const [id, host] of new Hosts(lines, lastLines, from, marked).find(ids)) {
    const at = lastLines[host] as number;
    const change = reasons.get(id) ?? { id, reason: 'range' as const };
    const others = comments.get(at);
    if (others) others.push(change);
    else comments.set(at, [change]);
  }
  if (comments.size === 0) return merged;
  const written: string[] = [];
  lines.forEach(({ text, lead }, at) => {
    written.push(text);
    for (const change of comments.get(at) ?? []) written.push(lead + conflictComment(change));
  });
  return written.join('\n');
}

/**
 * What a merge knows about a line. A line can name thousands of changes. So each property is found once per line, and
 * not once per change.
 */
interface LineFacts {
  ids: ReadonlySet<string>;
  numbers: ReadonlySet<number>;
  /** Whether readers see words in the line. */
  isWorded: boolean;
}

/** Finds the lines of a merged draft with the words of a person about changes that the new draft does not contain. */
class Hosts {
  private readonly lines: readonly DraftLine[];
  private readonly lastLines: readonly number[];
  private readonly from: MergedFrom;
  private readonly marked: ReadonlySet<string>;
  private readonly facts = new Map<number, LineFacts>();
  private besideMarkers: ReadonlySet<number> | undefined;

  constructor(
    lines: readonly DraftLine[],
    lastLines: readonly number[],
    from: MergedFrom,
    marked: ReadonlySet<string>,
  ) {
    this.lines = lines;
    this.lastLines = lastLines;
    this.from = from;
    this.marked = marked;
  }

  /** Returns for each change the index of one line. A change without words of a person is left out. */
  find(ids: ReadonlySet<string>): Map<string, number> {
    const found = this.hosted(ids);
    this.findMarked(ids, found);
    const unmarked = new Set([...ids].filter((id) => !found.has(id) && !this.marked.has(id)));
    if (unmarked.size > 0) this.findUnmarked(unmarked, found);
    // Comments follow the order of the text, so that the same comments are always in the same order.
    return new Map([...ids].flatMap((id) => (found.has(id) ? [[id, found.get(id) as number] as const] : [])));
  }

  /**
   * Finds the lines that had a comment before. If the change has markers, only a line with its marker is used. A line
   * without a marker is used only if the comment there is recognized again.
   */
  private hosted(ids: ReadonlySet<string>): Map<string, number> {
    const found = new Map<string, number>();
    if (this.from.hosts.size === 0) return found;
    const lineOf = this.linesByName();
    for (const [id, name] of this.from.hosts) {
      const line = ids.has(id) ? lineOf.get(name) : undefined;
      if (line === undefined || !this.factsOf(line).isWorded) continue;
      const { ids: inLine } = this.factsOf(line);
      if (this.marked.has(id) ? inLine.has(id) : inLine.size === 0 && this.isRecognized(id, line)) found.set(id, line);
    }
    return found;
  }

  /** Returns the lines that had comments, by their names. The comments of one line share one name. */
  private linesByName(): Map<LineName, number> {
    const names = lineNames(this.lines.map(({ text }) => text));
    const at = new Map(names.map(({ text, index }, line) => [`${index} ${text}`, line]));
    const found = new Map<LineName, number>();
    for (const name of new Set(this.from.hosts.values())) {
      const line = at.get(`${name.index} ${name.text}`);
      if (line !== undefined) found.set(name, line);
    }
    return found;
  }

  /** Finds the lines with the markers. The line in the section that had the change is preferred, then shown lines. */
  private findMarked(ids: ReadonlySet<string>, found: Map<string, number>): void {
    const ranks = new Map<string, number>();
    const hosted = new Set(found.keys());
    let section = '';
    let parent = '';
    this.lines.forEach(({ text, kind }, at) => {
      const depth = kind === 'shown' ? (/^(#{1,6}) \S/.exec(text)?.[1]?.length ?? 0) : 0;
      if (depth > 0) {
        section = depth < 3 ? text : `${parent}\n${text}`;
        if (depth < 3) parent = text;
      }
      if (kind !== 'shown' && kind !== 'code') return;
      for (const id of hasMarker(text) ? this.factsOf(at).ids : []) {
        if (!ids.has(id) || hosted.has(id)) continue;
        const rank = (this.from.sectionOf(id) === section ? 2 : 0) + (kind === 'shown' ? 1 : 0) + 1;
        if (rank <= (ranks.get(id) ?? 0) || !this.factsOf(at).isWorded) continue;
        ranks.set(id, rank);
        found.set(id, at);
      }
    });
  }

  /**
   * Finds lines without markers: first lines with the words of the entry in the base, then lines with the number of the
   * change. Lines that the new draft contains too are not the words of a person.
   */
  private findUnmarked(ids: ReadonlySet<string>, found: Map<string, number>): void {
    const byWords = new Map<string, string>();
    for (const line of this.from.base.split('\n')) {
      const [id, ...others] = hasMarker(line) ? markedIn(line) : [];
      if (id !== undefined && others.length === 0 && ids.has(id)) byWords.set(wordsOf(line), id);
    }
    const byNumber = new Map<number, string>();
    for (const id of [...byWords.values()].reverse()) {
      const { number } = numberAndSha(id);
      if (number !== null && !id.includes('.')) byNumber.set(number, id);
    }
    if (byWords.size === 0) return;
    const generated = new Set(this.from.next.split('\n'));
    const candidates = this.lines.flatMap(({ text, kind }, at) =>
      kind === 'shown' && text.trim() !== '' && !hasMarker(text) && !generated.has(text) ? [at] : [],
    );
    const take = (id: string | undefined, at: number): void => {
      if (id !== undefined && !found.has(id) && this.factsOf(at).isWorded) found.set(id, at);
    };
    for (const at of candidates) {
      const id = byWords.get(wordsOf(this.textAt(at)));
      if (id !== undefined && this.isRecognized(id, at)) take(id, at);
    }
    for (const at of candidates) for (const number of this.factsOf(at).numbers) take(byNumber.get(number), at);
  }

  /**
   * Whether the next merge will know what a comment beside a line without a marker is about. If the paragraph, item or
   * table around the line has markers, the line must name the number of the change.
   */
  private isRecognized(id: string, at: number): boolean {
    this.besideMarkers ??= this.linesBesideMarkers();
    return !this.besideMarkers.has(at) || this.factsOf(at).numbers.has(numberAndSha(id).number ?? -1);
  }

  private linesBesideMarkers(): Set<number> {
    const beside = new Set<number>();
    this.lines.forEach(({ text }, at) => {
      if (!hasMarker(text) || beside.has(at)) return;
      const last = this.lastLines[at] as number;
      for (let line = firstLineBeside(this.lines, at); line <= last; line += 1) beside.add(line);
    });
    return beside;
  }

  private textAt(at: number): string {
    return (this.lines[at] as DraftLine).text;
  }

  private factsOf(at: number): LineFacts {
    const known = this.facts.get(at);
    if (known) return known;
    const { kind, text } = this.lines[at] as DraftLine;
    const isWorded = (kind === 'shown' || kind === 'code') && hasWords(text);
    const facts = { ids: new Set(markedIn(text)), numbers: new Set(numbersIn(text)), isWorded };
    this.facts.set(at, facts);
    return facts;
  }
}

/** Returns the words of a line without markers and list mark. */
function wordsOf(line: string): string {
  return withoutMarkers(line)
    .replace(/^[\s>]*(?:[-*+]|\d{1,9}[.)])\s+/, '')
    .trim();
}
