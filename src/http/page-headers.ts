/**
 * The headers that every page for browsers has. What a page may load is its own matter.
 */

/**
 * Names and values, one after the other.
 * @param policy the page's Content-Security-Policy
 */
export function pageHeaders(policy: string): string[] {
  return ['Content-Security-Policy', policy, 'X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer'];
}
