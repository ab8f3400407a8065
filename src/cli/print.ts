/**
 * Prints the output of commands. Every command prints through this file. Names and texts come from hosts and customers,
 * so characters that a terminal would interpret are escaped or removed.
 */
import { terminalText, visibleText } from '../foundation/visible-text.ts';

/**
 * Prints lines. A line end inside a line is escaped, so that a name cannot begin a line of its own.
 * @param none text to print when there are no lines
 */
export function printLines(lines: readonly string[], none?: string): void {
  const shown = lines.length === 0 && none !== undefined ? [none] : lines;
  if (shown.length > 0) process.stdout.write(`${shown.map(terminalText).join('\n')}\n`);
}

/** Colors and styles of a line, with the codes that begin them on a terminal. */
const styles = { bold: 1, red: 31, green: 32, cyan: 36 } as const;
export type Color = keyof typeof styles;

/** A line with an optional color for the whole line. */
export interface ColoredLine {
  text: string;
  color?: Color;
}

/**
 * Prints lines in color if standard output is a terminal that shows colors. `NO_COLOR` in the environment turns colors
 * off. A line cannot contain a color of its own, because its characters are escaped as in {@link printLines}.
 */
export function printColored(lines: readonly ColoredLine[]): void {
  // Pipes and files do not have this function. It reads NO_COLOR and TERM.
  const hasColors = process.stdout.hasColors?.() ?? false;
  const shown = lines.map(({ text, color }) => {
    const safe = terminalText(text);
    return hasColors && color ? `\u001b[${styles[color]}m${safe}\u001b[0m` : safe;
  });
  if (shown.length > 0) process.stdout.write(`${shown.join('\n')}\n`);
}

/** Prints a text that has several lines, such as formatted JSON or help. */
export function printText(text: string): void {
  printLines(text.split('\n'));
}

/**
 * Prints Markdown, with one line end at its end. Characters that a terminal would interpret are removed, not escaped,
 * because the text is meant for readers and for files. Tabs stay.
 */
export function printMarkdown(text: string): void {
  process.stdout.write(`${visibleText(text.replace(/\r\n?/g, '\n')).trimEnd()}\n`);
}

/** Prints a line to standard error, which contains no results. */
export function printMessage(line: string): void {
  process.stderr.write(`${terminalText(line)}\n`);
}
