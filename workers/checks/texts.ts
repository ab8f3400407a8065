/**
 * Makes the texts that the host shows for a release note check: the verdict in one line, its summary, and the comment.
 * Each text closes no issue, notifies no one and contains no line that would be read as a command.
 */
import { cutMarkdown } from '../../src/channels/host/cut-markdown.ts';
import { harmlessMarkdown } from '../../src/channels/host/harmless.ts';
import type { HostVerdict } from '../../src/host/verdicts.ts';
import { escapeText } from '../../src/notes/draft/escape.ts';
import type { NoteNeed } from '../../src/protocol/notes.ts';
import type { NoteLine, NotePreview } from '../../src/protocol/pull-note.ts';
import type { Persona } from '../../src/protocol/stored.ts';

/** Maximum length of the summary and of the comment, in characters. Hosts accept 65,535. */
const maxLength = 30_000;

const needed: Record<NoteNeed, [what: string, command: string]> = {
  type: ['the kind of the change', '/kind fix'],
  area: ['the area of the change', '/area ui'],
  note: ['a release note', '/note TEXT'],
};

const readers: Record<Persona, string> = {
  engineer: 'For engineers',
  internal: 'For internal readers',
  customer: 'For customers',
};

/** Returns the verdict as the host shows it. */
export function verdictOf(note: NotePreview): HostVerdict {
  const { state } = note.verdict;
  return { state, title: titleOf(note), summary: withoutCommands(summaryOf(note)) };
}

/** Returns the comment on a pull request, which begins with its mark. */
export function commentOf(note: NotePreview, mark: string): string {
  return `${mark}\n${withoutCommands(`**Release notes**\n\n${summaryOf(note)}`)}\n`;
}

/** Returns the verdict in one line, short enough for a commit status. */
function titleOf({ verdict: { missing, message } }: NotePreview): string {
  if (missing.length === 0) return message;
  const whats = missing.map((need) => needed[need][0]);
  const commands = missing.map((need) => needed[need][1]);
  return `Missing: ${whats.join(', ')}. Comment ${commands.join(', ')}.`;
}

function summaryOf({ verdict, lines }: NotePreview): string {
  const parts = Object.entries(readers).map(([persona, whom]) => `${whom}:\n\n${entriesOf(lines[persona as Persona])}`);
  const text = [verdict.message, ...parts].join('\n\n');
  return cutMarkdown(harmlessMarkdown(text), maxLength, () => 'The text is longer than a comment can be.').trimEnd();
}

function entriesOf(lines: readonly NoteLine[]): string {
  if (lines.length === 0) return '- *nothing*';
  return lines.map(({ heading, markdown }) => `*${escapeText(heading)}*\n\n${markdown}`).join('\n\n');
}

/** Returns a text in which no line begins with a command. A backslash before the slash is not visible. */
function withoutCommands(markdown: string): string {
  return markdown.replace(/^(\s*)(?=\/(?:note|kind|area|highlight)\b)/gim, '$1\\');
}
