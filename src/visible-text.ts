/**
 * Takes out of a text what nobody sees and what changes how the rest is seen; drafts and channels both need it.
 */

/** Control characters other than line ends, marks that turn the direction of writing, and invisible blanks. */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose
  /[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;

/** Text without characters that show nothing or turn the direction of writing; line ends stay. */
export function visibleText(text: string): string {
  return text.toWellFormed().replace(unseen, '');
}
