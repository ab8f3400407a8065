/**
 * Writes the draft for customers: actions they must take, security updates, and new features, improvements and fixes.
 * The draft contains no numbers, handles or hashes, and no changes that only matter inside the project.
 */

import { markerOf } from '../../../foundation/markers.ts';
import { advisoryIds, advisoryLines, referenceLines, securityHeadings } from '../../change/advisories.ts';
import { ownWords, updatedPackages } from '../../change/dependencies.ts';
import { changesExisting, correctsText } from '../../change/leading-words.ts';
import { parseTitle } from '../../change/title.ts';
import { isForDevelopers } from '../audience.ts';
import { isUndecided } from '../diagnose.ts';
import type { Entry } from '../entries.ts';
import { escapeText, plainText, wordsOf } from '../escape.ts';
import type { Notes } from '../gather.ts';
import { customerGroup } from '../issues.ts';
import { areaPrefix, byArea, document, followUpCount, section } from '../markdown.ts';
import { actionText, customerSteps, customerTexts, type TextSource, withoutInside } from '../plain.ts';
import { severityOf, talkAbout } from '../severity.ts';

/**
 * The groups in the order in which they get their share of the lines, if the settings limit the lines. New features get
 * half of the lines, fixes a third.
 */
const groupNames = ['new', 'fixed', 'improved'] as const;
type LimitedGroup = (typeof groupNames)[number];
type Group = LimitedGroup | 'security';
/**
 * The words that summarize the hidden items of a group. The first text is for one item, the second for several items.
 */
const rests: Record<LimitedGroup, readonly [string, string]> = {
  new: ['new feature', 'new features'],
  improved: ['improvement', 'improvements'],
  fixed: ['fix', 'fixes'],
};
/** A group with more lines than this has collapsible areas. */
const maxUnfolded = 40;

/** A line of the draft, for an issue or for a change that is not breaking. */
interface Item {
  /** Lower values come first. The lists are compared number by number. */
  order: readonly number[];
  marker: string;
  /** The text, not yet escaped. Empty if the same text is listed already. */
  phrase: string;
  areas: string[];
  source: TextSource;
  /** The change. The field is missing for an issue. */
  entry?: Entry;
}

/** A line for customers without Markdown, with the source of its text. */
export interface CustomerLine {
  phrase: string;
  source: TextSource;
  group: Group | 'breaking';
}

/** Writes the customer's draft. */
export function customer(notes: Notes): string {
  const { titles, bullets } = notes.source.settings.customer;
  const groups = groupsOf(notes);
  const slots = shareOut(groups, bullets);
  const lines = (name: LimitedGroup): string[] => groupLines(groups[name], slots[name], rests[name]);
  const breaking = notes.entries.filter((entry) => entry.breaking);
  const shownAreas = areasFor(notes);
  const body = [
    section(
      escapeText(titles.breaking),
      breaking.flatMap((entry) => actionLines(entry, notes.source.repository.origin, shownAreas(entry))),
    ),
    section(escapeText(titles.security), securityLines(groups.security)),
    section(escapeText(titles.new), lines('new')),
    section(escapeText(titles.improved), lines('improved')),
    section(escapeText(titles.fixed), lines('fixed')),
  ];
  return body.every((text) => text === '') ? emptyDraft(notes) : document(body);
}

/**
 * Returns the draft of a range without a line for customers. The draft says that nothing changed for customers only if
 * that is known. A change without a kind may concern customers, and so may a change whose prefix names a kind for
 * customers although its words are about the project itself. The draft then contains only a hidden comment.
 */
function emptyDraft({ entries, reverted, selection, dropped, insideCommits }: Notes): string {
  const own = entries.filter(({ declined }) => !declined);
  const undecided = own.filter((entry) => isUndecided(entry) || isGuessed(entry)).length;
  if (undecided > 0) return `<!-- ${undecided} ${undecided === 1 ? 'change has' : 'changes have'} no kind yet -->\n`;
  const unlisted = own.filter((entry) => groupOfKind(entry) !== undefined).length;
  if (unlisted > 0)
    return `<!-- ${unlisted} ${unlisted === 1 ? 'change has' : 'changes have'} no line for customers -->\n`;
  if (reverted.length > 0) return `<!-- only reverts: ${reverted.length} -->\n`;
  const hasChanges = entries.length + insideCommits.length > 0 || selection.pulls.length > dropped.length;
  return hasChanges ? 'No changes for customers in this range.\n' : document([]);
}

/**
 * Whether only a word that can also name a part of a product shows that a change is about documentation. `Fix the links`
 * may be about links in the product.
 */
function isGuessed({ section: name, kindBy, text }: Entry): boolean {
  return name === 'documentation' && kindBy === 'verb' && !correctsText(text);
}

/**
 * Returns the lines of the customer draft for some changes, without Markdown. Each text occurs once. Changes without a
 * line are left out.
 */
export function customerPhrases(notes: Notes, entries: readonly Entry[]): string[] {
  if (entries.length === 0) return [];
  const lines = customerLines(notes);
  const texts = entries.map((entry) => lines.get(entry)?.phrase ?? '');
  return [...new Set(texts.filter((text) => text !== ''))];
}

/** Returns the line that the draft for customers has for each change. Changes without a line are left out. */
export function customerLines(notes: Notes): Map<Entry, CustomerLine> {
  const groups = groupsOf(notes);
  const slots = shareOut(groups, notes.source.settings.customer.bullets);
  const lines = new Map<Entry, CustomerLine>();
  for (const entry of notes.entries) {
    if (entry.breaking)
      lines.set(entry, {
        phrase: plainText(actionText(entry)),
        source: entry.note ? 'note' : 'title',
        group: 'breaking',
      });
  }
  for (const name of ['security', ...groupNames] as const) {
    const shown = name === 'security' ? groups.security : shownItems(groups[name], slots[name]);
    for (const { entry, phrase, source, areas } of shown)
      if (entry && phrase !== '') lines.set(entry, { phrase: plainText(inPlace(phrase, areas)), source, group: name });
  }
  return lines;
}

/** Caches the groups of lines, because the draft's text and the highlights use the same groups. */
const grouped = new WeakMap<Notes, Record<Group, Item[]>>();

function groupsOf(notes: Notes): Record<Group, Item[]> {
  const groups = grouped.get(notes) ?? makeGroups(notes);
  grouped.set(notes, groups);
  return groups;
}

/**
 * Groups the changes. Within a group, changes with a priority come first, then the worst problems, then changes with a
 * release note, then those that people talked about most.
 */
function makeGroups(notes: Notes): Record<Group, Item[]> {
  const { source } = notes;
  const groups: Record<Group, Item[]> = { security: [], new: [], fixed: [], improved: [] };
  const shownAreas = areasFor(notes);
  const shown = notes.entries.flatMap((entry) => {
    const group = groupOf(entry);
    return group ? [{ entry, group }] : [];
  });
  const texts = customerTexts(shown.map(({ entry }) => entry));
  shown.forEach(({ entry, group }, index) => {
    const { text, source: from } = texts[index] as (typeof texts)[number];
    const isNamed = entry.section === 'security' && entry.note === null;
    groups[group].push({
      order: [entry.priority ? 0 : 1, severityOf(entry), entry.note ? 0 : 1, -talkAbout(source, entry)],
      marker: markerOf(entry.marker),
      phrase: isNamed ? securityText(entry, shownAreas(entry)) : text,
      areas: isNamed ? [] : shownAreas(entry),
      source: from,
      entry,
    });
  });
  if (source.settings.customer.closedIssues) addIssues(notes, groups);
  for (const items of Object.values(groups)) items.sort(byOrder);
  return groups;
}

/**
 * Returns a function that lists the areas of a change which customers see: without those that the settings hide, and
 * without handles and the like.
 */
function areasFor({ source }: Notes): (entry: Entry) => string[] {
  const hidden = new Set(source.settings.hiddenAreas.map((area) => area.toLowerCase()));
  return ({ areas }) =>
    areas.flatMap((area) => {
      const isHandle = /^@[^/]*$/.test(area);
      const name = isHandle || hidden.has(area.toLowerCase()) ? '' : withoutInside(area);
      return name === '' ? [] : [name];
    });
}

function byOrder(a: Item, b: Item): number {
  for (const [index, value] of a.order.entries()) {
    const difference = value - (b.order[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Returns the group of a change; undefined if the draft does not show the change. A change without a kind is shown as
 * an improvement if it has a release note, a priority or an issue. Work on tests, CI and documentation is not shown.
 */
function groupOf(entry: Entry): Group | undefined {
  if (entry.breaking || entry.declined) return undefined;
  if (entry.section === 'security') return 'security';
  return isForDevelopers(entry) ? undefined : groupOfKind(entry);
}

/** Returns the group that the kind of a change belongs to. */
function groupOfKind(entry: Entry): Group | undefined {
  const hasNote = entry.note !== null;
  switch (entry.section) {
    case 'feature':
      return isNew(entry) ? 'new' : 'improved';
    case 'fix':
      return 'fixed';
    case 'performance':
      return 'improved';
    case 'documentation':
      return hasNote ? 'improved' : undefined;
    default:
      return hasNote || (!entry.housekeeping && (entry.priority || entry.issues.length > 0)) ? 'improved' : undefined;
  }
}

/** Whether a feature is new. A prefix such as `feat:` also stands before improvements, so the first word decides then. */
function isNew({ kindBy, text, note }: Entry): boolean {
  return kindBy === 'command' || kindBy === 'label' || kindBy === 'note' || !changesExisting(note?.markdown ?? text);
}

/**
 * Adds the issues that were closed without a pull request of the range. An issue is added only if its labels mark it as
 * solved (spec part 1).
 */
function addIssues({ closedIssues, vocabulary }: Notes, groups: Record<Group, Item[]>): void {
  for (const issue of closedIssues) {
    const group = customerGroup(issue, vocabulary);
    const phrase = withoutInside(parseTitle(issue.title).text);
    const order = [1, 9, 1, 0];
    if (group && phrase !== '')
      groups[group].push({ order, marker: markerOf(`issue:${issue.number}`), phrase, areas: [], source: 'issue' });
  }
}

/** Gives each group its share of the lines. Lines that one group does not need go to the next group. */
function shareOut(groups: Record<Group, Item[]>, max: number): Record<LimitedGroup, number> {
  if (max === 0) return { new: groups.new.length, fixed: groups.fixed.length, improved: groups.improved.length };
  const half = Math.ceil(max / 2);
  const third = Math.floor(max / 3);
  const shares: Record<LimitedGroup, number> = { new: half, fixed: third, improved: max - half - third };
  const slots: Record<LimitedGroup, number> = { new: 0, fixed: 0, improved: 0 };
  for (const name of groupNames) slots[name] = Math.min(shares[name], groups[name].length);
  for (const name of groupNames) {
    const left = max - slots.new - slots.fixed - slots.improved;
    slots[name] = Math.min(groups[name].length, slots[name] + left);
  }
  return slots;
}

/** Returns the items of a group that get a line: the first `max` items whose text is not empty. */
function shownItems(items: readonly Item[], max: number): Item[] {
  return items.filter(({ phrase }) => phrase !== '').slice(0, max);
}

function groupLines(items: readonly Item[], max: number, [one, many]: readonly [string, string]): string[] {
  const shown = shownItems(items, max);
  const lines = byArea(shown, itemLine, shown.length > maxUnfolded);
  const hidden = items.length - shown.length;
  if (hidden === 0) return lines;
  const count = lines.length === 0 ? `${hidden}` : `… and ${hidden} more`;
  const more = `- ${count} ${hidden === 1 ? one : many}`;
  return lines.some((line) => line === '') ? [...lines, '', more] : [...lines, more];
}

function itemLine(
  { phrase, areas, marker, entry }: Pick<Item, 'phrase' | 'areas' | 'marker' | 'entry'>,
  prefix: string,
): string {
  const later = entry ? followUpCount(entry) : '';
  const more = later === '' ? '' : `, and ${later}`;
  return `- ${namesArea(phrase, areas) ? '' : prefix}${escapeText(phrase, 'joiner')}${more} ${marker}`;
}

/** Returns a text with its places before it, unless the text names them. */
function inPlace(phrase: string, areas: readonly string[]): string {
  return areas.length === 0 || namesArea(phrase, areas) ? phrase : `${areas.join(', ')}: ${phrase}`;
}

/** Whether a text already contains the words of each of its places. */
function namesArea(phrase: string, areas: readonly string[]): boolean {
  const words = ` ${wordsOf(phrase)} `;
  return areas.every((area) => words.includes(` ${wordsOf(area)} `));
}

/** Lists security updates. Updates with equal texts are one line with a count. */
function securityLines(items: readonly Item[]): string[] {
  const equal = new Map<string, Item[]>();
  for (const item of items) {
    const text = inPlace(item.phrase, item.areas);
    if (item.phrase !== '') equal.set(text, [...(equal.get(text) ?? []), item]);
  }
  return [...equal.values()].map((group) => {
    const [first] = group as [Item, ...Item[]];
    const line = itemLine({ ...first, marker: '' }, areaPrefix(first)).trimEnd();
    return `${line}${group.length === 1 ? '' : ` (${group.length} changes)`} ${group.map((item) => item.marker).join(' ')}`;
  });
}

/**
 * Returns the words for a security problem without a release note: the updated package or the areas, and the public
 * ids. Other details stay out, because they could help an attacker before users have updated.
 */
function securityText({ record, pull }: Entry, areas: readonly string[]): string {
  const name = updatedPackages(record.title) ?? areas.join(', ');
  const body = ownWords(record);
  const said = [record.title, pull ? securityHeadings(body) : body, advisoryLines(body), referenceLines(body)].join(
    '\n',
  );
  const ids = advisoryIds(said).join(', ');
  if (name === '') return ids === '' ? 'Security update' : `Security update: ${ids}`;
  return ids === '' ? `Security update: ${name}` : `Security update: ${name} (${ids})`;
}

function actionLines(entry: Entry, origin: string, areas: string[]): string[] {
  const steps = customerSteps(entry, origin).map((text) => `  ${text}`.trimEnd());
  const first = itemLine({ phrase: actionText(entry), areas, marker: markerOf(entry.marker) }, areaPrefix({ areas }));
  return steps.length === 0 ? [first] : [first, '', ...steps, ''];
}
