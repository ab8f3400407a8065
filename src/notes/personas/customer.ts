/**
 * The draft for customers: what they must do, what is new, what got better, what no longer fails. No numbers, handles or
 * hashes; of what matters to nobody outside the project not a word.
 */
import type { Entry, Notes } from '../entries.ts';
import { escapeText } from '../escape.ts';
import { document, marker, section } from '../markdown.ts';
import { customerLines, customerText, customerTexts, reportOf } from '../plain.ts';

/** Most lines beside what customers must act on, and how they are shared out. */
const shares = { new: 6, fixed: 4, improved: 2 };
const mostLines = shares.new + shares.fixed + shares.improved;

type Group = keyof typeof shares;

/** The customer's draft. */
export function customer(notes: Notes): string {
  const { entries } = notes;
  const action = entries.filter((entry) => entry.breaking);
  const groups = groupsOf(entries);
  const slots = shareOut(groups);
  const shown = (Object.keys(shares) as Group[]).flatMap((name) => groups[name].slice(0, slots[name]));
  const texts = new Map(customerTexts(shown).map((text, index) => [shown[index] as Entry, text]));
  const lines = (name: Group, rest: string): string[] => groupLines(groups[name], slots[name], rest, texts);
  const body = [
    section('Action required', action.flatMap(actionLines)),
    section('New', lines('new', 'more new features')),
    section('Improved', lines('improved', 'more improvements')),
    section('Fixed', lines('fixed', 'smaller fixes')),
  ];
  const hasChanges = notes.selection.pulls.length > notes.dropped.length || notes.directCommits.length > 0;
  if (body.every((text) => text === '') && hasChanges) return 'No changes for customers in this range.\n';
  return document(body);
}

/** What somebody wrote a note for or asked for comes first. A change of no kind of its own counts as an improvement only then. */
function groupsOf(entries: readonly Entry[]): Record<Group, Entry[]> {
  const told = entries
    .filter((entry) => !entry.breaking && entry.note?.kind !== 'none')
    .sort((a, b) => weight(b) - weight(a));
  const isTold = (entry: Entry): boolean => entry.note !== undefined;
  return {
    new: told.filter((entry) => entry.section === 'feature'),
    fixed: told.filter((entry) => entry.section === 'fix' || entry.section === 'security'),
    improved: told.filter(
      (entry) =>
        entry.section === 'performance' ||
        (entry.section === 'other' &&
          (isTold(entry) || (!entry.housekeeping && (entry.priority || entry.issues.length > 0)))) ||
        (entry.section === 'documentation' && isTold(entry)),
    ),
  };
}

function weight(entry: Entry): number {
  return (entry.priority ? 4 : 0) + (entry.note ? 2 : 0) + (reportOf(entry) ? 1 : 0);
}

/** Each group gets its share; what one leaves over goes to the next. */
function shareOut(groups: Record<Group, Entry[]>): Record<Group, number> {
  const slots: Record<Group, number> = { new: 0, fixed: 0, improved: 0 };
  const names = Object.keys(shares) as Group[];
  for (const name of names) slots[name] = Math.min(shares[name], groups[name].length);
  for (const name of names) {
    const left = mostLines - slots.new - slots.fixed - slots.improved;
    slots[name] = Math.min(groups[name].length, slots[name] + left);
  }
  return slots;
}

function groupLines(
  entries: readonly Entry[],
  most: number,
  rest: string,
  texts: ReadonlyMap<Entry, string>,
): string[] {
  const lines = entries
    .slice(0, most)
    .map((entry) => `- ${line(entry, texts.get(entry) ?? '')} ${marker('pr', entry.id)}`);
  const hidden = entries.length - lines.length;
  return hidden === 0 ? lines : [...lines, `- … and ${hidden} ${rest}`];
}

/** What was unsafe is not spelled out, unless somebody wrote what customers may read. */
function line(entry: Entry, text: string): string {
  if (entry.section !== 'security' || entry.note?.kind === 'text') return escapeText(text, 'joiner');
  const area = entry.areas.map((name) => escapeText(name, 'joiner')).join(', ');
  return area === '' ? 'Security update' : `Security update: ${area}`;
}

function actionLines(entry: Entry): string[] {
  const steps = customerLines(entry.upgrade).map((text) => `  ${text}`.trimEnd());
  const first = `- ${escapeText(customerText(entry), 'joiner')} ${marker('pr', entry.id)}`;
  return steps.length === 0 ? [first] : [first, '', ...steps, ''];
}
