/**
 * Breaks what a chat would take for a call to people, in texts where comments do not survive.
 */

/** `@name` with a joiner behind the sign: it reads the same and calls nobody. `@scope/package` and addresses of mail stay. */
export function breakMentions(text: string): string {
  return text.replace(
    /(?<![\p{L}\p{N}_.])@(?=[\p{L}\p{N}_])(?:(?=here\b|channel\b|everyone\b|all\b)|(?![\w.-]{1,100}\/[\w.-]))/giu,
    '@\u200D',
  );
}
