/**
 * Prints what commands tell. Names and texts come from hosts and customers: whatever a terminal would act on is written as an
 * escape. Every command prints through here.
 */
import { terminalText } from '../foundation/visible-text.ts';

/**
 * Prints lines. A line end inside one of them is an escape, so that no name begins a line of its own.
 * @param none what is printed when there are no lines
 */
export function printLines(lines: readonly string[], none?: string): void {
  const shown = lines.length === 0 && none !== undefined ? [none] : lines;
  if (shown.length > 0) process.stdout.write(`${shown.map(terminalText).join('\n')}\n`);
}

/** Prints a text of several lines, such as formatted JSON or help. */
export function printText(text: string): void {
  printLines(text.split('\n'));
}
