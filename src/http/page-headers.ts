/** Makes the headers that all pages for browsers have. Each page chooses its own Content-Security-Policy. */

/**
 * Returns the headers of a page for browsers, as a flat list of names and values.
 * @param policy the page's Content-Security-Policy
 */
export function pageHeaders(policy: string): string[] {
  return ['Content-Security-Policy', policy, 'X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer'];
}
