/**
 * Writes the demo's screen. The screen shows each change three times: as the drafts for the three readers describe it.
 */
import { type Persona, personas } from './client.ts';
import { renderMarkdown, type TerminalStyle } from './terminal/markdown.ts';
import { paint } from './terminal/spans.ts';

const labelWidth = 10;
const bodyIndent = '    ';

/**
 * Shows some changes of a range for all readers.
 * @param drafts Markdown by persona
 * @param numbers numbers of the pull requests to show
 * @throws Error when a draft has no entry for one of the numbers
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

/**
 * Returns the list item of a pull request with all lines that belong to the item. The item is found by the marker in
 * its first line.
 */
function entryOf(markdown: string, number: number): string {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => line.endsWith(`<!-- rn:pr:${number} -->`));
  if (start === -1) throw new Error(`The draft has no entry of #${number}.`);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^\S/.test(line));
  return [lines[start], ...rest.slice(0, end === -1 ? rest.length : end)].join('\n').trimEnd();
}

/**
 * Renders an entry. The function indents a paragraph or a quote below the list item to the start of the item's text. A
 * list below the item already has its indentation.
 */
function renderEntry(entry: string, style: TerminalStyle): string[] {
  const [head = '', ...rest] = entry.split('\n');
  // An empty line or the sign of a quote begins what is below the item. A list is indented by itself.
  if (rest[0] !== '' && !rest[0]?.startsWith('  >')) return linesOf(entry, style);
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
