/**
 * Makes the CORS headers. Web pages of other origins may not use the API unless a setting lists their origin. They use
 * it with API keys, which are sent in a header. Sessions are for the pages of the service only, so the headers never
 * allow cookies, other browser credentials or the header X-Tidings-CSRF.
 */

const exposed = [
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'Tidings-Position',
  'X-Key-Rotate-By',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Test-Mode',
].join(', ');
const taken =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Tidings-After, X-Request-Id, X-Test-Mode';
/** How long a browser may cache the reply to a preflight request, in seconds. */
const rememberedSeconds = 600;

/**
 * Returns the CORS headers of a reply to a request from a page of this origin, as a flat list of names and values. For
 * an origin that is not in the setting, returns only `Vary`. When the setting is empty, the reply has no CORS headers.
 */
export function corsHeaders(origins: readonly string[], origin: string | undefined): readonly string[] {
  if (origins.length === 0) return [];
  if (origins.includes('*')) return ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', exposed];
  if (origin === undefined || !origins.includes(origin)) return ['Vary', 'Origin'];
  return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', exposed, 'Vary', 'Origin'];
}

/** Returns the additional headers for the reply to a preflight request, as a flat list of names and values. */
export function preflightHeaders(methods: string): readonly string[] {
  return [
    'Access-Control-Allow-Methods',
    methods,
    'Access-Control-Allow-Headers',
    taken,
    'Access-Control-Max-Age',
    String(rememberedSeconds),
  ];
}
