/** Reads a whole number that was given for an option. */
import { UsageError } from './usage.ts';

/**
 * Returns the number; undefined if the option was not given.
 * @param unit what the number counts, such as `days`
 * @throws UsageError for a text that is not a whole number from `min` to `max`
 */
export function readNumber(
  option: string,
  unit: string,
  text: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,6}$/.test(text) ? Number(text) : -1;
  if (number < min || number > max)
    throw new UsageError(`${option}: expected a number of ${unit} from ${min} to ${max}, got ${text}`);
  return number;
}
