/**
 * Prints the output of commands. Every command prints through this file. Names and texts come from hosts and customers,
 * so characters that a terminal would interpret are escaped.
 */
import { terminalText } from '../foundation/visible-text.ts';

/**
 * Prints lines. A line end inside a line is escaped, so that a name cannot begin a line of its own.
 * @param none text to print when there are no lines
 */
export function printLines(lines: readonly string[], none?: string): void {
  const shown = lines.length === 0 && none !== undefined ? [none] : lines;
  if (shown.length > 0) process.stdout.write(`${shown.map(terminalText).join('\n')}\n`);
}

/** Prints a text that has several lines, such as formatted JSON or help. */
export function printText(text: string): void {
  printLines(text.split('\n'));
}
