/**
 * What a payload lacks, said so that its sender can mend it: every missing or malformed field of a captured event by name.
 */
import type { TSchema } from '@sinclair/typebox';
import type { TypeCheck } from '@sinclair/typebox/compiler';
import { type ErrorDetails, invalid } from '../foundation/errors.ts';

/**
 * Checks a payload against what its event must carry.
 * @throws ServiceError `invalid` with one detail for each bad field
 */
export function assertComplete(check: Checker, payload: object): void {
  if (!check.Check(payload)) throw invalid(faults(check, payload), 'The payload is incomplete.');
}

/** A compiled schema of whatever type. */
export type Checker = Pick<TypeCheck<TSchema>, 'Check' | 'Errors'>;

/** A push can have a fault in each of its million commits; whoever mends the sender needs to see a few. */
const mostFaults = 20;

/** One line for each bad field; a missing object is named once, not once for each of its fields. */
function faults(check: Checker, payload: unknown): ErrorDetails {
  const details: ErrorDetails = {};
  for (const error of check.Errors(payload)) {
    if (Object.keys(details).length === mostFaults) break;
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
