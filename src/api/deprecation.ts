/**
 * Makes the headers of deprecated operations: `Deprecation` (RFC 9745) with the date of the deprecation, and `Sunset`
 * (RFC 8594) with the date of the removal.
 */
import type { Deprecation } from '../protocol/resources/contract.ts';
import type { JsonSchema } from './json-schema.ts';

/**
 * Returns the headers for all replies of a deprecated operation, as a flat list of names and values. The list is empty
 * for any other operation.
 */
export function deprecationHeaders(deprecation: Deprecation | undefined): readonly string[] {
  if (!deprecation) return [];
  const { since, sunset } = deprecation;
  return ['Deprecation', `@${Date.parse(since) / 1000}`, 'Sunset', new Date(sunset).toUTCString()];
}

/** Schemas of the headers `Deprecation` and `Sunset` for the OpenAPI document. */
export const deprecationSchemas: JsonSchema = {
  Deprecation: {
    description: 'Time at which the operation was deprecated.',
    required: true,
    schema: { type: 'string', pattern: '^@\\d+$' },
  },
  Sunset: { description: 'Time at which the operation will be removed.', required: true, schema: { type: 'string' } },
};
