/**
 * Limits how far the clock of a host is trusted.
 */

/**
 * Maximum lead of a host's clock over the clock of this service, in milliseconds. Times of a host that are further
 * ahead are reduced to this lead.
 */
export const maxAheadMs = 300_000;
