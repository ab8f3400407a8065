/**
 * Reads `Accept-Encoding` (RFC 9110, section 12.5.3): which encoding of a reply a client prefers.
 */

export type Encoding = 'br' | 'gzip' | 'identity';

const known: readonly Encoding[] = ['br', 'gzip', 'identity'];
const longestHeader = 1024;

/** The encoding with the highest weight, the smaller one among equals. A client that refuses all of them gets `identity`. */
export function chooseEncoding(header: string | undefined): Encoding {
  if (header === undefined || header.length > longestHeader) return 'identity';
  const weights = weightsOf(header);
  // `identity` is accepted unless it is refused, and anything that the client names comes before it.
  const weightOf = (encoding: Encoding): number =>
    weights.get(encoding) ?? (encoding === 'identity' ? 0.0005 : (weights.get('*') ?? 0));
  const best = known.reduce((first, second) => (weightOf(second) > weightOf(first) ? second : first));
  return weightOf(best) > 0 ? best : 'identity';
}

/** Weights by the name of the coding; a part that cannot be read is left out. */
function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [, name, weight = '1'] = /^\s*([a-z0-9*-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/.exec(part) ?? [];
    if (name !== undefined) weights.set(name, Number(weight));
  }
  return weights;
}
