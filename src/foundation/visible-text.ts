/**
 * Handles characters that are invisible or that change how other characters are displayed. Such characters are removed
 * from texts for readers, and escaped in texts for terminals.
 */

/**
 * Matches control characters other than line ends, characters that change the direction of writing, and invisible
 * spaces.
 */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose
  /[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

/** Removes characters that are invisible or change the direction of writing. Line ends stay. */
export function visibleText(text: string): string {
  return text.toWellFormed().replace(unseen, '');
}

/** Matches the characters of {@link unseen}, all line ends and separators, and unpaired surrogates. */
const actsOnTerminals = new RegExp(`${unseen.source}|[\\u0009-\\u000D\\u0085\\u2028\\u2029]|\\p{Surrogate}`, 'gu');

/**
 * Returns a text as one line that is safe to show on a terminal. Invisible characters and characters that control a
 * terminal become escapes: `U+009B` becomes `\u009b`. A text that is JSON keeps its meaning, since strings in JSON use
 * the same escapes.
 */
export function terminalText(text: string): string {
  return text.replace(actsOnTerminals, escaped);
}

/** Escapes a character as in JSON, one escape per UTF-16 unit. */
function escaped(character: string): string {
  let escapes = '';
  for (let i = 0; i < character.length; i++) escapes += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
  return escapes;
}
