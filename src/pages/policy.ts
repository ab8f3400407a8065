/** Defines what the pages may load: only their stylesheet. */

/** The Content-Security-Policy of the pages. */
export const pagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
