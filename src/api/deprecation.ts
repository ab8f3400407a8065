/**
 * What clients are told of an operation that will go: since when it is deprecated (RFC 9745), and when it goes (RFC 8594).
 */
import type { Deprecation } from '../protocol/contracts/contract.ts';
import type { JsonSchema } from './json-schema.ts';

/** Headers of all replies of a deprecated operation, as flat pairs; none for any other. */
export function deprecationHeaders(deprecation: Deprecation | undefined): readonly string[] {
  if (!deprecation) return [];
  const { since, sunset } = deprecation;
  return ['Deprecation', `@${Date.parse(since) / 1000}`, 'Sunset', new Date(sunset).toUTCString()];
}

/** The same headers in the OpenAPI document. */
export const deprecationSchemas: JsonSchema = {
  Deprecation: {
    description: 'Since when the operation is deprecated.',
    required: true,
    schema: { type: 'string', pattern: '^@\\d+$' },
  },
  Sunset: { description: 'When the operation goes.', required: true, schema: { type: 'string' } },
};
