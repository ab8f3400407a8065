/**
 * The draft for customers: what they must do, what is new, what got better, what no longer fails. No numbers, handles or
 * hashes; of what matters to nobody outside the project not a word.
 */

import { parseTitle } from '../../change/title.ts';
import type { Entry } from '../entries.ts';
import { escapeText, plainText } from '../escape.ts';
import type { Notes } from '../gather.ts';
import { toldToCustomers } from '../issues.ts';
import { document, marker, section } from '../markdown.ts';
import { actionText, customerSteps, customerTexts, reportOf, withoutInside } from '../plain.ts';

/** In which order groups stand and take their share of the lines: half are new things, a third mended ones. */
const groupNames = ['new', 'fixed', 'improved'] as const;
type Group = (typeof groupNames)[number];
/** How what is not shown is summed up, for one and for several. */
const rests: Record<Group, readonly [string, string]> = {
  new: ['more new feature', 'more new features'],
  improved: ['more improvement', 'more improvements'],
  fixed: ['smaller fix', 'smaller fixes'],
};

/** A line beside what customers must act on. */
interface Item {
  weight: number;
  marker: string;
  text: string;
  /** The change it tells of, and its words, not yet escaped; an issue has none. */
  entry?: Entry;
  phrase?: string;
}

/** The customer's draft. */
export function customer(notes: Notes): string {
  const { titles, bullets } = notes.source.settings.customer;
  const groups = groupsOf(notes);
  const slots = shareOut(groups, bullets);
  const lines = (name: Group): string[] => groupLines(groups[name], slots[name], rests[name]);
  const breaking = notes.entries.filter((entry) => entry.breaking);
  const body = [
    section(
      escapeText(titles.breaking),
      breaking.flatMap((entry) => actionLines(entry, notes.source.repository.origin)),
    ),
    section(escapeText(titles.new), lines('new')),
    section(escapeText(titles.improved), lines('improved')),
    section(escapeText(titles.fixed), lines('fixed')),
  ];
  const hasChanges = notes.selection.pulls.length > notes.dropped.length || notes.directCommits.length > 0;
  if (body.every((text) => text === '') && hasChanges) return 'No changes for customers in this range.\n';
  return document(body);
}

/** What the customer's own lines say of changes, without Markdown, each text once; of a change that has no line, nothing. */
export function customerPhrases(notes: Notes, entries: readonly Entry[]): string[] {
  if (entries.length === 0) return [];
  const groups = groupsOf(notes);
  const slots = shareOut(groups, notes.source.settings.customer.bullets);
  const shown = groupNames.flatMap((name) => shownItems(groups[name], slots[name]));
  const phrases = new Map(shown.flatMap(({ entry, phrase = '' }) => (entry ? [[entry, phrase] as const] : [])));
  const told = entries.map((entry) => plainText(entry.breaking ? actionText(entry) : (phrases.get(entry) ?? '')));
  return [...new Set(told.filter((text) => text !== ''))];
}

/** Text and highlights are made from the same lines, which are made once. */
const grouped = new WeakMap<Notes, Record<Group, Item[]>>();

function groupsOf(notes: Notes): Record<Group, Item[]> {
  const groups = grouped.get(notes) ?? makeGroups(notes);
  grouped.set(notes, groups);
  return groups;
}

/** What somebody wrote a note for or asked for comes first. */
function makeGroups(notes: Notes): Record<Group, Item[]> {
  const groups: Record<Group, Item[]> = { new: [], fixed: [], improved: [] };
  const told = notes.entries.flatMap((entry) => {
    const group = groupOf(entry);
    return group ? [{ entry, group }] : [];
  });
  const texts = customerTexts(told.map(({ entry }) => entry));
  told.forEach(({ entry, group }, index) => {
    const phrase = phraseOf(entry, texts[index] ?? '');
    groups[group].push({
      weight: weight(entry),
      marker: marker('pr', entry.id),
      text: escapeText(phrase, 'joiner'),
      entry,
      phrase,
    });
  });
  if (notes.source.settings.customer.closedIssues) addIssues(notes, groups);
  for (const name of groupNames) groups[name].sort((a, b) => b.weight - a.weight);
  return groups;
}

/** A change of no kind of its own counts as an improvement only where somebody wrote a note for it or asked for it. */
function groupOf(entry: Entry): Group | undefined {
  if (entry.breaking || entry.note?.kind === 'none') return undefined;
  const isTold = entry.note !== undefined;
  switch (entry.section) {
    case 'feature':
      return 'new';
    case 'fix':
    case 'security':
      return 'fixed';
    case 'performance':
      return 'improved';
    case 'documentation':
      return isTold ? 'improved' : undefined;
    default:
      return isTold || (!entry.housekeeping && (entry.priority || entry.issues.length > 0)) ? 'improved' : undefined;
  }
}

/** Issues that were solved without a pull request of the range, where labels say so (spec part 1). */
function addIssues({ closedIssues, vocabulary }: Notes, groups: Record<Group, Item[]>): void {
  for (const issue of closedIssues) {
    const group = toldToCustomers(issue, vocabulary);
    const text = escapeText(withoutInside(parseTitle(issue.title).text), 'joiner');
    if (group && text !== '') groups[group].push({ weight: 1, marker: marker('issue', issue.number), text });
  }
}

function weight(entry: Entry): number {
  return (entry.priority ? 4 : 0) + (entry.note ? 2 : 0) + (reportOf(entry) ? 1 : 0);
}

/** Each group gets its share; what one leaves over goes to the next. */
function shareOut(groups: Record<Group, Item[]>, most: number): Record<Group, number> {
  const half = Math.ceil(most / 2);
  const third = Math.floor(most / 3);
  const shares: Record<Group, number> = { new: half, fixed: third, improved: most - half - third };
  const slots: Record<Group, number> = { new: 0, fixed: 0, improved: 0 };
  for (const name of groupNames) slots[name] = Math.min(shares[name], groups[name].length);
  for (const name of groupNames) {
    const left = most - slots.new - slots.fixed - slots.improved;
    slots[name] = Math.min(groups[name].length, slots[name] + left);
  }
  return slots;
}

/** The items of a group that have a line. */
function shownItems(items: readonly Item[], most: number): Item[] {
  return items.filter(({ text }) => text !== '').slice(0, most);
}

function groupLines(items: readonly Item[], most: number, [one, many]: readonly [string, string]): string[] {
  const lines = shownItems(items, most).map((item) => `- ${item.text} ${item.marker}`);
  const hidden = items.length - lines.length;
  if (hidden === 0) return lines;
  return [...lines, `- ${lines.length === 0 ? '' : '… and '}${hidden} ${hidden === 1 ? one : many}`];
}

/** What was unsafe is not spelled out, unless somebody wrote what customers may read. */
function phraseOf(entry: Entry, text: string): string {
  if (entry.section !== 'security' || entry.note?.kind === 'text') return text;
  return entry.areas.length === 0 ? 'Security update' : `Security update: ${entry.areas.join(', ')}`;
}

function actionLines(entry: Entry, origin: string): string[] {
  const steps = customerSteps(entry, origin).map((text) => `  ${text}`.trimEnd());
  const first = `- ${escapeText(actionText(entry), 'joiner')} ${marker('pr', entry.id)}`;
  return steps.length === 0 ? [first] : [first, '', ...steps, ''];
}
