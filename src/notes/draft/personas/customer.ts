/**
 * Writes the draft for customers: actions they must take, and new features, improvements and fixes. The draft contains
 * no numbers, handles or hashes, and no changes that only matter inside the project.
 */

import { parseTitle } from '../../change/title.ts';
import type { Entry } from '../entries.ts';
import { escapeText, plainText } from '../escape.ts';
import type { Notes } from '../gather.ts';
import { customerGroup } from '../issues.ts';
import { document, marker, section } from '../markdown.ts';
import { actionText, customerSteps, customerTexts, reportOf, withoutInside } from '../plain.ts';

/** The order in which groups get their share of the lines. New features get half of the lines, fixes a third. */
const groupNames = ['new', 'fixed', 'improved'] as const;
type Group = (typeof groupNames)[number];
/**
 * The words that summarize the hidden items of a group. The first text is for one item, the second for several items.
 */
const rests: Record<Group, readonly [string, string]> = {
  new: ['more new feature', 'more new features'],
  improved: ['more improvement', 'more improvements'],
  fixed: ['smaller fix', 'smaller fixes'],
};

/** A line of the draft, for an issue or for a change that is not breaking. */
interface Item {
  weight: number;
  marker: string;
  text: string;
  /** The change. The field is missing for an issue. `phrase` is the text of the change, not yet escaped. */
  entry?: Entry;
  phrase?: string;
}

/** Writes the customer's draft. */
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

/**
 * Returns the lines of the customer draft for some changes, without Markdown. Each text occurs once. Changes without a
 * line are left out.
 */
export function customerPhrases(notes: Notes, entries: readonly Entry[]): string[] {
  if (entries.length === 0) return [];
  const groups = groupsOf(notes);
  const slots = shareOut(groups, notes.source.settings.customer.bullets);
  const shown = groupNames.flatMap((name) => shownItems(groups[name], slots[name]));
  const phrases = new Map(shown.flatMap(({ entry, phrase = '' }) => (entry ? [[entry, phrase] as const] : [])));
  const texts = entries.map((entry) => plainText(entry.breaking ? actionText(entry) : (phrases.get(entry) ?? '')));
  return [...new Set(texts.filter((text) => text !== ''))];
}

/** Caches the groups of lines, because the draft's text and the highlights use the same groups. */
const grouped = new WeakMap<Notes, Record<Group, Item[]>>();

function groupsOf(notes: Notes): Record<Group, Item[]> {
  const groups = grouped.get(notes) ?? makeGroups(notes);
  grouped.set(notes, groups);
  return groups;
}

/** Groups the changes. Within a group, changes with a priority, a release note or a reported issue come first. */
function makeGroups(notes: Notes): Record<Group, Item[]> {
  const groups: Record<Group, Item[]> = { new: [], fixed: [], improved: [] };
  const shown = notes.entries.flatMap((entry) => {
    const group = groupOf(entry);
    return group ? [{ entry, group }] : [];
  });
  const texts = customerTexts(shown.map(({ entry }) => entry));
  shown.forEach(({ entry, group }, index) => {
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

/**
 * Returns the group of a change; undefined if the draft does not show the change. A change without a kind is shown as
 * an improvement if it has a release note, a priority or an issue.
 */
function groupOf(entry: Entry): Group | undefined {
  if (entry.breaking || entry.note?.kind === 'none') return undefined;
  const hasNote = entry.note !== undefined;
  switch (entry.section) {
    case 'feature':
      return 'new';
    case 'fix':
    case 'security':
      return 'fixed';
    case 'performance':
      return 'improved';
    case 'documentation':
      return hasNote ? 'improved' : undefined;
    default:
      return hasNote || (!entry.housekeeping && (entry.priority || entry.issues.length > 0)) ? 'improved' : undefined;
  }
}

/**
 * Adds the issues that were closed without a pull request of the range. An issue is added only if its labels mark it as
 * solved (spec part 1).
 */
function addIssues({ closedIssues, vocabulary }: Notes, groups: Record<Group, Item[]>): void {
  for (const issue of closedIssues) {
    const group = customerGroup(issue, vocabulary);
    const text = escapeText(withoutInside(parseTitle(issue.title).text), 'joiner');
    if (group && text !== '') groups[group].push({ weight: 1, marker: marker('issue', issue.number), text });
  }
}

function weight(entry: Entry): number {
  return (entry.priority ? 4 : 0) + (entry.note ? 2 : 0) + (reportOf(entry) ? 1 : 0);
}

/** Gives each group its share of the lines. Lines that one group does not need go to the next group. */
function shareOut(groups: Record<Group, Item[]>, max: number): Record<Group, number> {
  const half = Math.ceil(max / 2);
  const third = Math.floor(max / 3);
  const shares: Record<Group, number> = { new: half, fixed: third, improved: max - half - third };
  const slots: Record<Group, number> = { new: 0, fixed: 0, improved: 0 };
  for (const name of groupNames) slots[name] = Math.min(shares[name], groups[name].length);
  for (const name of groupNames) {
    const left = max - slots.new - slots.fixed - slots.improved;
    slots[name] = Math.min(groups[name].length, slots[name] + left);
  }
  return slots;
}

/** Returns the items of a group that get a line: the first `max` items whose text is not empty. */
function shownItems(items: readonly Item[], max: number): Item[] {
  return items.filter(({ text }) => text !== '').slice(0, max);
}

function groupLines(items: readonly Item[], max: number, [one, many]: readonly [string, string]): string[] {
  const lines = shownItems(items, max).map((item) => `- ${item.text} ${item.marker}`);
  const hidden = items.length - lines.length;
  if (hidden === 0) return lines;
  return [...lines, `- ${lines.length === 0 ? '' : '… and '}${hidden} ${hidden === 1 ? one : many}`];
}

/** Returns the words of a change. A security problem is described only if the change has a release note. */
function phraseOf(entry: Entry, text: string): string {
  if (entry.section !== 'security' || entry.note?.kind === 'text') return text;
  return entry.areas.length === 0 ? 'Security update' : `Security update: ${entry.areas.join(', ')}`;
}

function actionLines(entry: Entry, origin: string): string[] {
  const steps = customerSteps(entry, origin).map((text) => `  ${text}`.trimEnd());
  const first = `- ${escapeText(actionText(entry), 'joiner')} ${marker('pr', entry.id)}`;
  return steps.length === 0 ? [first] : [first, '', ...steps, ''];
}
