/**
 * Disables mentions of people in texts for chats, by inserting an invisible character after the `@`. On source-code
 * hosts an HTML comment does this, but chats do not support HTML comments.
 */

/**
 * Inserts an invisible joiner after the `@` of `@name`. The text looks the same and notifies no one. `@scope/package`
 * and mail addresses do not change.
 */
export function breakMentions(text: string): string {
  return text.replace(
    /(?<![\p{L}\p{N}_.])@(?=[\p{L}\p{N}_])(?:(?=here\b|channel\b|everyone\b|all\b)|(?![\w.-]{1,100}\/[\w.-]))/giu,
    '@\u200D',
  );
}
