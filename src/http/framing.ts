/**
 * The framing guard, first in every handler: the HTTP parser in use accepts two Content-Length headers and chunk endings
 * that are none, which behind a proxy lets a second request be smuggled in. What is ambiguous gets its connection closed,
 * since after any reply the hidden request would still be served.
 */

/** Counts what decides where a body ends, while the headers are read. */
export interface Framing {
  contentLengths: number;
  contentLength: number;
  ambiguous: boolean;
}

/** Takes one header into account; names are in lower case. */
export function frameHeader(framing: Framing, name: string, value: string): void {
  if (name === 'transfer-encoding') framing.ambiguous = true;
  else if (name === 'content-length') {
    framing.contentLengths += 1;
    framing.contentLength = Number(value);
    if (framing.contentLengths > 1 || !/^\d{1,15}$/.test(value)) framing.ambiguous = true;
  }
}

export function newFraming(): Framing {
  return { contentLengths: 0, contentLength: 0, ambiguous: false };
}
