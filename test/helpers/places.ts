/**
 * Describes where the programs of a test run: on loopback, or in a network of their own that the test can cut off
 * (`test/helpers/networks.ts`).
 */

/** A place with an address. */
export interface Place {
  /** Address for programs in other places of the same kind. */
  readonly host: string;
  /** Address for the test itself. It can be reached even while the place is cut off from other places. */
  readonly reach: string;
  /** The program and arguments that start a command in this place. */
  readonly enter: readonly string[];
}

export const loopback: Place = { host: '127.0.0.1', reach: '127.0.0.1', enter: [] };
