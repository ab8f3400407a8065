/**
 * Makes the compiler check that a switch has a case for every member of a union.
 */

/** Thrown if a value has an unknown kind, for example because a later version of Tidings wrote it. */
export class UnknownKindError extends Error {}

/**
 * Call this function after the last case of a switch over a union. If a member of the union has no case, the call does
 * not compile.
 * @param _value the value of the switch. Its type is `never` when every member has a case.
 * @throws UnknownKindError with `message`. At run time, the value can be unknown, for example because a later version of
 *   Tidings wrote it.
 */
export function unreachable(_value: never, message: string): never {
  throw new UnknownKindError(message);
}

/** Returns the quoted name of an unknown member of a union, for a message. */
export function nameIn(value: unknown, field: string): string {
  return JSON.stringify((value as Record<string, unknown>)[field]);
}
