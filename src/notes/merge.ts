/**
 * Merges a person's edits with newly generated text.
 */

/** The person's text with what is new. */
export function mergeBodies(generatedBase: string, edited: string, generatedNew: string): string {
  return edited === generatedBase ? generatedNew : edited;
}
