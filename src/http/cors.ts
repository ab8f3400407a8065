/**
 * What web pages of other origins may do with the API: nothing, unless a setting names them. Keys travel in a header and never
 * in a cookie, so no credentials are allowed.
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
  'X-Key-Rotate-By',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Test-Mode',
].join(', ');
const taken = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id, X-Test-Mode';
/** How long a browser may remember the answer, in seconds. */
const rememberedSeconds = 600;

/** Headers for a reply to a page of this origin, as flat pairs; none for an origin that is not allowed. */
export function corsHeaders(origins: readonly string[], origin: string | undefined): readonly string[] {
  if (origins.length === 0) return [];
  if (origins.includes('*')) return ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', exposed];
  if (origin === undefined || !origins.includes(origin)) return ['Vary', 'Origin'];
  return ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', exposed, 'Vary', 'Origin'];
}

/** What a preflight request is told besides. */
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
