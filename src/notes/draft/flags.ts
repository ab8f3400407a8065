/**
 * Makes a draft's flags (spec part 2): highlights, contributors and how to upgrade, all from the facts and none from the text.
 */
import type { DraftFlags, Persona } from '../../protocol/stored.ts';
import type { Entry } from './entries.ts';
import { cleanLine, plainText } from './escape.ts';
import type { Notes } from './gather.ts';
import { highlightText } from './highlights.ts';
import { customerPhrases } from './personas/customer.ts';
import { actionText, customerSteps } from './plain.ts';
import { quoteLines } from './quote.ts';

/** Flags of a draft. Contributors are handles without `@`, in the order of their first merge. */
export function flagsOf(notes: Notes, persona: Persona): DraftFlags {
  return {
    highlights: persona === 'customer' ? customerPhrases(notes, notes.highlights) : notes.highlights.map(highlightText),
    contributors: notes.contributors.map(plainText),
    upgradeInstructions: upgradeInstructions(notes, persona),
  };
}

/** Each breaking change with the steps its author wrote, or where to read on, so that none is silently missing. */
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
  if (entry.upgrade === '') return `See #${entry.id}: ${title}`;
  return `${title} (#${entry.id})\n\n${quoteLines(entry.upgrade, 'comment').join('\n')}`;
}
