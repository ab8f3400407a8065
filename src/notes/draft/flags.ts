/**
 * Makes a draft's flags (spec part 2): highlights, contributors and upgrade instructions. The flags are made from the
 * facts, not from the text.
 */
import type { DraftFlags, Persona } from '../../protocol/stored.ts';
import { type Entry, referenceOf } from './entries.ts';
import { cleanLine, plainText } from './escape.ts';
import type { Notes } from './gather.ts';
import { highlightText } from './highlights.ts';
import { customerPhrases } from './personas/customer.ts';
import { actionText, customerSteps } from './plain.ts';
import { quoteLines } from './quote.ts';

/** Returns the flags of a draft. Contributors are handles without `@`, in the order of their first merge. */
export function flagsOf(notes: Notes, persona: Persona): DraftFlags {
  return {
    highlights: persona === 'customer' ? customerPhrases(notes, notes.highlights) : notes.highlights.map(highlightText),
    contributors: notes.contributors.map(plainText),
    upgradeInstructions: upgradeInstructions(notes, persona),
  };
}

/**
 * Lists each breaking change, with the steps that its author wrote. For a change without such steps, the list refers to
 * the pull request. So every breaking change is mentioned.
 */
function upgradeInstructions({ entries, source }: Notes, persona: Persona): string {
  const { origin } = source.repository;
  const parts = entries.filter((entry) => entry.breaking).map((entry) => upgradePart(entry, persona, origin));
  return parts.join('\n\n');
}

function upgradePart(entry: Entry, persona: Persona, origin: string): string {
  if (persona === 'customer') {
    const text = actionText(entry);
    const lines = customerSteps(entry, origin);
    return lines.length === 0 ? text : `${text}\n\n${lines.join('\n')}`;
  }
  const title = cleanLine(entry.text);
  const reference = referenceOf(entry);
  if (entry.upgrade === '') return `See ${reference}: ${title}`;
  return `${title} (${reference})\n\n${quoteLines(entry.upgrade, 'comment').join('\n')}`;
}
