/**
 * The demo's one screen: the same changes as each reader's draft tells them, one reader below the other.
 */
import { type Persona, personas } from './client.ts';
import { renderMarkdown, type TerminalStyle } from './terminal/markdown.ts';
import { paint } from './terminal/spans.ts';

const labelWidth = 10;
const bodyIndent = '    ';

/**
 * Some changes of a range for all readers.
 * @param drafts Markdown by persona
 * @param numbers of the pull requests to show
 * @throws Error when a draft has no entry of one of them
 */
export function readersText(
  drafts: Readonly<Record<Persona, string>>,
  numbers: readonly number[],
  style: TerminalStyle,
): string {
  const narrow = { ...style, width: style.width - labelWidth };
  const entries = numbers.map((number) =>
    personas.map((persona) => labelled(persona, renderEntry(entryOf(drafts[persona], number), narrow), style)).join(''),
  );
  return entries.join('\n');
}

/** The list item that is marked with a pull request's number, with the lines that belong to it. */
function entryOf(markdown: string, number: number): string {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => line.endsWith(`<!-- rn:pr:${number} -->`));
  if (start === -1) throw new Error(`The draft has no entry of #${number}.`);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^\S/.test(line));
  return [lines[start], ...rest.slice(0, end === -1 ? rest.length : end)].join('\n').trimEnd();
}

/** Text and quotes below an item stand under its words, as a list below it does by itself. */
function renderEntry(entry: string, style: TerminalStyle): string[] {
  const [head = '', ...rest] = entry.split('\n');
  // An empty line sets a paragraph or a quote off, and nothing a list.
  if (rest[0] !== '') return linesOf(entry, style);
  const body = rest.map((line) => line.replace(/^ {2}/, '')).join('\n');
  const below = linesOf(body, { ...style, width: style.width - bodyIndent.length });
  return [...linesOf(head, style), ...below.map((line) => (line === '' ? '' : bodyIndent + line))];
}

function linesOf(markdown: string, style: TerminalStyle): string[] {
  return renderMarkdown(markdown, style).trimEnd().split('\n');
}

function labelled(persona: Persona, lines: readonly string[], { color }: TerminalStyle): string {
  const label = paint(` ${persona}`.padEnd(labelWidth), ['dim'], color);
  return lines.map((line, i) => `${i === 0 ? label : line === '' ? '' : ' '.repeat(labelWidth)}${line}\n`).join('');
}
