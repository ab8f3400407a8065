/**
 * Reads the entries of a draft's text as data. The words are those of the text, also where a person has edited them.
 * Kinds and reasons come from the facts of the range.
 */
import { inlineTokens } from '../../foundation/markdown.ts';
import { markedIn, withoutMarkers } from '../../foundation/markers.ts';
import type { DraftEntry, EntrySource } from '../../protocol/draft-entries.ts';
import type { DraftRecord, Persona, RangeBounds } from '../../protocol/stored.ts';
import { parseTitle } from '../change/title.ts';
import { type Block, blockText, parseDraft } from '../merge/blocks.ts';
import type { NotesSource } from '../range/source.ts';
import { type Entry, shipped, withJoined } from './entries.ts';
import { wordsOf } from './escape.ts';
import { explainFacts, type Verdict } from './explain.ts';
import { gather, type Notes } from './gather.ts';
import { customerLines } from './personas/customer.ts';
import { noteText } from './plain.ts';
import { inlineText } from './quote.ts';

/** The sections that list people, addresses or other entries again. */
export const repeats: ReadonlySet<string> = new Set([
  'highlights',
  'contributors',
  'new contributors',
  'already released',
]);
const item = /^[-*+] +(?=\S)/;
/** Matches the references and people at the end of an entry: ` ([#12](…), …) — [@ada](…)`. */
const tail = / \((?:\[(?:#|`)|#\d).*$/;
const area = /^\*\*([^*]{1,200}):\*\* */;

/** Maximum lengths in characters. Each entry repeats its heading, so a long heading would multiply the size of a page. */
const maxHeadingLength = 300;
const maxTextLength = 5_000;

/** What is known about the changes of an entry. */
interface Fact {
  entry: Entry | undefined;
  verdict: Verdict | undefined;
  numbers: number[];
  shas: string[];
}

/** Returns the entries of a draft in the order of its text. */
export function entriesOfDraft(
  source: NotesSource,
  bounds: RangeBounds,
  { persona, bodyMd, generatedMd }: Pick<DraftRecord, 'persona' | 'bodyMd' | 'generatedMd'>,
): DraftEntry[] {
  const notes = gather(source, bounds);
  const facts = factsOf(notes);
  const words = wordSources(notes, persona);
  const generated = new Map<string, string>();
  for (const { blocks } of parseDraft(generatedMd))
    for (const block of blocks) for (const id of idsOf(block)) generated.set(id, blockText(block));
  const entries: DraftEntry[] = [];
  for (const { heading, blocks } of parseDraft(bodyMd)) {
    const title = plainOf(heading.replace(/^#{1,6} +/, ''));
    if (repeats.has(title.toLowerCase())) continue;
    for (const block of blocks.flatMap(itemsOf)) {
      const ids = idsOf(block);
      const [id = null] = ids;
      const fact = factOf(ids, facts);
      const isOwn = id === null || generated.get(id) !== blockText(block);
      const from: EntrySource = isOwn ? 'person' : ((fact?.entry && words(fact.entry)) ?? 'title');
      entries.push(toEntry(block, id, title, from, fact));
    }
  }
  return entries;
}

/** Splits a block of prose into its list items. An entry is one item. */
function itemsOf(block: Block): Block[] {
  if (block.id !== null) return [block];
  const starts = block.lines.flatMap((line, index) => (item.test(line) ? [index] : []));
  return starts.map((start, index) => ({ ...block, lines: block.lines.slice(start, starts[index + 1]) }));
}

/**
 * Returns what is known about the changes that the markers of a line name. Kind and reason are those of the first
 * change that is known. Numbers and hashes are those of all changes, each once.
 */
function factOf(ids: readonly string[], facts: ReadonlyMap<string, Fact>): Fact | undefined {
  const [id] = ids;
  if (ids.length < 2) return id === undefined ? undefined : facts.get(id);
  const known = ids.flatMap((each) => facts.get(each) ?? []);
  const [first] = known;
  if (!first || known.length === 1) return first;
  const numbers = new Set(known.flatMap((fact) => fact.numbers));
  const shas = new Set(known.flatMap((fact) => fact.shas));
  return { ...first, numbers: [...numbers], shas: [...shas] };
}

function idsOf({ lines }: Block): string[] {
  return markedIn(lines.join('\n'));
}

function toEntry(
  block: Block,
  id: string | null,
  title: string,
  source: EntrySource,
  fact: Fact | undefined,
): DraftEntry {
  const line = withoutMarkers((block.lines[0] ?? '').replace(item, '')).trim();
  const named = area.exec(line)?.[1];
  const { entry, verdict, numbers = [], shas = [] } = fact ?? {};
  // A change can have several entries, and its reason names the kind of only one of them.
  const { section = null, kindBy = null } = entry ?? verdict ?? {};
  const areas = entry && entry.areas.length > 0 ? entry.areas.join(', ') : null;
  return {
    marker: id,
    heading: cutText(title, maxHeadingLength),
    area: named === undefined ? areas : plainOf(named),
    text: cutText(plainOf(line.replace(area, '').replace(tail, '')), maxTextLength),
    source,
    numbers,
    shas,
    kind: section === 'dependency' ? 'dependencies' : section,
    kindBy,
    reason: verdict?.reason ?? null,
  };
}

function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

/** Returns the text of a line without Markdown. */
export function plainOf(line: string): string {
  return inlineTokens(line)
    .map(({ type, content }) => (type === 'html_inline' ? '' : type === 'softbreak' ? ' ' : content))
    .join('')
    .trim();
}

/** Returns what is known about each change of the range, by marker. */
function factsOf(notes: Notes): Map<string, Fact> {
  const { pulls, commits, issues } = explainFacts(notes);
  const facts = new Map<string, Fact>();
  for (const entry of notes.entries) {
    const joined = withJoined(entry);
    const numbers = joined.flatMap((each) => [...(each.pull ? [each.pull] : []), ...shipped(each)]);
    const shas = joined.flatMap(({ commit }) => commit?.sha ?? []);
    const [first] = shipped(entry);
    const verdict = (first && pulls.get(first.number)) ?? (entry.commit ? commits.get(entry.commit.sha) : undefined);
    facts.set(entry.marker, {
      entry,
      verdict,
      numbers: [...new Set(numbers.map(({ number }) => number))],
      shas,
    });
  }
  for (const { pulls: updated } of notes.updates) {
    const numbers = updated.map(({ number }) => number);
    facts.set(`pr:${numbers[0]}`, { entry: undefined, verdict: pulls.get(numbers[0] ?? 0), numbers, shas: [] });
  }
  for (const { pull } of notes.reverted)
    facts.set(`pr:${pull.number}`, {
      entry: undefined,
      verdict: pulls.get(pull.number),
      numbers: [pull.number],
      shas: [],
    });
  for (const { number } of notes.closedIssues)
    facts.set(`issue:${number}`, { entry: undefined, verdict: issues.get(number), numbers: [number], shas: [] });
  return facts;
}

/** Returns a function that reports where the generated words of an entry come from. */
function wordSources(notes: Notes, persona: Persona): (entry: Entry) => EntrySource {
  if (persona === 'customer') {
    const lines = customerLines(notes);
    return (entry) => lines.get(entry)?.source ?? 'title';
  }
  if (persona === 'engineer') return (entry) => (isStatement(entry) ? 'note' : 'title');
  return (entry) => (wordsOf(noteText(entry)) === '' ? 'title' : 'note');
}

/** Whether the text of an entry is a statement of a release note, and not the title. */
function isStatement({ note, text, record }: Entry): boolean {
  if (!note || text === '') return false;
  const [said = ''] = note.markdown.split('\n');
  // The start of a statement can have become an area.
  return inlineText(said).endsWith(text) && !parseTitle(record.title).text.endsWith(text);
}
