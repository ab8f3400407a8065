/**
 * Makes characters that nobody sees, or that change how others are seen, harmless: taken out of texts for readers, written as
 * escapes on terminals.
 */

/** Control characters other than line ends, marks that turn the direction of writing, and invisible blanks. */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose
  /[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

/** Text without characters that show nothing or turn the direction of writing; line ends stay. */
export function visibleText(text: string): string {
  return text.toWellFormed().replace(unseen, '');
}

/** Those characters, all line ends and separators, and halves of characters. */
const actsOnTerminals = new RegExp(`${unseen.source}|[\\u0009-\\u000D\\u0085\\u2028\\u2029]|\\p{Surrogate}`, 'gu');

/**
 * One line for a terminal. Characters that a terminal acts on, or that do not show, become escapes: `U+009B` is written
 * `\u009b`. JSON keeps its meaning, since its strings know the same escapes.
 */
export function terminalText(text: string): string {
  return text.replace(actsOnTerminals, escaped);
}

/** The escapes of JSON, one for each UTF-16 unit. */
function escaped(character: string): string {
  let escapes = '';
  for (let i = 0; i < character.length; i++) escapes += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
  return escapes;
}
