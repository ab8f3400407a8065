/**
 * Defines what the pages may load: only their stylesheet, and a logo of this service. No other web page may show them in
 * a frame, except for the page that is made for this.
 */

/** The exceptions that a page needs. */
interface Needs {
  /** Whether the page shows a logo. */
  logo?: boolean;
  /** Whether the page has a form. Its target is always this service. */
  form?: boolean;
  /** Origins of the web pages that may show the page in a frame. */
  frameAncestors?: readonly string[];
}

/** Returns the Content-Security-Policy of a page. */
export function policyWith({ logo = false, form = false, frameAncestors = [] }: Needs): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    logo ? "img-src 'self' data:" : 'img-src data:',
    "base-uri 'none'",
    form ? "form-action 'self'" : "form-action 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ].join('; ');
}

/** The Content-Security-Policy of pages without exceptions. */
export const pagePolicy = policyWith({});
