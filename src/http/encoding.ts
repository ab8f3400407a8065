/**
 * Chooses the encoding of a reply from `Accept-Encoding` (RFC 9110, section 12.5.3).
 */

export type Encoding = 'br' | 'gzip' | 'identity';

const known: readonly Encoding[] = ['br', 'gzip', 'identity'];
const maxHeaderLength = 1024;

/**
 * Returns the accepted encoding with the highest weight in the header. Of several encodings with this weight, returns
 * the one with the smallest result: br, then gzip, then identity. A client that refuses all encodings gets `identity`.
 */
export function chooseEncoding(header: string | undefined): Encoding {
  if (header === undefined || header.length > maxHeaderLength) return 'identity';
  const weights = weightsOf(header);
  // `identity` is accepted unless the client refuses it. If the header does not mention `identity`, `identity` gets a
  // lower weight than every other encoding that the client accepts.
  const weightOf = (encoding: Encoding): number =>
    weights.get(encoding) ?? (encoding === 'identity' ? 0.0005 : (weights.get('*') ?? 0));
  const best = known.reduce((first, second) => (weightOf(second) > weightOf(first) ? second : first));
  return weightOf(best) > 0 ? best : 'identity';
}

/** Returns the weights in an `Accept-Encoding` header, by encoding. Skips parts of the header that are not valid. */
function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [, name, weight = '1'] = /^\s*([a-z0-9*-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/.exec(part) ?? [];
    if (name !== undefined) weights.set(name, Number(weight));
  }
  return weights;
}
