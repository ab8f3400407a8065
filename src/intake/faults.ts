/**
 * Checks payloads and names every missing or malformed field, so that the sender can correct them.
 */
import type { TSchema } from '@sinclair/typebox';
import type { TypeCheck } from '@sinclair/typebox/compiler';
import { type ErrorDetails, invalid } from '../foundation/errors.ts';

/**
 * Checks a payload against the schema of its event.
 * @throws ServiceError `invalid` with one detail for each bad field
 */
export function assertComplete(check: Checker, payload: object): void {
  if (!check.Check(payload)) throw invalid(faults(check, payload), 'The payload is incomplete.');
}

/** A compiled schema of any type. */
export type Checker = Pick<TypeCheck<TSchema>, 'Check' | 'Errors'>;

/**
 * Maximum number of reported fields. A push can have a fault in each of its million commits, but a few examples are
 * enough for the sender to find the error.
 */
const maxFaults = 20;

/** Returns one line per bad field. A missing object is named once, not once per field of the object. */
function faults(check: Checker, payload: unknown): ErrorDetails {
  const details: ErrorDetails = {};
  for (const error of check.Errors(payload)) {
    if (Object.keys(details).length === maxFaults) break;
    const field = error.path.slice(1).replaceAll('/', '.');
    const parent = Object.keys(details).some((known) => field.startsWith(`${known}.`));
    if (!parent && !(field in details)) details[field] = `${error.message.toLowerCase()}, got ${kindOf(error.value)}`;
  }
  return details;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
