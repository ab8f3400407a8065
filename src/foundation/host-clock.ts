/**
 * Limits how far the clock of a host is trusted.
 */

/**
 * Maximum lead of a host's clock over the clock of this service, in milliseconds. If a host's time is further ahead,
 * the latest time within this lead is used.
 */
export const maxAheadMs = 300_000;
